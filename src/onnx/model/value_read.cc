#include <algorithm>
#include <iterator>

#include "onnx/model/value_view.h"

namespace waybill::onnx {
namespace {

// The messages that merge (values of a map, the value of an optional) are checked by Check...,
// once the message around them is complete.
Status ReadSequence(Cursor& in, SequenceView& out);
Status ReadMap(Cursor& in, MapView& out);
Status ReadOptional(Cursor& in, OptionalView& out);
Status CheckSequence(SequenceView& sequence);
Status CheckMap(MapView& map);
Status CheckOptional(OptionalView& optional);

template <typename T>
T& Make(std::shared_ptr<T>& slot) {
  if (slot == nullptr) slot = std::make_shared<T>();
  return *slot;
}

Status ReadSequence(Cursor& in, SequenceView& out) {
  int32_t kind = out.kind;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("name", out.name);
        break;
      case 2:
        in.Int32("elem_type", kind);
        break;
      case 3:
        in.Message("tensor_values", "TensorProto", ReadTensor, out.tensors.emplace_back());
        break;
      case 4:
        in.Message("sparse_tensor_values", "SparseTensorProto", ReadSparseTensor,
                   out.sparse_tensors.emplace_back());
        break;
      case 5:
        in.Message("sequence_values", "SequenceProto", ReadSequence, out.sequences.emplace_back());
        break;
      case 6:
        in.Message("map_values", "MapProto", ReadMap, out.maps.emplace_back());
        break;
      case 7:
        in.Message("optional_values", "OptionalProto", ReadOptional, out.optionals.emplace_back());
        break;
      default:
        in.Skip();
    }
  }
  out.kind = static_cast<ElementKind>(kind);
  return in.TakeStatus();
}

Status ReadMap(Cursor& in, MapView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("name", out.name);
        break;
      case 2:
        in.Int32("key_type", out.key_type);
        break;
      case 3:
        in.List("keys", out.keys);
        break;
      case 4:
        in.List("string_keys", out.string_keys);
        break;
      case 5:
        in.Message("values", "SequenceProto", ReadSequence, out.values);
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status ReadOptional(Cursor& in, OptionalView& out) {
  int32_t kind = out.kind;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("name", out.name);
        break;
      case 2:
        in.Int32("elem_type", kind);
        break;
      case 3:
        in.Message("tensor_value", "TensorProto", ReadTensor, Make(out.tensor));
        break;
      case 4:
        in.Message("sparse_tensor_value", "SparseTensorProto", ReadSparseTensor,
                   Make(out.sparse_tensor));
        break;
      case 5:
        in.Message("sequence_value", "SequenceProto", ReadSequence, Make(out.sequence));
        break;
      case 6:
        in.Message("map_value", "MapProto", ReadMap, Make(out.map));
        break;
      case 7:
        in.Message("optional_value", "OptionalProto", ReadOptional, Make(out.optional));
        break;
      default:
        in.Skip();
    }
  }
  out.kind = static_cast<ElementKind>(kind);
  return in.TakeStatus();
}

// Settles `kind` by which of the five members, in the order of ElementKind, are `filled`.
Status SettleKind(const char* what, std::string_view name, const bool (&filled)[5],
                  ElementKind& kind) {
  if (kind < 0 || kind > kElementOptional) {
    return Error(Code::kInvalidGraph, "{} '{}' has the unknown elem_type {}", what, name,
                 static_cast<int32_t>(kind));
  }
  const auto count = std::count(std::begin(filled), std::end(filled), true);
  if (count == 0) return Status::Ok();
  const auto found =
      static_cast<ElementKind>(std::find(filled, filled + 5, true) - filled + kElementTensor);
  if (count > 1 || (kind != kElementUndefined && kind != found)) {
    return Error(Code::kInvalidGraph, "{} '{}' holds values of another kind than its elem_type {}",
                 what, name, static_cast<int32_t>(kind));
  }
  kind = found;
  return Status::Ok();
}

