// Whole files as bytes: mapped read-only, or read into memory.
//
// A mapping holds the file that was there when it was opened: replacing that file by rename leaves
// the bytes as they were. Changing the file in place changes mapped bytes under their readers, and
// truncating it makes touching them fatal (SIGBUS); who must live with such writers uses kRead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/status/result.h"

namespace waybill {

enum class FileAccess : uint8_t {
  kMap,   // share the page cache; costs no anonymous memory
  kRead,  // private copy
};

// Gives a block of that many bytes, at least 1, or says why not. Where none is given, the heap
// does.
using TakeBytes = std::function<Result<std::shared_ptr<std::byte>>(size_t bytes)>;

// A block from `take`, or from the heap when it is empty. Errors: those of `take`.
Result<std::shared_ptr<std::byte>> TakeBlock(const TakeBytes& take, size_t bytes);

// What tells two files, or two states of one file, apart.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t mtime_ns = 0;
  uint64_t size_bytes = 0;

  bool operator==(const FileIdentity&) const = default;
  std::string ToString() const;  // "device:inode:mtime:size"
};

// Bytes of a regular file. Copies share them; the last one unmaps or frees. Immutable, so any
// thread may read.
class FileBytes {
 public:
  FileBytes() = default;

  // Opens `path`; an empty file gives empty bytes. With `follow_links` false a symbolic link as any
  // component of the path is refused, whatever changes in the file system meanwhile: what is opened
  // lies where a path without links says. `take` serves kRead.
  // Errors: kNoSuchFile with the path and the system's words when it can not be opened, is no
  // regular file, can not be mapped or ends early while it is read; those of `take`.
  static Result<FileBytes> Open(const std::string& path, FileAccess access = FileAccess::kMap,
                                bool follow_links = true, const TakeBytes& take = {});

  std::span<const std::byte> bytes() const { return bytes_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  const FileIdentity& identity() const { return identity_; }
  FileAccess access() const { return access_; }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  FileIdentity identity_;
  FileAccess access_ = FileAccess::kMap;
};

}  // namespace waybill
