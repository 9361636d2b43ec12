// Looking inside an OrtValue.
#pragma once

#include "base/status/result.h"
#include "capi/handles.h"

namespace waybill::capi {

// The value's tensor. Errors: `code` when it holds something else.
Result<const Tensor*> TensorOf(const OrtValue* value, Code code);

}  // namespace waybill::capi
