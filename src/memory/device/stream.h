// Stream: an order in which a device does things.
#pragma once

#include <cstdint>

namespace waybill {

// Work of one stream is done in the order in which it was given; work of two streams is not. 0 is
// the order of the host itself, the only one of devices that compute while the caller waits.
struct Stream {
  uint64_t id = 0;

  bool operator==(const Stream&) const = default;
};

}  // namespace waybill
