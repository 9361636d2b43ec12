#include "cpu/move/strided_copy.h"

#include <algorithm>
#include <bit>

#include "base/math/checked.h"
#include "cpu/move/copy_runs.h"
#include "tensor/shape/shape.h"

namespace waybill::cpu {
namespace {

// Columns of a plane that are one task: whole cache lines of the source for every width.
constexpr size_t kPlaneColumns = 64;

bool IsMoveWidth(size_t bytes) { return bytes <= 16 && std::has_single_bit(bytes); }

// Axes with one element dropped, the rest from the widest destination stride to the narrowest,
// neighbours that are one axis on both sides joined.
std::vector<CopyAxis> Simplify(std::span<const CopyAxis> axes) {
  std::vector<CopyAxis> sorted;
  for (const CopyAxis& axis : axes) {
    if (axis.dim != 1) sorted.push_back(axis);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const CopyAxis& a, const CopyAxis& b) { return a.dst > b.dst; });
  std::vector<CopyAxis> joined;
  for (const CopyAxis& axis : sorted) {
    const auto dim = static_cast<ptrdiff_t>(axis.dim);
    if (!joined.empty() && joined.back().dst == dim * axis.dst &&
        joined.back().src == dim * axis.src) {
      joined.back() = {joined.back().dim * axis.dim, axis.dst, axis.src};
    } else {
      joined.push_back(axis);
    }
  }
  return joined;
}

}  // namespace

StridedCopy::StridedCopy(const MoveTable& table, size_t element_bytes,
                         std::span<const CopyAxis> axes)
    : width_(element_bytes) {
  bytes_ = element_bytes;
  for (const CopyAxis& axis : axes) bytes_ *= axis.dim;
  if (bytes_ == 0) return;
  outer_ = Simplify(axes);
  const auto width = static_cast<ptrdiff_t>(width_);
  if (!outer_.empty() && outer_.back().dst == width && outer_.back().src == width) {
    width_ *= Take(outer_.size() - 1).dim;
  }
  ChooseKind();
  if (IsMoveWidth(width_)) {
    const auto index = static_cast<size_t>(std::countr_zero(width_));
    transpose_ = table.transpose[index];
    line_ = table.gather_line[index];
  }
  parts_ = kind_ == Kind::kPlane ? CeilDiv(cols_.dim, kPlaneColumns) : 1;
  tasks_ = parts_;
  for (const CopyAxis& axis : outer_) tasks_ *= axis.dim;
}

CopyAxis StridedCopy::Take(size_t i) {
  const CopyAxis axis = outer_[i];
  outer_.erase(outer_.begin() + static_cast<ptrdiff_t>(i));
  return axis;
}

void StridedCopy::ChooseKind() {
  if (outer_.empty()) return;
  const auto width = static_cast<ptrdiff_t>(width_);
  const bool narrow = IsMoveWidth(width_);
  const bool dst_contiguous = outer_.back().dst == width;
  rows_ = Take(outer_.size() - 1);
  if (!narrow) return;
  kind_ = dst_contiguous ? Kind::kLine : Kind::kScatterLine;
  if (!dst_contiguous) return;
  for (size_t i = 0; i < outer_.size(); ++i) {
    if (outer_[i].src != width) continue;
    cols_ = Take(i);
    kind_ = Kind::kPlane;
    return;
  }
}

void StridedCopy::CopyRuns(std::byte* dst, const std::byte* src) const {
  WithRunCopy(width_, [&](const auto& copy) {
    for (size_t i = 0; i < rows_.dim; ++i, dst += rows_.dst, src += rows_.src) copy(dst, src);
  });
}

void StridedCopy::RunOne(std::byte* dst, const std::byte* src, size_t part) const {
  switch (kind_) {
    case Kind::kRuns:
      CopyRuns(dst, src);
      break;
    case Kind::kLine:
      line_(dst, src, rows_.src, rows_.dim);
      break;
    case Kind::kScatterLine:
      // The transposition of one row: contiguous here or not, columns go `dst` apart.
      if (rows_.src == static_cast<ptrdiff_t>(width_)) {
        transpose_(dst, rows_.dst, src, 0, 1, rows_.dim);
      } else {
        CopyRuns(dst, src);
      }
      break;
    case Kind::kPlane: {
      const size_t first = part * kPlaneColumns;
      const size_t cols = std::min(kPlaneColumns, cols_.dim - first);
      transpose_(dst + static_cast<ptrdiff_t>(first) * cols_.dst, cols_.dst, src + first * width_,
                 rows_.src, rows_.dim, cols);
      break;
    }
  }
}

void StridedCopy::Run(std::byte* dst, const std::byte* src, size_t begin, size_t end) const {
  if (begin >= end) return;
  if (outer_.empty()) {
    for (size_t part = begin; part < end; ++part) RunOne(dst, src, part);
    return;
  }
  // Where `begin` is: each axis' position, no heap memory up to Shape::kInlineRank axes.
  Shape at = Shape::Filled(outer_.size(), 0);
  size_t part = begin % parts_;
  size_t index = begin / parts_;
  for (size_t i = outer_.size(); i-- > 0;) {
    at[i] = static_cast<int64_t>(index % outer_[i].dim);
    index /= outer_[i].dim;
    dst += at[i] * outer_[i].dst;
    src += at[i] * outer_[i].src;
  }
  for (size_t task = begin; task < end; ++task) {
    RunOne(dst, src, part);
    if (++part < parts_) continue;
    part = 0;
    for (size_t i = outer_.size(); i-- > 0;) {
      dst += outer_[i].dst;
      src += outer_[i].src;
      if (++at[i] < static_cast<int64_t>(outer_[i].dim)) break;
      dst -= at[i] * outer_[i].dst;
      src -= at[i] * outer_[i].src;
      at[i] = 0;
    }
  }
}

}  // namespace waybill::cpu
