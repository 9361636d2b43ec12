#include "session/load/packed_path.h"

#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "base/text/format.h"
#include "memory/weights/content_hash.h"

namespace waybill::session {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBeside = "beside_model";

// Of what decides which constants a model comes to, and in which form.
std::string OptionsText(const SessionOptions& options, const Config& config) {
  std::string text =
      Format("{} {} {} {} {} {} {}", static_cast<int>(options.level), options.denormals_as_zero,
             config.stop_after_patch, config.fold_limit_bytes, config.released_opsets_only,
             config.fuse_quantized, config.pack);
  for (const auto* sizes : {&options.free_dims_by_name, &options.free_dims_by_denotation}) {
    text += '|';
    for (const auto& [name, size] : *sizes) text += Format(" {}:{}={}", name.size(), name, size);
  }
  return text;
}

std::string HexOf(const std::string& text) {
  char hex[17];
  const ContentHash hash = StableHash(std::as_bytes(std::span(text)));
  std::snprintf(hex, sizeof(hex), "%016llx", static_cast<unsigned long long>(hash.words[0]));
  return hex;
}

// Absolute and free of links, as far as the file is there.
std::string RealPath(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real.string();
}

}  // namespace

std::string LibraryVersion() { return "waybill " WAYBILL_VERSION; }

Result<std::string> PackedWeightsFile(const ModelSource& source, const SessionOptions& options,
                                      const Config& config) {
  const std::string& wanted = config.packed_weights_path;
  if (wanted.empty()) return std::string();
  const std::string text = OptionsText(options, config);
  if (wanted == kBeside) {
    if (source.is_file) return Format("{}.{}.packed", source.path, HexOf(text));
    return Error(Code::kInvalidArgument,
                 "session config entry waybill.packed_weights_path = \"{}\" needs a model from a "
                 "file; this one is from memory",
                 kBeside);
  }
  std::string name = "bytes", which;
  if (source.is_file) {
    name = fs::path(source.path).filename().string();
    which = RealPath(source.path);
  } else {
    const ContentHash content = StableHash(source.bytes);
    which = Format("{} {} {}", source.bytes.size(), content.words[0], content.words[1]);
  }
  return (fs::path(wanted) / Format("{}.{}.packed", name, HexOf(which + '|' + text))).string();
}

}  // namespace waybill::session
