// TensorProto and SparseTensorProto: from fields to views, and what each must fulfil.
#include <cstring>
#include <limits>

#include "base/math/checked.h"
#include "onnx/model/tensor_view.h"

namespace waybill::onnx {
namespace {

constexpr size_t kMaxBytes = std::numeric_limits<ptrdiff_t>::max();

Status ReadSegment(Cursor& in, bool& out) {
  out = true;
  while (in.Next()) in.Skip();
  return in.TakeStatus();
}

Status CheckDims(const TensorProtoView& tensor, size_t& elems) {
  bool empty = false;
  for (const int64_t dim : tensor.dims) {
    if (dim < 0) {
      return Error(Code::kInvalidGraph, "{} has a negative dimension", tensor.Describe());
    }
    empty = empty || dim == 0;
  }
  elems = empty ? 0 : 1;
  for (const int64_t dim : tensor.dims) {
    const auto product = CheckedMul(elems, static_cast<size_t>(dim));
    if (!product || *product > kMaxBytes) {
      return Error(Code::kInvalidGraph, "the element count of {} overflows", tensor.Describe());
    }
    elems = *product;
  }
  return Status::Ok();
}

struct TypedField {
  const char* name;
  size_t entries;
};

// The typed field that serves the type, and how many entries it must have.
TypedField FieldFor(const TensorProtoView& tensor) {
  switch (tensor.data_type) {
    case kFloat:
      return {"float_data", tensor.elems};
    case kComplex64:
      return {"float_data", tensor.elems * 2};
    case kDouble:
      return {"double_data", tensor.elems};
    case kComplex128:
      return {"double_data", tensor.elems * 2};
    case kInt64:
      return {"int64_data", tensor.elems};
    case kUint32:
    case kUint64:
      return {"uint64_data", tensor.elems};
    case kString:
      return {"string_data", tensor.elems};
    default:
      break;
  }
  const size_t bits = DataTypeBits(tensor.data_type);
  return {"int32_data", bits < 8 ? tensor.bytes : tensor.elems};
}

Status CheckTyped(TensorProtoView& tensor, const char* name, size_t entries) {
  const TypedField field = FieldFor(tensor);
  if (std::strcmp(field.name, name) != 0) {
    return Error(Code::kInvalidGraph, "{} keeps its elements in {}, but {} belongs to that type",
                 tensor.Describe(), name, field.name);
  }
  if (entries != field.entries) {
    return Error(Code::kInvalidGraph, "{} has {} entries in {} and needs {}", tensor.Describe(),
                 entries, name, field.entries);
  }
  tensor.payload = tensor.data_type == kString ? TensorProtoView::Payload::kStrings
                                               : TensorProtoView::Payload::kTyped;
  return Status::Ok();
}

Status CheckExternal(TensorProtoView& tensor, size_t fields) {
  if (tensor.data_type == kString) {
    return Error(Code::kInvalidGraph, "{} can not be external data: strings have no raw layout",
                 tensor.Describe());
  }
  if (fields != 0) {
    return Error(Code::kInvalidGraph, "{} has both external data and data in the model",
                 tensor.Describe());
  }
  tensor.payload = TensorProtoView::Payload::kExternal;
  return Status::Ok();
}

Status CheckPayload(TensorProtoView& tensor) {
  struct Field {
    const char* name;
    size_t entries;
  };
  const Field fields[] = {
      {"raw_data", tensor.raw_data.size()},       {"float_data", tensor.float_data.size()},
      {"int32_data", tensor.int32_data.size()},   {"int64_data", tensor.int64_data.size()},
      {"double_data", tensor.double_data.size()}, {"uint64_data", tensor.uint64_data.size()},
      {"string_data", tensor.string_data.size()},
  };
  const Field* found = nullptr;
  size_t count = 0;
  for (const Field& field : fields) {
    if (field.entries == 0) continue;
    if (found != nullptr && tensor.data_location != 1) {
      return Error(Code::kInvalidGraph, "{} has data in both {} and {}", tensor.Describe(),
                   found->name, field.name);
    }
    found = &field;
    ++count;
  }
  if (tensor.data_location == 1) return CheckExternal(tensor, count);
  if (tensor.data_location != 0) {
    return Error(Code::kInvalidGraph, "{} has the unknown data_location {}", tensor.Describe(),
                 tensor.data_location);
  }
  if (found == nullptr && tensor.elems == 0) return Status::Ok();
  if (found == nullptr && !tensor.has_raw_data) {
    return Error(Code::kInvalidGraph, "{} has no data for its {} elements", tensor.Describe(),
                 tensor.elems);
  }
  if (found != nullptr && found != fields) return CheckTyped(tensor, found->name, found->entries);
  if (tensor.data_type == kString) {
    return Error(Code::kInvalidGraph, "{} keeps strings in raw_data; string_data is their place",
                 tensor.Describe());
  }
  if (tensor.raw_data.size() < tensor.bytes) {
    return Error(Code::kInvalidGraph, "{} has {} bytes of raw_data and needs {}", tensor.Describe(),
                 tensor.raw_data.size(), tensor.bytes);
  }
  tensor.payload = TensorProtoView::Payload::kRaw;
  return Status::Ok();
}

}  // namespace

Status ReadStringEntry(Cursor& in, StringEntry& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("key", out.key);
        break;
      case 2:
        in.String("value", out.value);
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status ReadTensor(Cursor& in, TensorProtoView& out) {
  constexpr const char* kEntry = "StringStringEntryProto";
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Ints("dims", out.dims, kMaxRank);
        break;
      case 2:
        in.Int32("data_type", out.data_type);
        break;
      case 3:
        in.Message("segment", "TensorProto.Segment", ReadSegment, out.has_segment);
        break;
      case 4:
        in.List("float_data", out.float_data);
        break;
      case 5:
        in.List("int32_data", out.int32_data);
        break;
      case 6:
        in.List("string_data", out.string_data);
        break;
      case 7:
        in.List("int64_data", out.int64_data);
        break;
      case 8:
        in.String("name", out.name);
        break;
      case 9:
        in.String("raw_data", out.raw_data);
        out.has_raw_data = true;
        break;
      case 10:
        in.List("double_data", out.double_data);
        break;
      case 11:
        in.List("uint64_data", out.uint64_data);
        break;
      case 12:
        in.String("doc_string", out.doc_string);
        break;
      case 13:
        in.Message("external_data", kEntry, ReadStringEntry, out.external_data.emplace_back());
        break;
      case 14:
        in.Int32("data_location", out.data_location);
        break;
      case 16:
        in.Message("metadata_props", kEntry, ReadStringEntry, out.metadata_props.emplace_back());
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status ReadSparseTensor(Cursor& in, SparseTensorView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Message("values", "TensorProto", ReadTensor, out.values);
        break;
      case 2:
        in.Message("indices", "TensorProto", ReadTensor, out.indices);
        break;
      case 3:
        in.Ints("dims", out.dims, kMaxRank);
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status CheckTensor(TensorProtoView& tensor) {
  if (tensor.data_type == kUndefined) {
    return Error(Code::kInvalidGraph, "{} has no data_type", tensor.Describe());
  }
  if (!IsKnownDataType(tensor.data_type)) {
    return Error(Code::kInvalidGraph, "{} has an unknown data_type", tensor.Describe());
  }
  if (tensor.has_segment) {
    return Error(Code::kInvalidGraph, "{} is a segment of a tensor, which is not supported",
                 tensor.Describe());
  }
  WB_RETURN_IF_ERROR(CheckDims(tensor, tensor.elems));
  if (tensor.data_type != kString) {
    const auto bytes = RawBytes(tensor.data_type, tensor.elems);
    if (!bytes || *bytes > kMaxBytes) {
      return Error(Code::kInvalidGraph, "the size in bytes of {} overflows", tensor.Describe());
    }
    tensor.bytes = *bytes;
  }
  return CheckPayload(tensor);
}

}  // namespace waybill::onnx
