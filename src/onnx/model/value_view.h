// Views of the messages that hold values outside of a model: the .pb files beside test models.
// Which message a file holds is not written in it: the model's type of the value says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/status/result.h"
#include "onnx/model/tensor_view.h"

namespace waybill::onnx {

// Values of SequenceProto.elem_type and OptionalProto.elem_type.
enum ElementKind : int32_t {
  kElementUndefined = 0,
  kElementTensor = 1,
  kElementSparseTensor = 2,
  kElementSequence = 3,
  kElementMap = 4,
  kElementOptional = 5,
};

struct MapView;
struct OptionalView;

// Only the list that `kind` names holds something.
struct SequenceView {
  std::string_view name;
  ElementKind kind = kElementUndefined;  // guessed from the elements where the file does not say it
  std::vector<TensorProtoView> tensors;
  std::vector<SparseTensorView> sparse_tensors;
  std::vector<SequenceView> sequences;
  std::vector<MapView> maps;
  std::vector<OptionalView> optionals;

  size_t size() const;
};

// As many values as keys; the keys are in one of the two lists.
struct MapView {
  std::string_view name;
  int32_t key_type = kUndefined;
  FieldList<int64_t> keys;
  FieldList<std::string_view> string_keys;
  SequenceView values;
};

// Holds nothing when all pointers are null; else the one that `kind` names is set.
struct OptionalView {
  std::string_view name;
  ElementKind kind = kElementUndefined;
  std::shared_ptr<TensorProtoView> tensor;
  std::shared_ptr<SparseTensorView> sparse_tensor;
  std::shared_ptr<SequenceView> sequence;
  std::shared_ptr<MapView> map;
  std::shared_ptr<OptionalView> optional;

  bool has_value() const { return tensor || sparse_tensor || sequence || map || optional; }
};

// Each reads a whole serialized message that the view borrows. Errors as ReadModel's.
Result<TensorProtoView> ReadTensorProto(std::span<const std::byte> bytes);
Result<SparseTensorView> ReadSparseTensorProto(std::span<const std::byte> bytes);
Result<SequenceView> ReadSequenceProto(std::span<const std::byte> bytes);
Result<MapView> ReadMapProto(std::span<const std::byte> bytes);
Result<OptionalView> ReadOptionalProto(std::span<const std::byte> bytes);

}  // namespace waybill::onnx
