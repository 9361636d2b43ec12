// StringConcat and StringSplit.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/nd.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

// Strides that walk `in` as if it had the shape `out` (broadcast axes stand still).
Shape BroadcastStrides(const Shape& in, const Shape& out) {
  const Shape own = RowMajorStrides(in);
  Shape strides = Shape::Filled(out.rank(), 0);
  const size_t added = out.rank() - in.rank();
  for (size_t i = 0; i < in.rank(); ++i) strides[added + i] = in[i] == 1 ? 0 : own[i];
  return strides;
}

Status RunStringConcat(RunContext& ctx) {
  const TensorView& out = ctx.output(0);
  if (out.elems() == 0) return Status::Ok();
  const Shape left = BroadcastStrides(ctx.input(0).shape, out.shape);
  const Shape right = BroadcastStrides(ctx.input(1).shape, out.shape);
  NdCounter at(out.shape);
  std::string* to = out.as<std::string>();
  do {
    to->assign(ctx.input(0).as<const std::string>()[at.Offset(left)]);
    to->append(ctx.input(1).as<const std::string>()[at.Offset(right)]);
    ++to;
  } while (at.Next());
  return Status::Ok();
}

struct StringSplitParams {
  std::string delimiter;  // empty: runs of white space
  int64_t max_splits = -1;
};

Result<StringSplitParams> ParseStringSplit(const graph::NodeRef& node) {
  return StringSplitParams{node.attrs().String("delimiter"), node.attrs().Int("maxsplit", -1)};
}

constexpr std::string_view kWhitespace = " \t\n\v\f\r";

// Calls fn(part) for each part of `text`; at most `max_splits` cuts are made unless it is negative.
template <typename Fn>
void ForEachPart(std::string_view text, const StringSplitParams& params, Fn fn) {
  int64_t cuts = 0;
  const auto may_cut = [&] { return params.max_splits < 0 || cuts < params.max_splits; };
  if (!params.delimiter.empty()) {
    size_t end = 0;
    while (may_cut() && (end = text.find(params.delimiter)) != std::string_view::npos) {
      fn(text.substr(0, end));
      text.remove_prefix(end + params.delimiter.size());
      ++cuts;
    }
    fn(text);
    return;
  }
  const auto trim = [](std::string_view& t) {
    t.remove_prefix(std::min(t.size(), t.find_first_not_of(kWhitespace)));
  };
  trim(text);
  while (!text.empty()) {
    const size_t end = text.find_first_of(kWhitespace);
    if (end == std::string_view::npos || !may_cut()) {
      // The last part keeps its inner white space, and loses what trails it.
      fn(text.substr(0, text.find_last_not_of(kWhitespace) + 1));
      return;
    }
    fn(text.substr(0, end));
    text.remove_prefix(end);
    trim(text);
    ++cuts;
  }
}

Status RunStringSplit(const StringSplitParams& params, RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  const std::span<const std::string> texts = in.span<const std::string>();
  int64_t most = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    int64_t parts = 0;
    ForEachPart(texts[i], params, [&](std::string_view) { ++parts; });
    most = std::max(most, parts);
    if (ctx.wants_output(1)) ctx.output(1).as<int64_t>()[i] = parts;
  }
  if (!ctx.wants_output(0)) return Status::Ok();
  Shape shape = in.shape;
  shape.PushBack(most);
  WB_ASSIGN_OR_RETURN(const TensorView out, ctx.AllocateOutput(0, DType::kString, shape));
  for (size_t i = 0; i < texts.size(); ++i) {
    std::string* to = out.as<std::string>() + static_cast<int64_t>(i) * most;
    ForEachPart(texts[i], params, [&](std::string_view part) { (to++)->assign(part); });
  }
  return Status::Ok();
}

}  // namespace

const KernelImpl kStringConcat[1] = {FunctionImpl<RunStringConcat>("string_concat.reference")};
const KernelImpl kStringSplit[1] = {
    FunctionImpl<StringSplitParams, ParseStringSplit, RunStringSplit>("string_split.reference")};

}  // namespace waybill::kernel::reference
