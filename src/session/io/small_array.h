// SmallArray: an array whose length is known when it is made, without heap memory when it is short.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace waybill::session {

// Elements start out value-initialized; those that are not asked for cost nothing.
template <typename T, size_t kInline = 16>
class SmallArray {
 public:
  explicit SmallArray(size_t size) : size_(size) {
    if (size > kInline) {
      heap_ = std::make_unique<T[]>(size);
    } else {
      std::uninitialized_value_construct_n(inline_data(), size);
    }
  }
  ~SmallArray() {
    if (heap_ == nullptr) std::destroy_n(inline_data(), size_);
  }
  SmallArray(const SmallArray&) = delete;
  SmallArray& operator=(const SmallArray&) = delete;

  std::span<T> span() { return {heap_ != nullptr ? heap_.get() : inline_data(), size_}; }
  std::span<T> first(size_t count) { return span().first(count); }
  T& operator[](size_t i) { return span()[i]; }

 private:
  T* inline_data() { return reinterpret_cast<T*>(inline_); }

  size_t size_;
  std::unique_ptr<T[]> heap_;
  alignas(T) std::byte inline_[kInline * sizeof(T)];
};

}  // namespace waybill::session
