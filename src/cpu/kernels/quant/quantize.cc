// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear between f32 and bytes.
#include <algorithm>
#include <cmath>

#include "base/math/checked.h"
#include "cpu/kernels/quant/constants.h"
#include "cpu/kernels/quant/lists.h"
#include "cpu/quant/bytes.h"
#include "kernel/api/function_kernel.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::RunContext;

constexpr double kNsPerElem = 0.3;

struct LinearParams {
  int64_t axis = 1;
};

Result<LinearParams> ParseLinear(const graph::NodeRef& node) {
  return LinearParams{node.attrs().Int("axis", 1)};
}

// Runs of elements that share a scale: [outer][lines][inner].
struct Lines {
  size_t count = 1;  // runs
  size_t lines = 1;  // scales
  size_t inner = 0;  // elements of a run
};

Result<Lines> LinesOf(const TensorView& data, const TensorView& scale, const TensorView* zero,
                      int64_t axis) {
  if (zero != nullptr && zero->elems() != scale.elems()) {
    return Error(Code::kInvalidArgument, "scale has shape {}, zero point {}", scale.shape,
                 zero->shape);
  }
  const auto elems = static_cast<size_t>(data.elems());
  const size_t rank = data.shape.rank();
  if (scale.shape.rank() == 0 || (scale.shape.rank() == 1 && scale.shape[0] == 1)) {
    return Lines{1, 1, elems};
  }
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    return Error(Code::kInvalidArgument, "axis {} is out of range for rank {}", axis, rank);
  }
  const auto at = static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
  if (scale.shape.rank() != 1 || scale.shape[0] != data.shape[at]) {
    return Error(Code::kInvalidArgument, "scale {} does not fit axis {} of data {}", scale.shape,
                 axis, data.shape);
  }
  Lines lines;
  lines.lines = static_cast<size_t>(data.shape[at]);
  lines.inner = static_cast<size_t>(data.shape.ElemsBetween(at + 1, rank));
  lines.count = static_cast<size_t>(data.shape.ElemsBetween(0, at + 1));
  return lines;
}

// fn(first element, elements, scale, zero point) over all of the data.
template <typename T, typename Fn>
void ForEachLine(RunContext& ctx, const Lines& lines, const float* scale, const T* zero,
                 const Fn& fn) {
  if (lines.count == 0 || lines.inner == 0) return;
  const auto zero_at = [&](size_t i) { return zero == nullptr ? int32_t{0} : int32_t{zero[i]}; };
  const size_t elems = lines.count * lines.inner;
  const size_t threads = ThreadsFor(elems, kNsPerElem, ctx.width());
  if (lines.count == 1) {
    ParallelFor(ctx.pool(), elems, threads,
                [&](size_t begin, size_t end) { fn(begin, end - begin, scale[0], zero_at(0)); });
    return;
  }
  ParallelFor(ctx.pool(), lines.count, threads, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t line = i % lines.lines;
      fn(i * lines.inner, lines.inner, scale[line], zero_at(line));
    }
  });
}

template <typename T>
Status QuantizeTo(RunContext& ctx, const Lines& lines) {
  const auto* x = ctx.input(0).as<const float>();
  T* y = ctx.output(0).as<T>();
  const auto fn = ByteFnsOf<T>(BestTarget()).quantize;
  ForEachLine(ctx, lines, ctx.input(1).as<const float>(),
              ctx.has_input(2) ? ctx.input(2).as<const T>() : nullptr,
              [=](size_t first, size_t count, float scale, int32_t zero) {
                fn(x + first, count, scale, zero, y + first);
              });
  return Status::Ok();
}

template <typename T>
Status DequantizeFrom(RunContext& ctx, const Lines& lines) {
  const T* x = ctx.input(0).as<const T>();
  float* y = ctx.output(0).as<float>();
  const auto fn = ByteFnsOf<T>(BestTarget()).dequantize;
  ForEachLine(ctx, lines, ctx.input(1).as<const float>(),
              ctx.has_input(2) ? ctx.input(2).as<const T>() : nullptr,
              [=](size_t first, size_t count, float scale, int32_t zero) {
                fn(x + first, count, scale, zero, y + first);
              });
  return Status::Ok();
}

