// Equal, Less, LessOrEqual, Greater, GreaterOrEqual. Comparisons with NaN are false.
#include <string>

#include "kernel/reference/math/binary.h"
#include "kernel/reference/math/tables.h"

namespace waybill::kernel::reference {

namespace {

#define WB_COMPARE_OP(Op, name, op)                 \
  struct Op {                                       \
    static constexpr std::string_view kName = name; \
    template <typename T>                           \
    static bool Apply(const T& a, const T& b) {     \
      return a op b;                                \
    }                                               \
  };

WB_COMPARE_OP(EqualOp, "equal.reference", ==)
WB_COMPARE_OP(LessOp, "less.reference", <)
WB_COMPARE_OP(LessOrEqualOp, "less_or_equal.reference", <=)
WB_COMPARE_OP(GreaterOp, "greater.reference", >)
WB_COMPARE_OP(GreaterOrEqualOp, "greater_or_equal.reference", >=)

#undef WB_COMPARE_OP

using EqualTypes = ConcatTypes<NumericTypes, TypeList<bool, std::string>>;

constexpr OpKernels kTable[] = {
    {.op_type = "Equal", .impls = kBinary<EqualOp, EqualTypes>},
    {.op_type = "Greater", .impls = kBinary<GreaterOp, NumericTypes>},
    {.op_type = "GreaterOrEqual", .impls = kBinary<GreaterOrEqualOp, NumericTypes>},
    {.op_type = "Less", .impls = kBinary<LessOp, NumericTypes>},
    {.op_type = "LessOrEqual", .impls = kBinary<LessOrEqualOp, NumericTypes>},
};

}  // namespace

KernelTable CompareKernels() { return kTable; }

}  // namespace waybill::kernel::reference
