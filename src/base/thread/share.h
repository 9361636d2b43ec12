// ShareByThread: an owner of an object that many threads use for a moment each.
#pragma once

#include <memory>
#include <utility>

#include "base/thread/sharded.h"

namespace waybill {

// Copies of one shared_ptr all write the same count. The copies that this one hands out count by
// threads, on lines of their own; the object goes when the last of them has gone. To be made again
// when the object changes; handing out is thread-safe.
template <typename T>
class ShareByThread {
 public:
  ShareByThread() = default;
  // Throws std::bad_alloc.
  explicit ShareByThread(const std::shared_ptr<T>& object) {
    shares_.ForEach(
        [&](std::shared_ptr<T>& share) { share = std::shared_ptr<T>(object.get(), Hold{object}); });
  }

  std::shared_ptr<T> Take() const { return shares_.Mine(); }

 private:
  // Aligned, so that the count beside it has a line of its own.
  struct alignas(64) Hold {
    std::shared_ptr<T> object;
    void operator()(T*) noexcept { object.reset(); }
  };
  Sharded<std::shared_ptr<T>> shares_;
};

}  // namespace waybill
