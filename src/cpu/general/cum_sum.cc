// CumSum of float, double, int32 and int64: along the last axis one line at a time, along others
// all lines of a block in step.
#include <algorithm>
#include <memory>

#include "cpu/general/kernels.h"
#include "kernel/api/kernel.h"
#include "kernel/reference/support/axis_split.h"
#include "kernel/reference/support/compute.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::cpu {
namespace {

using kernel::Kernel;
using kernel::RunContext;
using kernel::reference::Accumulator;
using kernel::reference::AxisSplit;
using kernel::reference::WrapAdd;

using Types = TypeList<float, double, int32_t, int64_t>;

// Lines that are summed in step, their totals side by side.
constexpr int64_t kLines = 16;

// `lines` <= kLines neighbouring lines of `dim` elements, `step` apart (negative: backwards).
template <typename T>
void SumLines(const T* x, T* y, int64_t lines, int64_t dim, int64_t step, bool exclusive) {
  using A = Accumulator<T>;
  A totals[kLines] = {};
  for (int64_t j = 0; j < dim; ++j, x += step, y += step) {
    for (int64_t i = 0; i < lines; ++i) {
      const A next = WrapAdd(totals[i], static_cast<A>(x[i]));
      y[i] = static_cast<T>(exclusive ? totals[i] : next);
      totals[i] = next;
    }
  }
}

template <typename T>
void SumLine(const T* x, T* y, int64_t dim, int64_t step, bool exclusive) {
  using A = Accumulator<T>;
  A total = 0;
  for (int64_t j = 0; j < dim; ++j, x += step, y += step) {
    const A next = WrapAdd(total, static_cast<A>(*x));
    *y = static_cast<T>(exclusive ? total : next);
    total = next;
  }
}

class CumSumKernel final : public Kernel {
 public:
  CumSumKernel(bool exclusive, bool reverse) : exclusive_(exclusive), reverse_(reverse) {}

  Status Run(RunContext& ctx) const override {
    const TensorView& in = ctx.input(0);
    const TensorView& out = ctx.output(0);
    const TensorView& axis = ctx.input(1);
    if (axis.elems() != 1) {
      return Error(Code::kInvalidArgument, "axis must be one number, its shape is {}", axis.shape);
    }
    const int64_t named = axis.dtype == DType::kI32 ? int64_t{axis.as<const int32_t>()[0]}
                                                    : axis.as<const int64_t>()[0];
    const auto index = NormalizeAxis(named, in.shape.rank());
    if (!index) {
      return Error(Code::kInvalidArgument, "axis {} is out of range for rank {}", named,
                   in.shape.rank());
    }
    const AxisSplit split = AxisSplit::At(in.shape, *index);
    if (out.elems() == 0) return Status::Ok();
    return DispatchDType(in.dtype, Types{}, [&]<typename T>() {
      const int64_t start = reverse_ ? (split.axis - 1) * split.inner : 0;
      const int64_t step = reverse_ ? -split.inner : split.inner;
      for (int64_t outer = 0; outer < split.outer; ++outer) {
        const int64_t at = outer * split.axis * split.inner + start;
        const T* x = in.as<const T>() + at;
        T* y = out.as<T>() + at;
        if (split.inner == 1) {
          SumLine(x, y, split.axis, step, exclusive_);
          continue;
        }
        for (int64_t i = 0; i < split.inner; i += kLines) {
          SumLines(x + i, y + i, std::min(kLines, split.inner - i), split.axis, step, exclusive_);
        }
      }
      return Status::Ok();
    });
  }

 private:
  bool exclusive_, reverse_;
};

kernel::Acceptance AcceptsCumSum(const graph::NodeRef& node) {
  const DType type = node.input_dtype(0);
  WB_REFUSE_IF(
      type != DType::kF32 && type != DType::kF64 && type != DType::kI32 && type != DType::kI64,
      "element type {} is rare", DTypeName(type));
  return kernel::Acceptance::Yes();
}

}  // namespace

const kernel::KernelImpl kCumSumGeneral[1] = {
    {"cum_sum.general", AcceptsCumSum,
     [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
       return std::unique_ptr<Kernel>(std::make_unique<CumSumKernel>(
           node.attrs().Int("exclusive") != 0, node.attrs().Int("reverse") != 0));
     }}};

}  // namespace waybill::cpu
