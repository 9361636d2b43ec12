// FileStamp: which state of a file was loaded, so that a later load can tell whether it still has
// that state.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/file/file_bytes.h"
#include "memory/weights/content_hash.h"

namespace waybill::session {

// Identities tell states of a file apart by its time of change, which many file systems take from a
// clock that ticks some hundred times a second. A file that changed just before it was read may
// change again within the tick, so its contents are remembered, too, and compared until a later
// change would show. Thread-safe.
class FileStamp {
 public:
  // `location`: of external data, as the model spells it; empty for the model's own file.
  FileStamp(std::string location, const FileIdentity& identity, std::span<const std::byte> bytes);

  const std::string& location() const { return location_; }
  // Nothing for a file that changed just before it was read, whose identity may tell too little.
  std::optional<FileIdentity> settled_identity() const {
    return content_ ? std::nullopt : std::optional(identity_);
  }
  // Whether the file at `path` is the one that was read, in the same state.
  bool Fits(const std::string& path) const;

 private:
  std::string location_;
  FileIdentity identity_;
  std::optional<ContentHash> content_;        // of a file that changed just before
  mutable std::atomic<bool> settled_{false};  // content_ need not be compared any more
};

}  // namespace waybill::session
