// WeightLoad: what one load knows of where its weights come from, and what it asks of the store.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file/file_bytes.h"
#include "base/status/result.h"
#include "memory/buffer/view.h"
#include "memory/weights/sidecar.h"
#include "memory/weights/weight_store.h"

namespace waybill {

// Whose bytes a constant's are.
enum class WeightOrigin : uint8_t {
  kMapped,  // pages of a file, mapped read-only
  kRead,    // a copy of a file or of a model from memory
  kCaller,  // the caller's, used in place
  kOwn,     // made while loading
};

// Bytes that one load took from the store: made by it, or shared with another that made them.
struct WeightCounts {
  uint64_t packed_made_bytes = 0, packed_shared_bytes = 0;  // in a kernel's own form
  uint64_t placed_made_bytes = 0, placed_shared_bytes = 0;  // folded, aligned or written out
  uint64_t packed_in_file_bytes = 0;  // pages of a file of packed weights, in none of the above
  uint64_t caller_bytes = 0;          // of the caller's constants, packed or copied
};

enum class WeightForm : uint8_t { kPacked, kPlaced };

// What a load wants made of some of its bytes.
struct WeightRequest {
  std::string maker;                                // as WeightRecipe's
  std::vector<std::span<const std::byte>> sources;  // borrowed for the call
  size_t bytes = 0;                                 // of what is made
  WeightForm form = WeightForm::kPacked;
};

// Ranges are added before the first look-up; then thread-safe.
class WeightLoad {
 public:
  using Make = std::function<Result<SharedView>()>;

  // `cancel` as for WeightStore::FindOrMake. `sidecar`: where packed weights are kept beyond the
  // process; null: nowhere. All are borrowed.
  explicit WeightLoad(WeightStore& store, const std::atomic<bool>* cancel = nullptr,
                      Sidecar* sidecar = nullptr)
      : store_(store), cancel_(cancel), sidecar_(sidecar) {}

  // Contents of a file. Without an identity they are told by their contents. `owner`: keeps them
  // valid, and when it has gone they count as gone, whatever lies at their addresses then; null:
  // they stay for as long as the load.
  void AddFile(std::span<const std::byte> bytes, FileAccess access,
               const std::optional<FileIdentity>& identity,
               const std::shared_ptr<const void>& owner = nullptr);
  void AddRange(std::span<const std::byte> bytes, WeightOrigin origin,
                const std::shared_ptr<const void>& owner = nullptr);

  // What FindOrMake gave as pages of a file is kMapped.
  WeightOrigin OriginOf(std::span<const std::byte> bytes) const;
  // Reads the bytes unless they are of a file with an identity.
  SourceId IdOf(std::span<const std::byte> bytes) const;

  // As WeightStore::FindOrMake; counted. `make` is not called for what the sidecar has.
  Result<SharedView> FindOrMake(const WeightRequest& request, const Make& make);
  // Whether packed weights become pages of a file, which no budget counts.
  bool packs_to_file() const { return sidecar_ != nullptr; }
  // Counts bytes of the caller's that a packed form or a copy was made of.
  void CountCaller(uint64_t bytes) { caller_bytes_.fetch_add(bytes, std::memory_order_relaxed); }

  // Notes once that a constant of the caller's was copied, since it is not aligned for its type.
  void NoteCallerCopy(std::string_view constant);
  std::set<std::string> CallerCopies() const;

  // Says that nobody reads these bytes any more: pages of a mapped file leave memory. (They come
  // back from the file if somebody reads them nevertheless; other memory is left as it is.)
  void Forget(std::span<const std::byte> bytes) const;

  WeightCounts Counts() const;
  // What was looked up so far was only to find out: nothing is counted yet.
  void ForgetCounts() noexcept;

 private:
  struct Range {
    size_t bytes = 0;
    WeightOrigin origin = WeightOrigin::kOwn;
    std::optional<FileIdentity> identity;
    std::optional<std::weak_ptr<const void>> owner;

    bool is_there() const { return !owner || !owner->expired(); }
  };

  void Add(std::span<const std::byte> bytes, const Range& range);
  SidecarRequest ForSidecar(const WeightRequest& request) const;
  void Count(const WeightStore::Found& found, WeightForm form);
  // The range that holds all of `bytes`; null when there is none. `offset`: where in it.
  const Range* Find(std::span<const std::byte> bytes, size_t& offset) const;

  WeightStore& store_;
  const std::atomic<bool>* cancel_;
  Sidecar* sidecar_;
  mutable std::mutex mutex_;  // of the next three
  std::set<std::string> caller_copies_;
  std::set<const std::byte*> in_file_;  // first bytes of what lies in a file of packed weights
  std::map<const std::byte*, bool> in_store_;  // those of the rest, and whether this load made it
  std::atomic<uint64_t> in_file_bytes_{0};     // of these, in packed form
  std::multimap<const std::byte*, Range> ranges_;  // by first byte; they may overlap
  size_t longest_ = 0;                             // of ranges_
  std::atomic<uint64_t> made_bytes_[2] = {}, shared_bytes_[2] = {};  // by form
  std::atomic<uint64_t> caller_bytes_{0};
};

}  // namespace waybill
