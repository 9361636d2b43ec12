// STFT: the transform of windowed frames of a signal. Frames, bins and step come from the output's
// planned shape and the inputs.
#include "kernel/api/function_kernel.h"
#include "kernel/reference/math/signal/fourier.h"
#include "kernel/reference/math/tables.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

int64_t ReadScalar(const TensorView& view) {
  return view.dtype == DType::kI32 ? int64_t{view.as<int32_t>()[0]} : view.as<int64_t>()[0];
}

struct StftParams {
  bool onesided;
};
Result<StftParams> ParseStft(const graph::NodeRef& node) {
  return StftParams{node.attrs().Int("onesided") != 0};
}

Status RunStft(const StftParams& params, RunContext& ctx) {
  const TensorView &signal = ctx.input(0), &out = ctx.output(0);
  const int64_t step = ReadScalar(ctx.input(1));
  const TensorView* window = ctx.has_input(2) ? &ctx.input(2) : nullptr;
  int64_t length = signal.shape[1];
  if (window != nullptr) length = window->elems();
  if (ctx.has_input(3)) length = ReadScalar(ctx.input(3));
  if (window != nullptr && window->elems() != length) {
    return Error(Code::kInvalidArgument, "a window of {} elements for frames of {}",
                 window->elems(), length);
  }
  const int64_t parts = signal.shape[2];
  if ((parts != 1 && parts != 2) || (parts == 2 && params.onesided)) {
    return Error(Code::kInvalidArgument, "signal {} does not fit onesided {}", signal.shape,
                 params.onesided ? 1 : 0);
  }
  return DispatchDType(signal.dtype, FloatTypes{}, [&]<typename T>() {
    const int64_t frames = out.shape[1], bins = out.shape[2];
    T* dst = out.as<T>();
    for (int64_t i = 0; i < out.shape[0] * frames * bins; ++i) {
      const int64_t batch = i / bins / frames, frame = i / bins % frames;
      const T* src = signal.as<T>() + (batch * signal.shape[1] + frame * step) * parts;
      const Complex y = FourierElement(length, i % bins, false, [&](int64_t k) -> Complex {
        const double weight = window != nullptr ? static_cast<double>(window->as<T>()[k]) : 1;
        const T* at = src + k * parts;
        return {weight * static_cast<double>(at[0]),
                parts == 2 ? weight * static_cast<double>(at[1]) : 0};
      });
      *dst++ = static_cast<T>(y.re);
      *dst++ = static_cast<T>(y.im);
    }
    return Status::Ok();
  });
}

constexpr KernelImpl kStft[] = {FunctionImpl<StftParams, ParseStft, RunStft>("stft.reference")};

constexpr OpKernels kTable[] = {{.op_type = "STFT", .impls = kStft}};

}  // namespace

KernelTable StftKernels() { return kTable; }

}  // namespace waybill::kernel::reference
