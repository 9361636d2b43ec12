// Descriptions of where memory is.
#include <array>
#include <cstring>

#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"

namespace waybill::capi {
namespace {

struct KnownName {
  const char* name;
  OrtMemoryInfoDeviceType device;
  OrtDeviceMemoryType memory;
  uint32_t vendor;
};

constexpr uint32_t kNvidia = 0x10DE, kAmd = 0x1002, kIntel = 0x8086, kMicrosoft = 0x1414,
                   kHuawei = 0x19E5;

// Names that CreateMemoryInfo accepts.
constexpr std::array kKnownNames = {
    KnownName{"Cpu", OrtMemoryInfoDeviceType_CPU, OrtDeviceMemoryType_DEFAULT, 0},
    KnownName{"Cuda", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, kNvidia},
    KnownName{"CudaPinned", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_HOST_ACCESSIBLE,
              kNvidia},
    KnownName{"Hip", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, kAmd},
    KnownName{"HipPinned", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_HOST_ACCESSIBLE, kAmd},
    KnownName{"Cann", OrtMemoryInfoDeviceType_NPU, OrtDeviceMemoryType_DEFAULT, kHuawei},
    KnownName{"CannPinned", OrtMemoryInfoDeviceType_NPU, OrtDeviceMemoryType_HOST_ACCESSIBLE,
              kHuawei},
    KnownName{"DML", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, kMicrosoft},
    KnownName{"OpenVINO_CPU", OrtMemoryInfoDeviceType_CPU, OrtDeviceMemoryType_DEFAULT, kIntel},
    KnownName{"OpenVINO_GPU", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, kIntel},
    KnownName{"WebGPU_Buffer", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0},
    KnownName{"WebGPU_Buf", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0},
    KnownName{"WebNN_Tensor", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0},
};

Status ExpectMemType(OrtMemType type) {
  if (type < OrtMemTypeCPUInput || type > OrtMemTypeDefault) {
    return Error(Code::kInvalidArgument, "memory type {} is not valid", static_cast<int>(type));
  }
  return Status::Ok();
}

}  // namespace

const OrtMemoryInfo& CpuMemory() {
  static const OrtMemoryInfo cpu;
  return cpu;
}

OrtStatus* CreateMemoryInfo(const char* name, OrtAllocatorType type, int id, OrtMemType mem_type,
                            OrtMemoryInfo** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(name);
    WB_NOT_NULL(out);
    WB_RETURN_IF_ERROR(ExpectMemType(mem_type));
    for (const KnownName& known : kKnownNames) {
      if (std::strcmp(known.name, name) != 0) continue;
      auto info = std::make_unique<OrtMemoryInfo>();
      info->name = name;
      info->device_type = known.device;
      info->device_mem_type = known.memory;
      info->vendor_id = known.vendor;
      info->id = id;
      info->mem_type = mem_type;
      info->allocator_type = type;
      *out = info.release();
      return Status::Ok();
    }
    return Error(Code::kInvalidArgument,
                 "Specified device is not supported. Try CreateMemoryInfo_V2.");
  });
}

OrtStatus* CreateCpuMemoryInfo(OrtAllocatorType type, OrtMemType mem_type, OrtMemoryInfo** out) {
  return CreateMemoryInfo("Cpu", type, 0, mem_type, out);
}

OrtStatus* CreateMemoryInfo_V2(const char* name, OrtMemoryInfoDeviceType device_type,
                               uint32_t vendor_id, int32_t device_id, OrtDeviceMemoryType mem_type,
                               size_t alignment, OrtAllocatorType allocator_type,
                               OrtMemoryInfo** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(name);
    WB_NOT_NULL(out);
    *out = new OrtMemoryInfo{.name = name,
                             .device_type = device_type,
                             .vendor_id = vendor_id,
                             .id = device_id,
                             .device_mem_type = mem_type,
                             .alignment = alignment,
                             .allocator_type = allocator_type};
    return Status::Ok();
  });
}

void ReleaseMemoryInfo(OrtMemoryInfo* input) { delete input; }

OrtStatus* CompareMemoryInfo(const OrtMemoryInfo* info1, const OrtMemoryInfo* info2, int* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(info1);
    WB_NOT_NULL(info2);
    WB_NOT_NULL(out);
    *out = *info1 == *info2 ? 0 : -1;
    return Status::Ok();
  });
}

OrtStatus* MemoryInfoGetName(const OrtMemoryInfo* ptr, const char** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(ptr);
    WB_NOT_NULL(out);
    *out = ptr->name.c_str();
    return Status::Ok();
  });
}

OrtStatus* MemoryInfoGetId(const OrtMemoryInfo* ptr, int* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(ptr);
    WB_NOT_NULL(out);
    *out = ptr->id;
    return Status::Ok();
  });
}

OrtStatus* MemoryInfoGetMemType(const OrtMemoryInfo* ptr, OrtMemType* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(ptr);
    WB_NOT_NULL(out);
    *out = ptr->mem_type;
    return Status::Ok();
  });
}

OrtStatus* MemoryInfoGetType(const OrtMemoryInfo* ptr, OrtAllocatorType* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(ptr);
    WB_NOT_NULL(out);
    *out = ptr->allocator_type;
    return Status::Ok();
  });
}

void MemoryInfoGetDeviceType(const OrtMemoryInfo* ptr, OrtMemoryInfoDeviceType* out) {
  if (ptr != nullptr && out != nullptr) *out = ptr->device_type;
}

OrtDeviceMemoryType MemoryInfoGetDeviceMemType(const OrtMemoryInfo* ptr) {
  return ptr != nullptr ? ptr->device_mem_type : OrtDeviceMemoryType_DEFAULT;
}

uint32_t MemoryInfoGetVendorId(const OrtMemoryInfo* ptr) {
  return ptr != nullptr ? ptr->vendor_id : 0;
}

}  // namespace waybill::capi
