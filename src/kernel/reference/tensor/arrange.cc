// ReverseSequence, Trilu and CenterCropPad.
#include <algorithm>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/support/indices.h"
#include "kernel/reference/support/nd.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

struct ReverseParams {
  bool batch_first = false;
};

Result<ReverseParams> ParseReverseSequence(const graph::NodeRef& node) {
  return ReverseParams{node.attrs().Int("batch_axis", 1) == 0};
}

Status RunReverseSequence(const ReverseParams& params, RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  const TensorView& lens = ctx.input(1);
  const TensorView& out = ctx.output(0);
  const int64_t batches = in.shape[params.batch_first ? 0 : 1];
  const int64_t times = in.shape[params.batch_first ? 1 : 0];
  const int64_t block = in.shape.ElemsBetween(2, in.shape.rank());
  const int64_t batch_step = params.batch_first ? times * block : block;
  const int64_t time_step = params.batch_first ? block : batches * block;
  for (int64_t b = 0; b < batches; ++b) {
    const int64_t len = IntAt(lens, b);
    if (len < 0 || len > times) {
      return Error(Code::kInvalidArgument, "sequence length {} of batch {} is not in [0, {}]", len,
                   b, times);
    }
    for (int64_t t = 0; t < times; ++t) {
      const int64_t from = t < len ? len - 1 - t : t;
      CopyElements(out, b * batch_step + t * time_step, in, b * batch_step + from * time_step,
                   block);
    }
  }
  return Status::Ok();
}

struct TriluParams {
  bool upper = true;
};

Result<TriluParams> ParseTrilu(const graph::NodeRef& node) {
  return TriluParams{node.attrs().Int("upper", 1) != 0};
}

Status RunTrilu(const TriluParams& params, RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  const TensorView& out = ctx.output(0);
  const size_t rank = in.shape.rank();
  const int64_t rows = in.shape[rank - 2], cols = in.shape[rank - 1];
  int64_t k = 0;
  if (ctx.has_input(1)) {
    WB_ASSIGN_OR_RETURN(k, ReadInt(ctx.input(1), "k"));
  }
  k = std::clamp(k, -rows - 1, cols + 1);
  ZeroElements(out, 0, out.elems());
  for (int64_t row = 0; row < in.shape.ElemsBetween(0, rank - 1); ++row) {
    const int64_t diagonal = std::clamp<int64_t>(row % rows + k, -1, cols);
    // The upper part starts at the diagonal, the lower one ends with it.
    const int64_t first = params.upper ? std::max<int64_t>(diagonal, 0) : 0;
    const int64_t last = params.upper ? cols : std::min(diagonal + 1, cols);
    CopyElements(out, row * cols + first, in, row * cols + first, last - first);
  }
  return Status::Ok();
}

// Per axis the middle of the larger size is cut out, or the smaller one is put into the middle; an
// odd rest is at the end.
Status RunCenterCropPad(RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  const TensorView& out = ctx.output(0);
  const size_t rank = in.shape.rank();
  const Shape in_strides = RowMajorStrides(in.shape);
  const Shape out_strides = RowMajorStrides(out.shape);
  Shape box = in.shape;
  int64_t from = 0, to = 0;
  for (size_t i = 0; i < rank; ++i) {
    box[i] = std::min(in.shape[i], out.shape[i]);
    from += (in.shape[i] - box[i]) / 2 * in_strides[i];
    to += (out.shape[i] - box[i]) / 2 * out_strides[i];
  }
  ZeroElements(out, 0, out.elems());
  CopyBox(box, {out, to, out_strides}, {in, from, in_strides});
  return Status::Ok();
}

}  // namespace

const KernelImpl kReverseSequence[1] = {
    FunctionImpl<ReverseParams, ParseReverseSequence, RunReverseSequence>(
        "reverse_sequence.reference")};
const KernelImpl kTrilu[1] = {FunctionImpl<TriluParams, ParseTrilu, RunTrilu>("trilu.reference")};
const KernelImpl kCenterCropPad[1] = {FunctionImpl<RunCenterCropPad>("center_crop_pad.reference")};

}  // namespace waybill::kernel::reference
