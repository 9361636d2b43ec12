// A value known at load: dense, or a splat (one element repeated) that is held as that element.
#pragma once

#include <memory>
#include <utility>

#include "base/status/result.h"
#include "memory/source/source.h"
#include "tensor/tensor/tensor.h"

namespace waybill::graph {

class Constant {
 public:
  Constant() = default;                                                           // not a constant
  Constant(Tensor dense) : tensor_(std::move(dense)), shape_(tensor_.shape()) {}  // NOLINT

  // `element` has one element; the constant has `shape` of them. Not for kString or sub-byte types.
  static Constant Splat(Tensor element, Shape shape);

  bool defined() const { return tensor_.defined(); }
  bool is_splat() const { return splat_; }
  DType dtype() const { return tensor_.dtype(); }
  const Shape& shape() const { return shape_; }

  // The dense tensor, or the single element of a splat.
  const Tensor& tensor() const { return tensor_; }

  // A dense tensor with this content; no copy when it is dense and aligned for typed access.
  // Errors: those of Tensor::Allocate.
  Result<Tensor> Materialize(std::shared_ptr<MemorySource> source, MemoryTag tag) const;

 private:
  Tensor tensor_;
  Shape shape_;
  bool splat_ = false;
};

}  // namespace waybill::graph
