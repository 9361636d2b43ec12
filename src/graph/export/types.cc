#include "graph/export/types.h"

#include <string>
#include <vector>

namespace waybill::graph::exporting {

namespace {

onnx::ShapeWriter ExportShape(const SymShape& shape) {
  onnx::ShapeWriter out;
  for (const Dim& dim : shape.dims()) {
    if (dim.known()) {
      out.emplace_back(dim.value());
    } else if (dim.symbolic()) {
      out.emplace_back(dim.symbol());
    } else {
      out.emplace_back();
    }
  }
  return out;
}

std::vector<int64_t> DimsOf(const Shape& shape) {
  return {shape.dims().begin(), shape.dims().end()};
}

}  // namespace

std::optional<onnx::TypeWriter> ExportType(const ValueType& type) {
  const auto dtype = static_cast<int32_t>(type.dtype);
  const auto element = [&] { return type.element ? ExportType(*type.element) : std::nullopt; };
  switch (type.kind) {
    case ValueKind::kTensor:
      if (type.dtype == DType::kUndefined) return std::nullopt;
      if (!type.shape.has_rank()) return onnx::TypeWriter::TensorOfAnyRank(dtype);
      return onnx::TypeWriter::Tensor(dtype, ExportShape(type.shape));
    case ValueKind::kSparse:
      if (type.dtype == DType::kUndefined || !type.shape.has_rank()) return std::nullopt;
      return onnx::TypeWriter::SparseTensor(dtype, ExportShape(type.shape));
    case ValueKind::kSequence:
      if (const auto inner = element()) return onnx::TypeWriter::Sequence(*inner);
      return std::nullopt;
    case ValueKind::kOptional:
      if (const auto inner = element()) return onnx::TypeWriter::Optional(*inner);
      return std::nullopt;
    case ValueKind::kMap:
      if (const auto inner = element()) return onnx::TypeWriter::Map(dtype, *inner);
      return std::nullopt;
    case ValueKind::kUnknown:
    case ValueKind::kOpaque:
      break;
  }
  return std::nullopt;
}

onnx::TensorWriter TensorHead(std::string_view name, DType dtype, const Shape& shape) {
  return {name, static_cast<int32_t>(dtype), DimsOf(shape)};
}

onnx::TensorWriter ExportTensor(std::string_view name, const Tensor& tensor) {
  onnx::TensorWriter out = TensorHead(name, tensor.dtype(), tensor.shape());
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.span<const std::string>()) out.encoder().Bytes(6, text);
  } else {
    out.Raw(std::span<const std::byte>(tensor.view().data, tensor.view().bytes()));
  }
  return out;
}

onnx::TensorWriter ExportConstant(std::string_view name, const Constant& constant) {
  if (!constant.is_splat()) return ExportTensor(name, constant.tensor());
  const TensorView& element = constant.tensor().view();
  std::string raw;
  for (int64_t i = 0; i < constant.shape().elems(); ++i) {
    raw.append(reinterpret_cast<const char*>(element.data), element.bytes());
  }
  onnx::TensorWriter out = TensorHead(name, constant.dtype(), constant.shape());
  out.Raw(raw);
  return out;
}

onnx::SparseTensorWriter ExportSparse(const SparseValue& value) {
  return {ExportTensor({}, value.values), ExportTensor({}, value.indices),
          DimsOf(value.dense_shape)};
}

}  // namespace waybill::graph::exporting
