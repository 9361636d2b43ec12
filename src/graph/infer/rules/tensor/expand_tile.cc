// Expand and Tile.
#include <algorithm>

#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

namespace {

// A tensor of equal elements contains that element throughout.
void RepeatContents(InferContext& ctx) {
  const auto contents = ContentsOf(ctx, 0);
  const auto elems = ctx.output(0).shape.Elems();
  if (!contents || contents->size() != 1 || !elems || *elems > kMaxTrackedElems) return;
  ctx.SetContents(0, std::vector<Dim>(static_cast<size_t>(*elems), contents->front()));
}

// Tile-1 repeats one axis: inputs are the count and the axis.
Status InferTileOneAxis(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  const auto tiles = NumberOf(ctx, 1), axis = NumberOf(ctx, 2);
  if (!axis) {
    SetLike(ctx, 0, UnknownOfRank(in.rank()));
    return Status::Ok();
  }
  WB_ASSIGN_OR_RETURN(const size_t at, Axis(*axis, in.rank()));
  if (tiles && *tiles < 0) {
    return Error(Code::kInvalidArgument, "tiles {} is negative", *tiles);
  }
  SymShape out = in;
  out[at] = Dim();
  if (tiles) {
    WB_ASSIGN_OR_RETURN(out[at], MulDims(in[at], Dim(*tiles)), "axis {}", at);
  }
  SetLike(ctx, 0, std::move(out));
  return Status::Ok();
}

}  // namespace

Status InferExpand(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  SetLike(ctx, 0, SymShape());
  if (const auto ints = ctx.IntValues(1)) {
    for (const int64_t dim : *ints) {
      if (dim < 0) return Error(Code::kInvalidArgument, "shape {} has a negative dimension", *ints);
    }
  }
  std::optional<std::vector<Dim>> wanted = ctx.SymbolicValues(1);
  if (!wanted) {
    const auto count = ctx.input_shape(1).Elems();
    if (!count || *count > kMaxTrackedElems) return Status::Ok();
    wanted.emplace(static_cast<size_t>(*count));
  }
  const SymShape target(std::move(*wanted));
  const SymShape* shapes[] = {&in, &target};
  WB_ASSIGN_OR_RETURN(SymShape out, BroadcastSym(shapes));
  SetLike(ctx, 0, std::move(out));
  RepeatContents(ctx);
  return Status::Ok();
}

Status InferTile(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  SetLike(ctx, 0, in.has_rank() ? UnknownOfRank(in.rank()) : SymShape());
  if (!in.has_rank()) return Status::Ok();
  if (ctx.since_version() < 6) return InferTileOneAxis(ctx);
  if (const auto ints = ctx.IntValues(1)) {
    for (const int64_t n : *ints) {
      if (n < 0) return Error(Code::kInvalidArgument, "repeats {} has a negative value", *ints);
    }
  }
  const auto repeats = ctx.SymbolicValues(1);
  if (!repeats) return Status::Ok();
  if (repeats->size() != in.rank()) {
    return Error(Code::kInvalidArgument, "{} repeats for an input of rank {}", repeats->size(),
                 in.rank());
  }
  SymShape out = in;
  for (size_t i = 0; i < in.rank(); ++i) {
    WB_ASSIGN_OR_RETURN(out[i], MulDims(in[i], (*repeats)[i]), "axis {}", i);
  }
  SetLike(ctx, 0, std::move(out));
  RepeatContents(ctx);
  return Status::Ok();
}

}  // namespace waybill::graph::infer
