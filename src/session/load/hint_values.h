// Texts of entries without effect here that ONNX Runtime nevertheless reads: what it refuses is
// refused, so that a mistake does not pass for a setting.
#pragma once

#include <string_view>

#include "base/status/status.h"

namespace waybill::session {

// Errors: kFail for a malformed value of session.max_shape_override ("name:[d0,d1];name2:[...]",
// dimensions above 0) or session.intra_op_thread_affinities ("1,2;3-5;...", processors from 1 on).
// Other keys and empty values are OK.
Status CheckHintValue(std::string_view key, std::string_view value);

}  // namespace waybill::session
