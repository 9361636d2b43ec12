// StridedCopy: a copy between two strided boxes, made ready once: as few axes as possible, and the
// best way to move the innermost ones (block copy, line, transposition of a plane). Transpose,
// Slice, Concat, Split, Expand, Tile and Pad are such copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cpu/move/move_table.h"

namespace waybill::cpu {

// Strides in bytes. The destination's are positive and visit no byte twice; the source's may be
// anything.
struct CopyAxis {
  size_t dim = 1;
  ptrdiff_t dst = 0;
  ptrdiff_t src = 0;
};

class StridedCopy {
 public:
  StridedCopy() = default;  // copies nothing

  // Axes in any order; none of them copies one element. `element_bytes` is 1, 2, 4, 8 or 16.
  StridedCopy(const MoveTable& table, size_t element_bytes, std::span<const CopyAxis> axes);

  // Independent pieces of roughly equal size, 0 when there is nothing to copy, and the bytes of all
  // of them together.
  size_t tasks() const { return tasks_; }
  size_t bytes() const { return bytes_; }

  // Does tasks [begin, end). `dst` and `src` are the positions of the first element.
  void Run(std::byte* dst, const std::byte* src, size_t begin, size_t end) const;

 private:
  enum class Kind : uint8_t { kRuns, kLine, kScatterLine, kPlane };

  // Takes axis `i` out of the outer ones.
  CopyAxis Take(size_t i);
  void ChooseKind();
  void CopyRuns(std::byte* dst, const std::byte* src) const;
  void RunOne(std::byte* dst, const std::byte* src, size_t part) const;

  std::vector<CopyAxis> outer_;
  Kind kind_ = Kind::kRuns;
  size_t width_ = 1;      // bytes of what is moved as one: an element or a run
  CopyAxis rows_, cols_;  // kRuns: rows_ runs; lines: rows_ elements; kPlane: see TransposeFn
  size_t parts_ = 1;      // tasks that share one outer position
  size_t tasks_ = 0, bytes_ = 0;
  TransposeFn transpose_ = nullptr;
  GatherLineFn line_ = nullptr;
};

}  // namespace waybill::cpu
