// Expand and Tile.
#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/support/nd.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

Status RunExpand(RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  const TensorView& out = ctx.output(0);
  const Shape in_strides = RowMajorStrides(in.shape);
  Shape src_strides = Shape::Filled(out.shape.rank(), 0);
  const size_t added = out.shape.rank() - in.shape.rank();
  for (size_t i = 0; i < in.shape.rank(); ++i) {
    if (in.shape[i] != 1) src_strides[added + i] = in_strides[i];
  }
  CopyBox(out.shape, {out, 0, RowMajorStrides(out.shape)}, {in, 0, src_strides});
  return Status::Ok();
}

// The output shape says how often each axis is repeated.
Status RunTile(RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  const TensorView& out = ctx.output(0);
  if (out.elems() == 0) return Status::Ok();
  const size_t rank = in.shape.rank();
  const Shape in_strides = RowMajorStrides(in.shape);
  const int64_t line = rank == 0 ? 1 : in.shape[rank - 1];
  Shape lines = out.shape;
  if (rank > 0) lines[rank - 1] /= line;
  NdCounter at(lines);
  int64_t to = 0;
  do {
    int64_t from = 0;
    for (size_t i = 0; i + 1 < rank; ++i) from += at[i] % in.shape[i] * in_strides[i];
    CopyElements(out, to, in, from, line);
    to += line;
  } while (at.Next());
  return Status::Ok();
}

}  // namespace

const KernelImpl kExpand[1] = {FunctionImpl<RunExpand>("expand.reference")};
const KernelImpl kTile[1] = {FunctionImpl<RunTile>("tile.reference")};

}  // namespace waybill::kernel::reference
