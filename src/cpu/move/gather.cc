// Gather: rows by index, as block copies.
#include <algorithm>

#include "cpu/move/copy_plan.h"
#include "cpu/move/copy_runs.h"
#include "cpu/move/kernels.h"
#include "graph/infer/context.h"
#include "kernel/reference/support/indices.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

using kernel::Kernel;
using kernel::PlanContext;
using kernel::RunContext;

constexpr double kNsPerByte = 0.15;

struct GatherShape {
  size_t outer = 1, bound = 1, picks = 1;
  size_t row_bytes = 0;
  size_t axis = 0;
};

template <typename Index>
Status CheckIndices(const Index* indices, const GatherShape& shape) {
  const auto bound = static_cast<int64_t>(shape.bound);
  bool good = true;
  for (size_t i = 0; i < shape.picks; ++i) good &= indices[i] < bound && indices[i] >= -bound;
  if (good) return Status::Ok();
  for (size_t i = 0; i < shape.picks; ++i) {
    WB_RETURN_IF_ERROR(kernel::reference::CheckIndex(indices[i], bound, shape.axis).status());
  }
  return Status::Ok();
}

template <typename Index>
size_t RowAt(Index index, const GatherShape& shape) {
  return index < 0 ? static_cast<size_t>(index + static_cast<int64_t>(shape.bound))
                   : static_cast<size_t>(index);
}

// Rows [begin, end) of outer x picks; kBytes is the size of a row, or 0 where it has any.
template <size_t kBytes, typename Index>
void CopyRows(const GatherShape& shape, const Index* indices, const std::byte* data, std::byte* out,
              size_t begin, size_t end) {
  const size_t bytes = kBytes != 0 ? kBytes : shape.row_bytes;
  const auto bound = static_cast<int64_t>(shape.bound);
  size_t pick = begin % shape.picks;
  const std::byte* block = data + begin / shape.picks * shape.bound * bytes;
  for (size_t row = begin; row < end; ++row) {
    const int64_t index = indices[pick];
    const auto at = static_cast<size_t>(index < 0 ? index + bound : index);
    if constexpr (kBytes != 0) {
      std::memcpy(out + row * bytes, block + at * bytes, kBytes);
    } else {
      CopyRun(out + row * bytes, block + at * bytes, bytes);
    }
    if (++pick == shape.picks) {
      pick = 0;
      block += shape.bound * bytes;
    }
  }
}

template <typename Index>
Status Gather(const GatherShape& shape, RunContext& ctx) {
  const auto* indices = ctx.input(1).as<const Index>();
  WB_RETURN_IF_ERROR(CheckIndices(indices, shape));
  const size_t rows = shape.outer * shape.picks;
  if (rows == 0 || shape.row_bytes == 0) return Status::Ok();
  const std::byte* data = ctx.input(0).data;
  std::byte* out = ctx.output(0).data;
  if (rows == 1 && out == data + RowAt(indices[0], shape) * shape.row_bytes) return Status::Ok();
  const auto copy = [&](size_t begin, size_t end) {
    switch (shape.row_bytes) {
      case 1:
        return CopyRows<1>(shape, indices, data, out, begin, end);
      case 4:
        return CopyRows<4>(shape, indices, data, out, begin, end);
      case 8:
        return CopyRows<8>(shape, indices, data, out, begin, end);
      default:
        return CopyRows<0>(shape, indices, data, out, begin, end);
    }
  };
  const size_t threads = ThreadsFor(rows * shape.row_bytes, kNsPerByte, ctx.width());
  ParallelFor(ctx.pool(), rows, threads, copy);
  return Status::Ok();
}

class GatherKernel final : public Kernel {
 public:
  explicit GatherKernel(int64_t axis) : axis_(axis) {}

  // One row whose index is known is a part of the data.
  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const TensorView* indices = ctx.values(1);
    if (indices == nullptr || indices->elems() != 1) return Status::Ok();
    WB_ASSIGN_OR_RETURN(const GatherShape shape,
                        ShapeOf(ctx.input_dtype(0), ctx.input_shape(0), indices->elems()));
    const int64_t index = indices->dtype == DType::kI32 ? *indices->as<const int32_t>()
                                                        : *indices->as<const int64_t>();
    const auto bound = static_cast<int64_t>(shape.bound);
    const bool inside = index >= -bound && index < bound;  // else Run reports it
    if (shape.outer == 1 && inside) {
      ctx.AllowPartOf(0, 0, RowAt(index, shape) * shape.row_bytes);
    }
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const TensorView& data = ctx.input(0);
    const TensorView& indices = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const GatherShape shape, ShapeOf(data.dtype, data.shape, indices.elems()));
    return indices.dtype == DType::kI32 ? Gather<int32_t>(shape, ctx) : Gather<int64_t>(shape, ctx);
  }

 private:
  Result<GatherShape> ShapeOf(DType dtype, const Shape& data, int64_t picks) const {
    const size_t rank = data.rank();
    WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(axis_, rank));
    GatherShape shape;
    shape.axis = axis;
    shape.outer = static_cast<size_t>(data.ElemsBetween(0, axis));
    shape.bound = static_cast<size_t>(data[axis]);
    shape.picks = static_cast<size_t>(picks);
    shape.row_bytes =
        static_cast<size_t>(data.ElemsBetween(axis + 1, rank)) * (DTypeBits(dtype) / 8);
    return shape;
  }

  int64_t axis_;
};

kernel::Acceptance AcceptsGather(const graph::NodeRef& node) {
  const DType indices = node.input_dtype(1);
  WB_REFUSE_IF(indices != DType::kI32 && indices != DType::kI64, "indices are {}",
               DTypeName(indices));
  return AcceptsMove(node);
}

}  // namespace

const kernel::KernelImpl kGatherMove[1] = {
    {"gather.move", AcceptsGather,
     [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
       return std::unique_ptr<Kernel>(std::make_unique<GatherKernel>(node.attrs().Int("axis", 0)));
     }}};

}  // namespace waybill::cpu
