// The composition root: which providers this library is built of.
#pragma once

#include <string_view>
#include <vector>

#include "kernel/select/select.h"

namespace waybill::capi {

inline constexpr std::string_view kCpuProvider = "CPUExecutionProvider";

// In order of preference; every session ends with the CPU.
std::vector<kernel::Provider> DefaultProviders();

}  // namespace waybill::capi