Result<Lines> LinesOf(const LinearParams& params, const RunContext& ctx) {
  return LinesOf(ctx.input(0), ctx.input(1), ctx.has_input(2) ? &ctx.input(2) : nullptr,
                 params.axis);
}

Status RunQuantize(const LinearParams& params, RunContext& ctx) {
  WB_ASSIGN_OR_RETURN(const Lines lines, LinesOf(params, ctx));
  const bool is_signed = ctx.output(0).dtype == DType::kI8;
  return is_signed ? QuantizeTo<int8_t>(ctx, lines) : QuantizeTo<uint8_t>(ctx, lines);
}

Status RunDequantize(const LinearParams& params, RunContext& ctx) {
  WB_ASSIGN_OR_RETURN(const Lines lines, LinesOf(params, ctx));
  const bool is_signed = ctx.input(0).dtype == DType::kI8;
  return is_signed ? DequantizeFrom<int8_t>(ctx, lines) : DequantizeFrom<uint8_t>(ctx, lines);
}

Status RunDynamic(RunContext& ctx) {
  const TensorView& x = ctx.input(0);
  const auto count = static_cast<size_t>(x.elems());
  const FloatRange range = ByteKernelsOf(BestTarget()).range(x.as<const float>(), count);
  // Without any range every scale is right; 1 avoids a division by zero.
  const float scale = range.high == range.low ? 1.0f : (range.high - range.low) / 255.0f;
  const float place = std::nearbyint(0.0f - range.low / scale);
  const int32_t zero = place >= 0 ? static_cast<int32_t>(std::min(place, 255.0f)) : 0;
  if (ctx.wants_output(0)) {
    const auto fn = ByteFnsOf<uint8_t>(BestTarget()).quantize;
    fn(x.as<const float>(), count, scale, zero, ctx.output(0).as<uint8_t>());
  }
  if (ctx.wants_output(1)) ctx.output(1).as<float>()[0] = scale;
  if (ctx.wants_output(2)) ctx.output(2).as<uint8_t>()[0] = static_cast<uint8_t>(zero);
  return Status::Ok();
}

Acceptance AcceptsLinear(const graph::NodeRef& node, DType bytes, DType floats) {
  WB_REFUSE_IF(!IsByte(bytes), "{} is no 8-bit integer", DTypeName(bytes));
  WB_REFUSE_IF(floats != DType::kF32, "{} is not float", DTypeName(floats));
  WB_REFUSE_IF(node.input_dtype(1) != DType::kF32, "the scale is {}",
               DTypeName(node.input_dtype(1)));
  WB_REFUSE_IF(node.attrs().Int("block_size") != 0, "scales are blocked");
  const int64_t precision = node.attrs().Int("precision");
  WB_REFUSE_IF(precision != 0 && precision != static_cast<int64_t>(DType::kF32),
               "the division is not in float");
  return Acceptance::Yes();
}

Acceptance AcceptsQuantize(const graph::NodeRef& node) {
  return AcceptsLinear(node, node.output_dtype(0), node.input_dtype(0));
}

Acceptance AcceptsDequantize(const graph::NodeRef& node) {
  return AcceptsLinear(node, node.input_dtype(0), node.output_dtype(0));
}

Acceptance AcceptsDynamic(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "{} is not float",
               DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}

constexpr KernelImpl kQuantize[] = {kernel::FunctionImpl<LinearParams, ParseLinear, RunQuantize>(
    "quantize_linear.simd", AcceptsQuantize)};
constexpr KernelImpl kDequantize[] = {
    kernel::FunctionImpl<LinearParams, ParseLinear, RunDequantize>("dequantize_linear.simd",
                                                                   AcceptsDequantize)};
constexpr KernelImpl kDynamic[] = {
    kernel::FunctionImpl<RunDynamic>("dynamic_quantize_linear.simd", AcceptsDynamic)};
constexpr OpKernels kOps[] = {
    {"", "QuantizeLinear", 1, 1 << 30, kQuantize},
    {"", "DequantizeLinear", 1, 1 << 30, kDequantize},
    {"", "DynamicQuantizeLinear", 1, 1 << 30, kDynamic},
};

}  // namespace

std::span<const OpKernels> QuantizeKernels() { return kOps; }

}  // namespace waybill::cpu
