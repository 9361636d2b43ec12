// Cutting a problem where nothing is alive on both sides.
#pragma once

#include <vector>

#include "memory/plan/problem.h"

namespace waybill::plan {

// The parts of a problem between its cut lines: steps that no buffer lives across. Buffers of two
// parts never meet, so each part is placed for itself and the slab is the largest of theirs. Items
// are in the order of their first step and `index` counts the items of `problem`. Steps at which a
// subset of a neighbouring step is alive are left out; they constrain nothing.
std::vector<Problem> CutAtLines(const Problem& problem);

}  // namespace waybill::plan
