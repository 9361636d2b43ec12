#include "cpu/kernels/quant/byte_weights.h"

#include <algorithm>
#include <vector>

#include "base/math/checked.h"
#include "cpu/kernels/quant/constants.h"

namespace waybill::cpu {
namespace {

using kernel::PrepareContext;

// Weights with their zero points taken off.
struct Shifted {
  const graph::Constant* weights;
  const graph::Constant* zero;  // null: 0

  int16_t At(size_t index, size_t column) const {
    int32_t shift = 0;
    if (zero != nullptr) shift = IntegerAt(*zero, zero->shape().elems() == 1 ? 0 : column);
    return static_cast<int16_t>(IntegerAt(*weights, index) - shift);
  }

  // Signed bytes, all there, whose zero points are 0.
  bool IsPlain() const {
    if (weights->dtype() != DType::kI8 || weights->is_splat()) return false;
    const int64_t zeros = zero == nullptr ? 0 : zero->shape().elems();
    for (int64_t i = 0; i < zeros; ++i) {
      if (IntegerAt(*zero, static_cast<size_t>(i)) != 0) return false;
    }
    return true;
  }
};

Shifted ShiftedOf(const PrepareContext& ctx, WeightInputs inputs) {
  return {ctx.constant(inputs.weights), ctx.constant(inputs.zero)};
}

Status TooLarge() { return Error(Code::kOutOfMemory, "packed 8-bit weights are too large"); }

struct DepthwiseSource {
  Shifted weights;
  size_t kernel_h, kernel_w;
};

int16_t DepthwiseWeight(const void* context, size_t channel, size_t ky, size_t kx) {
  const auto& source = *static_cast<const DepthwiseSource*>(context);
  const size_t index = (channel * source.kernel_h + ky) * source.kernel_w + kx;
  return source.weights.At(index, channel);
}

// Rows [n][k] of weights with their zero points taken off, from [n][k] or else from [k][n]; `data`
// points at the constant itself or into `copy`. Null when a weight is no byte.
const int8_t* RowsOf(const Shifted& source, size_t k, size_t n, bool by_columns,
                     std::vector<int8_t>& copy) {
  const auto* bytes = reinterpret_cast<const int8_t*>(source.weights->tensor().view().data);
  const bool plain = source.IsPlain();
  if (plain && by_columns) return bytes;
  copy.resize(k * n);
  for (size_t column = 0; column < n; ++column) {
    int8_t* row = copy.data() + column * k;
    for (size_t i = 0; i < k; ++i) {
      const size_t at = by_columns ? column * k + i : i * n + column;
      if (plain) {
        row[i] = bytes[at];
        continue;
      }
      const int32_t weight = source.At(at, column);
      if (weight < -128 || weight > 127) return nullptr;
      row[i] = static_cast<int8_t>(weight);
    }
  }
  return copy.data();
}

// All that packed filters depend on besides the weights.
std::string ConvMaker(std::string_view packer, const ByteConv& conv) {
  return Format("{} {} groups {} channels {} to {} kernel {} {} segments {} of {} whole rows {}",
                packer, SimdTargetName(BestTarget()), conv.groups, conv.in_channels,
                conv.out_channels, conv.kernel_h, conv.kernel_w, conv.segments(),
                conv.segment_length(), conv.WholeRows());
}

// Bytes are worth their extra steps up to this share of all.
constexpr double kMaxExtraSteps = 0.25;

}  // namespace

Result<bool> ByteWeights::PackBytes(PrepareContext& ctx, WeightInputs inputs, size_t k, size_t n,
                                    bool by_columns) {
  const ByteProductTable& table = QuantByteProduct(BestTarget());
  const auto elems = CheckedMul(k, n);
  if (table.run == nullptr || !elems || *elems == 0) return false;
  std::vector<int8_t> copy;
  const int8_t* rows = RowsOf(ShiftedOf(ctx, inputs), k, n, by_columns, copy);
  if (rows == nullptr) return false;
  BytePanels panels = BytePanels::Plan(k, n, table.lanes, table.nr, rows);
  if (panels.ExtraSteps() > kMaxExtraSteps) return false;
  const auto bytes = CheckedMul(panels.elems(), sizeof(int32_t));
  if (!bytes) return TooLarge();
  const std::string maker = Format("quant.bytes/1 {} {} x {} nr {} by columns {}",
                                   SimdTargetName(BestTarget()), k, n, table.nr, by_columns);
  WB_ASSIGN_OR_RETURN(weights_,
                      ctx.Pack(maker, {inputs.weights, inputs.zero}, *bytes, [&](std::byte* out) {
                        panels.Pack(rows, reinterpret_cast<int32_t*>(out));
                        return Status::Ok();
                      }));
  panels_ = std::move(panels);
  length_ = k;
  group_columns_ = n;
  padded_group_ = padded_ = AlignUp(n, table.lanes);
  ctx.ReplaceInput(inputs.weights);
  return true;
}

Status ByteWeights::PackChannels(PrepareContext& ctx, const ByteConv& conv, WeightInputs inputs) {
  const DepthwiseTable& table = QuantDepthwise(BestTarget());
  const auto taps = CheckedMul(conv.kernel_h + 2, conv.kernel_w);
  const auto elems = taps ? CheckedMul(*taps, (conv.in_channels + table.lanes) * 8) : std::nullopt;
  if (!elems) return TooLarge();
  groups_ = 1;
  group_columns_ = conv.out_channels;
  padded_group_ = padded_ = AlignUp(conv.out_channels, table.lanes);
  const size_t bytes = DepthwiseWeightElems(conv, table) * sizeof(int32_t);
  const DepthwiseSource source{ShiftedOf(ctx, inputs), conv.kernel_h, conv.kernel_w};
  const auto fill = [&](std::byte* out) {
    PackDepthwise(conv, table, DepthwiseWeight, &source, reinterpret_cast<int32_t*>(out));
    return Status::Ok();
  };
  WB_ASSIGN_OR_RETURN(weights_, ctx.Pack(ConvMaker("quant.depthwise/1", conv),
                                         {inputs.weights, inputs.zero}, bytes, fill));
  ctx.ReplaceInput(inputs.weights);
  return Status::Ok();
}

Status ByteWeights::PackFilters(PrepareContext& ctx, const ByteConv& conv, bool padded,
                                WeightInputs inputs) {
  if (conv.IsDepthwise()) return PackChannels(ctx, conv, inputs);
  if (!padded && conv.groups == 1 && conv.kernel_h == 1 && conv.kernel_w == 1) {
    WB_ASSIGN_OR_RETURN(const bool done,
                        PackBytes(ctx, inputs, conv.in_channels, conv.out_channels, true));
    if (done) return Status::Ok();
  }
  const size_t group_in = conv.in_channels / conv.groups;
  const size_t group_out = conv.out_channels / conv.groups;
  const auto layout = WeightLayout::Make(QuantProduct(BestTarget()), conv.groups, group_out,
                                         conv.segments(), conv.segment_length());
  if (!layout) return TooLarge();
  layout_ = *layout;
  groups_ = conv.groups;
  group_columns_ = group_out;
  padded_group_ = layout_.padded_columns();
  padded_ = padded_group_ * groups_;
  const Shifted source = ShiftedOf(ctx, inputs);
  const size_t taps = conv.kernel_h * conv.kernel_w;
  const bool whole_rows = conv.WholeRows();
  const auto fill = [&](std::byte* out) {
    for (size_t group = 0; group < conv.groups; ++group) {
      layout_.PackGroup(
          group,
          [&](size_t column, size_t segment, size_t k) {
            const size_t tap = whole_rows ? segment * conv.kernel_w + k / group_in : segment;
            const size_t channel = k % group_in;
            const size_t filter = group * group_out + column;
            return source.At((filter * group_in + channel) * taps + tap, filter);
          },
          reinterpret_cast<int32_t*>(out));
    }
    return Status::Ok();
  };
  WB_ASSIGN_OR_RETURN(weights_,
                      ctx.Pack(ConvMaker("quant.filters/1", conv), {inputs.weights, inputs.zero},
                               layout_.elems() * sizeof(int32_t), fill));
  ctx.ReplaceInput(inputs.weights);
  return Status::Ok();
}

Status ByteWeights::PackMatrix(PrepareContext& ctx, WeightInputs inputs, bool transposed) {
  const Shape& shape = ctx.constant(inputs.weights)->shape();
  const auto k = static_cast<size_t>(shape[transposed ? 1 : 0]);
  const auto n = static_cast<size_t>(shape[transposed ? 0 : 1]);
  WB_ASSIGN_OR_RETURN(const bool done, PackBytes(ctx, inputs, k, n, transposed));
  if (done) return Status::Ok();
  const auto layout = WeightLayout::Make(QuantProduct(BestTarget()), 1, n, 1, k);
  if (!layout) return TooLarge();
  layout_ = *layout;
  length_ = k;
  group_columns_ = n;
  padded_group_ = padded_ = layout_.padded_columns();
  const Shifted source = ShiftedOf(ctx, inputs);
  const auto fill = [&](std::byte* out) {
    layout_.PackGroup(
        0,
        [&](size_t column, size_t, size_t row) {
          return source.At(transposed ? column * k + row : row * n + column, column);
        },
        reinterpret_cast<int32_t*>(out));
    return Status::Ok();
  };
  const std::string maker = Format("quant.matrix/1 {} {} x {} transposed {}",
                                   SimdTargetName(BestTarget()), k, n, transposed);
  WB_ASSIGN_OR_RETURN(weights_, ctx.Pack(maker, {inputs.weights, inputs.zero},
                                         layout_.elems() * sizeof(int32_t), fill));
  ctx.ReplaceInput(inputs.weights);
  return Status::Ok();
}

Status ByteWeights::SetRequantize(PrepareContext& ctx, std::optional<size_t> bias_input,
                                  const std::function<double(size_t column)>& factor) {
  scaled_ = factor != nullptr;
  const auto bytes = CheckedMul(padded_, sizeof(int32_t) + sizeof(float));
  if (!bytes) return TooLarge();
  WB_ASSIGN_OR_RETURN(columns_, ctx.AllocatePacked(*bytes));
  auto* bias_out = reinterpret_cast<int32_t*>(columns_.view().data);
  auto* scale_out = reinterpret_cast<float*>(bias_out + padded_);
  std::fill_n(bias_out, padded_, 0);
  std::fill_n(scale_out, padded_, 0.0f);
  const graph::Constant* bias = bias_input ? ctx.constant(*bias_input) : nullptr;
  for (size_t group = 0; group < groups_; ++group) {
    for (size_t i = 0; i < group_columns_; ++i) {
      const size_t column = group * group_columns_ + i;
      const size_t at = group * padded_group_ + i;
      if (bias != nullptr) bias_out[at] = IntegerAt(*bias, column);
      if (factor) scale_out[at] = static_cast<float>(factor(column));
    }
  }
  if (bias != nullptr) ctx.ReplaceInput(*bias_input);
  return Status::Ok();
}

std::optional<size_t> ByteWeights::Scratch(const ByteConv& conv, size_t width) const {
  if (panels_ && !IsPointwise(conv)) return std::nullopt;
  if (panels_) return PointwiseScratch(conv, BestTarget(), width);
  const auto bytes = ByteConvScratch(conv, BestTarget());
  return bytes ? CheckedMul(*bytes, width) : std::nullopt;
}

void ByteWeights::RunConvolution(const ByteConv& conv, ByteConvArgs args, ThreadPool* pool,
                                 size_t width) const {
  args.out.bias = bias();
  args.out.scale = scaled_ ? reinterpret_cast<const float*>(bias() + padded_) : nullptr;
  if (panels_) {
    RunPointwise(conv, {&*panels_, packed()}, args, BestTarget(), pool, width);
    return;
  }
  args.weights = packed();
  RunByteConv(conv, layout_, args, BestTarget(), pool, width);
}

}  // namespace waybill::cpu
