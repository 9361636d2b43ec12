// Concrete shapes: known, non-negative dimensions. Up to 8 of them are held without heap memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace waybill {

class Shape {
 public:
  static constexpr size_t kInlineRank = 8;

  Shape() = default;  // rank 0: a scalar
  Shape(std::initializer_list<int64_t> dims)
      : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims) { Assign(dims); }
  Shape(const Shape& other) { Assign(other.dims()); }
  Shape& operator=(const Shape& other) {
    if (this != &other) Assign(other.dims());
    return *this;
  }
  Shape(Shape&&) noexcept;
  Shape& operator=(Shape&&) noexcept;
  ~Shape() = default;

  void Assign(std::span<const int64_t> dims);
  // `rank` dimensions, all `value`.
  static Shape Filled(size_t rank, int64_t value);

  size_t rank() const { return rank_; }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t& operator[](size_t i) { return data()[i]; }
  std::span<const int64_t> dims() const { return {data(), rank_}; }
  std::span<int64_t> dims() { return {data(), rank_}; }

  // Appends or inserts one dimension.
  void PushBack(int64_t dim);

  // Product of the dimensions, 1 for a scalar. Only for shapes whose count was checked before
  // (every shape of a Tensor was).
  int64_t elems() const;
  // The same with overflow and negative dimensions as nothing.
  std::optional<int64_t> CheckedElems() const;
  // Product of dims [first, last).
  int64_t ElemsBetween(size_t first, size_t last) const;
  // Row-major stride of dimension `i`, in elements.
  int64_t Stride(size_t i) const { return ElemsBetween(i + 1, rank_); }

  bool operator==(const Shape& other) const;
  std::string ToString() const;  // "[1, 3, 224, 224]"

 private:
  const int64_t* data() const { return heap_ ? heap_.get() : inline_; }
  int64_t* data() { return heap_ ? heap_.get() : inline_; }

  size_t rank_ = 0;
  int64_t inline_[kInlineRank] = {};
  std::unique_ptr<int64_t[]> heap_;  // set only when rank_ > kInlineRank
};

// `axis` in [-rank, rank) as an index in [0, rank); nothing when out of range.
std::optional<size_t> NormalizeAxis(int64_t axis, size_t rank);

// numpy's broadcast of two shapes; nothing when they do not fit.
std::optional<Shape> BroadcastShapes(const Shape& a, const Shape& b);

}  // namespace waybill
