// A value known at load: dense, a splat (one element repeated) that is held as that element, or
// rows that are made when somebody reads them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/status/result.h"
#include "graph/ir/row_source.h"
#include "memory/source/source.h"
#include "tensor/tensor/tensor.h"

namespace waybill::graph {

class Constant {
 public:
  Constant() = default;                                                           // not a constant
  Constant(Tensor dense) : tensor_(std::move(dense)), shape_(tensor_.shape()) {}  // NOLINT

  // `element` has one element; the constant has `shape` of them. Not for kString or sub-byte types.
  static Constant Splat(Tensor element, Shape shape);

  // Of rank 1 or more and not of kString; of several rows. Errors: those of Tensor::BytesFor.
  static Result<Constant> OfRows(DType dtype, const Shape& shape,
                                 std::shared_ptr<const RowSource> rows);

  bool defined() const { return tensor_.defined(); }
  bool is_splat() const { return splat_; }
  DType dtype() const { return tensor_.dtype(); }
  const Shape& shape() const { return shape_; }

  // The dense tensor, or the single element of a splat. While rows() is not null its address is.
  const Tensor& tensor() const { return tensor_; }
  // Null for what is held as a tensor.
  const std::shared_ptr<const RowSource>& rows() const { return rows_; }

  // A dense tensor with this content; no copy when it is dense and aligned for typed access.
  // Errors: those of Tensor::Allocate and of RowSource::Rows.
  Result<Tensor> Materialize(std::shared_ptr<MemorySource> source, MemoryTag tag) const;

  // Calls fn(first row, these rows) for blocks of rows in order: of rows() as many at a time as it
  // says, but a multiple of `multiple`, each block let go before the next is made; everything else
  // is one block. Of a splat the block is its element. Bytes may be misaligned for their type.
  // Errors: those of RowSource::Rows.
  Status ForEachBlock(int64_t multiple, const std::shared_ptr<MemorySource>& memory,
                      const std::function<void(int64_t, const TensorView&)>& fn) const;

 private:
  Tensor tensor_;
  Shape shape_;
  bool splat_ = false;
  std::shared_ptr<const RowSource> rows_;
};

}  // namespace waybill::graph
