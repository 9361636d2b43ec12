// The headers in C++17, and every offset and value as the interface fixes them.
#include "onnxruntime_cxx_api.h"
#include "onnxruntime_session_options_config_keys.h"
#include "waybill.hpp"

#define WB_READY(index, name) static_assert(offsetof(OrtApi, name) == (index) * sizeof(void*));
#define WB_LATER(index, name) WB_READY(index, name)
#define WB_SIZE(type, bytes) static_assert(sizeof(type) == (bytes));
#define WB_FIELD(type, offset, member) static_assert(offsetof(type, member) == (offset));
#define WB_ENUM(name, value) static_assert((name) == (value));
#include "src/capi/slots.def"
#include "tests/api/layout.def"

static_assert(sizeof(OrtApi) == 426 * sizeof(void*));

// Every template of the C++ header, compiled once.
template struct Ort::detail::ConstSessionImpl<Ort::detail::Unowned<const OrtSession>>;
template struct Ort::detail::SessionImpl<OrtSession>;
template struct Ort::detail::SessionOptionsImpl<OrtSessionOptions>;
template struct Ort::detail::ConstSessionOptionsImpl<Ort::detail::Unowned<const OrtSessionOptions>>;
template struct Ort::detail::ConstValueImpl<Ort::detail::Unowned<const OrtValue>>;
template struct Ort::detail::ValueImpl<OrtValue>;
template struct Ort::detail::TypeInfoImpl<OrtTypeInfo>;
template struct Ort::detail::TensorTypeAndShapeInfoImpl<OrtTensorTypeAndShapeInfo>;
template struct Ort::detail::SequenceTypeInfoImpl<Ort::detail::Unowned<const OrtSequenceTypeInfo>>;
template struct Ort::detail::MapTypeInfoImpl<Ort::detail::Unowned<const OrtMapTypeInfo>>;
template struct Ort::detail::OptionalTypeInfoImpl<Ort::detail::Unowned<const OrtOptionalTypeInfo>>;
template struct Ort::detail::IoBindingImpl<OrtIoBinding>;
template struct Ort::detail::MemoryInfoImpl<OrtMemoryInfo>;
template struct Ort::detail::AllocatorImpl<OrtAllocator>;
template struct Ort::detail::KeyValuePairsImpl<OrtKeyValuePairs>;
static_assert(Ort::TypeToTensorType<Ort::BFloat16_t>::type ==
              ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16);
