// Session config entries of ONNX Runtime that ask for what is not done here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status/status.h"

namespace waybill::session {

// An entry that is only about speed gives a warning when it asks for something, and so does one
// that nobody knows; one that asks for nothing is accepted. Errors: kNotImplemented for an entry
// that would change results or write files, naming it; kInvalidArgument for a setting of memory
// that belongs elsewhere; kInvalidArgument or kFail for a value that ONNX Runtime refuses too, by
// its code.
Status CheckForeignKey(std::string_view key, std::string_view value,
                       std::vector<std::string>& warnings);

}  // namespace waybill::session
