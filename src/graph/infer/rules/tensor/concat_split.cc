// Concat and Split.
#include <algorithm>

#include "base/math/checked.h"
#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"
#include "graph/infer/rules/tensor/split.h"

namespace waybill::graph::infer {

namespace {

void ConcatContents(InferContext& ctx) {
  std::vector<Dim> contents;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    const SymShape& shape = ctx.input_shape(i);
    const auto elems = shape.Elems();
    if (!shape.has_rank() || shape.rank() != 1 || !elems) return;
    auto part = ContentsOf(ctx, i);
    if (*elems > kMaxTrackedElems) return;
    if (!part) part.emplace(static_cast<size_t>(*elems));
    contents.insert(contents.end(), part->begin(), part->end());
    if (static_cast<int64_t>(contents.size()) > kMaxTrackedElems) return;
  }
  ctx.SetContents(0, std::move(contents));
}

bool IsIndexType(DType dtype) { return dtype == DType::kI32 || dtype == DType::kI64; }

}  // namespace

Status InferConcat(InferContext& ctx) {
  std::optional<std::vector<Dim>> out;
  size_t axis = 0;
  bool all_ranked = true;
  Dim total(0);
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    const SymShape& in = ctx.input_shape(i);
    if (!in.has_rank()) {
      all_ranked = false;
      continue;
    }
    if (!out) {
      out = in.dims();
      WB_ASSIGN_OR_RETURN(axis, Axis(ctx.attrs().Int("axis", 1), in.rank()));
    } else if (out->size() != in.rank()) {
      return Error(Code::kInvalidArgument, "inputs {} and 0 differ in rank: {} and {}", i, in,
                   SymShape(*out));
    }
    for (size_t d = 0; d < in.rank(); ++d) {
      if (d == axis) continue;
      WB_ASSIGN_OR_RETURN((*out)[d], EqualDims((*out)[d], in[d]), "axis {} of input {}", d, i);
    }
    WB_ASSIGN_OR_RETURN(total, AddDims(total, in[axis]));
  }
  if (!out) {
    SetLike(ctx, 0, SymShape());
    return Status::Ok();
  }
  (*out)[axis] = all_ranked ? total : Dim();
  const size_t rank = out->size();
  SetLike(ctx, 0, SymShape(std::move(*out)));
  if (rank == 1 && all_ranked && IsIndexType(ctx.input_dtype(0))) ConcatContents(ctx);
  return Status::Ok();
}

Result<int64_t> SplitPart(int64_t dim, size_t parts, std::optional<std::span<const int64_t>> sizes,
                          bool uneven, size_t i) {
  if (sizes) {
    int64_t sum = 0;
    bool valid = sizes->size() == parts;
    for (const int64_t size : *sizes) {
      const auto next = CheckedAdd(sum, size);
      valid = valid && size >= 0 && next;
      if (!valid) break;
      sum = *next;
    }
    if (!valid || sum != dim) {
      return Error(Code::kInvalidArgument, "split sizes {} do not divide {} elements among {}",
                   *sizes, dim, parts);
    }
    return (*sizes)[i];
  }
  const auto count = static_cast<int64_t>(parts);
  if (dim % count != 0 && !uneven) {
    return Error(Code::kInvalidArgument, "{} elements do not divide into {} equal parts", dim,
                 parts);
  }
  const int64_t chunk = CeilDiv(dim, count);
  const int64_t before = std::min(dim, chunk * static_cast<int64_t>(i));
  return std::min(chunk, dim - before);
}

namespace {

// Part `i` of an axis that may be unknown.
Result<Dim> PartOf(const Dim& dim, size_t parts, const ListArg& sizes, bool uneven, size_t i) {
  std::optional<std::span<const int64_t>> list;
  if (sizes.values) list = std::span<const int64_t>(*sizes.values);
  if (sizes.given && !sizes.values) return Dim();
  if (dim.known()) {
    WB_ASSIGN_OR_RETURN(const int64_t part, SplitPart(dim.value(), parts, list, uneven, i));
    return Dim(part);
  }
  if (list && list->size() == parts && (*list)[i] >= 0) return Dim((*list)[i]);
  return parts == 1 ? dim : Dim();
}

}  // namespace

Status InferSplit(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  const bool by_count = ctx.attrs().Has("num_outputs");
  const int64_t count = ctx.attrs().Int("num_outputs", static_cast<int64_t>(ctx.num_outputs()));
  if (count < static_cast<int64_t>(ctx.num_outputs()) || count <= 0) {
    return Error(Code::kInvalidArgument, "num_outputs {} but the node has {} outputs", count,
                 ctx.num_outputs());
  }
  const ListArg sizes = ListOf(ctx, "split", 1);
  if (!in.has_rank()) {
    for (size_t i = 0; i < ctx.num_outputs(); ++i) SetLike(ctx, i, SymShape());
    return Status::Ok();
  }
  WB_ASSIGN_OR_RETURN(const size_t axis, Axis(ctx.attrs().Int("axis", 0), in.rank()));
  const size_t parts = sizes.values ? sizes.values->size() : static_cast<size_t>(count);
  if (parts < ctx.num_outputs()) {
    return Error(Code::kInvalidArgument, "split has {} sizes but the node has {} outputs", parts,
                 ctx.num_outputs());
  }
  auto contents = in.rank() == 1 ? ContentsOf(ctx, 0) : std::nullopt;
  size_t first = 0;
  for (size_t i = 0; i < ctx.num_outputs(); ++i) {
    SymShape out = in;
    WB_ASSIGN_OR_RETURN(out[axis], PartOf(in[axis], parts, sizes, by_count, i));
    const Dim part = out[axis];
    SetLike(ctx, i, std::move(out));
    if (!contents || !part.known()) {
      contents.reset();
      continue;
    }
    const size_t last = std::min(contents->size(), first + static_cast<size_t>(part.value()));
    ctx.SetContents(i, std::vector<Dim>(contents->begin() + first, contents->begin() + last));
    first = last;
  }
  return Status::Ok();
}

}  // namespace waybill::graph::infer
