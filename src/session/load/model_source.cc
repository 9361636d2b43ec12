#include "session/load/model_source.h"

#include "session/load/load.h"

namespace waybill::session {

namespace {

// A model of so few bytes is copied as a whole.
constexpr size_t kSmallModelBytes = size_t{1} << 20;

}  // namespace

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
