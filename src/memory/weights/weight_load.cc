#include "memory/weights/weight_load.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/file/page_bytes.h"
#include "base/math/checked.h"

namespace waybill {

void WeightLoad::Add(std::span<const std::byte> bytes, const Range& range) {
  if (bytes.empty()) return;
  ranges_.emplace(bytes.data(), range);
  longest_ = std::max(longest_, bytes.size());
}

void WeightLoad::AddFile(std::span<const std::byte> bytes, FileAccess access,
                         const std::optional<FileIdentity>& identity,
                         const std::shared_ptr<const void>& owner) {
  const auto origin = access == FileAccess::kMap ? WeightOrigin::kMapped : WeightOrigin::kRead;
  Range range{bytes.size(), origin, identity, {}};
  if (owner != nullptr) range.owner = owner;
  Add(bytes, range);
}

void WeightLoad::AddRange(std::span<const std::byte> bytes, WeightOrigin origin,
                          const std::shared_ptr<const void>& owner) {
  Range range{bytes.size(), origin, {}, {}};
  if (owner != nullptr) range.owner = owner;
  Add(bytes, range);
}

const WeightLoad::Range* WeightLoad::Find(std::span<const std::byte> bytes, size_t& offset) const {
  const auto wanted = reinterpret_cast<uintptr_t>(bytes.data());
  for (auto it = ranges_.upper_bound(bytes.data()); it != ranges_.begin();) {
    const auto& [first, range] = *--it;
    offset = wanted - reinterpret_cast<uintptr_t>(first);
    if (offset <= range.bytes && bytes.size() <= range.bytes - offset && range.is_there())
      return &range;
    if (offset > longest_) break;
  }
  return nullptr;
}

WeightOrigin WeightLoad::OriginOf(std::span<const std::byte> bytes) const {
  size_t offset = 0;
  if (const Range* range = Find(bytes, offset)) return range->origin;
  const std::lock_guard lock(mutex_);
  return in_file_.count(bytes.data()) != 0 ? WeightOrigin::kMapped : WeightOrigin::kOwn;
}

SourceId WeightLoad::IdOf(std::span<const std::byte> bytes) const {
  SourceId id;
  id.bytes = bytes.size();
  size_t offset = 0;
  const Range* range = Find(bytes, offset);
  if (range != nullptr && range->identity) {
    id.file = range->identity;
    id.offset = offset;
  } else {
    id.content = HashContent(bytes);
  }
  return id;
}

SidecarRequest WeightLoad::ForSidecar(const WeightRequest& request) const {
  SidecarRequest out;
  out.maker = request.maker;
  out.bytes = request.bytes;
  for (const std::span<const std::byte> bytes : request.sources) {
    SidecarSource source;
    source.bytes = bytes;
    size_t offset = 0;
    const Range* range = Find(bytes, offset);
    if (range != nullptr && range->identity) {
      source.file = range->identity;
      source.offset = offset;
    }
    out.sources.push_back(source);
  }
  return out;
}

Result<SharedView> WeightLoad::FindOrMake(const WeightRequest& request, const Make& make) {
  WeightRecipe recipe;
  recipe.maker = request.maker;
  for (const auto& source : request.sources) recipe.sources.push_back(IdOf(source));
  const bool keeps = sidecar_ != nullptr && request.bytes >= Sidecar::kLeastBytes;
  const SidecarRequest asked = keeps ? ForSidecar(request) : SidecarRequest();
  const auto read_or_make = [&]() -> Result<WeightStore::Made> {
    if (keeps) {
      if (const std::optional<SharedView> kept = sidecar_->Find(asked)) {
        return WeightStore::Made{*kept, true};
      }
    }
    WB_ASSIGN_OR_RETURN(SharedView made, make());
    return keeps ? sidecar_->Keep(asked, std::move(made)) : WeightStore::Made{std::move(made)};
  };
  WB_ASSIGN_OR_RETURN(WeightStore::Found found, store_.FindOrMake(recipe, read_or_make, cancel_));
  // Another load made it, perhaps one without a sidecar.
  if (keeps && !found.made) sidecar_->Include(asked, found.bytes);
  Count(found, request.form);
  return std::move(found.bytes);
}

// What several nodes of the model read counts once.
void WeightLoad::Count(const WeightStore::Found& found, WeightForm form) {
  const size_t bytes = found.bytes.bytes();
  const auto k = static_cast<size_t>(form);
  const std::lock_guard lock(mutex_);
  if (found.in_file) {
    const bool first = in_file_.insert(found.bytes.data()).second;
    if (first && form == WeightForm::kPacked)
      in_file_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return;
  }
  const auto [it, first] = in_store_.try_emplace(found.bytes.data(), found.made);
  if (first) {
    (found.made ? made_bytes_ : shared_bytes_)[k].fetch_add(bytes, std::memory_order_relaxed);
  } else if (found.made && !std::exchange(it->second, true)) {
    // Another thread of the load, which had waited for this one, was here before.
    made_bytes_[k].fetch_add(bytes, std::memory_order_relaxed);
    shared_bytes_[k].fetch_sub(bytes, std::memory_order_relaxed);
  }
}

void WeightLoad::Forget(std::span<const std::byte> bytes) const {
  if (OriginOf(bytes) != WeightOrigin::kMapped) return;
  const size_t page = PageBytes();
  const auto address = reinterpret_cast<uintptr_t>(bytes.data());
  const size_t begin = AlignUp(address, page), end = (address + bytes.size()) & ~(page - 1);
  // Advice only.
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

void WeightLoad::ForgetCounts() noexcept {
  for (auto* counts : {&made_bytes_, &shared_bytes_}) {
    for (std::atomic<uint64_t>& count : *counts) count.store(0, std::memory_order_relaxed);
  }
  caller_bytes_.store(0, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  in_file_.clear();
  in_store_.clear();
  caller_copies_.clear();
  in_file_bytes_.store(0, std::memory_order_relaxed);
}

void WeightLoad::NoteCallerCopy(std::string_view constant) {
  const std::lock_guard lock(mutex_);
  caller_copies_.emplace(constant);
}

std::set<std::string> WeightLoad::CallerCopies() const {
  const std::lock_guard lock(mutex_);
  return caller_copies_;
}

WeightCounts WeightLoad::Counts() const {
  constexpr auto kPacked = static_cast<size_t>(WeightForm::kPacked);
  constexpr auto kPlaced = static_cast<size_t>(WeightForm::kPlaced);
  WeightCounts counts;
  counts.packed_made_bytes = made_bytes_[kPacked].load(std::memory_order_relaxed);
  counts.packed_shared_bytes = shared_bytes_[kPacked].load(std::memory_order_relaxed);
  counts.placed_made_bytes = made_bytes_[kPlaced].load(std::memory_order_relaxed);
  counts.placed_shared_bytes = shared_bytes_[kPlaced].load(std::memory_order_relaxed);
  counts.packed_in_file_bytes = in_file_bytes_.load(std::memory_order_relaxed);
  counts.caller_bytes = caller_bytes_.load(std::memory_order_relaxed);
  return counts;
}

}  // namespace waybill
