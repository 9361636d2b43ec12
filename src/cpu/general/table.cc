#include "cpu/general/kernels.h"
#include "cpu/kernels/lists.h"

namespace waybill::cpu {

std::span<const kernel::OpKernels> GeneralKernels() {
  static constexpr int kLast = 1 << 30;
  // Before version 7 broadcasting was an attribute; before 8 Max and Min did not broadcast.
  static const kernel::OpKernels kTable[] = {
      {"", "Div", 7, kLast, kDivGeneral},       {"", "Max", 8, kLast, kMaxGeneral},
      {"", "Min", 8, kLast, kMinGeneral},       {"", "Cast", 1, kLast, kCastGeneral},
      {"", "CastLike", 1, kLast, kCastGeneral}, {"", "OneHot", 1, kLast, kOneHotGeneral},
      {"", "CumSum", 1, kLast, kCumSumGeneral}, {"", "TopK", 1, kLast, kTopKGeneral},
  };
  return kTable;
}

}  // namespace waybill::cpu
