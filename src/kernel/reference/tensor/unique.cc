// Unique. Elements, or slices along an axis, are compared in order; NaN is equal to itself and
// larger than every number.
#include <algorithm>
#include <complex>
#include <numeric>
#include <string>
#include <vector>

#include "graph/infer/context.h"
#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/tensor/kernels.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct UniqueParams {
  bool flat = true;
  int64_t axis = 0;
  bool sorted = true;
};

Result<UniqueParams> ParseUnique(const graph::NodeRef& node) {
  return UniqueParams{!node.attrs().Has("axis"), node.attrs().Int("axis", 0),
                      node.attrs().Int("sorted", 1) != 0};
}

// -1, 0 or 1.
template <typename T>
int Compare(const T& a, const T& b) {
  if constexpr (requires { a.imag(); }) {
    const int real = Compare(a.real(), b.real());
    return real != 0 ? real : Compare(a.imag(), b.imag());
  } else if constexpr (requires { a.IsNan(); }) {
    return Compare(a.ToFloat(), b.ToFloat());
  } else if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return static_cast<int>(a != a) - static_cast<int>(b != b);
    return a < b ? -1 : static_cast<int>(b < a);
  } else {
    return a < b ? -1 : static_cast<int>(b < a);
  }
}

// The input as `dim` slices, each of `outer` rows of `inner` elements.
struct Slices {
  TensorView tensor;
  int64_t outer = 1, dim = 1, inner = 1;

  template <typename T>
  int CompareSlices(int64_t i, int64_t j) const {
    const T* data = tensor.as<const T>();
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t n = 0; n < inner; ++n) {
        const int order = Compare(data[(o * dim + i) * inner + n], data[(o * dim + j) * inner + n]);
        if (order != 0) return order;
      }
    }
    return 0;
  }
};

struct Group {
  int64_t first = 0;  // position of its first slice
  int64_t count = 0;
};

// Groups of equal slices in ascending order; `group_of` names the group of each slice.
template <typename T>
std::vector<Group> FindGroups(const Slices& slices, std::vector<int64_t>& group_of) {
  std::vector<int64_t> order(static_cast<size_t>(slices.dim));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return slices.CompareSlices<T>(i, j) < 0; });
  std::vector<Group> groups;
  group_of.resize(order.size());
  for (const int64_t i : order) {
    if (groups.empty() || slices.CompareSlices<T>(groups.back().first, i) != 0) {
      groups.push_back({i, 0});
    }
    ++groups.back().count;
    group_of[static_cast<size_t>(i)] = static_cast<int64_t>(groups.size()) - 1;
  }
  return groups;
}

// Reorders groups by their first appearance.
void ByAppearance(std::vector<Group>& groups, std::vector<int64_t>& group_of) {
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t i, size_t j) { return groups[i].first < groups[j].first; });
  std::vector<Group> moved;
  std::vector<int64_t> place(groups.size());
  for (const size_t i : order) {
    place[i] = static_cast<int64_t>(moved.size());
    moved.push_back(groups[i]);
  }
  for (int64_t& group : group_of) group = place[static_cast<size_t>(group)];
  groups = std::move(moved);
}

// No more slices than the input has.
Status PlanUnique(PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape& in = ctx.input_shape(0);
  Shape most = in;
  int64_t slices = in.elems();
  if (!ctx.node().attrs().Has("axis")) {
    most = Shape({slices});
  } else {
    WB_ASSIGN_OR_RETURN(const size_t axis,
                        graph::infer::Axis(ctx.node().attrs().Int("axis", 0), in.rank()));
    slices = in[axis];
  }
  ctx.SetMost(0, ctx.input_dtype(0), std::move(most));
  for (const size_t i : {size_t{1}, size_t{3}}) ctx.SetMost(i, DType::kI64, Shape({slices}));
  return Status::Ok();
}

Status WriteGroups(const UniqueParams& params, size_t axis, const Slices& slices,
                   const std::vector<Group>& groups, const std::vector<int64_t>& group_of,
                   RunContext& ctx) {
  const auto count = static_cast<int64_t>(groups.size());
  Shape shape = params.flat ? Shape({count}) : slices.tensor.shape;
  if (!params.flat) shape[axis] = count;
  std::vector<OutputSize> sizes;
  if (ctx.wants_output(0)) sizes.push_back({0, slices.tensor.dtype, shape});
  for (const size_t i : {size_t{1}, size_t{3}}) {
    if (ctx.wants_output(i)) sizes.push_back({i, DType::kI64, Shape({count})});
  }
  WB_RETURN_IF_ERROR(ctx.SizeOutputs(sizes));
  if (ctx.wants_output(0)) {
    WB_ASSIGN_OR_RETURN(const TensorView out, ctx.AllocateOutput(0, slices.tensor.dtype, shape));
    for (int64_t o = 0; o < slices.outer; ++o) {
      for (int64_t g = 0; g < count; ++g) {
        const int64_t from = o * slices.dim + groups[static_cast<size_t>(g)].first;
        CopyElements(out, (o * count + g) * slices.inner, slices.tensor, from * slices.inner,
                     slices.inner);
      }
    }
  }
  for (const size_t i : {size_t{1}, size_t{3}}) {
    if (!ctx.wants_output(i)) continue;
    WB_ASSIGN_OR_RETURN(const TensorView out, ctx.AllocateOutput(i, DType::kI64, Shape({count})));
    for (size_t g = 0; g < groups.size(); ++g) {
      out.as<int64_t>()[g] = i == 1 ? groups[g].first : groups[g].count;
    }
  }
  if (ctx.wants_output(2)) {
    std::copy(group_of.begin(), group_of.end(), ctx.output(2).as<int64_t>());
  }
  return Status::Ok();
}

Status RunUnique(const UniqueParams& params, RunContext& ctx) {
  Slices slices{ctx.input(0)};
  const Shape& shape = slices.tensor.shape;
  size_t axis = 0;
  slices.dim = shape.elems();
  if (!params.flat) {
    WB_ASSIGN_OR_RETURN(axis, graph::infer::Axis(params.axis, shape.rank()));
    slices.outer = shape.ElemsBetween(0, axis);
    slices.dim = shape[axis];
    slices.inner = shape.ElemsBetween(axis + 1, shape.rank());
  }
  std::vector<int64_t> group_of;
  std::vector<Group> groups;
  WB_RETURN_IF_ERROR(DispatchDType(slices.tensor.dtype, UnpackedTypes{}, [&]<typename T>() {
    groups = FindGroups<T>(slices, group_of);
    return Status::Ok();
  }));
  if (!params.sorted) ByAppearance(groups, group_of);
  return WriteGroups(params, axis, slices, groups, group_of, ctx);
}

}  // namespace

const KernelImpl kUnique[1] = {
    FunctionImpl<UniqueParams, ParseUnique, RunUnique, PlanUnique>("unique.reference")};

}  // namespace waybill::kernel::reference
