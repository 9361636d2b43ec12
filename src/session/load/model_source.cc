#include "session/load/model_source.h"

#include <filesystem>
#include <system_error>

#include "session/load/load.h"

namespace waybill::session {

namespace {

// A model of so few bytes is copied as a whole.
constexpr size_t kSmallModelBytes = size_t{1} << 20;

}  // namespace

size_t BytesToCopy(const ModelSource& source, const Config& config) {
  if (source.is_file) {
    std::error_code failed;
    const auto bytes = config.read_model ? std::filesystem::file_size(source.path, failed) : 0;
    return failed ? 0 : static_cast<size_t>(bytes);
  }
  return !source.keep && source.bytes.size() < kSmallModelBytes ? source.bytes.size() : 0;
}

Result<OpenedModel> OpenModel(Env& env, const ModelSource& source, const Config& config) {
  OpenedModel out;
  if (source.is_file) {
    const FileAccess access = config.read_model ? FileAccess::kRead : FileAccess::kMap;
    out.origin = config.read_model ? WeightOrigin::kRead : WeightOrigin::kMapped;
    WB_ASSIGN_OR_RETURN(out.file, onnx::ModelFile::Open(source.path, access, WeightBytes(env)));
    return out;
  }
  if (!source.keep && source.bytes.size() < kSmallModelBytes) {
    out.origin = WeightOrigin::kRead;
    WB_ASSIGN_OR_RETURN(out.file, onnx::ModelFile::FromCopy(source.bytes, WeightBytes(env)));
    return out;
  }
  out.origin = WeightOrigin::kCaller;
  out.passing = !source.keep;
  WB_ASSIGN_OR_RETURN(out.file, onnx::ModelFile::FromBytes(source.bytes, nullptr));
  return out;
}

}  // namespace waybill::session
