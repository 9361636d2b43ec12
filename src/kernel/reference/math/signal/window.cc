// HannWindow, HammingWindow, BlackmanWindow: sums of cosines.
#include <cmath>
#include <numbers>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/math/tables.h"
#include "kernel/reference/support/compute.h"
#include "kernel/reference/support/cut_float.h"

namespace waybill::kernel::reference {

namespace {

struct WindowParams {
  bool periodic;
};
Result<WindowParams> ParseWindow(const graph::NodeRef& node) {
  return WindowParams{node.attrs().Int("periodic") != 0};
}

// a0 - a1 cos(x) + a2 cos(2 x), with x over one period.
struct Cosines {
  double a0, a1, a2;
};
constexpr Cosines kHannTerms = {0.5, 0.5, 0};
constexpr Cosines kHammingTerms = {25.0 / 46, 21.0 / 46, 0};
constexpr Cosines kBlackmanTerms = {0.42, 0.5, 0.08};

template <const Cosines& kTerms>
Status RunWindow(const WindowParams& params, RunContext& ctx) {
  const TensorView& out = ctx.output(0);
  const int64_t count = out.elems();
  const auto period = static_cast<double>(params.periodic ? count : count - 1);
  return DispatchDType(out.dtype, NumericTypes{}, [&]<typename T>() {
    for (int64_t i = 0; i < count; ++i) {
      // A symmetric window of one element is its peak.
      const double x =
          period == 0 ? std::numbers::pi : 2 * std::numbers::pi * static_cast<double>(i) / period;
      const double value = kTerms.a0 - kTerms.a1 * std::cos(x) + kTerms.a2 * std::cos(2 * x);
      if constexpr (std::is_integral_v<T>) out.as<T>()[i] = CutFloat<T>(value);
      if constexpr (!std::is_integral_v<T>) out.as<T>()[i] = static_cast<T>(value);
    }
    return Status::Ok();
  });
}

constexpr KernelImpl kBlackman[] = {
    FunctionImpl<WindowParams, ParseWindow, RunWindow<kBlackmanTerms>>(
        "blackman_window.reference")};
constexpr KernelImpl kHamming[] = {
    FunctionImpl<WindowParams, ParseWindow, RunWindow<kHammingTerms>>("hamming_window.reference")};
constexpr KernelImpl kHann[] = {
    FunctionImpl<WindowParams, ParseWindow, RunWindow<kHannTerms>>("hann_window.reference")};

constexpr OpKernels kTable[] = {
    {.op_type = "BlackmanWindow", .impls = kBlackman},
    {.op_type = "HammingWindow", .impls = kHamming},
    {.op_type = "HannWindow", .impls = kHann},
};

}  // namespace

KernelTable WindowKernels() { return kTable; }

}  // namespace waybill::kernel::reference
