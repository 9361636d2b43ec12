#include "base/file/new_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace waybill {
namespace {

constexpr size_t kGatherBytes = size_t{64} << 10;
constexpr int kMaxAttempts = 1000;  // names of temporary files

Status CanNot(const char* action, const std::string& path, int error) {
  return Error(Code::kFail, "cannot {} {}: {}", action, path,
               std::generic_category().message(error));
}

}  // namespace

NewFile::NewFile(std::string path, std::string temporary, int fd)
    : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)),
      gathered_(std::move(other.gathered_)),
      size_(other.size_) {}

NewFile::~NewFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Result<NewFile> NewFile::Create(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return Error(Code::kInvalidArgument, "cannot write {}: it is not a regular file", path);
  }
  // Others may write to the same path at the same time, from this process or another one.
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    std::string temporary = Format("{}.{}-{}.tmp", path, getpid(), attempt);
    const int fd = open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) return NewFile(path, std::move(temporary), fd);
    if (errno != EEXIST) return CanNot("write", path, errno);
  }
  return CanNot("write", path, EEXIST);
}

Status NewFile::WriteNow(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(fd_, bytes.data(), std::min<size_t>(bytes.size(), size_t{1} << 30));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return CanNot("write", path_, errno);
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
  return Status::Ok();
}

Status NewFile::Flush() {
  WB_RETURN_IF_ERROR(WriteNow(std::as_bytes(std::span(gathered_))));
  gathered_.clear();
  return Status::Ok();
}

Status NewFile::Write(std::span<const std::byte> bytes) {
  size_ += bytes.size();
  if (gathered_.size() + bytes.size() > kGatherBytes) WB_RETURN_IF_ERROR(Flush());
  if (bytes.size() > kGatherBytes) return WriteNow(bytes);
  gathered_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return Status::Ok();
}

Status NewFile::CheckRange(uint64_t offset, uint64_t bytes) const {
  if (offset <= size_ && bytes <= size_ - offset) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} bytes at {} of {}, which has {} so far", bytes, offset,
               path_, size_);
}

Status NewFile::WriteAt(uint64_t offset, std::span<const std::byte> bytes) {
  WB_RETURN_IF_ERROR(CheckRange(offset, bytes.size()));
  WB_RETURN_IF_ERROR(Flush());
  while (!bytes.empty()) {
    const ssize_t done = pwrite(fd_, bytes.data(), std::min<size_t>(bytes.size(), size_t{1} << 30),
                                static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return CanNot("write", path_, errno);
    bytes = bytes.subspan(static_cast<size_t>(done));
    offset += static_cast<uint64_t>(done);
  }
  return Status::Ok();
}

Result<std::shared_ptr<const std::byte>> NewFile::Map(uint64_t offset, size_t bytes) {
  WB_RETURN_IF_ERROR(CheckRange(offset, bytes));
  WB_RETURN_IF_ERROR(Flush());
  void* address = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd_, static_cast<off_t>(offset));
  if (address == MAP_FAILED) return CanNot("map", path_, errno);
  return std::shared_ptr<const std::byte>(
      static_cast<const std::byte*>(address),
      [bytes](const std::byte* start) { munmap(const_cast<std::byte*>(start), bytes); });
}

Status NewFile::Commit() {
  WB_RETURN_IF_ERROR(Flush());
  // Some file systems tell only now that there was no room.
  if (close(std::exchange(fd_, -1)) != 0) return CanNot("write", path_, errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return CanNot("write", path_, errno);
  temporary_.clear();
  return Status::Ok();
}

}  // namespace waybill
