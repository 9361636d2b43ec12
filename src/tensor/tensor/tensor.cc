#include "tensor/tensor/tensor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "memory/buffer/buffer.h"

namespace waybill {
namespace {

// Owns a block whose bytes are live std::string objects.
class StringBlock {
 public:
  StringBlock(Buffer buffer, size_t count) : buffer_(std::move(buffer)), count_(count) {
    for (size_t i = 0; i < count_; ++i) new (strings() + i) std::string();
  }
  StringBlock(const StringBlock&) = delete;
  StringBlock& operator=(const StringBlock&) = delete;
  ~StringBlock() { std::destroy_n(strings(), count_); }

 private:
  std::string* strings() const {
    return std::launder(reinterpret_cast<std::string*>(buffer_.view().data));
  }
  Buffer buffer_;
  size_t count_;
};

}  // namespace

std::string TensorView::Describe() const { return Format("{} {}", DTypeName(dtype), shape); }

Result<size_t> Tensor::BytesFor(DType dtype, const Shape& shape) {
  if (!IsKnownDType(static_cast<int64_t>(dtype))) {
    return Error(Code::kInvalidArgument, "a tensor of shape {} needs an element type, not {}",
                 shape, DTypeName(dtype));
  }
  const auto elems = shape.CheckedElems();
  const auto bytes = elems ? DTypeBytes(dtype, static_cast<size_t>(*elems)) : std::nullopt;
  if (!bytes || *bytes > static_cast<size_t>(PTRDIFF_MAX)) {
    return Error(Code::kInvalidArgument,
                 "shape {} of {} has a negative dimension or too many elements", shape,
                 DTypeName(dtype));
  }
  return *bytes;
}

Result<Tensor> Tensor::Wrap(DType dtype, Shape shape, SharedView storage) {
  WB_ASSIGN_OR_RETURN(const size_t bytes, BytesFor(dtype, shape));
  if (storage.bytes() < bytes) {
    return Error(Code::kInvalidArgument, "{} {} needs {} bytes but its storage has {}",
                 DTypeName(dtype), shape, bytes, storage.bytes());
  }
  std::byte* data = storage.data();
  if (data == nullptr && bytes == 0) data = NoBytes();
  Tensor tensor;
  tensor.view_.dtype = dtype;
  tensor.view_.shape = std::move(shape);
  tensor.view_.data = data;
  tensor.view_.device = storage.device();
  tensor.storage_ = std::move(storage);
  return tensor;
}

Result<Tensor> Tensor::Allocate(DType dtype, Shape shape, std::shared_ptr<MemorySource> source,
                                MemoryTag tag) {
  WB_ASSIGN_OR_RETURN(const size_t bytes, BytesFor(dtype, shape));
  WB_ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(std::move(source), bytes, kBlockAlign, tag),
                      "tensor {} {}", DTypeName(dtype), shape);
  if (dtype != DType::kString) {
    return Wrap(dtype, std::move(shape), Buffer::Share(std::move(buffer)));
  }
  const BufferView view = buffer.view();
  if (!view.device.host_accessible()) {
    return Error(Code::kInvalidArgument, "strings can not live on device {}", view.device);
  }
  const auto count = static_cast<size_t>(shape.elems());
  auto owner = std::make_shared<const StringBlock>(std::move(buffer), count);
  return Wrap(dtype, std::move(shape), SharedView(std::move(owner), view));
}

Result<Tensor> Tensor::Reshaped(Shape shape) const {
  if (shape.CheckedElems() != view_.shape.CheckedElems()) {
    return Error(Code::kInvalidArgument, "shape {} has not the element count of {}", shape,
                 view_.shape);
  }
  Tensor tensor = *this;
  tensor.view_.shape = std::move(shape);
  return tensor;
}

Result<Tensor> CopyTensor(const TensorView& src, std::shared_ptr<MemorySource> source,
                          MemoryTag tag) {
  if (!src.device.host_accessible()) {
    return Error(Code::kInvalidArgument, "a tensor on device {} can not be copied by the host",
                 src.device);
  }
  WB_ASSIGN_OR_RETURN(Tensor copy, Tensor::Allocate(src.dtype, src.shape, std::move(source), tag));
  if (!copy.view().device.host_accessible()) {
    return Error(Code::kInvalidArgument, "the host can not write to device {}", copy.view().device);
  }
  if (src.dtype == DType::kString) {
    const auto from = src.span<const std::string>();
    std::copy(from.begin(), from.end(), copy.span<std::string>().begin());
  } else if (const size_t bytes = src.bytes(); bytes != 0) {
    std::memcpy(copy.view().data, src.data, bytes);
  }
  return copy;
}

}  // namespace waybill
