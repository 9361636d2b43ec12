// Add, Sub, Mul, Div; BitwiseAnd, BitwiseOr, BitwiseXor, BitShift.
#include <string>

#include "kernel/reference/math/binary.h"
#include "kernel/reference/math/tables.h"

namespace waybill::kernel::reference {

Status RefuseZeros(const TensorView& divisor) {
  if (!IsIntDType(divisor.dtype)) return Status::Ok();
  return DispatchDType(divisor.dtype, IntTypes{}, [&]<typename T>() {
    for (const T value : divisor.span<T>()) {
      if (value == 0) return Error(Code::kInvalidArgument, "integer division by zero");
    }
    return Status::Ok();
  });
}

namespace {

struct AddOp {
  static constexpr std::string_view kName = "add.reference";
  template <typename T>
  static T Apply(T a, T b) {
    return WrapAdd(a, b);
  }
};
struct SubOp {
  static constexpr std::string_view kName = "sub.reference";
  template <typename T>
  static T Apply(T a, T b) {
    return WrapSub(a, b);
  }
};
struct MulOp {
  static constexpr std::string_view kName = "mul.reference";
  template <typename T>
  static T Apply(T a, T b) {
    return WrapMul(a, b);
  }
};
// Integers round toward zero; the most negative one by -1 wraps to itself.
struct DivOp {
  static constexpr std::string_view kName = "div.reference";
  static Status Check(const TensorView& b) { return RefuseZeros(b); }
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      if (b == T(-1)) return WrapSub(T(0), a);
    }
    return static_cast<T>(a / b);
  }
};

struct BitwiseAndOp {
  static constexpr std::string_view kName = "bitwise_and.reference";
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitwiseOrOp {
  static constexpr std::string_view kName = "bitwise_or.reference";
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitwiseXorOp {
  static constexpr std::string_view kName = "bitwise_xor.reference";
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

struct BitShiftParams {
  bool left;
};
Result<BitShiftParams> ParseBitShift(const graph::NodeRef& node) {
  const std::string direction = node.attrs().String("direction");
  if (direction != "LEFT" && direction != "RIGHT") {
    return Error(Code::kInvalidArgument, "direction is \"{}\", not \"LEFT\" or \"RIGHT\"",
                 direction);
  }
  return BitShiftParams{direction == "LEFT"};
}
// Shifting by the width or more (or by less than nothing) leaves the fill alone: zeros, or the sign
// when a negative number is shifted to the right.
template <typename T>
T Shift(T x, T by, bool left) {
  constexpr int kWidth = static_cast<int>(sizeof(T) * 8);
  const bool gone = by < T(0) || static_cast<uint64_t>(by) >= kWidth;
  if (left) return gone ? T(0) : static_cast<T>(static_cast<uint64_t>(x) << by);
  if (gone) return static_cast<T>(x < T(0) ? -1 : 0);
  return static_cast<T>(x >> by);  // arithmetic for signed types
}

Status RunBitShift(const BitShiftParams& params, RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(1), &out = ctx.output(0);
  return DispatchDType(a.dtype, IntTypes{}, [&]<typename T>() {
    MapBroadcast<T, T, T>(a, a.shape, b, b.shape, out,
                          [&](T x, T by) -> T { return Shift(x, by, params.left); });
    return Status::Ok();
  });
}

constexpr KernelImpl kBitShift[] = {
    FunctionImpl<BitShiftParams, ParseBitShift, RunBitShift, PlanBroadcast>("bit_shift.reference")};

constexpr OpKernels kTable[] = {
    {.op_type = "Add", .impls = kBinary<AddOp, NumericTypes>},
    {.op_type = "BitShift", .impls = kBitShift},
    {.op_type = "BitwiseAnd", .impls = kBinary<BitwiseAndOp, IntTypes>},
    {.op_type = "BitwiseOr", .impls = kBinary<BitwiseOrOp, IntTypes>},
    {.op_type = "BitwiseXor", .impls = kBinary<BitwiseXorOp, IntTypes>},
    {.op_type = "Div", .impls = kBinary<DivOp, NumericTypes>},
    {.op_type = "Mul", .impls = kBinary<MulOp, NumericTypes>},
    {.op_type = "Sub", .impls = kBinary<SubOp, NumericTypes>},
};

}  // namespace

KernelTable ArithmeticKernels() { return kTable; }

}  // namespace waybill::kernel::reference
