// Sequences and maps.
#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"

namespace waybill::capi {
namespace {

// A value that outlives the caller's buffers: a tensor over memory that is not ours is copied,
// everything else is shared.
Result<Value> Owned(const Value& value) {
  const Tensor* tensor = value.tensor();
  if (tensor == nullptr || tensor->storage().owner() != nullptr) return value;
  WB_ASSIGN_OR_RETURN(Tensor copy, CopyTensor(tensor->view(), CpuSource(), MemoryTag::kUser));
  return Value(std::move(copy));
}

Result<Value> MakeSequence(const OrtValue* const* in, size_t num_values) {
  SequenceValue sequence;
  for (size_t i = 0; i < num_values; ++i) {
    const ValueType type = in[i]->value.type();
    if (i == 0) {
      if (type.kind != ValueKind::kTensor && type.kind != ValueKind::kMap) {
        return Error(Code::kFail, "a sequence holds tensors or maps, not {}", type.TypeString());
      }
      sequence.element = type;
      if (type.kind == ValueKind::kTensor) sequence.element.shape = SymShape();
    } else if (!sequence.element.SameTypeAs(type)) {
      return Error(Code::kFail, "value {} of the sequence is {}, the first is {}", i,
                   type.TypeString(), sequence.element.TypeString());
    }
    WB_ASSIGN_OR_RETURN(Value item, Owned(in[i]->value));
    sequence.items.push_back(std::move(item));
  }
  return Value(std::move(sequence));
}

Result<Value> MakeMap(const OrtValue* const* in, size_t num_values) {
  if (num_values != 2) {
    return Error(Code::kFail, "For map type num_values should be 2, it is {}", num_values);
  }
  const Tensor* keys = in[0]->value.tensor();
  const Tensor* values = in[1]->value.tensor();
  if (keys == nullptr || values == nullptr) {
    return Error(Code::kFail, "the keys and the values of a map are tensors");
  }
  if (keys->dtype() != DType::kString && !IsIntDType(keys->dtype())) {
    return Error(Code::kFail, "keys of type {} are not supported", DTypeName(keys->dtype()));
  }
  if (keys->shape().rank() != 1 || values->shape().rank() != 1 ||
      keys->shape().elems() != values->shape().elems()) {
    return Error(Code::kFail, "keys {} and values {} are not two lists of one length",
                 keys->shape(), values->shape());
  }
  WB_ASSIGN_OR_RETURN(Value own_keys, Owned(in[0]->value));
  WB_ASSIGN_OR_RETURN(Value own_values, Owned(in[1]->value));
  return Value(MapValue{*own_keys.tensor(), std::make_shared<const Value>(std::move(own_values))});
}

}  // namespace

OrtStatus* CreateValue(const OrtValue* const* in, size_t num_values, ONNXType value_type,
                       OrtValue** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    if (num_values == 0) return Error(Code::kFail, "Number of values should be at least 1.");
    WB_NOT_NULL(in);
    for (size_t i = 0; i < num_values; ++i) {
      if (in[i] == nullptr) return Error(Code::kInvalidArgument, "value {} is NULL", i);
    }
    if (value_type == ONNX_TYPE_SEQUENCE) {
      WB_ASSIGN_OR_RETURN(Value value, MakeSequence(in, num_values));
      *out = MakeValue(std::move(value)).release();
    } else if (value_type == ONNX_TYPE_MAP) {
      WB_ASSIGN_OR_RETURN(Value value, MakeMap(in, num_values));
      *out = MakeValue(std::move(value)).release();
    } else {
      return Error(Code::kFail, "Input is not of type sequence or map.");
    }
    return Status::Ok();
  });
}

OrtStatus* GetValueCount(const OrtValue* value, size_t* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(value);
    WB_NOT_NULL(out);
    if (const SequenceValue* sequence = value->value.sequence()) {
      *out = sequence->items.size();
    } else if (value->value.map() != nullptr) {
      *out = 2;
    } else {
      return Error(Code::kFail, "Input is not of type sequence or map.");
    }
    return Status::Ok();
  });
}

// The new value shares its bytes with the one it comes from; `allocator` is not used.
OrtStatus* GetValue(const OrtValue* value, int index, OrtAllocator* allocator, OrtValue** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(value);
    WB_NOT_NULL(allocator);
    WB_NOT_NULL(out);
    if (const SequenceValue* sequence = value->value.sequence()) {
      if (index < 0 || static_cast<size_t>(index) >= sequence->items.size()) {
        return Error(Code::kFail, "index {} is outside of a sequence of {}", index,
                     sequence->items.size());
      }
      *out = MakeValue(sequence->items[static_cast<size_t>(index)]).release();
    } else if (const MapValue* map = value->value.map()) {
      if (index != 0 && index != 1) {
        return Error(Code::kFail, "Invalid index requested for map type.");
      }
      *out = MakeValue(index == 0 ? Value(map->keys) : *map->values).release();
    } else {
      return Error(Code::kFail, "Input is not of type sequence or map.");
    }
    return Status::Ok();
  });
}

}  // namespace waybill::capi
