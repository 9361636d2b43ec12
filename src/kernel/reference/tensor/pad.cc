#include <algorithm>

#include "graph/infer/rules/tensor/pads.h"
#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/support/indices.h"
#include "kernel/reference/support/nd.h"
#include "kernel/reference/tensor/kernels.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

using graph::infer::PadAmounts;
using graph::infer::SpreadPads;

enum class PadMode { kConstant, kReflect, kEdge, kWrap };

struct PadParams {
  PadMode mode = PadMode::kConstant;
  bool by_attribute = false;  // before version 11
  std::vector<int64_t> pads;
  float value = 0.0f;
};

Result<PadParams> ParsePad(const graph::NodeRef& node) {
  PadParams params;
  const std::string mode = node.attrs().String("mode", "constant");
  if (mode == "reflect") {
    params.mode = PadMode::kReflect;
  } else if (mode == "edge") {
    params.mode = PadMode::kEdge;
  } else if (mode == "wrap") {
    params.mode = PadMode::kWrap;
  } else if (mode != "constant") {
    return Error(Code::kInvalidArgument, "Pad has no mode \"{}\"", mode);
  }
  const char* name = node.attrs().Has("paddings") ? "paddings" : "pads";
  params.by_attribute = node.attrs().Has(name);
  params.pads = node.attrs().Ints(name);
  params.value = node.attrs().Float("value", 0.0f);
  return params;
}

// Where position `at` (0 is the first element that is kept) of a padded axis comes from, in
// [0, dim); -1 for the constant. `dim` > 0 unless constant.
int64_t Source(PadMode mode, int64_t at, int64_t dim) {
  if (at >= 0 && at < dim) return at;
  switch (mode) {
    case PadMode::kConstant:
      return -1;
    case PadMode::kEdge:
      return at < 0 ? 0 : dim - 1;
    case PadMode::kWrap:
      at %= dim;
      return at < 0 ? at + dim : at;
    case PadMode::kReflect: {
      if (dim == 1) return 0;
      const int64_t period = 2 * (dim - 1);
      at %= period;
      if (at < 0) at += period;
      return at < dim ? at : period - at;
    }
  }
  return -1;
}

// One element to fill with: input 2, else the value attribute of old versions, else zero.
Status FillConstant(const PadParams& params, RunContext& ctx) {
  const TensorView& out = ctx.output(0);
  if (ctx.has_input(2)) {
    const TensorView& value = ctx.input(2);
    if (value.elems() != 1 || value.dtype != out.dtype) {
      return Error(Code::kInvalidArgument, "constant_value must be one {}, not {}",
                   DTypeName(out.dtype), value.Describe());
    }
    FillElements(out, 0, out.elems(), value, 0);
    return Status::Ok();
  }
  ZeroElements(out, 0, out.elems());
  if (params.value == 0.0f) return Status::Ok();
  return DispatchDType(out.dtype, FloatTypes{}, [&]<typename T>() {
    for (T& element : out.span<T>()) element = static_cast<T>(params.value);
    return Status::Ok();
  });
}

Result<PadAmounts> ReadAmounts(const PadParams& params, RunContext& ctx) {
  const size_t rank = ctx.input(0).shape.rank();
  if (params.by_attribute) return SpreadPads(rank, params.pads, std::nullopt);
  WB_ASSIGN_OR_RETURN(const IntList pads, ReadInts(ctx.input(1), "pads"));
  std::optional<IntList> axis_list;
  std::optional<std::span<const int64_t>> axes;
  if (ctx.has_input(3)) {
    WB_ASSIGN_OR_RETURN(axis_list, ReadInts(ctx.input(3), "axes"));
    axes = axis_list->values();
  }
  return SpreadPads(rank, pads.values(), axes);
}

// Negative amounts remove elements first; what is left is padded.
Status RunPad(const PadParams& params, RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  const TensorView& out = ctx.output(0);
  WB_ASSIGN_OR_RETURN(const PadAmounts amounts, ReadAmounts(params, ctx));
  if (out.elems() == 0) return Status::Ok();
  const size_t rank = in.shape.rank();
  const Shape strides = RowMajorStrides(in.shape);
  Shape skipped = Shape::Filled(rank, 0), kept = Shape::Filled(rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    skipped[i] = std::max<int64_t>(0, -amounts.before[i]);
    kept[i] = in.shape[i] - skipped[i] + std::min<int64_t>(0, amounts.after[i]);
    if (kept[i] < 0 || (kept[i] == 0 && params.mode != PadMode::kConstant)) {
      return Error(Code::kInvalidArgument, "axis {} of {} has nothing left to pad with", i,
                   in.shape);
    }
  }
  if (params.mode == PadMode::kConstant) {
    WB_RETURN_IF_ERROR(FillConstant(params, ctx));
    const Shape out_strides = RowMajorStrides(out.shape);
    int64_t from = 0, to = 0;
    for (size_t i = 0; i < rank; ++i) {
      from += skipped[i] * strides[i];
      to += std::max<int64_t>(0, amounts.before[i]) * out_strides[i];
    }
    CopyBox(kept, {out, to, out_strides}, {in, from, strides});
    return Status::Ok();
  }
  NdCounter at(out.shape);
  int64_t to = 0;
  do {
    int64_t from = 0;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t position = at[i] - std::max<int64_t>(0, amounts.before[i]);
      from += (skipped[i] + Source(params.mode, position, kept[i])) * strides[i];
    }
    CopyElements(out, to++, in, from, 1);
  } while (at.Next());
  return Status::Ok();
}

}  // namespace

const KernelImpl kPad[1] = {FunctionImpl<PadParams, ParsePad, RunPad>("pad.reference")};

}  // namespace waybill::kernel::reference
