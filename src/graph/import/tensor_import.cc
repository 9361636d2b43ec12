#include "graph/import/tensor_import.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/math/checked.h"

namespace waybill::graph::importing {

namespace {

// The dense forms of a model may take so many bytes together, and each so many for each entry
// beyond that.
constexpr size_t kDenseFreeBytes = size_t{64} << 20;
constexpr size_t kDenseBytesPerEntry = 4096;

SharedView Borrow(const std::shared_ptr<const void>& owner, std::span<const std::byte> bytes) {
  // Views are of mutable bytes, but constants are never written to.
  return SharedView(owner, {const_cast<std::byte*>(bytes.data()), bytes.size(), Device{}});
}

bool IsAligned(const TensorView& view) {
  return reinterpret_cast<uintptr_t>(view.data) % DTypeAlign(view.dtype) == 0;
}

// Files may hold any byte for a boolean; typed access needs 0 or 1.
bool IsCleanBool(const TensorView& view) {
  const size_t bytes = view.bytes();
  return std::all_of(view.data, view.data + bytes, [](std::byte b) { return b <= std::byte{1}; });
}

void CleanBool(const TensorView& view) {
  const size_t bytes = view.bytes();
  for (size_t i = 0; i < bytes; ++i) {
    view.data[i] = view.data[i] == std::byte{0} ? std::byte{0} : std::byte{1};
  }
}

int64_t ReadIndex(const Tensor& indices, size_t i) {
  int64_t value;
  std::memcpy(&value, indices.view().data + i * sizeof value, sizeof value);
  return value;
}

// Position of entry `i` in the flattened dense tensor. The indices were checked before.
size_t FlatIndex(const Tensor& indices, size_t i, const Shape& dense) {
  if (indices.shape().rank() < 2) return static_cast<size_t>(ReadIndex(indices, i));
  int64_t flat = 0;
  for (size_t axis = 0; axis < dense.rank(); ++axis) {
    flat = flat * dense[axis] + ReadIndex(indices, i * dense.rank() + axis);
  }
  return static_cast<size_t>(flat);
}

// Element `from` of `src` becomes element `to` of `dst`, which is zero there.
void PutElement(const TensorView& src, size_t from, const TensorView& dst, size_t to) {
  const size_t bits = DTypeBits(src.dtype);
  if (src.dtype == DType::kString) {
    dst.as<std::string>()[to] = src.as<const std::string>()[from];
  } else if (bits >= 8) {
    std::memcpy(dst.data + to * (bits / 8), src.data + from * (bits / 8), bits / 8);
  } else {
    const size_t per_byte = 8 / bits;
    const unsigned mask = (1u << bits) - 1;
    const unsigned value =
        std::to_integer<unsigned>(src.data[from / per_byte]) >> (from % per_byte * bits) & mask;
    dst.data[to / per_byte] |= static_cast<std::byte>(value << (to % per_byte * bits));
  }
}

}  // namespace

Result<Tensor> TensorImporter::ImportStrings(const onnx::TensorProtoView& view, Shape shape) const {
  WB_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(DType::kString, std::move(shape),
                                                   options_.source, MemoryTag::kWeights));
  auto* strings = out.view().as<std::string>();
  for (const std::string_view text : view.string_data) *strings++ = text;
  return out;
}

Result<Tensor> TensorImporter::Import(const onnx::TensorProtoView& view) const {
  const auto dtype = static_cast<DType>(view.data_type);
  Shape shape{std::span<const int64_t>(view.dims)};
  if (dtype == DType::kString) return ImportStrings(view, std::move(shape));
  Tensor out;
  if (view.payload == onnx::TensorProtoView::Payload::kExternal) {
    if (!options_.external) {
      return Error(Code::kInvalidGraph, "{} has external data, but the model has no folder",
                   view.Describe());
    }
    WB_ASSIGN_OR_RETURN(SharedView bytes, options_.external(view));
    WB_ASSIGN_OR_RETURN(out, Tensor::Wrap(dtype, std::move(shape), std::move(bytes)),
                        view.Describe());
  } else if (const auto direct = view.Direct()) {
    WB_ASSIGN_OR_RETURN(out, Tensor::Wrap(dtype, std::move(shape), Borrow(owner_, *direct)),
                        view.Describe());
    if (options_.copy_tensors) {
      WB_ASSIGN_OR_RETURN(out, CopyTensor(out.view(), options_.source, MemoryTag::kWeights));
    }
  } else {
    WB_ASSIGN_OR_RETURN(
        out, Tensor::Allocate(dtype, std::move(shape), options_.source, MemoryTag::kWeights));
    WB_RETURN_IF_ERROR(view.DecodeInto({out.view().data, view.bytes}));
    if (dtype == DType::kBool) CleanBool(out.view());
    return out;
  }
  if (dtype == DType::kBool && !IsCleanBool(out.view())) {
    WB_ASSIGN_OR_RETURN(out, CopyTensor(out.view(), options_.source, MemoryTag::kWeights));
    CleanBool(out.view());
  }
  return out;
}

