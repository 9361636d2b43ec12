#include "onnx/model/type_view.h"

namespace waybill::onnx {
namespace {

Status ReadDim(Cursor& in, DimView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Int("dim_value", out.value);
        out.kind = DimView::Kind::kValue;
        break;
      case 2:
        in.String("dim_param", out.param);
        out.kind = DimView::Kind::kParam;
        break;
      case 3:
        in.String("denotation", out.denotation);
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status ReadShape(Cursor& in, TypeView& out) {
  out.has_shape = true;
  while (in.Next()) {
    if (in.field() != 1) {
      in.Skip();
    } else if (out.dims.size() >= kMaxRank) {
      return Error(Code::kInvalidGraph, "a declared shape has more than {} dimensions", kMaxRank);
    } else {
      in.Message("dim", "TensorShapeProto.Dimension", ReadDim, out.dims.emplace_back());
    }
  }
  return in.TakeStatus();
}

Status CheckElemType(const char* message, int32_t code) {
  if (code == kUndefined || IsKnownDataType(code)) return Status::Ok();
  return Error(Code::kInvalidGraph, "{} names the unknown element type {}", message, code);
}

Status ReadTensorType(Cursor& in, TypeView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Int32("elem_type", out.elem_type);
        break;
      case 2:
        in.Message("shape", "TensorShapeProto", ReadShape, out);
        break;
      default:
        in.Skip();
    }
  }
  WB_RETURN_IF_ERROR(in.TakeStatus());
  return CheckElemType("a tensor type", out.elem_type);
}

TypeView& ElementOf(TypeView& type) {
  if (type.element == nullptr) type.element = std::make_shared<TypeView>();
  return *type.element;
}

// TypeProto.Sequence and TypeProto.Optional.
Status ReadElementType(Cursor& in, TypeView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Message("elem_type", "TypeProto", ReadType, ElementOf(out));
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status ReadMapType(Cursor& in, TypeView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Int32("key_type", out.key_type);
        break;
      case 2:
        in.Message("value_type", "TypeProto", ReadType, ElementOf(out));
        break;
      default:
        in.Skip();
    }
  }
  WB_RETURN_IF_ERROR(in.TakeStatus());
  return CheckElemType("the key of a map type", out.key_type);
}

Status ReadOpaqueType(Cursor& in, TypeView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("domain", out.opaque_domain);
        break;
      case 2:
        in.String("name", out.opaque_name);
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

// The members of a oneof replace each other; the same member twice merges.
TypeView& Choose(TypeView& type, TypeView::Kind kind) {
  if (type.kind != kind) {
    const std::string_view denotation = type.denotation;
    type = TypeView();
    type.kind = kind;
    type.denotation = denotation;
  }
  return type;
}

}  // namespace

Status ReadType(Cursor& in, TypeView& out) {
  using Kind = TypeView::Kind;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Message("tensor_type", "TypeProto.Tensor", ReadTensorType, Choose(out, Kind::kTensor));
        break;
      case 4:
        in.Message("sequence_type", "TypeProto.Sequence", ReadElementType,
                   Choose(out, Kind::kSequence));
        break;
      case 5:
        in.Message("map_type", "TypeProto.Map", ReadMapType, Choose(out, Kind::kMap));
        break;
      case 6:
        in.String("denotation", out.denotation);
        break;
      case 7:
        in.Message("opaque_type", "TypeProto.Opaque", ReadOpaqueType, Choose(out, Kind::kOpaque));
        break;
      case 8:
        in.Message("sparse_tensor_type", "TypeProto.SparseTensor", ReadTensorType,
                   Choose(out, Kind::kSparseTensor));
        break;
      case 9:
        in.Message("optional_type", "TypeProto.Optional", ReadElementType,
                   Choose(out, Kind::kOptional));
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status ReadValueInfo(Cursor& in, ValueInfoView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("name", out.name);
        break;
      case 2:
        in.Message("type", "TypeProto", ReadType, out.type);
        break;
      case 3:
        in.String("doc_string", out.doc_string);
        break;
      case 4:
        in.Message("metadata_props", "StringStringEntryProto", ReadStringEntry,
                   out.metadata_props.emplace_back());
        break;
      default:
        in.Skip();
    }
  }
  WB_RETURN_IF_ERROR(in.TakeStatus(), "value '{}'", out.name);
  return Status::Ok();
}

}  // namespace waybill::onnx
