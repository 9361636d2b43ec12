#include <bit>

#include "onnx/model/graph_view.h"

namespace waybill::onnx {
namespace {

constexpr std::string_view kNames[] = {
    "UNDEFINED",      "FLOAT",      "INT",        "STRING",  "TENSOR", "GRAPH",
    "FLOATS",         "INTS",       "STRINGS",    "TENSORS", "GRAPHS", "SPARSE_TENSOR",
    "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};

AttributeLists& ListsOf(AttributeView& attribute) {
  if (attribute.lists == nullptr) attribute.lists = std::make_shared<AttributeLists>();
  return *attribute.lists;
}

template <typename T>
T& Make(std::shared_ptr<T>& slot) {
  if (slot == nullptr) slot = std::make_shared<T>();
  return *slot;
}

// The type where the file names none: that of the only value it holds.
Status GuessType(AttributeView& attribute) {
  if (!attribute.ref_attr_name.empty()) return Status::Ok();
  if (attribute.present == 0) {
    return Error(Code::kInvalidGraph, "attribute '{}' has neither a type nor a value",
                 attribute.name);
  }
  if (!std::has_single_bit(attribute.present)) {
    return Error(Code::kInvalidGraph, "attribute '{}' has several values and no type",
                 attribute.name);
  }
  attribute.type = static_cast<AttributeType>(std::countr_zero(attribute.present));
  return Status::Ok();
}

Status CheckValues(AttributeView& attribute) {
  if (attribute.t) WB_RETURN_IF_ERROR(CheckTensor(*attribute.t));
  if (attribute.sparse_tensor) WB_RETURN_IF_ERROR(CheckSparseTensor(*attribute.sparse_tensor));
  if (attribute.lists == nullptr) return Status::Ok();
  for (TensorProtoView& tensor : attribute.lists->tensors) WB_RETURN_IF_ERROR(CheckTensor(tensor));
  for (SparseTensorView& tensor : attribute.lists->sparse_tensors) {
    WB_RETURN_IF_ERROR(CheckSparseTensor(tensor));
  }
  return Status::Ok();
}

Status CheckAttribute(AttributeView& attribute, int32_t type) {
  if (attribute.name.empty()) return Error(Code::kInvalidGraph, "an attribute has no name");
  if (type < 0 || type > kAttrTypeProtos) {
    return Error(Code::kInvalidGraph, "attribute '{}' has the unknown type {}", attribute.name,
                 type);
  }
  attribute.type = static_cast<AttributeType>(type);
  if (type == kAttrUndefined) WB_RETURN_IF_ERROR(GuessType(attribute));
  const bool missing = (attribute.type == kAttrTensor && !attribute.t) ||
                       (attribute.type == kAttrGraph && !attribute.g) ||
                       (attribute.type == kAttrTypeProto && !attribute.tp) ||
                       (attribute.type == kAttrSparseTensor && !attribute.sparse_tensor);
  if (missing && attribute.ref_attr_name.empty()) {
    return Error(Code::kInvalidGraph, "attribute '{}' is a {} without a value", attribute.name,
                 AttributeTypeName(attribute.type));
  }
  WB_RETURN_IF_ERROR(CheckValues(attribute), "attribute '{}'", attribute.name);
  return Status::Ok();
}

// Reads the current field into the member that it is; returns that member's type.
AttributeType ReadMember(Cursor& in, AttributeView& out) {
  switch (in.field()) {
    case 2:
      in.Float("f", out.f);
      return kAttrFloat;
    case 3:
      in.Int("i", out.i);
      return kAttrInt;
    case 4:
      in.String("s", out.s);
      return kAttrString;
    case 5:
      in.Message("t", "TensorProto", ReadTensor, Make(out.t));
      return kAttrTensor;
    case 6:
      in.Message("g", "GraphProto", ReadGraph, Make(out.g));
      return kAttrGraph;
    case 7:
      in.List("floats", out.floats);
      return kAttrFloats;
    case 8:
      in.List("ints", out.ints);
      return kAttrInts;
    case 9:
      in.List("strings", out.strings);
      return kAttrStrings;
    case 10:
      in.Message("tensors", "TensorProto", ReadTensor, ListsOf(out).tensors.emplace_back());
      return kAttrTensors;
    case 11:
      in.Message("graphs", "GraphProto", ReadGraph, ListsOf(out).graphs.emplace_back());
      return kAttrGraphs;
    case 14:
      in.Message("tp", "TypeProto", ReadType, Make(out.tp));
      return kAttrTypeProto;
    case 15:
      in.Message("type_protos", "TypeProto", ReadType, ListsOf(out).types.emplace_back());
      return kAttrTypeProtos;
    case 22:
      in.Message("sparse_tensor", "SparseTensorProto", ReadSparseTensor, Make(out.sparse_tensor));
      return kAttrSparseTensor;
    case 23:
      in.Message("sparse_tensors", "SparseTensorProto", ReadSparseTensor,
                 ListsOf(out).sparse_tensors.emplace_back());
      return kAttrSparseTensors;
    default:
      in.Skip();
      return kAttrUndefined;
  }
}

}  // namespace

std::string_view AttributeTypeName(int64_t type) {
  return type >= 0 && type <= kAttrTypeProtos ? kNames[type] : "?";
}

std::span<const TensorProtoView> AttributeView::tensors() const {
  if (lists == nullptr) return {};
  return lists->tensors;
}

std::span<const GraphView> AttributeView::graphs() const {
  if (lists == nullptr) return {};
  return lists->graphs;
}

std::span<const TypeView> AttributeView::types() const {
  if (lists == nullptr) return {};
  return lists->types;
}

std::span<const SparseTensorView> AttributeView::sparse_tensors() const {
  if (lists == nullptr) return {};
  return lists->sparse_tensors;
}

Status ReadAttribute(Cursor& in, AttributeView& out) {
  int32_t type = 0;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("name", out.name);
        break;
      case 13:
        in.String("doc_string", out.doc_string);
        break;
      case 20:
        in.Int32("type", type);
        break;
      case 21:
        in.String("ref_attr_name", out.ref_attr_name);
        break;
      default: {
        const AttributeType member = ReadMember(in, out);
        if (member != kAttrUndefined) out.present |= uint32_t{1} << member;
      }
    }
  }
  WB_RETURN_IF_ERROR(in.TakeStatus(), "attribute '{}'", out.name);
  return CheckAttribute(out, type);
}

}  // namespace waybill::onnx
