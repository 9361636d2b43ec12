// Cast between the types that machines compute with: bool, integers, float, double and float16.
#include <algorithm>
#include <memory>

#include "cpu/general/kernels.h"
#include "cpu/simd/half.h"
#include "kernel/api/kernel.h"
#include "kernel/reference/support/cut_float.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::cpu {
namespace {

using kernel::Kernel;
using kernel::PlanContext;
using kernel::RunContext;

constexpr double kNsPerElem = 0.3;

using CastLine = void (*)(const void* in, void* out, size_t n);

template <typename From, typename To>
To Convert(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // x86's conversion of float to 8 and 16 bit integers goes through 32 bits.
    using Cut = std::conditional_t<(sizeof(To) < 4), int32_t, To>;
    return static_cast<To>(kernel::reference::CutFloat<Cut>(static_cast<double>(value)));
  } else {
    return static_cast<To>(value);
  }
}

template <typename From, typename To>
void ConvertLine(const void* in, void* out, size_t n) {
  const From* from = static_cast<const From*>(in);
  To* to = static_cast<To*>(out);
  for (size_t i = 0; i < n; ++i) to[i] = Convert<From, To>(from[i]);
}

using Types = ConcatTypes<IntTypes, NativeFloatTypes, TypeList<bool>>;

template <typename From, typename... Ts>
CastLine LineTo(DType to, TypeList<Ts...>) {
  CastLine line = nullptr;
  ((kDTypeOf<Ts> == to ? (line = ConvertLine<From, Ts>, 0) : 0), ...);
  return line;
}

template <typename... Ts>
CastLine LineFrom(DType from, DType to, TypeList<Ts...> types) {
  CastLine line = nullptr;
  ((kDTypeOf<Ts> == from ? (line = LineTo<Ts>(to, types), 0) : 0), ...);
  return line;
}

void HalfToFloat(const void* in, void* out, size_t n) {
  HalfFunctions(BestTarget())
      .to_float(static_cast<const uint16_t*>(in), static_cast<float*>(out), n);
}
void FloatToHalf(const void* in, void* out, size_t n) {
  HalfFunctions(BestTarget())
      .from_float(static_cast<const float*>(in), static_cast<uint16_t*>(out), n);
}

// Null for pairs that are left to the reference, and for equal types, which are views.
CastLine LineOf(DType from, DType to) {
  if (from == DType::kF16 && to == DType::kF32) return HalfToFloat;
  if (from == DType::kF32 && to == DType::kF16) return FloatToHalf;
  return LineFrom(from, to, Types{});
}

class CastKernel final : public Kernel {
 public:
  CastKernel(CastLine line, size_t in_bytes, size_t out_bytes)
      : line_(line), in_bytes_(in_bytes), out_bytes_(out_bytes) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    if (in_bytes_ == out_bytes_) ctx.AllowInPlace(0, 0);
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const auto elems = static_cast<size_t>(ctx.output(0).elems());
    const std::byte* in = ctx.input(0).data;
    std::byte* out = ctx.output(0).data;
    const size_t threads = ThreadsFor(elems, kNsPerElem, ctx.width());
    ParallelFor(ctx.pool(), threads, threads, [&](size_t begin, size_t end) {
      const size_t first = elems * begin / threads, last = elems * end / threads;
      if (first < last) line_(in + first * in_bytes_, out + first * out_bytes_, last - first);
    });
    return Status::Ok();
  }

 private:
  CastLine line_;
  size_t in_bytes_, out_bytes_;
};

kernel::Acceptance AcceptsCast(const graph::NodeRef& node) {
  const DType from = node.input_dtype(0), to = node.output_dtype(0);
  WB_REFUSE_IF(from == to, "the same type is a view");
  WB_REFUSE_IF(LineOf(from, to) == nullptr, "{} to {} is rare", DTypeName(from), DTypeName(to));
  return kernel::Acceptance::Yes();
}

}  // namespace

const kernel::KernelImpl kCastGeneral[1] = {
    {"cast.general", AcceptsCast,
     [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
       const DType from = node.input_dtype(0), to = node.output_dtype(0);
       return std::unique_ptr<Kernel>(
           std::make_unique<CastKernel>(LineOf(from, to), DTypeBits(from) / 8, DTypeBits(to) / 8));
     }}};

}  // namespace waybill::cpu
