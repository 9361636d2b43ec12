// Lease: a block of a source that outlives it, for as long as a run. Move-only.
#pragma once

#include <cstddef>
#include <utility>

#include "memory/source/source.h"

namespace waybill {

// As Buffer, but it only borrows its source, so that taking one counts no owner: a run that has
// nothing else to wait for would spend half the time of its lease on that.
class Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept
      : source_(std::exchange(other.source_, nullptr)), view_(other.view_) {}
  Lease& operator=(Lease&& other) noexcept {
    if (this == &other) return *this;
    Reset();
    source_ = std::exchange(other.source_, nullptr);
    view_ = other.view_;
    return *this;
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() { Reset(); }

  // A slab of at least `bytes` for this lease, which must be empty. Errors: as MemorySource::Take.
  Status Take(MemorySource& source, size_t bytes, size_t align) {
    WB_ASSIGN_OR_RETURN(view_, source.Take(bytes, align, MemoryTag::kSlab));
    source_ = &source;
    return Status::Ok();
  }

  // Valid until it is given back.
  const BufferView& view() const { return view_; }
  explicit operator bool() const { return source_ != nullptr; }

  // Gives the block back now.
  void Reset() noexcept {
    if (source_ == nullptr) return;
    std::exchange(source_, nullptr)->Give(view_, MemoryTag::kSlab);
    view_ = {};
  }

 private:
  MemorySource* source_ = nullptr;
  BufferView view_;
};

}  // namespace waybill
