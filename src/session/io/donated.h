// Inputs that a caller gives away for one run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status/result.h"
#include "exec/runner/run.h"
#include "session/io/signature.h"

namespace waybill::session {

// What a run may overwrite when the inputs of these names are donated. `feeds` has one entry per
// input of the model, null for those not given; `outputs` one per output, undefined for those that
// the caller does not give.
// Errors: kInvalidArgument, naming the input, for one that the model does not have, that is not
// given, is named twice, is no tensor or one of strings, shares bytes with another input, or shares
// only some of its bytes with a given output, or bytes with two.
Result<std::vector<exec::Donation>> FindDonated(const Signature& signature,
                                                std::span<const std::string> names,
                                                std::span<const Value* const> feeds,
                                                std::span<const Value> outputs);

}  // namespace waybill::session
