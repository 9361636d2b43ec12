// How often the process took memory from the C++ heap. Part of the program only, not of
// waybill_tools: it replaces operator new.
#pragma once

#include <cstddef>

namespace waybill::tools {

// Calls of operator new so far, in this program and in the library.
size_t AllocationCount();

}  // namespace waybill::tools
