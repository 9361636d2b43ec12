#include <algorithm>

#include "base/math/checked.h"
#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/pads.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

Result<PadAmounts> SpreadPads(size_t rank, std::span<const int64_t> pads,
                              std::optional<std::span<const int64_t>> axes) {
  const size_t n = axes ? axes->size() : rank;
  if (pads.size() != 2 * n) {
    return Error(Code::kInvalidArgument, "pads {} must have {} values, two per axis", pads, 2 * n);
  }
  PadAmounts out{Shape::Filled(rank, 0), Shape::Filled(rank, 0)};
  Shape named = Shape::Filled(rank, 0);
  for (size_t i = 0; i < n; ++i) {
    WB_ASSIGN_OR_RETURN(const size_t axis, Axis(axes ? (*axes)[i] : static_cast<int64_t>(i), rank));
    if (named[axis]++ != 0) {
      return Error(Code::kInvalidArgument, "pad axes {} name axis {} twice", *axes, axis);
    }
    out.before[axis] = pads[i];
    out.after[axis] = pads[i + n];
  }
  return out;
}

Result<int64_t> PaddedDim(int64_t dim, int64_t before, int64_t after) {
  // What is removed must be there, whatever the other side adds.
  const auto removed = CheckedAdd(std::min<int64_t>(before, 0), std::min<int64_t>(after, 0));
  const auto added = CheckedAdd(std::max<int64_t>(before, 0), std::max<int64_t>(after, 0));
  const auto left = removed ? CheckedAdd(dim, *removed) : std::nullopt;
  const auto padded = left && *left >= 0 && added ? CheckedAdd(*left, *added) : std::nullopt;
  if (!padded) {
    return Error(Code::kInvalidArgument, "dimension {} cannot be padded by {} and {}", dim, before,
                 after);
  }
  return *padded;
}

Status InferPad(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  SetLike(ctx, 0, in.has_rank() ? UnknownOfRank(in.rank()) : SymShape());
  if (!in.has_rank()) return Status::Ok();
  const bool oldest = ctx.attrs().Has("paddings");
  const ListArg pads = ListOf(ctx, oldest ? "paddings" : "pads", 1);
  const ListArg axes = ListOf(ctx, "", 3);
  if (!pads.values || (axes.given && !axes.values)) return Status::Ok();
  std::optional<std::span<const int64_t>> axis_list;
  if (axes.given) axis_list = std::span<const int64_t>(*axes.values);
  WB_ASSIGN_OR_RETURN(const PadAmounts amounts, SpreadPads(in.rank(), *pads.values, axis_list));
  SymShape out = in;
  for (size_t i = 0; i < in.rank(); ++i) {
    const int64_t before = amounts.before[i], after = amounts.after[i];
    if (before == 0 && after == 0) continue;
    out[i] = Dim();
    if (!in[i].known()) continue;
    WB_ASSIGN_OR_RETURN(const int64_t dim, PaddedDim(in[i].value(), before, after), "axis {}", i);
    out[i] = Dim(dim);
  }
  SetLike(ctx, 0, std::move(out));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
