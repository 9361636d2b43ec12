#include "graph/infer/dims.h"
#include "graph/infer/rules/nn/rules.h"

namespace waybill::graph::infer {

namespace {

Result<int64_t> BlockSize(const InferContext& ctx) {
  const int64_t block = ctx.attrs().Int("blocksize");
  if (block >= 1 && block <= (1 << 20)) return block;
  return Error(Code::kInvalidArgument, "blocksize is {}", block);
}

Status CheckImage(const SymShape& x) {
  if (!x.has_rank() || x.rank() == 4) return Status::Ok();
  return Error(Code::kInvalidArgument, "input of shape {} is not [N, C, H, W]", x);
}

Result<Dim> Divided(const SymShape& x, size_t axis, int64_t by) {
  if (!x[axis].known()) return Dim();
  if (x[axis].value() % by == 0) return Dim(x[axis].value() / by);
  return Error(Code::kInvalidArgument, "axis {} of shape {} is no multiple of {}", axis, x, by);
}

}  // namespace

Status InferNonMaxSuppression(InferContext& ctx) {
  const SymShape &boxes = ctx.input_shape(0), &scores = ctx.input_shape(1);
  for (const SymShape* s : {&boxes, &scores}) {
    if (s->has_rank() && s->rank() != 3) {
      return Error(Code::kInvalidArgument, "boxes and scores have shapes {} and {}", boxes, scores);
    }
  }
  ctx.SetTensor(0, DType::kI64, SymShape(std::vector<Dim>{Dim(), 3}));
  return Status::Ok();
}

Status InferDepthToSpace(InferContext& ctx) {
  const SymShape& x = ctx.input_shape(0);
  WB_ASSIGN_OR_RETURN(const int64_t block, BlockSize(ctx));
  WB_RETURN_IF_ERROR(CheckImage(x));
  if (!x.has_rank()) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const Dim channels, Divided(x, 1, block * block));
  WB_ASSIGN_OR_RETURN(const Dim height, MulDims(x[2], block));
  WB_ASSIGN_OR_RETURN(const Dim width, MulDims(x[3], block));
  ctx.SetShape(0, SymShape(std::vector<Dim>{x[0], channels, height, width}));
  return Status::Ok();
}

Status InferSpaceToDepth(InferContext& ctx) {
  const SymShape& x = ctx.input_shape(0);
  WB_ASSIGN_OR_RETURN(const int64_t block, BlockSize(ctx));
  WB_RETURN_IF_ERROR(CheckImage(x));
  if (!x.has_rank()) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const Dim channels, MulDims(x[1], block * block));
  WB_ASSIGN_OR_RETURN(const Dim height, Divided(x, 2, block));
  WB_ASSIGN_OR_RETURN(const Dim width, Divided(x, 3, block));
  ctx.SetShape(0, SymShape(std::vector<Dim>{x[0], channels, height, width}));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
