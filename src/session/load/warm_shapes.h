// Input shapes that a session gets ready for at load.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status/result.h"
#include "tensor/shape/shape.h"

namespace waybill::session {

// One set of input shapes; inputs that are not named have their declared shapes.
struct WarmShapes {
  std::vector<std::string> names;
  std::vector<Shape> shapes;  // one for each name

  bool operator==(const WarmShapes&) const = default;
};

// Reads "1" (declared shapes alone), "0" or nothing (no set), or sets with '|' between them, each
// like "ids:[1,128];mask:[1,128]". A name may hold any character but '|' and ';'.
// Errors: kInvalidArgument with the text.
Result<std::vector<WarmShapes>> ParseWarmShapes(std::string_view text);

}  // namespace waybill::session
