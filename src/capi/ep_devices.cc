#include "capi/ep_devices.h"

#include "capi/providers.h"
#include "capi/slots.h"
#include "capi/support/error.h"

namespace waybill::capi {
namespace {

const OrtHardwareDevice& Cpu() {
  static const OrtHardwareDevice cpu = [] {
    OrtHardwareDevice device;
#if defined(__x86_64__)
    if (__builtin_cpu_is("intel")) {
      device.vendor_id = 0x8086;
      device.vendor = "Intel";
    } else if (__builtin_cpu_is("amd")) {
      device.vendor_id = 0x1022;
      device.vendor = "AMD";
    }
#endif
    return device;
  }();
  return cpu;
}

}  // namespace

const OrtEpDevice& CpuEpDevice() {
  static const OrtEpDevice pair = [] {
    OrtEpDevice device;
    device.provider = kCpuProvider;
    device.vendor = "Waybill";
    device.hardware = &Cpu();
    device.metadata.entries["version"] = CompatibleVersion();
    device.metadata.Sync();
    return device;
  }();
  return pair;
}

Status CheckEpDevice(const OrtEpDevice* device) {
  if (device == &CpuEpDevice()) return Status::Ok();
  return Error(Code::kInvalidArgument, "the device is none of those that GetEpDevices lists");
}

OrtStatus* GetEpDevices(const OrtEnv* env, const OrtEpDevice* const** ep_devices,
                        size_t* num_ep_devices) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    WB_NOT_NULL(ep_devices);
    WB_NOT_NULL(num_ep_devices);
    static const OrtEpDevice* const kAll[] = {&CpuEpDevice()};
    *ep_devices = kAll;
    *num_ep_devices = 1;
    return Status::Ok();
  });
}

// Like all of the table these take NULL, and give what they have for it.
const char* EpDevice_EpName(const OrtEpDevice* ep_device) {
  return ep_device != nullptr ? ep_device->provider.c_str() : nullptr;
}

const char* EpDevice_EpVendor(const OrtEpDevice* ep_device) {
  return ep_device != nullptr ? ep_device->vendor.c_str() : nullptr;
}

const OrtKeyValuePairs* EpDevice_EpMetadata(const OrtEpDevice* ep_device) {
  return ep_device != nullptr ? &ep_device->metadata : nullptr;
}

const OrtKeyValuePairs* EpDevice_EpOptions(const OrtEpDevice* ep_device) {
  return ep_device != nullptr ? &ep_device->options : nullptr;
}

const OrtHardwareDevice* EpDevice_Device(const OrtEpDevice* ep_device) {
  return ep_device != nullptr ? ep_device->hardware : nullptr;
}

// The CPU has one kind of memory.
const OrtMemoryInfo* EpDevice_MemoryInfo(const OrtEpDevice* ep_device,
                                         OrtDeviceMemoryType memory_type) {
  return ep_device != nullptr && memory_type == OrtDeviceMemoryType_DEFAULT ? &CpuMemory()
                                                                            : nullptr;
}

OrtHardwareDeviceType HardwareDevice_Type(const OrtHardwareDevice* device) {
  return device != nullptr ? device->type : OrtHardwareDeviceType_CPU;
}

uint32_t HardwareDevice_VendorId(const OrtHardwareDevice* device) {
  return device != nullptr ? device->vendor_id : 0;
}

const char* HardwareDevice_Vendor(const OrtHardwareDevice* device) {
  return device != nullptr ? device->vendor : nullptr;
}

uint32_t HardwareDevice_DeviceId(const OrtHardwareDevice*) { return 0; }

const OrtKeyValuePairs* HardwareDevice_Metadata(const OrtHardwareDevice* device) {
  return device != nullptr ? &device->metadata : nullptr;
}

OrtStatus* GetNumHardwareDevices(const OrtEnv* env, size_t* num_devices) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    WB_NOT_NULL(num_devices);
    *num_devices = 1;
    return Status::Ok();
  });
}

OrtStatus* GetHardwareDevices(const OrtEnv* env, const OrtHardwareDevice** devices,
                              size_t num_devices) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    WB_NOT_NULL(devices);
    if (num_devices < 1) {
      return Error(Code::kInvalidArgument, "there is 1 hardware device, and room for none");
    }
    devices[0] = &Cpu();
    return Status::Ok();
  });
}

OrtStatus* SessionOptionsAppendExecutionProvider_V2(OrtSessionOptions* session_options, OrtEnv* env,
                                                    const OrtEpDevice* const* ep_devices,
                                                    size_t num_ep_devices,
                                                    const char* const* ep_option_keys,
                                                    const char* const*, size_t num_ep_options) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(session_options);
    WB_NOT_NULL(env);
    WB_NOT_NULL(ep_devices);
    if (num_ep_devices == 0) return Error(Code::kInvalidArgument, "no device is given");
    for (size_t i = 0; i < num_ep_devices; ++i) WB_RETURN_IF_ERROR(CheckEpDevice(ep_devices[i]));
    if (num_ep_options != 0) {
      WB_NOT_NULL(ep_option_keys);
      WB_NOT_NULL(ep_option_keys[0]);
      return Error(Code::kInvalidArgument, "{} has no option {}", kCpuProvider, ep_option_keys[0]);
    }
    return Status::Ok();  // every session has it
  });
}

}  // namespace waybill::capi
