// InstanceNormalization, GroupNormalization and BatchNormalization (inference) of f32.
#include <cmath>
#include <memory>
#include <utility>

#include "cpu/kernels/lists.h"
#include "cpu/kernels/row_tasks.h"
#include "cpu/norm/normalize.h"
#include "cpu/tile/program.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::RunContext;

constexpr double kNsPerElem = 0.3;
constexpr double kBatchNsPerElem = 0.15;

// Rows of one group each; a group has one or more channels.
class GroupNormKernel final : public Kernel {
 public:
  GroupNormKernel(float epsilon, int64_t groups, bool per_group)
      : table_(Normalize(BestTarget())),
        epsilon_(epsilon),
        groups_(groups),
        per_group_(per_group) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape& shape = ctx.input_shape(0);
    if (shape.rank() < 2) return Error(Code::kInvalidArgument, "the input's shape is {}", shape);
    const int64_t channels = shape[1], groups = groups_ == 0 ? channels : groups_;
    if (groups != 0 && channels % groups != 0) {
      return Error(Code::kInvalidArgument, "{} channels do not split into {} groups", channels,
                   groups);
    }
    const int64_t entries = per_group_ ? groups : channels;
    for (size_t i = 1; i <= 2; ++i) {
      if (ctx.input_shape(i).elems() == entries) continue;
      return Error(Code::kInvalidArgument, "scale and bias have shapes {} and {}, expected [{}]",
                   ctx.input_shape(1), ctx.input_shape(2), entries);
    }
    ctx.AllowInPlace(0, 0);
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const Shape& shape = ctx.input(0).shape;
    if (shape.elems() == 0) return Status::Ok();
    const auto channels = static_cast<size_t>(shape[1]);
    const size_t groups = groups_ == 0 ? channels : static_cast<size_t>(groups_);
    const auto inner = static_cast<size_t>(shape.ElemsBetween(2, shape.rank()));
    const size_t per_group = channels / groups, size = per_group * inner;
    const auto* x = ctx.input(0).as<const float>();
    const auto* scale = ctx.input(1).as<const float>();
    const auto* bias = ctx.input(2).as<const float>();
    auto* y = ctx.output(0).as<float>();
    const auto rows = static_cast<size_t>(shape[0]) * groups;
    ForRows(ctx, rows, size, kNsPerElem, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row) {
        const RowMoments moments = MomentsOf(table_, x + row * size, size, true, epsilon_);
        for (size_t c = 0; c < per_group; ++c) {
          const size_t group = row % groups, channel = group * per_group + c;
          const size_t entry = per_group_ ? group : channel;
          const size_t at = row * size + c * inner;
          table_.shift(x + at, moments.mean, moments.inverse_deviation * scale[entry], bias[entry],
                       y + at, inner);
        }
      }
    });
    return Status::Ok();
  }

 private:
  const NormalizeTable& table_;
  float epsilon_;
  int64_t groups_;  // 0: as many as channels
  bool per_group_;
};

