// What a model file says of itself, as JSON.
#pragma once

#include <string>

#include "base/status/result.h"

namespace waybill::capi {

// Reads the file, no external data. Errors: as onnx::ModelFile::Open.
Result<std::string> InspectJson(const std::string& path);

}  // namespace waybill::capi
