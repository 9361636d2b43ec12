// A list whose length is known when it is made, on the stack as long as it is short: what a run
// needs, without the heap.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace waybill::capi {

template <typename T, size_t kInline = 16>
class Scratch {
 public:
  explicit Scratch(size_t size) : size_(size) {
    if (size > kInline) heap_ = std::make_unique<T[]>(size);
  }

  std::span<T> all() { return {heap_ ? heap_.get() : inline_.data(), size_}; }
  std::span<T> first(size_t count) { return all().first(count); }
  T& operator[](size_t i) { return all()[i]; }

 private:
  size_t size_;
  std::array<T, kInline> inline_ = {};
  std::unique_ptr<T[]> heap_;
};

}  // namespace waybill::capi
