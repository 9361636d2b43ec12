// Buffer owns a block of a source and gives it back when it dies. Move-only.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "base/status/result.h"
#include "memory/buffer/view.h"
#include "memory/ledger/tag.h"
#include "memory/source/source.h"

namespace waybill {

class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { Reset(); }

  // Takes `bytes` from `source`, which the Buffer keeps alive. Errors: as MemorySource::Take.
  static Result<Buffer> Allocate(std::shared_ptr<MemorySource> source, size_t bytes, size_t align,
                                 MemoryTag tag);

  // The owned bytes; borrowed, valid until the Buffer dies or is moved over.
  const BufferView& view() const { return view_; }
  MemoryTag tag() const { return tag_; }
  explicit operator bool() const { return source_ != nullptr; }

  // Turns a Buffer into shared ownership of its bytes.
  static SharedView Share(Buffer buffer);

  // Gives the block back now.
  void Reset() noexcept;

 private:
  std::shared_ptr<MemorySource> source_;
  BufferView view_;
  MemoryTag tag_ = MemoryTag::kUser;
};

}  // namespace waybill
