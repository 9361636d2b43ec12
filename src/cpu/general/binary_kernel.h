// Elementwise kernels of two broadcast inputs of one element type, from a function of that type.
#pragma once

#include <algorithm>
#include <memory>

#include "base/math/checked.h"
#include "cpu/general/nary_loops.h"
#include "kernel/api/kernel.h"
#include "parallel/pool/thread_pool.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::cpu {

// n elements; `a` or `b` is one element where the mode says so. `out` may be `a` or `b` itself.
using GeneralLine = void (*)(const void* a, const void* b, void* out, size_t n);
struct GeneralLines {
  GeneralLine both = nullptr, a_scalar = nullptr, b_scalar = nullptr;
};

template <typename Op, typename T, bool kAStep, bool kBStep>
void RunGeneralLine(const void* a, const void* b, void* out, size_t n) {
  using Out = decltype(Op::Apply(T(), T()));
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  Out* z = static_cast<Out*>(out);
  const T x0 = x[0], y0 = y[0];
  for (size_t i = 0; i < n; ++i) z[i] = Op::Apply(kAStep ? x[i] : x0, kBStep ? y[i] : y0);
}

// The lines of the type in Types that `dtype` names; null ones when it is not in the list.
template <typename Op, typename... Ts>
GeneralLines LinesOf(DType dtype, TypeList<Ts...>) {
  GeneralLines lines;
  const auto take = [&]<typename T>() {
    if (kDTypeOf<T> != dtype) return;
    lines = {RunGeneralLine<Op, T, true, true>, RunGeneralLine<Op, T, false, true>,
             RunGeneralLine<Op, T, true, false>};
  };
  (take.template operator()<Ts>(), ...);
  return lines;
}

// Looks at input 1 before the lines run: null, or an error of its own.
using GeneralCheck = Status (*)(const TensorView& b);

class GeneralBinaryKernel final : public kernel::Kernel {
 public:
  GeneralBinaryKernel(const GeneralLines& lines, GeneralCheck check, size_t in_bytes,
                      size_t out_bytes)
      : lines_(lines), check_(check), in_bytes_(in_bytes), out_bytes_(out_bytes) {}

  Status Plan(kernel::PlanContext& ctx) const override;
  Status Run(kernel::RunContext& ctx) const override;

 private:
  GeneralLines lines_;
  GeneralCheck check_;
  size_t in_bytes_, out_bytes_;
};

template <typename Op, typename Types>
kernel::Acceptance AcceptsGeneral(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.num_inputs() != 2, "{} inputs are not 2", node.num_inputs());
  WB_REFUSE_IF(LinesOf<Op>(node.input_dtype(0), Types{}).both == nullptr,
               "element type {} is another kernel's", DTypeName(node.input_dtype(0)));
  return kernel::Acceptance::Yes();
}

template <typename Op, typename Types, GeneralCheck kCheck = nullptr>
constexpr kernel::KernelImpl GeneralImpl(std::string_view name) {
  return {name, AcceptsGeneral<Op, Types>,
          [](const graph::NodeRef& node) -> Result<std::unique_ptr<kernel::Kernel>> {
            const DType dtype = node.input_dtype(0);
            const size_t in_bytes = DTypeBits(dtype) / 8;
            using Out = decltype(Op::Apply(uint8_t(), uint8_t()));
            const size_t out_bytes = std::is_same_v<Out, bool> ? 1 : in_bytes;
            return std::unique_ptr<kernel::Kernel>(std::make_unique<GeneralBinaryKernel>(
                LinesOf<Op>(dtype, Types{}), kCheck, in_bytes, out_bytes));
          }};
}

}  // namespace waybill::cpu
