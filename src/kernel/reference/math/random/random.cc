// RandomNormal, RandomUniform and their Like forms, Bernoulli, Multinomial.
#include <algorithm>
#include <cmath>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/math/random/generator.h"
#include "kernel/reference/math/tables.h"
#include "kernel/reference/support/compute.h"

namespace waybill::kernel::reference {

namespace {

struct RandomParams {
  RandomSource source;
  double first, second;  // mean and deviation, or low and high
};

Result<RandomParams> ParseNormal(const graph::NodeRef& node) {
  return RandomParams{RandomSource::Of(node), node.attrs().Float("mean"),
                      node.attrs().Float("scale")};
}
Result<RandomParams> ParseUniform(const graph::NodeRef& node) {
  return RandomParams{RandomSource::Of(node), node.attrs().Float("low"),
                      node.attrs().Float("high")};
}

template <bool kNormal>
Status RunRandom(const RandomParams& params, RunContext& ctx) {
  const RandomStream stream = params.source.Next();
  const TensorView& out = ctx.output(0);
  return DispatchDType(out.dtype, FloatTypes{}, [&]<typename T>() {
    for (int64_t i = 0; i < out.elems(); ++i) {
      const auto at = static_cast<uint64_t>(i);
      const double value = kNormal
                               ? params.first + params.second * stream.Normal(at)
                               : params.first + (params.second - params.first) * stream.Uniform(at);
      out.as<T>()[i] = static_cast<T>(value);
    }
    return Status::Ok();
  });
}

Result<RandomSource> ParseSource(const graph::NodeRef& node) { return RandomSource::Of(node); }

Status RunBernoulli(const RandomSource& source, RunContext& ctx) {
  const RandomStream stream = source.Next();
  const TensorView &in = ctx.input(0), &out = ctx.output(0);
  using OutTypes = NumericTypes::With<bool>;
  return DispatchDType(in.dtype, FloatTypes{}, [&]<typename P>() {
    return DispatchDType(out.dtype, OutTypes{}, [&]<typename T>() {
      for (int64_t i = 0; i < out.elems(); ++i) {
        const bool hit =
            stream.Uniform(static_cast<uint64_t>(i)) < static_cast<double>(in.as<P>()[i]);
        out.as<T>()[i] = static_cast<T>(hit ? 1 : 0);
      }
      return Status::Ok();
    });
  });
}

// Index of the class in whose share of the summed exp(logits) the draw falls.
template <typename P>
int64_t Draw(const P* logits, int64_t classes, double draw) {
  double max = -HUGE_VAL;
  for (int64_t c = 0; c < classes; ++c) max = std::max(max, static_cast<double>(logits[c]));
  double total = 0;
  for (int64_t c = 0; c < classes; ++c) total += std::exp(static_cast<double>(logits[c]) - max);
  double sum = 0;
  for (int64_t c = 0; c < classes; ++c) {
    sum += std::exp(static_cast<double>(logits[c]) - max);
    if (draw * total < sum) return c;
  }
  return classes - 1;
}

Status RunMultinomial(const RandomSource& source, RunContext& ctx) {
  const RandomStream stream = source.Next();
  const TensorView &in = ctx.input(0), &out = ctx.output(0);
  const int64_t classes = in.shape[1], samples = out.shape[1];
  if (classes == 0 && out.elems() > 0) {
    return Error(Code::kInvalidArgument, "shape {} has no classes", in.shape);
  }
  return DispatchDType(in.dtype, FloatTypes{}, [&]<typename P>() {
    return DispatchDType(out.dtype, TypeList<int32_t, int64_t>{}, [&]<typename T>() {
      for (int64_t i = 0; i < out.elems(); ++i) {
        const P* logits = in.as<P>() + i / samples * classes;
        out.as<T>()[i] =
            static_cast<T>(Draw(logits, classes, stream.Uniform(static_cast<uint64_t>(i))));
      }
      return Status::Ok();
    });
  });
}

constexpr KernelImpl kBernoulli[] = {
    FunctionImpl<RandomSource, ParseSource, RunBernoulli>("bernoulli.reference")};
constexpr KernelImpl kMultinomial[] = {
    FunctionImpl<RandomSource, ParseSource, RunMultinomial>("multinomial.reference")};
constexpr KernelImpl kNormal[] = {
    FunctionImpl<RandomParams, ParseNormal, RunRandom<true>>("random_normal.reference")};
constexpr KernelImpl kUniform[] = {
    FunctionImpl<RandomParams, ParseUniform, RunRandom<false>>("random_uniform.reference")};

constexpr OpKernels kTable[] = {
    {.op_type = "Bernoulli", .impls = kBernoulli},
    {.op_type = "Multinomial", .impls = kMultinomial},
    {.op_type = "RandomNormal", .impls = kNormal},
    {.op_type = "RandomNormalLike", .impls = kNormal},
    {.op_type = "RandomUniform", .impls = kUniform},
    {.op_type = "RandomUniformLike", .impls = kUniform},
};

}  // namespace

KernelTable RandomKernels() { return kTable; }

}  // namespace waybill::kernel::reference
