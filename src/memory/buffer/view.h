// BufferView borrows bytes; SharedView also keeps their owner alive. Neither frees anything itself.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "base/status/result.h"
#include "memory/device/device.h"

namespace waybill {

// A range of bytes that somebody else owns and that outlives this view. Trivially copyable.
struct BufferView {
  std::byte* data = nullptr;
  size_t bytes = 0;
  Device device;

  // The part [offset, offset + length). Errors: kInvalidArgument when it does not lie inside.
  Result<BufferView> Slice(size_t offset, size_t length) const;
};

// The address of ranges of no bytes: valid, aligned for every type, never read or written. Kernels
// form addresses within a tensor before they know that it is empty, which null does not allow.
std::byte* NoBytes();

// A range of bytes and a share in whatever keeps it valid (a Buffer, a mapping, a caller's object).
// Copying shares; the last copy releases the owner. Thread-safe like std::shared_ptr.
class SharedView {
 public:
  SharedView() = default;
  SharedView(std::shared_ptr<const void> owner, BufferView view)
      : owner_(std::move(owner)), view_(view) {}

  // Borrowed for ever: for static storage and for memory whose owner the caller guarantees.
  static SharedView Unowned(BufferView view) { return SharedView(nullptr, view); }

  const BufferView& view() const { return view_; }
  std::byte* data() const { return view_.data; }
  size_t bytes() const { return view_.bytes; }
  const Device& device() const { return view_.device; }
  const std::shared_ptr<const void>& owner() const { return owner_; }

  // A part that keeps the same owner alive. Errors as BufferView::Slice.
  Result<SharedView> Slice(size_t offset, size_t length) const;

 private:
  std::shared_ptr<const void> owner_;
  BufferView view_;
};

}  // namespace waybill
