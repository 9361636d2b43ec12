#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/nd.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

struct TransposeParams {
  bool reverse = true;
  Shape perm;
};

Result<TransposeParams> ParseTranspose(const graph::NodeRef& node) {
  if (!node.attrs().Has("perm")) return TransposeParams{};
  return TransposeParams{false, Shape(std::span<const int64_t>(node.attrs().Ints("perm")))};
}

Status RunTranspose(const TransposeParams& params, RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  const TensorView& out = ctx.output(0);
  const size_t rank = in.shape.rank();
  const Shape in_strides = RowMajorStrides(in.shape);
  Shape src_strides = Shape::Filled(rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    // The rule has refused axes out of range.
    const int64_t axis = params.reverse ? static_cast<int64_t>(rank - 1 - i) : params.perm[i];
    src_strides[i] = in_strides[*NormalizeAxis(axis, rank)];
  }
  CopyBox(out.shape, {out, 0, RowMajorStrides(out.shape)}, {in, 0, src_strides});
  return Status::Ok();
}

}  // namespace

const KernelImpl kTranspose[1] = {
    FunctionImpl<TransposeParams, ParseTranspose, RunTranspose>("transpose.reference")};

}  // namespace waybill::kernel::reference
