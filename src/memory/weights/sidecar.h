// Sidecar: packed weights that outlive the process, in a file that processes share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file/file_bytes.h"
#include "memory/buffer/view.h"
#include "memory/weights/sidecar_format.h"
#include "memory/weights/sidecar_writer.h"
#include "memory/weights/weight_store.h"

namespace waybill {

// A source of what is asked for: its bytes, and their place where that tells their contents.
struct SidecarSource {
  std::optional<FileIdentity> file;
  uint64_t offset = 0;  // in the file
  std::span<const std::byte> bytes;
};

struct SidecarRequest {
  std::string_view maker;  // as WeightRecipe's
  std::vector<SidecarSource> sources;
  size_t bytes = 0;  // of what is made of them
};

// The file at one path, as one load uses it. What it has is mapped and checked before it is given
// out. What it lacks is written to a new file, which takes its place at the end with all that this
// load used of both; what nobody asked for goes. Nothing that is wrong with either file is an error
// of the load: it is in warnings(), once for each, and weights are then made as without a file.
// Thread-safe but for Finish and warnings.
class Sidecar {
 public:
  // Below this a page of its own costs more than it saves.
  static constexpr size_t kLeastBytes = kSidecarAlign;

  // A file of another library version or another form is stale: as if it were not there.
  Sidecar(std::string path, std::string library);

  // Its bytes in the file: the same maker, number of bytes and sources. Sources are told by their
  // place, and by their contents when that has changed (which reads them).
  std::optional<SharedView> Find(const SidecarRequest& request);
  // Writes what Find did not find. Gives the bytes back as pages of the file, or as they were when
  // it can not be written.
  WeightStore::Made Keep(const SidecarRequest& request, SharedView bytes);
  // Sees to it that the file has, at the end, what was made without it.
  void Include(const SidecarRequest& request, const SharedView& bytes);
  // When no more is asked for: puts a file that Keep began in its place.
  void Finish();
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Old {
    enum State : uint8_t { kUnknown, kGood, kDamaged };
    explicit Old(SidecarEntry of) : entry(std::move(of)) {}
    SidecarEntry entry;
    std::atomic<State> state{kUnknown};  // of its bytes
    std::atomic<bool> used{false};
  };

  void ReadOld();
  SharedView BytesOf(const SidecarEntry& entry) const;
  bool IsWhole(Old& old);
  void WarnOfOld(std::string_view why);
  Status Append(SidecarEntry entry, const SharedView& bytes);
  Status CopyUsed();
  void GiveUp(const Status& why);

  const std::string path_, library_;
  FileBytes file_;
  std::deque<Old> old_;
  std::multimap<std::string_view, Old*> by_maker_;

  std::mutex mutex_;  // of what follows
  std::optional<SidecarWriter> writer_;
  std::map<const std::byte*, SharedView> written_;  // by first byte; kept, so that none comes again
  bool gave_up_ = false, warned_of_old_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace waybill
