// Operators on quantized tensors that ONNX has not. All quantize a real number as QuantizeLinear
// does, in double.
#include <cmath>
#include <cstdint>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/internal/kernels.h"
#include "kernel/reference/quant/number.h"
#include "kernel/reference/support/strided.h"

namespace waybill::kernel::reference {

namespace {

// A scale and a zero point of one element each.
struct Linear {
  double scale = 1;
  int64_t zero = 0;
};

Result<Linear> LinearAt(const RunContext& ctx, size_t scale, size_t zero) {
  const TensorView &s = ctx.input(scale), &z = ctx.input(zero);
  if (s.dtype != DType::kF32 || s.elems() != 1 || z.elems() != 1) {
    return Error(Code::kInvalidArgument, "scale {} {} and zero point {} must be one number each",
                 DTypeName(s.dtype), s.shape, z.shape);
  }
  WB_ASSIGN_OR_RETURN(const ReadInt read, IntReader(z.dtype));
  return Linear{s.as<float>()[0], read(z.data, 0)};
}

// What writes a sum that is scaled already.
struct Output {
  WriteReal write;
  double zero;
  std::byte* data;

  void Store(int64_t i, double value) const {
    write(data, static_cast<size_t>(i), std::nearbyint(value) + zero, true);
  }
};

Result<Output> OutputOf(const RunContext& ctx, const Linear& y) {
  WB_ASSIGN_OR_RETURN(const WriteReal write, RealWriter(ctx.output(0).dtype));
  return Output{write, static_cast<double>(y.zero), ctx.output(0).data};
}

// a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point
Status RunAdd(RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(3);
  WB_ASSIGN_OR_RETURN(const Linear la, LinearAt(ctx, 1, 2));
  WB_ASSIGN_OR_RETURN(const Linear lb, LinearAt(ctx, 4, 5));
  WB_ASSIGN_OR_RETURN(const Linear ly, LinearAt(ctx, 6, 7));
  WB_ASSIGN_OR_RETURN(const ReadInt read_a, IntReader(a.dtype));
  WB_ASSIGN_OR_RETURN(const ReadInt read_b, IntReader(b.dtype));
  WB_ASSIGN_OR_RETURN(const Output y, OutputOf(ctx, ly));
  ForEachBroadcast(
      ctx.output(0).shape,
      [&](int64_t i, int64_t at_a, int64_t at_b) {
        const auto left = static_cast<double>(read_a(a.data, static_cast<size_t>(at_a)) - la.zero);
        const auto right = static_cast<double>(read_b(b.data, static_cast<size_t>(at_b)) - lb.zero);
        y.Store(i, (left * la.scale + right * lb.scale) / ly.scale);
      },
      a.shape, b.shape);
  return Status::Ok();
}

struct LayoutParams {
  bool channels_last = false;
};
Result<LayoutParams> ParseLayout(const graph::NodeRef& node) {
  return LayoutParams{node.attrs().Int("channels_last") != 0};
}

// x, x_scale, x_zero_point, y_scale, y_zero_point
Status RunGlobalAveragePool(const LayoutParams& params, RunContext& ctx) {
  const TensorView& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(const Linear lx, LinearAt(ctx, 1, 2));
  WB_ASSIGN_OR_RETURN(const Linear ly, LinearAt(ctx, 3, 4));
  WB_ASSIGN_OR_RETURN(const ReadInt read, IntReader(x.dtype));
  WB_ASSIGN_OR_RETURN(const Output y, OutputOf(ctx, ly));
  const size_t rank = x.shape.rank();
  const int64_t channels = x.shape[params.channels_last ? rank - 1 : 1];
  const int64_t size =
      params.channels_last ? x.shape.ElemsBetween(1, rank - 1) : x.shape.ElemsBetween(2, rank);
  for (int64_t i = 0; i < x.shape[0] * channels; ++i) {
    const int64_t batch = i / channels, channel = i % channels;
    int64_t sum = 0;
    for (int64_t p = 0; p < size; ++p) {
      const int64_t at =
          params.channels_last ? (batch * size + p) * channels + channel : i * size + p;
      sum += read(x.data, static_cast<size_t>(at)) - lx.zero;
    }
    y.Store(i, static_cast<double>(sum) / static_cast<double>(size) * lx.scale / ly.scale);
  }
  return Status::Ok();
}

struct GemmParams {
  bool transposed = false;
};
Result<GemmParams> ParseGemm(const graph::NodeRef& node) {
  return GemmParams{node.attrs().Int("transB") != 0};
}

// One value, or one for each of `lines`.
Status CheckLines(const TensorView& view, int64_t lines, const char* name) {
  if (view.elems() == 1 || (view.shape.rank() == 1 && view.elems() == lines)) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} has shape {} for {} columns", name, view.shape, lines);
}

// a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point, bias (int32)
Status RunGemm(const GemmParams& params, RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(3), &b_scale = ctx.input(4);
  const TensorView& b_zero = ctx.input(5);
  WB_ASSIGN_OR_RETURN(const Linear la, LinearAt(ctx, 1, 2));
  WB_ASSIGN_OR_RETURN(const Linear ly, LinearAt(ctx, 6, 7));
  const int64_t k_count = b.shape[params.transposed ? 1 : 0];
  const int64_t n_count = b.shape[params.transposed ? 0 : 1];
  WB_RETURN_IF_ERROR(CheckLines(b_scale, n_count, "b_scale"));
  WB_RETURN_IF_ERROR(CheckLines(b_zero, n_count, "b_zero_point"));
  const TensorView* bias = ctx.has_input(8) ? &ctx.input(8) : nullptr;
  if (bias != nullptr && (bias->dtype != DType::kI32 || bias->shape != Shape({n_count}))) {
    return Error(Code::kInvalidArgument, "the bias is {} {}", DTypeName(bias->dtype), bias->shape);
  }
  WB_ASSIGN_OR_RETURN(const ReadInt read_a, IntReader(a.dtype));
  WB_ASSIGN_OR_RETURN(const ReadInt read_b, IntReader(b.dtype));
  WB_ASSIGN_OR_RETURN(const Output y, OutputOf(ctx, ly));
  const int64_t rows = a.shape.ElemsBetween(0, a.shape.rank() - 1);
  for (int64_t i = 0; i < rows * n_count; ++i) {
    const int64_t row = i / n_count, n = i % n_count;
    const int64_t zero = read_b(b_zero.data, static_cast<size_t>(b_zero.elems() == 1 ? 0 : n));
    int64_t sum = bias != nullptr ? bias->as<int32_t>()[n] : 0;
    for (int64_t k = 0; k < k_count; ++k) {
      const int64_t at = params.transposed ? n * k_count + k : k * n_count + n;
      sum += (read_a(a.data, static_cast<size_t>(row * k_count + k)) - la.zero) *
             (read_b(b.data, static_cast<size_t>(at)) - zero);
    }
    const double scale = b_scale.as<float>()[b_scale.elems() == 1 ? 0 : n];
    y.Store(i, static_cast<double>(sum) * la.scale * scale / ly.scale);
  }
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kQLinearAdd[1] = {FunctionImpl<RunAdd>("qlinear_add.reference")};
constinit const KernelImpl kQLinearGlobalAveragePool[1] = {
    FunctionImpl<LayoutParams, ParseLayout, RunGlobalAveragePool>(
        "qlinear_global_average_pool.reference")};
constinit const KernelImpl kQLinearGemm[1] = {
    FunctionImpl<GemmParams, ParseGemm, RunGemm>("qlinear_gemm.reference")};

}  // namespace waybill::kernel::reference
