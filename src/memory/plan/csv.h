// Planning problems as text, in the CSV form of the MiniMalloc benchmark suite, so that instances
// and answers can be exchanged with other solvers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status/result.h"
#include "memory/plan/lifetime.h"

namespace waybill::plan {

// Reads "id,lower,upper,size" with optional further columns, found by the names in the first line;
// "alignment" is used, others are skipped. A buffer lives in steps lower .. upper - 1. Names may be
// any text: the Lifetime's id is the line's number from 0. Without an alignment column it is 1.
// Errors: kInvalidArgument naming the line.
Result<std::vector<Lifetime>> ReadCsv(std::string_view text);

// The problem and, when `placement` is not null, its offsets as one more column.
std::string WriteCsv(std::span<const Lifetime> lives, const Placement* placement);

}  // namespace waybill::plan
