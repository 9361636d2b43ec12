// NewFile: a file that is written beside its place and put there as a whole, or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status/result.h"

namespace waybill {

// Until Commit() the bytes are in a temporary file in the same folder, which the destructor
// removes. Readers of a file that was at `path` before keep it, mapped or open. Not thread-safe.
class NewFile {
 public:
  // Errors: kFail naming path and the system's words when no file can be made there;
  // kInvalidArgument when `path` is something else than a regular file (a folder, a device).
  static Result<NewFile> Create(const std::string& path);

  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  // Appends; small pieces are gathered. Errors: kFail naming path and the system's words.
  Status Write(std::span<const std::byte> bytes);
  // Writes over bytes that were given before. Errors: as Write; kInvalidArgument beyond size().
  Status WriteAt(uint64_t offset, std::span<const std::byte> bytes);
  // Bytes given before, mapped read-only from `offset`, a multiple of the page size; not empty. The
  // mapping stays valid whatever becomes of the file. Errors: as WriteAt.
  Result<std::shared_ptr<const std::byte>> Map(uint64_t offset, size_t bytes);
  // Puts the file at its path, in the place of one that is there. Nothing is written afterwards.
  // Errors: as Write.
  Status Commit();

  // Bytes given to Write so far.
  uint64_t size() const { return size_; }

 private:
  NewFile(std::string path, std::string temporary, int fd);
  Status CheckRange(uint64_t offset, uint64_t bytes) const;
  Status Flush();
  Status WriteNow(std::span<const std::byte> bytes);

  std::string path_, temporary_;
  int fd_ = -1;
  std::string gathered_;
  uint64_t size_ = 0;
};

}  // namespace waybill
