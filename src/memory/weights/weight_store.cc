#include "memory/weights/weight_store.h"

#include <memory>
#include <span>
#include <utility>

namespace waybill {

// Takes no memory: entries are looked up when their last owner goes, which can not fail.
size_t WeightRecipeHash::operator()(const WeightRecipe& recipe) const {
  uint64_t hash = HashContent(std::as_bytes(std::span(recipe.maker))).words[0];
  for (const SourceId& source : recipe.sources) {
    const uint64_t words[] = {hash, source.offset ^ source.content.words[0],
                              source.bytes ^ source.content.words[1],
                              source.file ? source.file->inode : 0,
                              source.file ? static_cast<uint64_t>(source.file->mtime_ns) : 0};
    hash = HashContent(std::as_bytes(std::span(words))).words[0];
  }
  return static_cast<size_t>(hash);
}

struct WeightStore::Owner {
  explicit Owner(std::shared_ptr<const Entry> of) : entry(std::move(of)) {
    entry->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { entry->owners.fetch_sub(1, std::memory_order_relaxed); }

  std::shared_ptr<const Entry> entry;
};

Result<WeightStore::Found> WeightStore::FindOrMake(const WeightRecipe& recipe, const Make& make,
                                                   const std::atomic<bool>* cancel) {
  const auto entry = [&]() -> Result<std::unique_ptr<Entry>> {
    WB_ASSIGN_OR_RETURN(Made made, make());
    return std::make_unique<Entry>(std::move(made));
  };
  WB_ASSIGN_OR_RETURN(auto found, entries_.FindOrMake(recipe, entry, {}, cancel));
  (found.made ? made_ : shared_).fetch_add(1, std::memory_order_relaxed);
  const BufferView view = found.value->bytes.view();
  const bool in_file = found.value->in_file;
  return Found{SharedView(std::make_shared<const Owner>(std::move(found.value)), view), found.made,
               in_file};
}

WeightStoreStats WeightStore::Stats() const {
  WeightStoreStats stats;
  for (const auto& entry : entries_.Live()) {
    const uint64_t owners = entry->owners.load(std::memory_order_relaxed);
    ++stats.entries;
    stats.bytes += entry->bytes.bytes();
    if (owners > 1) stats.saved_bytes += (owners - 1) * entry->bytes.bytes();
  }
  stats.made = made_.load(std::memory_order_relaxed);
  stats.shared = shared_.load(std::memory_order_relaxed);
  return stats;
}

}  // namespace waybill
