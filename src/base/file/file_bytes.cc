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
#include <utility>

#include "base/file/identify.h"

namespace waybill {
namespace {

Status SystemError(const char* action, const std::string& path, int error) {
  return Error(Code::kNoSuchFile, "cannot {} {}: {}", action, path,
               std::generic_category().message(error));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// Opens each folder on the way by its own name and from the one before, so that no link is followed
// even when one takes a folder's place at this moment. (The same as openat2 with
// RESOLVE_NO_SYMLINKS does, on every kernel.) -1 with errno set when it can not be opened.
Descriptor OpenWithoutLinks(const std::string& path, int flags) {
  Descriptor folder(path.rfind('/', 0) == 0 ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)
                                            : AT_FDCWD);
  size_t begin = path.find_first_not_of('/');
  while (begin != std::string::npos) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    begin = path.find_first_not_of('/', end);
    const bool last = begin == std::string::npos;
    const int how = last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC;
    Descriptor next(openat(folder.get(), name.c_str(), how | O_NOFOLLOW));
    if (last || next.get() < 0) return next;
    folder = std::move(next);
  }
  errno = EISDIR;  // nothing but slashes
  return Descriptor(-1);
}

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

Result<std::shared_ptr<const std::byte>> Read(int fd, size_t size, const std::string& path,
                                              const TakeBytes& take) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<std::byte> block, TakeBlock(take, size), "file {}", path);
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

std::optional<FileIdentity> IdentifyFile(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return IdentityOf(info);
}

std::string FileIdentity::ToString() const {
  return Format("{}:{}:{}:{}", device, inode, mtime_ns, size_bytes);
}

Result<std::shared_ptr<std::byte>> TakeBlock(const TakeBytes& take, size_t bytes) {
  if (take) return take(bytes);
  return std::shared_ptr<std::byte>(new std::byte[bytes], std::default_delete<std::byte[]>());
}

Result<FileBytes> FileBytes::Open(const std::string& path, FileAccess access, bool follow_links,
                                  const TakeBytes& take) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer; regular files ignore it.
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  const Descriptor file =
      follow_links ? Descriptor(open(path.c_str(), flags)) : OpenWithoutLinks(path, flags);
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
                                                             : Read(file.get(), size, path, take));
  out.bytes_ = {block.get(), size};
  out.owner_ = std::move(block);
  return out;
}

}  // namespace waybill