Result<Tensor> TensorImporter::ImportAligned(const onnx::TensorProtoView& view) const {
  WB_ASSIGN_OR_RETURN(Tensor out, Import(view));
  if (IsAligned(out.view())) return out;
  return CopyTensor(out.view(), options_.source, MemoryTag::kWeights);
}

Result<Tensor> TensorImporter::ImportIndices(const onnx::SparseTensorView& view) const {
  WB_ASSIGN_OR_RETURN(Tensor indices, ImportAligned(view.indices));
  if (view.indices.payload == onnx::TensorProtoView::Payload::kExternal) {
    const TensorView& bytes = indices.view();
    WB_RETURN_IF_ERROR(onnx::CheckSparseIndices(view, {bytes.data, bytes.bytes()}));
  }
  return indices;
}

Result<Tensor> TensorImporter::Densify(const onnx::SparseTensorView& view) const {
  const Shape shape{std::span<const int64_t>(view.dims)};
  const auto dtype = static_cast<DType>(view.values.data_type);
  WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(dtype, shape), "sparse tensor '{}'",
                      view.values.name);
  const auto allowed = CheckedMul(view.values.elems, kDenseBytesPerEntry);
  const auto together = CheckedAdd(densified_bytes_, bytes);
  if ((!together || *together > kDenseFreeBytes) && allowed && bytes > *allowed) {
    return Error(Code::kInvalidGraph,
                 "sparse tensor '{}' of {} entries would take {} bytes in its dense shape {}",
                 view.values.name, view.values.elems, bytes, shape);
  }
  densified_bytes_ = together.value_or(densified_bytes_);
  WB_ASSIGN_OR_RETURN(const Tensor values, Import(view.values));
  WB_ASSIGN_OR_RETURN(const Tensor indices, ImportIndices(view));
  WB_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(dtype, shape, options_.source, MemoryTag::kWeights));
  if (dtype != DType::kString && bytes != 0) std::memset(out.view().data, 0, bytes);
  for (size_t i = 0; i < view.values.elems; ++i) {
    PutElement(values.view(), i, out.view(), FlatIndex(indices, i, shape));
  }
  return out;
}

Result<SparseValue> TensorImporter::ImportSparse(const onnx::SparseTensorView& view) const {
  SparseValue out;
  out.dense_shape = Shape(std::span<const int64_t>(view.dims));
  WB_ASSIGN_OR_RETURN(out.values, ImportAligned(view.values));
  WB_ASSIGN_OR_RETURN(out.indices, ImportIndices(view));
  return out;
}

ValueType ImportType(const onnx::TypeView& view) {
  using Kind = onnx::TypeView::Kind;
  const auto element = [&] { return view.element ? ImportType(*view.element) : ValueType(); };
  switch (view.kind) {
    case Kind::kTensor:
    case Kind::kSparseTensor: {
      if (view.elem_type == onnx::kUndefined) return {};
      SymShape shape;
      if (view.has_shape) {
        std::vector<Dim> dims;
        for (const onnx::DimView& dim : view.dims) {
          if (dim.kind == onnx::DimView::Kind::kValue && dim.value > 0) {
            dims.emplace_back(dim.value);
          } else if (dim.kind == onnx::DimView::Kind::kParam && !dim.param.empty()) {
            dims.push_back(Dim::Symbol(std::string(dim.param)));
          } else {
            dims.emplace_back();
          }
        }
        shape = SymShape(std::move(dims));
      }
      const auto dtype = static_cast<DType>(view.elem_type);
      return view.kind == Kind::kTensor ? ValueType::Tensor(dtype, std::move(shape))
                                        : ValueType::Sparse(dtype, std::move(shape));
    }
    case Kind::kSequence:
      return ValueType::Sequence(element());
    case Kind::kOptional:
      return ValueType::Optional(element());
    case Kind::kMap:
      return ValueType::Map(static_cast<DType>(view.key_type), element());
    case Kind::kOpaque: {
      ValueType type;
      type.kind = ValueKind::kOpaque;
      return type;
    }
    case Kind::kNone:
      break;
  }
  return {};
}

}  // namespace waybill::graph::importing