Status CheckSequence(SequenceView& sequence) {
  const bool filled[5] = {!sequence.tensors.empty(), !sequence.sparse_tensors.empty(),
                          !sequence.sequences.empty(), !sequence.maps.empty(),
                          !sequence.optionals.empty()};
  WB_RETURN_IF_ERROR(SettleKind("sequence", sequence.name, filled, sequence.kind));
  for (TensorProtoView& tensor : sequence.tensors) WB_RETURN_IF_ERROR(CheckTensor(tensor));
  for (SparseTensorView& tensor : sequence.sparse_tensors) {
    WB_RETURN_IF_ERROR(CheckSparseTensor(tensor));
  }
  for (SequenceView& inner : sequence.sequences) WB_RETURN_IF_ERROR(CheckSequence(inner));
  for (MapView& map : sequence.maps) WB_RETURN_IF_ERROR(CheckMap(map));
  for (OptionalView& optional : sequence.optionals) WB_RETURN_IF_ERROR(CheckOptional(optional));
  return Status::Ok();
}

Status CheckMap(MapView& map) {
  if (!IsKnownDataType(map.key_type)) {
    return Error(Code::kInvalidGraph, "map '{}' has the unknown key type {}", map.name,
                 map.key_type);
  }
  const bool strings = map.key_type == kString;
  if (strings ? !map.keys.empty() : !map.string_keys.empty()) {
    return Error(Code::kInvalidGraph, "map '{}' has keys of another type than {}", map.name,
                 DescribeDataType(map.key_type));
  }
  WB_RETURN_IF_ERROR(CheckSequence(map.values), "map '{}'", map.name);
  const size_t keys = strings ? map.string_keys.size() : map.keys.size();
  if (keys != map.values.size()) {
    return Error(Code::kInvalidGraph, "map '{}' has {} keys and {} values", map.name, keys,
                 map.values.size());
  }
  return Status::Ok();
}

Status CheckOptional(OptionalView& optional) {
  const bool filled[5] = {optional.tensor != nullptr, optional.sparse_tensor != nullptr,
                          optional.sequence != nullptr, optional.map != nullptr,
                          optional.optional != nullptr};
  WB_RETURN_IF_ERROR(SettleKind("optional", optional.name, filled, optional.kind));
  if (optional.tensor) return CheckTensor(*optional.tensor);
  if (optional.sparse_tensor) return CheckSparseTensor(*optional.sparse_tensor);
  if (optional.sequence) return CheckSequence(*optional.sequence);
  if (optional.map) return CheckMap(*optional.map);
  if (optional.optional) return CheckOptional(*optional.optional);
  return Status::Ok();
}

template <typename View>
Result<View> ReadWhole(std::span<const std::byte> bytes, const char* type,
                       Status (*read)(Cursor&, View&), Status (*check)(View&)) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Cursor::Shared shared(text);
  Cursor cursor(text, type, shared);
  View out;
  WB_RETURN_IF_ERROR(read(cursor, out));
  WB_RETURN_IF_ERROR(check(out));
  return out;
}

}  // namespace

size_t SequenceView::size() const {
  return tensors.size() + sparse_tensors.size() + sequences.size() + maps.size() + optionals.size();
}

Result<TensorProtoView> ReadTensorProto(std::span<const std::byte> bytes) {
  return ReadWhole(bytes, "TensorProto", ReadTensor, CheckTensor);
}
Result<SparseTensorView> ReadSparseTensorProto(std::span<const std::byte> bytes) {
  return ReadWhole(bytes, "SparseTensorProto", ReadSparseTensor, CheckSparseTensor);
}
Result<SequenceView> ReadSequenceProto(std::span<const std::byte> bytes) {
  return ReadWhole(bytes, "SequenceProto", ReadSequence, CheckSequence);
}
Result<MapView> ReadMapProto(std::span<const std::byte> bytes) {
  return ReadWhole(bytes, "MapProto", ReadMap, CheckMap);
}
Result<OptionalView> ReadOptionalProto(std::span<const std::byte> bytes) {
  return ReadWhole(bytes, "OptionalProto", ReadOptional, CheckOptional);
}

}  // namespace waybill::onnx
