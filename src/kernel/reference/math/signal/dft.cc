// DFT along one axis, with its real-to-complex and complex-to-real one-sided forms.
#include <algorithm>

#include "graph/infer/rules/math/dft_shape.h"
#include "kernel/api/function_kernel.h"
#include "kernel/reference/math/signal/fourier.h"
#include "kernel/reference/math/tables.h"
#include "kernel/reference/support/axis_split.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct DftParams {
  int64_t axis;  // of the attribute (before version 20), or the default
  bool inverse, onesided;
};
Result<DftParams> ParseDft(const graph::NodeRef& node) {
  const bool axis_input = node.since_version() >= 20;
  return DftParams{axis_input ? -2 : node.attrs().Int("axis"), node.attrs().Int("inverse") != 0,
                   node.attrs().Int("onesided") != 0};
}

Result<int64_t> ReadScalar(const TensorView& view, const char* name) {
  if (view.elems() != 1) {
    return Error(Code::kInvalidArgument, "{} must be a scalar, its shape is {}", name, view.shape);
  }
  return view.dtype == DType::kI32 ? int64_t{view.as<int32_t>()[0]} : view.as<int64_t>()[0];
}

// What is needed of the input along the axis.
template <typename T>
struct Signal {
  const T* data;   // first element of the line
  int64_t length;  // elements along the axis; zeros follow
  int64_t stride;  // in elements, parts included
  int64_t parts;   // 1 real, 2 complex

  Complex At(int64_t i) const {
    if (i >= length) return {};
    const T* at = data + i * stride;
    return {static_cast<double>(at[0]), parts == 2 ? static_cast<double>(at[1]) : 0};
  }
  // A one-sided spectrum of `n` frequencies in whole: the upper half mirrors the lower.
  Complex Mirrored(int64_t i, int64_t n) const {
    if (i <= n / 2) return At(i);
    const Complex low = At(n - i);
    return {low.re, -low.im};
  }
};

template <typename T>
void Transform(const DftParams& params, const TensorView& in, const TensorView& out, size_t axis,
               int64_t n) {
  const int64_t in_parts = in.shape[in.shape.rank() - 1];
  const int64_t out_parts = out.shape[out.shape.rank() - 1];
  const AxisSplit from = AxisSplit::At(in.shape, axis), to = AxisSplit::At(out.shape, axis);
  const bool mirror = params.inverse && params.onesided;
  const double scale = params.inverse ? 1 / static_cast<double>(n) : 1;
  for (int64_t line = 0; line < from.lines() / in_parts; ++line) {
    const int64_t positions = from.inner / in_parts;
    const int64_t start = line / positions * from.axis * from.inner + line % positions * in_parts;
    const Signal<T> signal{in.as<T>() + start, from.axis, from.inner, in_parts};
    T* const dst =
        out.as<T>() + line / positions * to.axis * to.inner + line % positions * out_parts;
    for (int64_t k = 0; k < to.axis; ++k) {
      const Complex y = FourierElement(n, k, params.inverse, [&](int64_t i) {
        return mirror ? signal.Mirrored(i, n) : signal.At(i);
      });
      dst[k * to.inner] = static_cast<T>(y.re * scale);
      if (out_parts == 2) dst[k * to.inner + 1] = static_cast<T>(y.im * scale);
    }
  }
}

Status RunDft(const DftParams& params, RunContext& ctx) {
  const TensorView &in = ctx.input(0), &out = ctx.output(0);
  int64_t axis = params.axis;
  if (ctx.has_input(2)) {
    WB_ASSIGN_OR_RETURN(axis, ReadScalar(ctx.input(2), "axis"));
  }
  const auto at = NormalizeAxis(axis, in.shape.rank());
  if (!at || *at + 1 == in.shape.rank()) {
    return Error(Code::kInvalidArgument, "axis {} is not a signal axis of {}", axis, in.shape);
  }
  int64_t n = graph::infer::DefaultDftLength(in.shape[*at], params.inverse, params.onesided);
  if (ctx.has_input(1)) {
    WB_ASSIGN_OR_RETURN(n, ReadScalar(ctx.input(1), "dft_length"));
  }
  if (n < 1) return Error(Code::kInvalidArgument, "a transform of {} elements", n);
  return DispatchDType(in.dtype, FloatTypes{}, [&]<typename T>() {
    Transform<T>(params, in, out, *at, n);
    return Status::Ok();
  });
}

constexpr KernelImpl kDft[] = {FunctionImpl<DftParams, ParseDft, RunDft>("dft.reference")};

constexpr OpKernels kTable[] = {{.op_type = "DFT", .impls = kDft}};

}  // namespace

KernelTable DftKernels() { return kTable; }

}  // namespace waybill::kernel::reference
