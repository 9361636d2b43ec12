// SmallArray: an array whose length is known when it is made, without heap memory when it is short.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace waybill::session {

template <typename T, size_t kInline>
class SmallArray {
 public:
  explicit SmallArray(size_t size) : size_(size) {
    if (size > kInline) heap_ = std::make_unique<T[]>(size);
  }
  std::span<T> span() { return {heap_ ? heap_.get() : inline_.data(), size_}; }
  T& operator[](size_t i) { return span()[i]; }

 private:
  size_t size_;
  std::array<T, kInline> inline_{};
  std::unique_ptr<T[]> heap_;
};

}  // namespace waybill::session
