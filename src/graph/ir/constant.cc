#include "graph/ir/constant.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "base/status/check.h"

namespace waybill::graph {

namespace {

// Repeats `element` of `unit` bytes until `bytes` are full, by doubling copies.
void Fill(std::byte* out, size_t bytes, const std::byte* element, size_t unit) {
  if (bytes == 0) return;
  std::memcpy(out, element, unit);
  for (size_t done = unit; done < bytes;) {
    const size_t step = std::min(done, bytes - done);
    std::memcpy(out + done, out, step);
    done += step;
  }
}

bool Aligned(const TensorView& view) {
  return reinterpret_cast<uintptr_t>(view.data) % DTypeAlign(view.dtype) == 0;
}

}  // namespace

Constant Constant::Splat(Tensor element, Shape shape) {
  WB_DCHECK(element.shape().elems() == 1 && element.dtype() != DType::kString &&
            DTypeBits(element.dtype()) >= 8);
  Constant out(std::move(element));
  out.shape_ = std::move(shape);
  out.splat_ = true;
  return out;
}

Result<Constant> Constant::OfRows(DType dtype, const Shape& shape,
                                  std::shared_ptr<const RowSource> rows) {
  WB_DCHECK(shape.rank() >= 1 && dtype != DType::kString);
  WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(dtype, shape));
  WB_ASSIGN_OR_RETURN(Tensor tensor,
                      Tensor::Wrap(dtype, shape, SharedView::Unowned({nullptr, bytes, {}})));
  Constant out(std::move(tensor));
  out.rows_ = std::move(rows);
  return out;
}

Status Constant::ForEachBlock(int64_t multiple, const std::shared_ptr<MemorySource>& memory,
                              const std::function<void(int64_t, const TensorView&)>& fn) const {
  if (rows_ == nullptr) {
    fn(0, tensor_.view());
    return Status::Ok();
  }
  const int64_t unit = std::lcm(rows_->row_multiple(), multiple), count = shape_[0];
  const int64_t block = std::max(rows_->block_rows() / unit * unit, unit);
  for (int64_t begin = 0; begin < count; begin += block) {
    WB_ASSIGN_OR_RETURN(const Tensor rows,
                        rows_->Rows(begin, std::min(block, count - begin), memory));
    fn(begin, rows.view());
  }
  return Status::Ok();
}

Result<Tensor> Constant::Materialize(std::shared_ptr<MemorySource> source, MemoryTag tag) const {
  if (!defined()) return Error(Code::kInternal, "materialize: the value is no constant");
  if (rows_ != nullptr) {
    WB_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(dtype(), shape_, source, tag));
    std::byte* at = out.view().data;
    WB_RETURN_IF_ERROR(ForEachBlock(1, source, [&](int64_t, const TensorView& rows) {
      std::memcpy(at, rows.data, rows.bytes());
      at += rows.bytes();
    }));
    return out;
  }
  if (!splat_) {
    if (dtype() == DType::kString || Aligned(tensor_.view())) return tensor_;
    return CopyTensor(tensor_.view(), std::move(source), tag);
  }
  WB_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(dtype(), shape_, std::move(source), tag));
  Fill(out.view().data, out.view().bytes(), tensor_.view().data, DTypeBits(dtype()) / 8);
  return out;
}

}  // namespace waybill::graph