class BatchNormKernel final : public Kernel {
 public:
  BatchNormKernel(float epsilon, TileProgram by_columns)
      : table_(Normalize(BestTarget())), epsilon_(epsilon), by_columns_(std::move(by_columns)) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape& shape = ctx.input_shape(0);
    if (shape.rank() == 0) return Error(Code::kInvalidArgument, "the input is a scalar");
    const int64_t channels = ChannelsOf(shape);
    for (size_t i = 1; i <= 4; ++i) {
      if (ctx.input_shape(i).elems() == channels) continue;
      return Error(Code::kInvalidArgument, "input {} has shape {}, there are {} channels", i,
                   ctx.input_shape(i), channels);
    }
    ctx.AllowInPlace(0, 0);
    ctx.BookScratch(static_cast<size_t>(channels) * sizeof(float));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const Shape& shape = ctx.input(0).shape;
    if (shape.elems() == 0) return Status::Ok();
    const auto channels = static_cast<size_t>(ChannelsOf(shape));
    const auto inner =
        shape.rank() <= 2 ? size_t{1} : static_cast<size_t>(shape.ElemsBetween(2, shape.rank()));
    const auto* x = ctx.input(0).as<const float>();
    const auto* bias = ctx.input(2).as<const float>();
    const auto* mean = ctx.input(3).as<const float>();
    auto* y = ctx.output(0).as<float>();
    auto* factors = ctx.scratch<float>(0);
    for (size_t c = 0; c < channels; ++c) {
      const double deviation = std::sqrt(static_cast<double>(ctx.input(4).as<const float>()[c]) +
                                         static_cast<double>(epsilon_));
      factors[c] =
          static_cast<float>(static_cast<double>(ctx.input(1).as<const float>()[c]) / deviation);
    }
    if (inner == 1) {
      ForRows(
          ctx, static_cast<size_t>(shape[0]), channels, kBatchNsPerElem,
          [&](size_t begin, size_t end) {
            const TileOperand operands[] = {
                {x + begin * channels, channels, 1}, {mean, 0, 1}, {factors, 0, 1}, {bias, 0, 1}};
            by_columns_.Run(y + begin * channels, channels, end - begin, channels, operands);
          });
      return Status::Ok();
    }
    const auto rows = static_cast<size_t>(shape[0]) * channels;
    ForRows(ctx, rows, inner, kBatchNsPerElem, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row) {
        const size_t c = row % channels, at = row * inner;
        table_.shift(x + at, mean[c], factors[c], bias[c], y + at, inner);
      }
    });
    return Status::Ok();
  }

 private:
  static int64_t ChannelsOf(const Shape& shape) { return shape.rank() == 1 ? 1 : shape[1]; }

  const NormalizeTable& table_;
  float epsilon_;
  TileProgram by_columns_;  // for channels that lie side by side
};

Acceptance AcceptsFloat(const graph::NodeRef& node) {
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    WB_REFUSE_IF(node.has_input(i) && node.input_dtype(i) != DType::kF32,
                 "element type {} is not float", DTypeName(node.input_dtype(i)));
  }
  return Acceptance::Yes();
}

Acceptance AcceptsBatchNorm(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.since_version() < 7 && node.attrs().Int("is_test") == 0, "is_test is 0");
  WB_REFUSE_IF(node.attrs().Int("training_mode") != 0, "training_mode is set");
  WB_REFUSE_IF(node.attrs().Int("spatial", 1) == 0, "spatial is 0");
  for (size_t i = 1; i < node.num_outputs(); ++i) {
    WB_REFUSE_IF(node.has_output(i), "output {} is wanted", i);
  }
  return AcceptsFloat(node);
}

Result<std::unique_ptr<Kernel>> CreateInstanceNorm(const graph::NodeRef& node) {
  return std::unique_ptr<Kernel>(
      std::make_unique<GroupNormKernel>(node.attrs().Float("epsilon", 1e-5f), 0, false));
}

Result<std::unique_ptr<Kernel>> CreateGroupNorm(const graph::NodeRef& node) {
  const int64_t groups = node.attrs().Int("num_groups");
  if (groups < 1) return Error(Code::kInvalidArgument, "num_groups is {}", groups);
  return std::unique_ptr<Kernel>(std::make_unique<GroupNormKernel>(
      node.attrs().Float("epsilon", 1e-5f), groups, node.since_version() < 21));
}

Result<std::unique_ptr<Kernel>> CreateBatchNorm(const graph::NodeRef& node) {
  WB_ASSIGN_OR_RETURN(const auto expression,
                      graph::Expression::Parse("Sub(x0,x1);Mul(t0,x2);Add(t1,x3)"));
  WB_ASSIGN_OR_RETURN(auto program, TileProgram::Make(expression, BestTarget()));
  return std::unique_ptr<Kernel>(
      std::make_unique<BatchNormKernel>(node.attrs().Float("epsilon", 1e-5f), std::move(program)));
}

constexpr KernelImpl kInstance[] = {{"instance_norm.simd", AcceptsFloat, CreateInstanceNorm}};
constexpr KernelImpl kGroup[] = {{"group_norm.simd", AcceptsFloat, CreateGroupNorm}};
constexpr KernelImpl kBatch[] = {{"batch_norm.simd", AcceptsBatchNorm, CreateBatchNorm}};

constexpr int kLatest = 1 << 30;
constexpr OpKernels kTable[] = {{"", "InstanceNormalization", 1, kLatest, kInstance},
                                {"", "GroupNormalization", 1, kLatest, kGroup},
                                {"", "BatchNormalization", 1, kLatest, kBatch}};

}  // namespace

std::span<const OpKernels> ChannelNormKernels() { return kTable; }

}  // namespace waybill::cpu
