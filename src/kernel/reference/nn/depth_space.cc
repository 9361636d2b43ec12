#include "kernel/reference/nn/kernels.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct BlockParams {
  int64_t block;
  bool depth_first;  // the block's position is the outer part of the channel (DCR)
};

Result<BlockParams> ParseBlock(const graph::NodeRef& node) {
  const std::string mode = node.attrs().String("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return Error(Code::kInvalidArgument, "mode is '{}'", mode);
  return BlockParams{node.attrs().Int("blocksize"), mode == "DCR"};
}

// Visits every pair (element of the deep tensor, element of the spacious one).
template <typename Fn>
void VisitPairs(const Shape& space, const BlockParams& p, const Fn& fn) {
  const int64_t channels = space[1], height = space[2], width = space[3], b = p.block;
  const int64_t deep_h = height / b, deep_w = width / b;
  int64_t at = 0;
  for (int64_t n = 0; n < space[0]; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t y = 0; y < height; ++y) {
        for (int64_t x = 0; x < width; ++x, ++at) {
          const int64_t place = y % b * b + x % b;
          const int64_t deep_c = p.depth_first ? place * channels + c : c * b * b + place;
          const int64_t deep = ((n * channels * b * b + deep_c) * deep_h + y / b) * deep_w + x / b;
          fn(deep, at);
        }
      }
    }
  }
}

Status RunDepthToSpace(const BlockParams& p, RunContext& ctx) {
  return DispatchByWidth(ctx.input(0).dtype, [&]<typename T>() {
    const T* const x = ctx.input(0).as<T>();
    T* const y = ctx.output(0).as<T>();
    VisitPairs(ctx.output(0).shape, p, [&](int64_t deep, int64_t space) { y[space] = x[deep]; });
    return Status::Ok();
  });
}

Status RunSpaceToDepth(const BlockParams& p, RunContext& ctx) {
  return DispatchByWidth(ctx.input(0).dtype, [&]<typename T>() {
    const T* const x = ctx.input(0).as<T>();
    T* const y = ctx.output(0).as<T>();
    VisitPairs(ctx.input(0).shape, p, [&](int64_t deep, int64_t space) { y[deep] = x[space]; });
    return Status::Ok();
  });
}

}  // namespace

constinit const KernelImpl kDepthToSpace[1] = {
    FunctionImpl<BlockParams, ParseBlock, RunDepthToSpace>("depth_to_space.reference")};
constinit const KernelImpl kSpaceToDepth[1] = {
    FunctionImpl<BlockParams, ParseBlock, RunSpaceToDepth>("space_to_depth.reference")};

}  // namespace waybill::kernel::reference
