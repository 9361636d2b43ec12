#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/nn/row_norm.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct GroupParams {
  double epsilon;
  int64_t groups;  // 0: as many as channels
  bool per_group;  // scale and bias have one entry per group
};

Result<GroupParams> ParseInstanceNorm(const graph::NodeRef& node) {
  return GroupParams{static_cast<double>(node.attrs().Float("epsilon", 1e-5f)), 0, false};
}

Result<GroupParams> ParseGroupNorm(const graph::NodeRef& node) {
  const int64_t groups = node.attrs().Int("num_groups");
  if (groups < 1) return Error(Code::kInvalidArgument, "num_groups is {}", groups);
  return GroupParams{static_cast<double>(node.attrs().Float("epsilon", 1e-5f)), groups,
                     node.since_version() < 21};
}

Status RunGroupNorm(const GroupParams& p, RunContext& ctx) {
  const Shape& shape = ctx.input(0).shape;
  const int64_t channels = shape[1], inner = shape.ElemsBetween(2, shape.rank());
  const int64_t groups = p.groups == 0 ? channels : p.groups;
  if (groups != 0 && channels % groups != 0) {
    return Error(Code::kInvalidArgument, "{} channels do not split into {} groups", channels,
                 groups);
  }
  const TensorView &scale = ctx.input(1), &bias = ctx.input(2);
  const int64_t entries = p.per_group ? groups : channels;
  if (scale.elems() != entries || bias.elems() != entries) {
    return Error(Code::kInvalidArgument, "scale and bias have shapes {} and {}, expected [{}]",
                 scale.shape, bias.shape, entries);
  }
  if (ctx.input(0).elems() == 0) return Status::Ok();
  const int64_t per_group = channels / groups, size = per_group * inner;
  return DispatchDType(ctx.input(0).dtype, FloatTypes{}, [&]<typename T>() {
    const T* const x = ctx.input(0).as<T>();
    T* const y = ctx.output(0).as<T>();
    ForEachPiece(ctx, static_cast<size_t>(shape[0] * groups), [&](size_t piece, size_t) {
      const auto index = static_cast<int64_t>(piece);
      const T* const in = x + index * size;
      const RowStatistics stats =
          RowStats(size, true, p.epsilon, [&](int64_t i) { return static_cast<double>(in[i]); });
      for (int64_t i = 0; i < size; ++i) {
        const int64_t group = index % groups;
        const int64_t entry = p.per_group ? group : group * per_group + i / inner;
        y[index * size + i] = static_cast<T>((static_cast<double>(in[i]) - stats.mean) *
                                                 stats.inverse_deviation * ReadFloat(scale, entry) +
                                             ReadFloat(bias, entry));
      }
    });
    return Status::Ok();
  });
}

}  // namespace

constinit const KernelImpl kInstanceNormalization[1] = {
    FunctionImpl<GroupParams, ParseInstanceNorm, RunGroupNorm>("instance_normalization.reference")};
constinit const KernelImpl kGroupNormalization[1] = {
    FunctionImpl<GroupParams, ParseGroupNorm, RunGroupNorm>("group_normalization.reference")};

}  // namespace waybill::kernel::reference
