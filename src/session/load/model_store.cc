#include "session/load/model_store.h"

#include <chrono>
#include <cstring>
#include <utility>

#include "base/math/denormals.h"
#include "onnx/external/location.h"
#include "session/load/packed_path.h"
#include "session/load/weight_need.h"

namespace waybill::session {
namespace {

// Whether files or bytes are still those that `loaded` was made of. `folder`: of external data.
bool StillFits(const Loaded& loaded, const ModelSource& source, const std::string& folder) {
  for (const auto& stamp : loaded.files) {
    if (stamp->location().empty()) {
      if (!stamp->Fits(source.path)) return false;
      continue;
    }
    const Result<std::string> path =
        onnx::ResolveLocation(folder, loaded.linked_folder, stamp->location());
    if (!path.ok() || !stamp->Fits(*path)) return false;
  }
  if (source.is_file) return true;
  // Their hashes are equal. Where the bytes are still at hand, it costs little to be certain.
  const std::shared_ptr<const onnx::ModelFile> file = loaded.file.lock();
  return file == nullptr ||
         (file->bytes().size() == source.bytes.size() &&
          std::memcmp(file->bytes().data(), source.bytes.data(), source.bytes.size()) == 0);
}

}  // namespace

Result<ModelStore::Opened> ModelStore::Open(Env& env, const ModelSource& source,
                                            const SessionOptions& options, const Config& config,
                                            LoadPlace& place) {
  std::optional<LoadKey> key = LoadKeyOf(source, options, config, DenormalsAreZero());
  WB_ASSIGN_OR_RETURN(const std::string packed_file, PackedWeightsFile(source, options, config));
  std::string why_alone;
  if (!options.optimized_model_path.empty()) why_alone = "its optimised model is saved";
  // Without a file there is an error to report.
  if (!key || !why_alone.empty()) {
    if (!key) key.emplace();
    key->alone = loads_alone_.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  const auto load = [&]() -> Result<std::unique_ptr<Loaded>> {
    const auto start = std::chrono::steady_clock::now();
    WB_RETURN_IF_ERROR(AskToOpen(source, config, place));
    WB_ASSIGN_OR_RETURN(OpenedModel opened, OpenModel(env, source, config));
    const std::chrono::nanoseconds read = std::chrono::steady_clock::now() - start;
    WB_ASSIGN_OR_RETURN(std::unique_ptr<Loaded> loaded,
                        LoadModel(env, std::move(opened), options, config, packed_file, place));
    loaded->report.read_ns = read.count();
    loaded->name = source.is_file ? source.path : "bytes";
    loaded->why_alone = why_alone;
    return loaded;
  };
  const auto fits = [&](const Loaded& loaded) { return StillFits(loaded, source, key->folder); };
  WB_ASSIGN_OR_RETURN(auto found, models_.FindOrMake(*key, load, fits, options.cancel_load));
  return Opened{std::move(found.value), !found.made};
}

}  // namespace waybill::session
