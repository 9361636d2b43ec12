// Replaces operator new in the program that links this, so that a size field that is believed
// before it was checked shows.
#pragma once

#include <cstddef>

namespace waybill::fuzz {

// From now on a single allocation of more than `bytes` ends the program with a message.
void SetAllocationLimit(size_t bytes);

// Ends the program when one allocation of `bytes` is over the limit: for memory that does not come
// from operator new.
void CheckAllocation(size_t bytes);

}  // namespace waybill::fuzz
