// Settings of memory that stand where nobody reads them.
#pragma once

#include <string_view>

#include "base/status/status.h"

namespace waybill::session {

// Keys of arenas, of other providers' limits and of runs' memory are easily put among the entries
// of a session, of a run or of the CPU provider. There they would limit nothing, so they are
// refused. Those that limit nothing anywhere (how an arena grows, whether there is one) are not:
// programs give them to providers of the library that this one stands for. `where` names the place,
// as in "session config entry". A key that is about something else is OK. Errors: kInvalidArgument,
// naming the key and where it belongs.
Status CheckMemoryKey(std::string_view where, std::string_view key);

}  // namespace waybill::session
