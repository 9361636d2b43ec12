// TensorView: bytes with a meaning, borrowed. Tensor: the same with a share in the bytes' owner.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/status/result.h"
#include "memory/buffer/view.h"
#include "memory/source/source.h"
#include "tensor/dtype/dtype.h"
#include "tensor/shape/shape.h"

namespace waybill {

// Dense, row-major. What kernels read and write. Elements of kString are std::string objects.
struct TensorView {
  DType dtype = DType::kUndefined;
  Shape shape;
  std::byte* data = nullptr;  // aligned to DTypeAlign(dtype) wherever a kernel sees it
  Device device;

  int64_t elems() const { return shape.elems(); }
  size_t bytes() const { return *DTypeBytes(dtype, static_cast<size_t>(shape.elems())); }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  template <typename T>
  std::span<T> span() const {
    return {as<T>(), static_cast<size_t>(shape.elems())};
  }
  std::string Describe() const;  // "float [2, 3]"
};

class Tensor {
 public:
  Tensor() = default;  // undefined dtype: no tensor

  // Bytes that `shape` elements of `dtype` take. Errors: kInvalidArgument for an undefined type, a
  // negative dimension or an overflow; the text names both.
  static Result<size_t> BytesFor(DType dtype, const Shape& shape);

  // Wraps existing bytes without a copy; `storage` keeps them alive.
  // Errors: kInvalidArgument when the storage is too short for the shape (both are named).
  static Result<Tensor> Wrap(DType dtype, Shape shape, SharedView storage);

  // Takes bytes from `source`; kString elements are constructed empty. Other contents unspecified.
  static Result<Tensor> Allocate(DType dtype, Shape shape, std::shared_ptr<MemorySource> source,
                                 MemoryTag tag);

  DType dtype() const { return view_.dtype; }
  const Shape& shape() const { return view_.shape; }
  const TensorView& view() const { return view_; }
  const SharedView& storage() const { return storage_; }
  bool defined() const { return view_.dtype != DType::kUndefined; }
  template <typename T>
  std::span<T> span() const {
    return view_.span<T>();
  }

  // The same bytes under another shape with the same element count.
  Result<Tensor> Reshaped(Shape shape) const;

 private:
  TensorView view_;
  SharedView storage_;
};

// Deep copy of `src` into storage from `source` (strings are copied as objects).
Result<Tensor> CopyTensor(const TensorView& src, std::shared_ptr<MemorySource> source,
                          MemoryTag tag);

}  // namespace waybill
