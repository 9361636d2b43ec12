// Mod: the remainder with the sign of the divisor, or with `fmod` that of the dividend (as in C).
#include <cmath>

#include "kernel/reference/math/binary.h"
#include "kernel/reference/math/tables.h"

namespace waybill::kernel::reference {

namespace {

struct ModParams {
  bool fmod;
};
Result<ModParams> ParseMod(const graph::NodeRef& node) {
  constexpr int kFloorsFloats = 28;  // the first version that defines fmod = 0 for them
  const bool fmod = node.attrs().Int("fmod") != 0;
  if (!fmod && node.since_version() < kFloorsFloats && IsFloatDType(node.input_dtype(0))) {
    return Error(Code::kInvalidArgument, "fmod must be 1 for {}", DTypeName(node.input_dtype(0)));
  }
  return ModParams{fmod};
}

template <typename T>
T Remainder(T a, T b, bool fmod) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(a, b);
    if (fmod || std::isnan(rest)) return rest;
    if (rest == 0) return std::copysign(rest, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
  } else {
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return 0;
      const T rest = static_cast<T>(a % b);
      return !fmod && rest != 0 && (rest < 0) != (b < 0) ? WrapAdd(rest, b) : rest;
    }
    return static_cast<T>(a % b);
  }
}

Status RunMod(const ModParams& params, RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(1), &out = ctx.output(0);
  if (out.elems() > 0) WB_RETURN_IF_ERROR(RefuseZeros(b));
  return DispatchDType(a.dtype, NumericTypes{}, [&]<typename T>() {
    MapBroadcast<T, T, T>(a, a.shape, b, b.shape, out,
                          [&](auto x, auto y) { return Remainder(x, y, params.fmod); });
    return Status::Ok();
  });
}

constexpr KernelImpl kMod[] = {
    FunctionImpl<ModParams, ParseMod, RunMod, PlanBroadcast>("mod.reference")};

constexpr OpKernels kTable[] = {{.op_type = "Mod", .impls = kMod}};

}  // namespace

KernelTable ModKernels() { return kTable; }

}  // namespace waybill::kernel::reference
