// Type descriptions of any kind of value.
#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/dtype.h"
#include "capi/support/error.h"

namespace waybill::capi {
namespace {

ONNXType ToOnnxType(ValueKind kind) {
  switch (kind) {
    case ValueKind::kTensor:
      return ONNX_TYPE_TENSOR;
    case ValueKind::kSequence:
      return ONNX_TYPE_SEQUENCE;
    case ValueKind::kMap:
      return ONNX_TYPE_MAP;
    case ValueKind::kOptional:
      return ONNX_TYPE_OPTIONAL;
    case ValueKind::kSparse:
      return ONNX_TYPE_SPARSETENSOR;
    case ValueKind::kOpaque:
      return ONNX_TYPE_OPAQUE;
    case ValueKind::kUnknown:
      break;
  }
  return ONNX_TYPE_UNKNOWN;
}

// The type inside another, or an error that says there is none.
Status Inside(const ValueType& type, OrtTypeInfo** out) {
  if (type.element == nullptr) return Error(Code::kFail, "the type has no element type");
  *out = MakeTypeInfo(*type.element).release();
  return Status::Ok();
}

template <typename Part>
OrtStatus* Cast(const OrtTypeInfo* type_info, const Part** out,
                std::unique_ptr<Part> OrtTypeInfo::*part) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(type_info);
    WB_NOT_NULL(out);
    *out = (type_info->*part).get();
    return Status::Ok();
  });
}

}  // namespace

std::unique_ptr<OrtTypeInfo> MakeTypeInfo(ValueType type) {
  auto info = std::make_unique<OrtTypeInfo>();
  switch (type.kind) {
    case ValueKind::kTensor:
    case ValueKind::kSparse:
      info->tensor = MakeTensorInfo(type.dtype, type.shape);
      break;
    case ValueKind::kMap:
      info->map = std::make_unique<OrtMapTypeInfo>(OrtMapTypeInfo{type});
      break;
    case ValueKind::kSequence:
      info->sequence = std::make_unique<OrtSequenceTypeInfo>(OrtSequenceTypeInfo{type});
      break;
    case ValueKind::kOptional:
      info->optional = std::make_unique<OrtOptionalTypeInfo>(OrtOptionalTypeInfo{type});
      break;
    case ValueKind::kOpaque:
    case ValueKind::kUnknown:
      break;
  }
  info->type = std::move(type);
  return info;
}

OrtStatus* CastTypeInfoToTensorInfo(const OrtTypeInfo* type_info,
                                    const OrtTensorTypeAndShapeInfo** out) {
  return Cast(type_info, out, &OrtTypeInfo::tensor);
}

OrtStatus* CastTypeInfoToMapTypeInfo(const OrtTypeInfo* type_info, const OrtMapTypeInfo** out) {
  return Cast(type_info, out, &OrtTypeInfo::map);
}

OrtStatus* CastTypeInfoToSequenceTypeInfo(const OrtTypeInfo* type_info,
                                          const OrtSequenceTypeInfo** out) {
  return Cast(type_info, out, &OrtTypeInfo::sequence);
}

OrtStatus* CastTypeInfoToOptionalTypeInfo(const OrtTypeInfo* type_info,
                                          const OrtOptionalTypeInfo** out) {
  return Cast(type_info, out, &OrtTypeInfo::optional);
}

OrtStatus* GetOnnxTypeFromTypeInfo(const OrtTypeInfo* type_info, ONNXType* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(type_info);
    WB_NOT_NULL(out);
    *out = ToOnnxType(type_info->type.kind);
    return Status::Ok();
  });
}

OrtStatus* GetMapKeyType(const OrtMapTypeInfo* map_type_info, ONNXTensorElementDataType* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(map_type_info);
    WB_NOT_NULL(out);
    *out = ToOrtType(map_type_info->type.dtype);
    return Status::Ok();
  });
}

OrtStatus* GetMapValueType(const OrtMapTypeInfo* map_type_info, OrtTypeInfo** type_info) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(map_type_info);
    WB_NOT_NULL(type_info);
    return Inside(map_type_info->type, type_info);
  });
}

OrtStatus* GetSequenceElementType(const OrtSequenceTypeInfo* sequence_type_info,
                                  OrtTypeInfo** type_info) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(sequence_type_info);
    WB_NOT_NULL(type_info);
    return Inside(sequence_type_info->type, type_info);
  });
}

OrtStatus* GetOptionalContainedTypeInfo(const OrtOptionalTypeInfo* optional_type_info,
                                        OrtTypeInfo** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(optional_type_info);
    WB_NOT_NULL(out);
    return Inside(optional_type_info->type, out);
  });
}

void ReleaseTypeInfo(OrtTypeInfo* input) { delete input; }
// Map and sequence types are parts of a type info; these free one that a caller got otherwise.
void ReleaseMapTypeInfo(OrtMapTypeInfo* input) { delete input; }
void ReleaseSequenceTypeInfo(OrtSequenceTypeInfo* input) { delete input; }

OrtStatus* GetTypeInfo(const OrtValue* value, OrtTypeInfo** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(value);
    WB_NOT_NULL(out);
    *out = value->value.defined() ? MakeTypeInfo(value->value.type()).release() : nullptr;
    return Status::Ok();
  });
}

OrtStatus* GetValueType(const OrtValue* value, ONNXType* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(value);
    WB_NOT_NULL(out);
    *out = ToOnnxType(value->value.kind());
    return Status::Ok();
  });
}

OrtStatus* GetTensorTypeAndShape(const OrtValue* value, OrtTensorTypeAndShapeInfo** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(value);
    WB_NOT_NULL(out);
    const ValueType type = value->value.type();
    if (type.kind != ValueKind::kTensor && type.kind != ValueKind::kSparse) {
      return Error(Code::kFail, "the value is {}, not a tensor", type.TypeString());
    }
    *out = MakeTensorInfo(type.dtype, type.shape).release();
    return Status::Ok();
  });
}

}  // namespace waybill::capi
