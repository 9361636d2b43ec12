// Types and tensors of the IR as ONNX spells them.
#pragma once

#include <optional>
#include <string_view>

#include "graph/ir/constant.h"
#include "onnx/model/writer/tensor_writer.h"
#include "onnx/model/writer/type_writer.h"
#include "tensor/tensor/tensor.h"
#include "tensor/value/type.h"
#include "tensor/value/value.h"

namespace waybill::graph::exporting {

// Nothing for a type that is not known down to its element types, and for opaque ones, whose names
// the IR does not keep.
std::optional<onnx::TypeWriter> ExportType(const ValueType& type);

// The whole tensor in memory: for attributes and other small ones.
onnx::TensorWriter ExportTensor(std::string_view name, const Tensor& tensor);
onnx::SparseTensorWriter ExportSparse(const SparseValue& value);
// The same of a constant; a splat is written out.
onnx::TensorWriter ExportConstant(std::string_view name, const Constant& constant);
// Constants of the same address have the same bytes.
inline const void* AddressOf(const Constant& constant) {
  return constant.rows() != nullptr ? static_cast<const void*>(constant.rows().get())
                                    : constant.tensor().view().data;
}
// Type, shape and name alone.
onnx::TensorWriter TensorHead(std::string_view name, DType dtype, const Shape& shape);

}  // namespace waybill::graph::exporting
