#include "graph/ir/constant.h"

#include <cstdint>
#include <cstring>

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

Result<Tensor> Constant::Materialize(std::shared_ptr<MemorySource> source, MemoryTag tag) const {
  if (!defined()) return Error(Code::kInternal, "materialize: the value is no constant");
  if (!splat_) {
    if (dtype() == DType::kString || Aligned(tensor_.view())) return tensor_;
    return CopyTensor(tensor_.view(), std::move(source), tag);
  }
  WB_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(dtype(), shape_, std::move(source), tag));
  Fill(out.view().data, out.view().bytes(), tensor_.view().data, DTypeBits(dtype()) / 8);
  return out;
}

}  // namespace waybill::graph
