#include "session/load/load_key.h"

#include <filesystem>
#include <span>
#include <system_error>

#include "base/file/identify.h"

namespace waybill::session {
namespace {

namespace fs = std::filesystem;

// Free of links; as far as possible when it does not exist.
std::string RealPath(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (!error) return real.string();
  return fs::absolute(path, error).lexically_normal().string();
}

std::string ExternalFolder(const ModelSource& source, const SessionOptions& options,
                           const Config& config) {
  if (!config.external_folder.empty()) return RealPath(config.external_folder);
  if (!options.base_directory.empty()) return RealPath(options.base_directory);
  if (!source.is_file) return {};
  const fs::path parent = fs::path(source.path).parent_path();
  return RealPath(parent.empty() ? fs::path(".") : parent);
}

ContentHash HashStrings(std::span<const std::string> strings) {
  std::string all;
  for (const std::string& text : strings) all += std::to_string(text.size()) + ":" + text;
  return HashContent(std::as_bytes(std::span(all)));
}

LoadKey::Bytes ValueKey(const std::string& name, const Value& value) {
  LoadKey::Bytes key;
  key.name = name;
  const Tensor* tensor = value.tensor();
  if (tensor == nullptr) return key;  // refused when it is used
  key.dtype = tensor->dtype();
  key.shape = tensor->shape();
  key.data = tensor->view().data;
  key.bytes = tensor->view().bytes();
  key.content = key.dtype == DType::kString ? HashStrings(tensor->span<std::string>())
                                            : HashContent({key.data, key.bytes});
  return key;
}

std::vector<LoadKey::Bytes> ValueKeys(const std::vector<std::pair<std::string, Value>>& values) {
  std::vector<LoadKey::Bytes> keys;
  for (const auto& [name, value] : values) keys.push_back(ValueKey(name, value));
  return keys;
}

void AddTables(const SessionOptions& options, LoadKey& key) {
  for (const kernel::Provider& provider : options.providers) {
    key.tables.push_back({provider.name, nullptr, provider.tables.size()});
    for (const kernel::KernelTable& table : provider.tables) {
      key.tables.push_back({{}, table.data(), table.size()});
    }
  }
}

}  // namespace

std::optional<LoadKey> LoadKeyOf(const ModelSource& source, const SessionOptions& options,
                                 const Config& config, bool denormals_as_zero) {
  LoadKey key;
  if (source.is_file) {
    key.file = IdentifyFile(source.path);
    if (!key.file) return std::nullopt;
    key.real_path = RealPath(source.path);
  } else {
    key.memory.data = source.keep ? source.bytes.data() : nullptr;
    key.memory.bytes = source.bytes.size();
    key.memory.content = HashContent(source.bytes);
  }
  key.folder = ExternalFolder(source, options, config);
  key.level = options.level;
  key.denormals_as_zero = denormals_as_zero;
  key.config = config;
  key.config.warnings.clear();
  key.config.prewarm.clear();
  key.config.admission_timeout_ms = key.config.max_inflight = -1;
  key.config.memory_budget_bytes = key.config.idle_trim_ms = -1;
  key.free_dims_by_name = options.free_dims_by_name;
  key.free_dims_by_denotation = options.free_dims_by_denotation;
  key.initializers = ValueKeys(options.initializers);
  key.external_initializers = ValueKeys(options.external_initializers);
  for (const SessionOptions::FileInMemory& file : options.external_files) {
    LoadKey::Bytes bytes;
    bytes.name = file.location;
    bytes.data = file.keep ? file.data : nullptr;
    bytes.bytes = file.bytes;
    bytes.content = HashContent({file.data, file.bytes});
    key.external_files.push_back(std::move(bytes));
  }
  AddTables(options, key);
  return key;
}

size_t LoadKeyHash::operator()(const LoadKey& key) const {
  uint64_t words[] = {key.memory.content.words[0],
                      key.memory.content.words[1],
                      key.file ? key.file->inode : 0,
                      key.file ? static_cast<uint64_t>(key.file->mtime_ns) : 0,
                      key.file ? key.file->size_bytes : 0,
                      static_cast<uint64_t>(key.level),
                      key.initializers.size() + key.external_initializers.size(),
                      key.alone};
  for (const LoadKey::Bytes& value : key.initializers) words[6] ^= value.content.words[0];
  return static_cast<size_t>(HashContent(std::as_bytes(std::span(words))).words[0]);
}

}  // namespace waybill::session
