// FieldList: the values of one repeated field, left where they are in the file and decoded while
// they are walked. Costs one small record per run of adjacent values, never per value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace waybill::onnx {

// Adjacent values: a packed chunk (values back to back), or fields (each value behind its tag).
struct FieldRun {
  const char* data = nullptr;
  size_t size_bytes = 0;
  bool packed = false;
};

// T is int32_t, int64_t, uint64_t, float, double, or std::string_view for strings and bytes.
// Borrows the message's bytes. The bytes were checked when the list was made; if they change later,
// values are wrong but nothing outside of the runs is read.
template <typename T>
class FieldList {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    Iterator() = default;
    Iterator(const FieldRun* run, const FieldRun* end, size_t left)
        : run_(run), end_(end), left_(left) {
      Step();
    }
    const T& operator*() const { return value_; }
    const T* operator->() const { return &value_; }
    Iterator& operator++() {
      --left_;
      Step();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const Iterator& other) const { return left_ == other.left_; }

   private:
    // Decodes the value at the position into value_ and moves behind it.
    void Step();

    const FieldRun* run_ = nullptr;
    const FieldRun* end_ = nullptr;
    size_t offset_ = 0;
    size_t left_ = 0;
    T value_{};
  };

  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  Iterator begin() const { return {runs_.data(), runs_.data() + runs_.size(), count_}; }
  Iterator end() const { return {}; }
  std::vector<T> ToVector() const;

  // The values as one range of little-endian bytes, where they lie so in the file: a fixed-width
  // type in a single packed chunk. No alignment is promised.
  std::optional<std::span<const std::byte>> Contiguous() const;

  // Adds `count` checked values that lie in `run`. For the reader of messages.
  void Append(const FieldRun& run, size_t count);

 private:
  std::vector<FieldRun> runs_;
  size_t count_ = 0;
};

extern template class FieldList<int32_t>;
extern template class FieldList<int64_t>;
extern template class FieldList<uint64_t>;
extern template class FieldList<float>;
extern template class FieldList<double>;
extern template class FieldList<std::string_view>;

}  // namespace waybill::onnx
