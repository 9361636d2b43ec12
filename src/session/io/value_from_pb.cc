#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "memory/source/system_source.h"
#include "onnx/model/value_view.h"
#include "session/io/pb_value.h"

namespace waybill {
namespace {

std::string_view KindName(ValueKind kind) {
  switch (kind) {
    case ValueKind::kTensor:
      return "tensor";
    case ValueKind::kSequence:
      return "sequence";
    case ValueKind::kMap:
      return "map";
    case ValueKind::kOptional:
      return "optional";
    case ValueKind::kSparse:
      return "sparse tensor";
    case ValueKind::kOpaque:
      return "opaque value";
    case ValueKind::kUnknown:
      break;
  }
  return "value of unknown kind";
}

ValueKind KindOf(onnx::ElementKind kind) {
  switch (kind) {
    case onnx::kElementTensor:
      return ValueKind::kTensor;
    case onnx::kElementSparseTensor:
      return ValueKind::kSparse;
    case onnx::kElementSequence:
      return ValueKind::kSequence;
    case onnx::kElementMap:
      return ValueKind::kMap;
    case onnx::kElementOptional:
      return ValueKind::kOptional;
    case onnx::kElementUndefined:
      break;
  }
  return ValueKind::kUnknown;
}

// Type of what is inside of a container; unknown where nobody said it.
const ValueType& ElementOf(const ValueType& type) {
  static const ValueType unknown;
  return type.element ? *type.element : unknown;
}

Status CheckKind(const char* what, onnx::ElementKind found, const ValueType& expected) {
  const ValueKind kind = KindOf(found);
  if (expected.kind == ValueKind::kUnknown || kind == ValueKind::kUnknown ||
      kind == expected.kind) {
    return Status::Ok();
  }
  return Error(Code::kInvalidArgument, "a {} holds a {} where a {} belongs", what, KindName(kind),
               KindName(expected.kind));
}

class Converter {
 public:
  explicit Converter(std::shared_ptr<MemorySource> source) : source_(std::move(source)) {}

  Result<Tensor> Convert(const onnx::TensorProtoView& view) const;
  Result<Value> Convert(const onnx::SparseTensorView& view) const;
  Result<Value> Convert(const onnx::SequenceView& view, const ValueType& expected) const;
  Result<Value> Convert(const onnx::MapView& view, const ValueType& expected) const;
  Result<Value> Convert(const onnx::OptionalView& view, const ValueType& expected) const;

 private:
  Result<Tensor> Allocate(DType dtype, Shape shape) const {
    return Tensor::Allocate(dtype, std::move(shape), source_, MemoryTag::kUser);
  }
  Result<Tensor> Keys(const onnx::MapView& view) const;
  Result<Value> MapValues(const onnx::SequenceView& view, const ValueType& expected) const;
  Result<SequenceValue> Items(const onnx::SequenceView& view, const ValueType& element) const;

