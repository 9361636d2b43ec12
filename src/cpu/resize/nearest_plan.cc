#include <cstring>

#include "cpu/move/copy_runs.h"
#include "cpu/resize/resize_plan.h"

namespace waybill::cpu {
namespace {

template <typename T>
void CopyElements(const std::byte* x, std::byte* y, const std::vector<size_t>& offsets) {
  for (size_t o = 0; o < offsets.size(); ++o) {
    std::memcpy(y + o * sizeof(T), x + offsets[o], sizeof(T));
  }
}

}  // namespace

NearestPlan::NearestPlan(ResizeShape shape, size_t element_bytes) : shape_(std::move(shape)) {
  rows_ = shape_.outer;
  for (size_t i = 0; i + 1 < shape_.axes.size(); ++i) {
    rows_ *= shape_.axes[i].table.out * shape_.axes[i].between;
  }
  if (shape_.axes.empty()) return;
  const ResizeShape::Axis& last = shape_.axes.back();
  run_bytes_ = last.between * element_bytes;
  in_row_bytes_ = last.table.in * run_bytes_;
  out_row_bytes_ = last.table.out * run_bytes_;
  for (const uint32_t index : last.table.index) offsets_.push_back(index * run_bytes_);
}

void NearestPlan::CopyRow(const std::byte* x, std::byte* y) const {
  switch (run_bytes_) {
    case 1:
      return CopyElements<uint8_t>(x, y, offsets_);
    case 4:
      return CopyElements<uint32_t>(x, y, offsets_);
    case 8:
      return CopyElements<uint64_t>(x, y, offsets_);
    default:
      WithRunCopy(run_bytes_, [&](const auto& copy) {
        for (size_t o = 0; o < offsets_.size(); ++o) copy(y + o * run_bytes_, x + offsets_[o]);
      });
  }
}

void NearestPlan::Run(const std::byte* x, std::byte* y, size_t begin, size_t end) const {
  const std::byte* previous = nullptr;
  for (size_t row = begin; row < end; ++row) {
    // The input row, from the last axis before the rows to the first.
    size_t rest = row, from = 0, stride = 1;
    for (size_t i = shape_.axes.size() - 1; i-- > 0;) {
      const ResizeShape::Axis& axis = shape_.axes[i];
      from += rest % axis.between * stride;
      rest /= axis.between;
      stride *= axis.between;
      from += axis.table.index[rest % axis.table.out] * stride;
      rest /= axis.table.out;
      stride *= axis.table.in;
    }
    const std::byte* in = x + (from + rest * stride) * in_row_bytes_;
    std::byte* out = y + row * out_row_bytes_;
    if (in == previous) {
      std::memcpy(out, out - out_row_bytes_, out_row_bytes_);
    } else {
      CopyRow(in, out);
    }
    previous = in;
  }
}

}  // namespace waybill::cpu
