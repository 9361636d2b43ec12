// The one pair of provider and hardware: the CPU's own.
#pragma once

#include "capi/handles.h"

struct OrtHardwareDevice {
  OrtHardwareDeviceType type = OrtHardwareDeviceType_CPU;
  uint32_t vendor_id = 0;  // of the PCI; 0: not known
  const char* vendor = "";
  OrtKeyValuePairs metadata;
};

struct OrtEpDevice {
  std::string provider, vendor;
  const OrtHardwareDevice* hardware = nullptr;
  OrtKeyValuePairs metadata, options;
};

namespace waybill::capi {

// Lives as long as the library.
const OrtEpDevice& CpuEpDevice();

// Errors: kInvalidArgument for a pair that is not ours.
Status CheckEpDevice(const OrtEpDevice* device);

}  // namespace waybill::capi