  std::shared_ptr<MemorySource> source_;
};

void CopyStrings(const onnx::FieldList<std::string_view>& from, std::string* to) {
  for (const std::string_view text : from) (to++)->assign(text);
}

Result<Tensor> Converter::Convert(const onnx::TensorProtoView& view) const {
  if (view.payload == onnx::TensorProtoView::Payload::kExternal) {
    return Error(Code::kInvalidGraph, "{} has external data, which a value may not have",
                 view.Describe());
  }
  WB_ASSIGN_OR_RETURN(Tensor tensor,
                      Allocate(static_cast<DType>(view.data_type), Shape(view.dims)));
  if (view.data_type == onnx::kString) {
    CopyStrings(view.string_data, tensor.view().as<std::string>());
  } else {
    WB_RETURN_IF_ERROR(view.DecodeInto({tensor.view().data, view.bytes}));
  }
  return tensor;
}

Result<Value> Converter::Convert(const onnx::SparseTensorView& view) const {
  SparseValue out;
  out.dense_shape = Shape(view.dims);
  WB_ASSIGN_OR_RETURN(out.values, Convert(view.values));
  WB_ASSIGN_OR_RETURN(out.indices, Convert(view.indices));
  return Value(std::move(out));
}

Result<SequenceValue> Converter::Items(const onnx::SequenceView& view,
                                       const ValueType& element) const {
  WB_RETURN_IF_ERROR(CheckKind("sequence", view.kind, element));
  SequenceValue out;
  out.items.reserve(view.size());
  for (const auto& item : view.tensors) {
    WB_ASSIGN_OR_RETURN(Tensor tensor, Convert(item));
    out.items.emplace_back(std::move(tensor));
  }
  for (const auto& item : view.sparse_tensors) {
    WB_ASSIGN_OR_RETURN(Value value, Convert(item));
    out.items.push_back(std::move(value));
  }
  const auto add = [&](const auto& items) -> Status {
    for (const auto& item : items) {
      WB_ASSIGN_OR_RETURN(Value value, Convert(item, element));
      out.items.push_back(std::move(value));
    }
    return Status::Ok();
  };
  WB_RETURN_IF_ERROR(add(view.sequences));
  WB_RETURN_IF_ERROR(add(view.maps));
  WB_RETURN_IF_ERROR(add(view.optionals));
  out.element = element;
  if (element.kind == ValueKind::kUnknown) {
    if (out.items.empty()) {
      out.element.kind = KindOf(view.kind);
    } else {
      out.element = out.items[0].type();
      if (out.items.size() > 1) out.element.shape = {};  // one item's shape is not all items'
    }
  }
  return out;
}

Result<Value> Converter::Convert(const onnx::SequenceView& view, const ValueType& expected) const {
  WB_ASSIGN_OR_RETURN(SequenceValue out, Items(view, ElementOf(expected)));
  return Value(std::move(out));
}

Result<Tensor> Converter::Keys(const onnx::MapView& view) const {
  const auto dtype = static_cast<DType>(view.key_type);
  if (dtype != DType::kString && (!IsIntDType(dtype) || DTypeBits(dtype) < 8)) {
    return Error(Code::kInvalidArgument, "a map can not have keys of type {}", DTypeName(dtype));
  }
  const size_t count = view.values.size();
  WB_ASSIGN_OR_RETURN(Tensor keys, Allocate(dtype, Shape({static_cast<int64_t>(count)})));
  if (dtype == DType::kString) {
    CopyStrings(view.string_keys, keys.view().as<std::string>());
    return keys;
  }
  const size_t width = DTypeBits(dtype) / 8;
  std::byte* to = keys.view().data;
  for (const int64_t key : view.keys) {
    std::memcpy(to, &key, width);  // the low bytes; hosts are little-endian
    to += width;
  }
  return keys;
}

Result<Value> Converter::MapValues(const onnx::SequenceView& view,
                                   const ValueType& expected) const {
  const auto& tensors = view.tensors;
  const auto is_like_first = [&](const onnx::TensorProtoView& tensor) {
    return tensor.dims.empty() && tensor.data_type == tensors[0].data_type;
  };
  const bool scalars = !tensors.empty() &&
                       std::all_of(tensors.begin(), tensors.end(), is_like_first) &&
                       onnx::DataTypeBits(tensors[0].data_type) % 8 == 0;
  if (scalars) {
    const auto dtype = static_cast<DType>(tensors[0].data_type);
    WB_ASSIGN_OR_RETURN(Tensor out, Allocate(dtype, Shape({static_cast<int64_t>(tensors.size())})));
    for (size_t i = 0; i < tensors.size(); ++i) {
      WB_ASSIGN_OR_RETURN(const Tensor one, Convert(tensors[i]));
      if (dtype == DType::kString) {
        out.view().as<std::string>()[i] = *one.view().as<std::string>();
      } else {
        std::memcpy(out.view().data + i * tensors[0].bytes, one.view().data, tensors[0].bytes);
      }
    }
    return Value(std::move(out));
  }
  if (view.size() == 0 && expected.is_tensor() && expected.dtype != DType::kUndefined) {
    WB_ASSIGN_OR_RETURN(Tensor out, Allocate(expected.dtype, Shape({0})));
    return Value(std::move(out));
  }
  WB_ASSIGN_OR_RETURN(SequenceValue out, Items(view, expected));
  return Value(std::move(out));
}

Result<Value> Converter::Convert(const onnx::MapView& view, const ValueType& expected) const {
  MapValue out;
  WB_ASSIGN_OR_RETURN(out.keys, Keys(view));
  WB_RETURN_IF_ERROR(CheckKind("map", view.values.kind, ElementOf(expected)));
  WB_ASSIGN_OR_RETURN(Value values, MapValues(view.values, ElementOf(expected)));
  out.values = std::make_shared<const Value>(std::move(values));
  return Value(std::move(out));
}

Result<Value> Converter::Convert(const onnx::OptionalView& view, const ValueType& expected) const {
  const ValueType& element = ElementOf(expected);
  WB_RETURN_IF_ERROR(CheckKind("optional", view.kind, element));
  Value value;
  if (view.tensor) {
    WB_ASSIGN_OR_RETURN(Tensor tensor, Convert(*view.tensor));
    value = Value(std::move(tensor));
  } else if (view.sparse_tensor) {
    WB_ASSIGN_OR_RETURN(value, Convert(*view.sparse_tensor));
  } else if (view.sequence) {
    WB_ASSIGN_OR_RETURN(value, Convert(*view.sequence, element));
  } else if (view.map) {
    WB_ASSIGN_OR_RETURN(value, Convert(*view.map, element));
  } else if (view.optional) {
    WB_ASSIGN_OR_RETURN(value, Convert(*view.optional, element));
  }
  OptionalValue out;
  out.element = element;
  if (out.element.kind == ValueKind::kUnknown) {
    out.element = value.type();
    if (!value.defined()) out.element.kind = KindOf(view.kind);
  }
  if (value.defined()) out.value = std::make_shared<const Value>(std::move(value));
  return Value(std::move(out));
}

}  // namespace

Result<Value> ValueFromPb(std::span<const std::byte> bytes, const ValueType& expected,
                          std::shared_ptr<MemorySource> source) {
  if (source == nullptr) source = std::make_shared<SystemSource>();
  const Converter converter(std::move(source));
  switch (expected.kind) {
    case ValueKind::kSequence: {
      WB_ASSIGN_OR_RETURN(const onnx::SequenceView view, onnx::ReadSequenceProto(bytes));
      return converter.Convert(view, expected);
    }
    case ValueKind::kMap: {
      WB_ASSIGN_OR_RETURN(const onnx::MapView view, onnx::ReadMapProto(bytes));
      return converter.Convert(view, expected);
    }
    case ValueKind::kOptional: {
      WB_ASSIGN_OR_RETURN(const onnx::OptionalView view, onnx::ReadOptionalProto(bytes));
      return converter.Convert(view, expected);
    }
    case ValueKind::kSparse: {
      WB_ASSIGN_OR_RETURN(const onnx::SparseTensorView view, onnx::ReadSparseTensorProto(bytes));
      return converter.Convert(view);
    }
    case ValueKind::kOpaque:
      return Error(Code::kNotImplemented, "opaque values have no serialized form");
    case ValueKind::kTensor:
    case ValueKind::kUnknown:
      break;
  }
  WB_ASSIGN_OR_RETURN(const onnx::TensorProtoView view, onnx::ReadTensorProto(bytes));
  WB_ASSIGN_OR_RETURN(Tensor tensor, converter.Convert(view));
  return Value(std::move(tensor));
}

}  // namespace waybill
