// Div, Max and Min of integers and doubles.
#include "cpu/general/binary_kernel.h"
#include "cpu/general/kernels.h"
#include "kernel/reference/math/binary.h"

namespace waybill::cpu {
namespace {

using kernel::reference::WrapSub;

struct DivOp {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      if (b == T(-1)) return WrapSub(T(0), a);
    }
    return static_cast<T>(a / b);
  }
};
// NaN of either operand wins.
struct MaxOp {
  template <typename T>
  static T Apply(T a, T b) {
    return b > a || b != b ? b : a;
  }
};
struct MinOp {
  template <typename T>
  static T Apply(T a, T b) {
    return b < a || b != b ? b : a;
  }
};

using Types = IntTypes::With<double>;

}  // namespace

const kernel::KernelImpl kDivGeneral[1] = {
    GeneralImpl<DivOp, Types, kernel::reference::RefuseZeros>("div.general")};
const kernel::KernelImpl kMaxGeneral[1] = {GeneralImpl<MaxOp, Types>("max.general")};
const kernel::KernelImpl kMinGeneral[1] = {GeneralImpl<MinOp, Types>("min.general")};

}  // namespace waybill::cpu
