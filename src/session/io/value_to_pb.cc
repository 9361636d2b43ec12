#include <cstring>
#include <string>

#include "onnx/model/writer/value_writer.h"
#include "session/io/pb_value.h"

namespace waybill {
namespace {

onnx::ElementKind KindOf(const ValueType& type) {
  switch (type.kind) {
    case ValueKind::kTensor:
      return onnx::kElementTensor;
    case ValueKind::kSparse:
      return onnx::kElementSparseTensor;
    case ValueKind::kSequence:
      return onnx::kElementSequence;
    case ValueKind::kMap:
      return onnx::kElementMap;
    case ValueKind::kOptional:
      return onnx::kElementOptional;
    case ValueKind::kOpaque:
    case ValueKind::kUnknown:
      break;
  }
  return onnx::kElementUndefined;
}

Result<std::string> Serialize(const Value& value);

std::vector<std::string> Strings(const Tensor& tensor) {
  const auto span = tensor.span<std::string>();
  return {span.begin(), span.end()};
}

Status CheckReadable(const Tensor& tensor) {
  if (!tensor.defined()) {
    return Error(Code::kInvalidArgument, "an undefined tensor can not be serialized");
  }
  if (!tensor.view().device.host_accessible()) {
    return Error(Code::kInvalidArgument, "{} lives on a device that the host can not read",
                 tensor.view().Describe());
  }
  return Status::Ok();
}

Result<onnx::TensorWriter> TensorOf(const Tensor& tensor) {
  WB_RETURN_IF_ERROR(CheckReadable(tensor));
  const auto dims = tensor.shape().dims();
  onnx::TensorWriter out("", static_cast<int32_t>(tensor.dtype()), {dims.begin(), dims.end()});
  if (tensor.dtype() == DType::kString) {
    out.Strings(Strings(tensor));
  } else {
    out.Raw(std::span<const std::byte>(tensor.view().data, tensor.view().bytes()));
  }
  return out;
}

Result<std::string> Serialize(const SparseValue& value) {
  WB_ASSIGN_OR_RETURN(const onnx::TensorWriter values, TensorOf(value.values));
  WB_ASSIGN_OR_RETURN(const onnx::TensorWriter indices, TensorOf(value.indices));
  const auto dims = value.dense_shape.dims();
  return onnx::SparseTensorWriter(values, indices, {dims.begin(), dims.end()}).bytes();
}

Result<onnx::SequenceWriter> SequenceOf(const SequenceValue& value) {
  const ValueType element = value.items.empty() || value.element.kind != ValueKind::kUnknown
                                ? value.element
                                : value.items[0].type();
  onnx::SequenceWriter out(KindOf(element));
  for (const Value& item : value.items) {
    if (item.kind() != element.kind) {
      return Error(Code::kInvalidArgument, "a sequence of {} holds a value of type {}",
                   element.TypeString(), item.type().TypeString());
    }
    WB_ASSIGN_OR_RETURN(const std::string bytes, Serialize(item));
    out.Add(bytes);
  }
  return out;
}

// A rank-1 tensor as a sequence of its elements, each a scalar.
Result<onnx::SequenceWriter> ElementsOf(const Tensor& tensor) {
  WB_RETURN_IF_ERROR(CheckReadable(tensor));
  if (tensor.shape().rank() != 1 || DTypeBits(tensor.dtype()) % 8 != 0) {
    return Error(Code::kInvalidArgument, "the values of a map are a {}, not a list of scalars",
                 tensor.view().Describe());
  }
  onnx::SequenceWriter out(onnx::kElementTensor);
  const size_t width = DTypeBits(tensor.dtype()) / 8;
  for (size_t i = 0; i < static_cast<size_t>(tensor.shape()[0]); ++i) {
    onnx::TensorWriter scalar("", static_cast<int32_t>(tensor.dtype()), {});
    if (tensor.dtype() == DType::kString) {
      scalar.Strings({tensor.span<std::string>()[i]});
    } else {
      scalar.Raw(std::span<const std::byte>(tensor.view().data + i * width, width));
    }
    out.Add(scalar.bytes());
  }
  return out;
}

Result<std::vector<int64_t>> IntegerKeys(const Tensor& keys) {
  const DType dtype = keys.dtype();
  if (!IsIntDType(dtype) || DTypeBits(dtype) < 8) {
    return Error(Code::kInvalidArgument, "a map can not have keys of type {}", DTypeName(dtype));
  }
  const size_t width = DTypeBits(dtype) / 8;
  const bool is_signed = dtype == DType::kI8 || dtype == DType::kI16 || dtype == DType::kI32;
  const auto count = static_cast<size_t>(keys.shape().elems());
  std::vector<int64_t> out(count);
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, keys.view().data + i * width, width);
    const uint64_t sign = uint64_t{1} << (width * 8 - 1);
    if (is_signed) bits = (bits ^ sign) - sign;  // extends the sign
    out[i] = static_cast<int64_t>(bits);
  }
  return out;
}

Result<std::string> Serialize(const MapValue& map) {
  WB_RETURN_IF_ERROR(CheckReadable(map.keys));
  if (map.values == nullptr) return Error(Code::kInvalidArgument, "a map has no values");
  const Tensor* const scalars = map.values->tensor();
  const SequenceValue* const sequence = map.values->sequence();
  if (scalars == nullptr && sequence == nullptr) {
    return Error(Code::kInvalidArgument, "the values of a map are a {}",
                 map.values->type().TypeString());
  }
  WB_ASSIGN_OR_RETURN(const onnx::SequenceWriter values,
                      scalars ? ElementsOf(*scalars) : SequenceOf(*sequence));
  if (map.keys.dtype() == DType::kString) {
    return onnx::MapWriter(Strings(map.keys), values).bytes();
  }
  WB_ASSIGN_OR_RETURN(const std::vector<int64_t> keys, IntegerKeys(map.keys));
  return onnx::MapWriter(static_cast<int32_t>(map.keys.dtype()), keys, values).bytes();
}

Result<std::string> Serialize(const OptionalValue& optional) {
  if (optional.value == nullptr) return onnx::OptionalWriter(KindOf(optional.element)).bytes();
  WB_ASSIGN_OR_RETURN(const std::string bytes, Serialize(*optional.value));
  return onnx::OptionalWriter(KindOf(optional.value->type()), bytes).bytes();
}

Result<std::string> Serialize(const Value& value) {
  if (const Tensor* tensor = value.tensor()) {
    WB_ASSIGN_OR_RETURN(onnx::TensorWriter writer, TensorOf(*tensor));
    return writer.bytes();
  }
  if (const SparseValue* sparse = value.sparse()) return Serialize(*sparse);
  if (const MapValue* map = value.map()) return Serialize(*map);
  if (const OptionalValue* optional = value.optional()) return Serialize(*optional);
  if (const SequenceValue* sequence = value.sequence()) {
    WB_ASSIGN_OR_RETURN(onnx::SequenceWriter writer, SequenceOf(*sequence));
    return writer.bytes();
  }
  return Error(Code::kInvalidArgument, "an undefined value can not be serialized");
}

}  // namespace

Result<std::vector<std::byte>> ValueToPb(const Value& value) {
  WB_ASSIGN_OR_RETURN(const std::string text, Serialize(value));
  const auto* const data = reinterpret_cast<const std::byte*>(text.data());
  return std::vector<std::byte>(data, data + text.size());
}

}  // namespace waybill
