// What a SparseTensorProto must fulfil beyond its two tensors.
#include <cstring>

#include "base/math/checked.h"
#include "onnx/model/tensor_view.h"

namespace waybill::onnx {
namespace {

// Checks indices one entry at a time, without holding them.
class IndexChecker {
 public:
  explicit IndexChecker(const SparseTensorView& sparse) : sparse_(sparse) {
    linear_ = sparse.indices.dims.size() == 1;
    for (const int64_t dim : sparse.dims) total_ *= static_cast<uint64_t>(dim);
  }

  Status Add(int64_t index) {
    const int64_t bound =
        linear_ ? static_cast<int64_t>(total_) : sparse_.dims[static_cast<size_t>(axis_)];
    if (index < 0 || index >= bound) {
      return Error(Code::kInvalidGraph, "index {} of entry {} of the sparse {} is outside of {}",
                   index, entry_, sparse_.values.Describe(), sparse_.dims);
    }
    position_ =
        position_ * static_cast<uint64_t>(linear_ ? 1 : bound) + static_cast<uint64_t>(index);
    if (!linear_ && ++axis_ < static_cast<int64_t>(sparse_.dims.size())) return Status::Ok();
    if (entry_ > 0 && position_ <= last_) {
      return Error(Code::kInvalidGraph,
                   "entry {} of the sparse {} does not come after the one before it", entry_,
                   sparse_.values.Describe());
    }
    last_ = position_;
    position_ = 0;
    axis_ = 0;
    ++entry_;
    return Status::Ok();
  }

 private:
  const SparseTensorView& sparse_;
  bool linear_ = false;
  uint64_t total_ = 1;
  uint64_t position_ = 0;
  uint64_t last_ = 0;
  int64_t axis_ = 0;
  uint64_t entry_ = 0;
};

Status CheckShapes(const SparseTensorView& sparse) {
  const std::string name = sparse.values.Describe();
  if (sparse.dims.empty()) {
    return Error(Code::kInvalidGraph, "the sparse {} has no dense shape", name);
  }
  uint64_t total = 1;
  for (const int64_t dim : sparse.dims) {
    if (dim <= 0) {
      return Error(Code::kInvalidGraph,
                   "the sparse {} has the dense shape {}; all must be positive", name, sparse.dims);
    }
    const auto product = CheckedMul(total, static_cast<uint64_t>(dim));
    if (!product || *product > INT64_MAX) {
      return Error(Code::kInvalidGraph, "the element count of the sparse {} overflows", name);
    }
    total = *product;
  }
  if (sparse.values.dims.size() != 1) {
    return Error(Code::kInvalidGraph, "the values of the sparse {} are not of rank 1", name);
  }
  if (sparse.indices.data_type != kInt64) {
    return Error(Code::kInvalidGraph, "the indices of the sparse {} are not INT64", name);
  }
  const auto& shape = sparse.indices.dims;
  const bool linear = shape.size() == 1;
  const bool coordinates =
      shape.size() == 2 && shape[1] == static_cast<int64_t>(sparse.dims.size());
  if ((!linear && !coordinates) || shape[0] != sparse.values.dims[0]) {
    return Error(Code::kInvalidGraph,
                 "the sparse {} has indices of shape {}; [nnz] or [nnz, {}] is needed", name, shape,
                 sparse.dims.size());
  }
  return Status::Ok();
}

}  // namespace

Status CheckSparseIndices(const SparseTensorView& sparse, std::span<const std::byte> indices) {
  if (indices.size() != sparse.indices.bytes) {
    return Error(Code::kInvalidGraph, "the indices of the sparse {} are {} bytes, not {}",
                 sparse.values.Describe(), indices.size(), sparse.indices.bytes);
  }
  IndexChecker checker(sparse);
  for (size_t at = 0; at < indices.size(); at += sizeof(int64_t)) {
    int64_t index = 0;
    std::memcpy(&index, indices.data() + at, sizeof(index));
    WB_RETURN_IF_ERROR(checker.Add(index));
  }
  return Status::Ok();
}

Status CheckSparseTensor(SparseTensorView& sparse) {
  WB_RETURN_IF_ERROR(CheckTensor(sparse.values), "values of a sparse tensor");
  WB_RETURN_IF_ERROR(CheckTensor(sparse.indices), "indices of the sparse {}",
                     sparse.values.Describe());
  WB_RETURN_IF_ERROR(CheckShapes(sparse));
  if (const auto direct = sparse.indices.Direct()) return CheckSparseIndices(sparse, *direct);
  IndexChecker checker(sparse);
  for (const int64_t index : sparse.indices.int64_data) WB_RETURN_IF_ERROR(checker.Add(index));
  return Status::Ok();
}

}  // namespace waybill::onnx
