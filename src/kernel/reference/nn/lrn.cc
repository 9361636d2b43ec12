#include <algorithm>
#include <cmath>

#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/for_each.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct LrnParams {
  double alpha, beta, bias;
  int64_t size;
};

Result<LrnParams> ParseLrn(const graph::NodeRef& node) {
  const graph::Attributes& attrs = node.attrs();
  const LrnParams p{static_cast<double>(attrs.Float("alpha", 1e-4f)),
                    static_cast<double>(attrs.Float("beta", 0.75f)),
                    static_cast<double>(attrs.Float("bias", 1.0f)), attrs.Int("size")};
  if (p.size < 1) return Error(Code::kInvalidArgument, "size is {}", p.size);
  return p;
}

Status RunLrn(const LrnParams& p, RunContext& ctx) {
  const Shape& shape = ctx.input(0).shape;
  const int64_t channels = shape[1], inner = shape.ElemsBetween(2, shape.rank());
  const int64_t before = (p.size - 1) / 2, after = p.size - 1 - before;
  return DispatchDType(ctx.input(0).dtype, FloatTypes{}, [&]<typename T>() {
    const T* const x = ctx.input(0).as<T>();
    T* const y = ctx.output(0).as<T>();
    ForEachPiece(ctx, static_cast<size_t>(shape[0] * channels), [&](size_t piece, size_t) {
      const auto index = static_cast<int64_t>(piece);
      const int64_t c = index % channels;
      const int64_t first = std::max<int64_t>(0, c - before);
      const int64_t last = after >= channels - c ? channels - 1 : c + after;
      const T* const sample = x + (index - c) * inner;
      for (int64_t i = 0; i < inner; ++i) {
        double squares = 0;
        for (int64_t k = first; k <= last; ++k) {
          const auto v = static_cast<double>(sample[k * inner + i]);
          squares += v * v;
        }
        const double base = p.bias + p.alpha / static_cast<double>(p.size) * squares;
        y[index * inner + i] =
            static_cast<T>(static_cast<double>(sample[c * inner + i]) / std::pow(base, p.beta));
      }
    });
    return Status::Ok();
  });
}

}  // namespace

constinit const KernelImpl kLrn[1] = {FunctionImpl<LrnParams, ParseLrn, RunLrn>("lrn.reference")};

}  // namespace waybill::kernel::reference
