// Tensors of a file as tensors of the IR.
#pragma once

#include <memory>
#include <utility>

#include "graph/import/import.h"
#include "onnx/model/tensor_view.h"
#include "onnx/model/type_view.h"
#include "tensor/tensor/tensor.h"
#include "tensor/value/type.h"
#include "tensor/value/value.h"

namespace waybill::graph::importing {

class TensorImporter {
 public:
  // `owner` keeps the file's bytes; `options` outlives this.
  TensorImporter(std::shared_ptr<const void> owner, const ImportOptions& options)
      : owner_(std::move(owner)), options_(options) {}

  // A view into the file where the bytes lie there in the raw layout (perhaps misaligned), a copy
  // otherwise. Booleans hold 0 and 1 only.
  Result<Tensor> Import(const onnx::TensorProtoView& view) const;
  // The same, aligned for typed access.
  Result<Tensor> ImportAligned(const onnx::TensorProtoView& view) const;
  // The dense tensor that a sparse one stands for. Refuses (kInvalidGraph) what is out of all
  // proportion to its entries, once the model's sparse tensors take much memory together.
  Result<Tensor> Densify(const onnx::SparseTensorView& view) const;
  Result<SparseValue> ImportSparse(const onnx::SparseTensorView& view) const;

 private:
  Result<Tensor> ImportStrings(const onnx::TensorProtoView& view, Shape shape) const;
  Result<Tensor> ImportIndices(const onnx::SparseTensorView& view) const;

  std::shared_ptr<const void> owner_;
  const ImportOptions& options_;
  mutable size_t densified_bytes_ = 0;  // of all sparse tensors so far
};

// The declared type; unknown where the file does not say the element type. Dimensions of 0 and
// below are written for "unknown" by real producers, so they are read as that.
ValueType ImportType(const onnx::TypeView& view);

}  // namespace waybill::graph::importing
