// Where a session's model comes from.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/status/result.h"
#include "memory/weights/weight_load.h"
#include "onnx/model/model_file.h"
#include "session/load/config.h"
#include "session/options/env.h"

namespace waybill::session {

// A file, or else bytes.
struct ModelSource {
  std::string path;
  bool is_file = false;
  std::span<const std::byte> bytes;
  bool keep = false;  // the caller keeps the bytes as long as the session: they are used in place
};

struct OpenedModel {
  std::shared_ptr<const onnx::ModelFile> file;
  WeightOrigin origin = WeightOrigin::kMapped;
  // The bytes may go after the load: what stays of them is copied, tensor by tensor.
  bool passing = false;
};

// The bytes of it that OpenModel reads or copies as a whole; 0 where it maps or borrows them, or
// where there is no file.
size_t BytesToCopy(const ModelSource& source, const Config& config);

// Maps, reads, copies or borrows it. Errors: those of onnx::ModelFile.
Result<OpenedModel> OpenModel(Env& env, const ModelSource& source, const Config& config);

}  // namespace waybill::session
