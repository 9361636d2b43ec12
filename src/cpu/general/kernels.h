// The lists of this family, for its table. Each is defined in the file of its operators.
#pragma once

#include <span>

#include "kernel/api/kernel.h"

namespace waybill::cpu {

using GeneralImpls = const kernel::KernelImpl[1];

extern GeneralImpls kDivGeneral, kMaxGeneral, kMinGeneral;
extern GeneralImpls kCastGeneral, kOneHotGeneral, kCumSumGeneral, kTopKGeneral;

}  // namespace waybill::cpu
