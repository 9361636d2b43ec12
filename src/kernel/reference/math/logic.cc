// And, Or, Xor.
#include "kernel/reference/math/binary.h"
#include "kernel/reference/math/tables.h"

namespace waybill::kernel::reference {

namespace {

struct AndOp {
  static constexpr std::string_view kName = "and.reference";
  static bool Apply(bool a, bool b) { return a && b; }
};
struct OrOp {
  static constexpr std::string_view kName = "or.reference";
  static bool Apply(bool a, bool b) { return a || b; }
};
struct XorOp {
  static constexpr std::string_view kName = "xor.reference";
  static bool Apply(bool a, bool b) { return a != b; }
};

constexpr OpKernels kTable[] = {
    {.op_type = "And", .impls = kBinary<AndOp, TypeList<bool>>},
    {.op_type = "Or", .impls = kBinary<OrOp, TypeList<bool>>},
    {.op_type = "Xor", .impls = kBinary<XorOp, TypeList<bool>>},
};

}  // namespace

KernelTable LogicKernels() { return kTable; }

}  // namespace waybill::kernel::reference
