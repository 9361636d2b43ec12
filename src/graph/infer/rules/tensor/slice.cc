#include "graph/infer/rules/tensor/slice.h"

#include <algorithm>
#include <limits>

#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

namespace {
constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();
}

Result<SliceSpec> SpreadSlice(size_t rank, std::span<const int64_t> starts,
                              std::span<const int64_t> ends,
                              std::optional<std::span<const int64_t>> axes,
                              std::optional<std::span<const int64_t>> steps) {
  const size_t n = starts.size();
  if (ends.size() != n || (axes && axes->size() != n) || (steps && steps->size() != n) ||
      (!axes && n > rank)) {
    return Error(Code::kInvalidArgument,
                 "slice of rank {} has {} starts, {} ends, {} axes and {} steps", rank, n,
                 ends.size(), axes ? axes->size() : n, steps ? steps->size() : n);
  }
  SliceSpec spec{Shape::Filled(rank, 0), Shape::Filled(rank, kToTheEnd), Shape::Filled(rank, 0)};
  for (size_t i = 0; i < n; ++i) {
    WB_ASSIGN_OR_RETURN(const size_t axis, Axis(axes ? (*axes)[i] : static_cast<int64_t>(i), rank));
    const int64_t step = steps ? (*steps)[i] : 1;
    if (step == 0) return Error(Code::kInvalidArgument, "the slice step of axis {} is 0", axis);
    if (spec.step[axis] != 0) {
      return Error(Code::kInvalidArgument, "slice axes {} name axis {} twice", *axes, axis);
    }
    spec.start[axis] = starts[i];
    spec.end[axis] = ends[i];
    spec.step[axis] = step;
  }
  for (int64_t& step : spec.step.dims()) step = step == 0 ? 1 : step;
  return spec;
}

SliceRange ClampSlice(int64_t start, int64_t end, int64_t step, int64_t dim) {
  const int64_t low = step < 0 ? -1 : 0;
  const int64_t high = step < 0 ? dim - 1 : dim;
  if (start < 0) start += dim;
  if (end < 0) end += dim;
  start = std::clamp(start, low, std::max(low, high));
  end = std::clamp(end, low, std::max(low, high));
  const int64_t distance = step < 0 ? start - end : end - start;
  if (distance <= 0) return {std::max<int64_t>(start, 0), 0};
  const uint64_t stride =
      step < 0 ? uint64_t{0} - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
  return {start, static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / stride + 1)};
}

namespace {

// The size of a slice of one axis where that is certain.
Dim SliceDim(int64_t start, int64_t end, int64_t step, const Dim& dim) {
  if (dim.known()) return Dim(ClampSlice(start, end, step, dim.value()).count);
  const bool to_the_end = end >= std::numeric_limits<int32_t>::max();
  if (start == 0 && to_the_end && step == 1) return dim;
  const bool to_the_begin = end <= -int64_t{std::numeric_limits<int32_t>::max()};
  if (start == -1 && to_the_begin && step == -1) return dim;
  return Dim();
}

std::optional<std::span<const int64_t>> SpanOf(const ListArg& arg) {
  if (!arg.given) return std::nullopt;
  return std::span<const int64_t>(*arg.values);
}

}  // namespace

Status InferSlice(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  SetLike(ctx, 0, in.has_rank() ? UnknownOfRank(in.rank()) : SymShape());
  if (!in.has_rank()) return Status::Ok();
  const ListArg starts = ListOf(ctx, "starts", 1), ends = ListOf(ctx, "ends", 2);
  const ListArg axes = ListOf(ctx, "axes", 3), steps = ListOf(ctx, "", 4);
  const bool axes_known = !axes.given || axes.values;
  if (axes_known && starts.values && ends.values && (!steps.given || steps.values)) {
    WB_ASSIGN_OR_RETURN(const SliceSpec spec, SpreadSlice(in.rank(), *starts.values, *ends.values,
                                                          SpanOf(axes), SpanOf(steps)));
    SymShape out = in;
    for (size_t i = 0; i < in.rank(); ++i) {
      out[i] = SliceDim(spec.start[i], spec.end[i], spec.step[i], in[i]);
    }
    SetLike(ctx, 0, std::move(out));
    const auto contents = ContentsOfList(ctx, 0);
    if (!contents) return Status::Ok();
    const SliceRange range = ClampSlice(spec.start[0], spec.end[0], spec.step[0],
                                        static_cast<int64_t>(contents->size()));
    std::vector<Dim> kept;
    for (int64_t i = 0; i < range.count; ++i) {
      kept.push_back((*contents)[static_cast<size_t>(range.first + i * spec.step[0])]);
    }
    ctx.SetContents(0, std::move(kept));
    return Status::Ok();
  }
  // Axes that are not sliced keep their size.
  const std::optional<size_t> count = axes.count ? axes.count : starts.count;
  if (!axes_known || !count) return Status::Ok();
  SymShape out = in;
  for (size_t i = 0; i < *count; ++i) {
    WB_ASSIGN_OR_RETURN(const size_t axis,
                        Axis(axes.given ? (*axes.values)[i] : static_cast<int64_t>(i), in.rank()));
    out[axis] = Dim();
  }
  SetLike(ctx, 0, std::move(out));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
