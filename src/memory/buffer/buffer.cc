#include "memory/buffer/buffer.h"

namespace waybill {

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this == &other) return *this;
  Reset();
  source_ = std::move(other.source_);
  view_ = std::exchange(other.view_, {});
  tag_ = other.tag_;
  return *this;
}

Result<Buffer> Buffer::Allocate(std::shared_ptr<MemorySource> source, size_t bytes, size_t align,
                                MemoryTag tag) {
  WB_ASSIGN_OR_RETURN(BufferView view, source->Take(bytes, align, tag));
  Buffer buffer;
  buffer.source_ = std::move(source);
  buffer.view_ = view;
  buffer.tag_ = tag;
  return buffer;
}

SharedView Buffer::Share(Buffer buffer) {
  const BufferView view = buffer.view();
  return SharedView(std::make_shared<const Buffer>(std::move(buffer)), view);
}

void Buffer::Reset() noexcept {
  if (source_ == nullptr) return;
  source_->Give(view_, tag_);
  source_.reset();
  view_ = {};
}

}  // namespace waybill
