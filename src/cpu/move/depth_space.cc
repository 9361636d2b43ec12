// DepthToSpace and SpaceToDepth, over [N, C, H, W]: one copy with the block's place as two axes.
#include "cpu/move/copy_plan.h"
#include "cpu/move/kernels.h"

namespace waybill::cpu {
namespace {

using kernel::PlanContext;

struct BlockParams {
  int64_t block;
  bool depth_first;  // the block's position is the outer part of the channel (DCR)
};

Result<BlockParams> ParseBlock(const graph::NodeRef& node) {
  const std::string mode = node.attrs().String("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return Error(Code::kInvalidArgument, "mode is '{}'", mode);
  return BlockParams{node.attrs().Int("blocksize"), mode == "DCR"};
}

// Axes (n, y, x, place y, place x, channel) of both sides.
struct Sides {
  Shape dims, deep, space;
};

// `space` is the shape of the spacious tensor, whose height and width the block divides.
Sides MakeSides(const Shape& space, const BlockParams& p) {
  const int64_t n = space[0], c = space[1], b = p.block;
  const int64_t h = space[2] / b, w = space[3] / b, plane = h * w;
  const int64_t place_step = p.depth_first ? c * plane : plane;
  const int64_t channel_step = p.depth_first ? plane : b * b * plane;
  return {Shape{n, h, w, b, b, c},
          Shape{c * b * b * plane, w, 1, b * place_step, place_step, channel_step},
          Shape{c * b * b * plane, b * w * b, b, w * b, 1, plane * b * b}};
}

template <bool kToSpace>
Status PlanBlocks(const BlockParams& params, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  if (ctx.output_shape(0) == nullptr) return Status::Ok();
  const Sides sides = MakeSides(kToSpace ? *ctx.output_shape(0) : ctx.input_shape(0), params);
  auto plan = std::make_shared<CopyPlan>(ctx.input_dtype(0));
  plan->Add(0, 0,
            CopyPlan::Box{sides.dims, 0, kToSpace ? sides.space : sides.deep, 0,
                          kToSpace ? sides.deep : sides.space});
  ctx.SetState(std::move(plan));
  return Status::Ok();
}

}  // namespace

const kernel::KernelImpl kDepthToSpaceMove[1] = {
    CopyImpl<BlockParams, ParseBlock, PlanBlocks<true>>("depth_to_space.move")};
const kernel::KernelImpl kSpaceToDepthMove[1] = {
    CopyImpl<BlockParams, ParseBlock, PlanBlocks<false>>("space_to_depth.move")};

}  // namespace waybill::cpu
