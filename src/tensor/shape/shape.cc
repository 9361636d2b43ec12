#include "tensor/shape/shape.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/math/checked.h"
#include "base/status/check.h"
#include "base/text/format.h"

namespace waybill {

Shape::Shape(Shape&& other) noexcept
    : rank_(std::exchange(other.rank_, 0)), heap_(std::move(other.heap_)) {
  std::copy_n(other.inline_, kInlineRank, inline_);
}

Shape& Shape::operator=(Shape&& other) noexcept {
  if (this == &other) return *this;
  rank_ = std::exchange(other.rank_, 0);
  std::copy_n(other.inline_, kInlineRank, inline_);
  heap_ = std::move(other.heap_);
  return *this;
}

void Shape::Assign(std::span<const int64_t> dims) {
  if (dims.size() > kInlineRank) {
    auto heap = std::make_unique<int64_t[]>(dims.size());
    std::copy(dims.begin(), dims.end(), heap.get());
    heap_ = std::move(heap);  // last: `dims` may be a part of this very shape
  } else {
    if (!dims.empty()) std::memmove(inline_, dims.data(), dims.size_bytes());
    heap_.reset();
  }
  rank_ = dims.size();
}

Shape Shape::Filled(size_t rank, int64_t value) {
  Shape shape;
  if (rank > kInlineRank) shape.heap_ = std::make_unique<int64_t[]>(rank);
  shape.rank_ = rank;
  std::fill_n(shape.data(), rank, value);
  return shape;
}

void Shape::PushBack(int64_t dim) {
  if (rank_ < kInlineRank) {
    inline_[rank_++] = dim;
    return;
  }
  auto heap = std::make_unique<int64_t[]>(rank_ + 1);
  std::copy_n(data(), rank_, heap.get());
  heap[rank_] = dim;
  heap_ = std::move(heap);
  ++rank_;
}

int64_t Shape::elems() const { return ElemsBetween(0, rank_); }

std::optional<int64_t> Shape::CheckedElems() const {
  int64_t product = 1;
  bool empty = false;
  bool overflow = false;
  for (const int64_t dim : dims()) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) {
      empty = true;
    } else if (const auto next = CheckedMul(product, dim)) {
      product = *next;
    } else {
      overflow = true;
    }
  }
  // The products of the dimensions without the zero ones are used as strides, so they must fit too.
  if (overflow) return std::nullopt;
  return empty ? 0 : product;
}

int64_t Shape::ElemsBetween(size_t first, size_t last) const {
  WB_DCHECK(last <= rank_);
  uint64_t product = 1;
  for (size_t i = first; i < last; ++i) product *= static_cast<uint64_t>(data()[i]);
  return static_cast<int64_t>(product);
}

bool Shape::operator==(const Shape& other) const {
  return std::equal(data(), data() + rank_, other.data(), other.data() + other.rank_);
}

std::string Shape::ToString() const { return Format("{}", dims()); }

std::optional<size_t> NormalizeAxis(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

std::optional<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  const size_t rank = std::max(a.rank(), b.rank());
  Shape out = Shape::Filled(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    // Counted from the last dimension.
    const int64_t da = i < a.rank() ? a[a.rank() - 1 - i] : 1;
    const int64_t db = i < b.rank() ? b[b.rank() - 1 - i] : 1;
    if (da != db && da != 1 && db != 1) return std::nullopt;
    out[rank - 1 - i] = da == 1 ? db : da;
  }
  return out;
}

}  // namespace waybill
