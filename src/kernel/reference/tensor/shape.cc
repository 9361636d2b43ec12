// Shape and Size.
#include <algorithm>
#include <optional>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

struct ShapeParams {
  int64_t start = 0;
  std::optional<int64_t> end;
};

Result<ShapeParams> ParseShape(const graph::NodeRef& node) {
  ShapeParams params;
  params.start = node.attrs().Int("start", 0);
  if (node.attrs().Has("end")) params.end = node.attrs().Int("end");
  return params;
}

Status RunShape(const ShapeParams& params, RunContext& ctx) {
  const Shape& in = ctx.input(0).shape;
  const auto rank = static_cast<int64_t>(in.rank());
  const int64_t from = params.start < 0 ? params.start + rank : params.start;
  const int64_t start = std::clamp<int64_t>(from, 0, rank);
  const std::span<int64_t> out = ctx.output(0).span<int64_t>();
  for (size_t i = 0; i < out.size(); ++i) out[i] = in[static_cast<size_t>(start) + i];
  return Status::Ok();
}

Status RunSize(RunContext& ctx) {
  *ctx.output(0).as<int64_t>() = ctx.input(0).elems();
  return Status::Ok();
}

}  // namespace

const KernelImpl kShape[1] = {FunctionImpl<ShapeParams, ParseShape, RunShape>("shape.reference")};
const KernelImpl kSize[1] = {FunctionImpl<RunSize>("size.reference")};

}  // namespace waybill::kernel::reference
