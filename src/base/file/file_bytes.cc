#include "base/file/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>

namespace waybill {
namespace {

Status SystemError(const char* action, const std::string& path, int error) {
  return Error(Code::kNoSuchFile, "cannot {} {}: {}", action, path,
               std::generic_category().message(error));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

FileIdentity IdentityOf(const struct stat& info) {
  FileIdentity out;
  out.device = info.st_dev;
  out.inode = info.st_ino;
  out.mtime_ns = static_cast<int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;
  out.size_bytes = static_cast<uint64_t>(info.st_size);
  return out;
}

Result<std::shared_ptr<const std::byte>> Map(int fd, size_t size, const std::string& path) {
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED) return SystemError("map", path, errno);
  return std::shared_ptr<const std::byte>(
      static_cast<const std::byte*>(address),
      [size](const std::byte* start) { munmap(const_cast<std::byte*>(start), size); });
}

Result<std::shared_ptr<const std::byte>> Read(int fd, size_t size, const std::string& path) {
  std::shared_ptr<std::byte> block(new std::byte[size], std::default_delete<std::byte[]>());
  for (size_t done = 0; done < size;) {
    const size_t want = std::min<size_t>(size - done, size_t{1} << 30);
    const ssize_t got = pread(fd, block.get() + done, want, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read", path, errno);
    if (got == 0) {
      return Error(Code::kNoSuchFile, "cannot read {}: it ended after {} of {} bytes", path, done,
                   size);
    }
    done += static_cast<size_t>(got);
  }
  return std::shared_ptr<const std::byte>(std::move(block));
}

}  // namespace

std::string FileIdentity::ToString() const {
  return Format("{}:{}:{}:{}", device, inode, mtime_ns, size_bytes);
}

Result<FileBytes> FileBytes::Open(const std::string& path, FileAccess access, bool follow_links) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer; regular files ignore it.
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follow_links ? 0 : O_NOFOLLOW);
  const Descriptor file(open(path.c_str(), flags));
  if (file.get() < 0) return SystemError("open", path, errno);
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return SystemError("inspect", path, errno);
  if (S_ISDIR(info.st_mode)) return SystemError("open", path, EISDIR);
  if (!S_ISREG(info.st_mode)) {
    return Error(Code::kNoSuchFile, "cannot open {}: it is not a regular file", path);
  }
  FileBytes out;
  out.identity_ = IdentityOf(info);
  out.access_ = access;
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0) return out;
  WB_ASSIGN_OR_RETURN(auto block, access == FileAccess::kMap ? Map(file.get(), size, path)
                                                             : Read(file.get(), size, path));
  out.bytes_ = {block.get(), size};
  out.owner_ = std::move(block);
  return out;
}

}  // namespace waybill
