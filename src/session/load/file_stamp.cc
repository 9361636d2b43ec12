#include "session/load/file_stamp.h"

#include <chrono>
#include <utility>

#include "base/file/identify.h"

namespace waybill::session {
namespace {

// Longer than ticks are, and than clocks of a machine differ.
constexpr int64_t kSettleNs = 100'000'000;

bool JustChanged(const FileIdentity& identity) {
  const int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
  return identity.mtime_ns > now - kSettleNs;
}

}  // namespace

FileStamp::FileStamp(std::string location, const FileIdentity& identity,
                     std::span<const std::byte> bytes)
    : location_(std::move(location)), identity_(identity) {
  if (JustChanged(identity)) content_ = HashContent(bytes);
}

bool FileStamp::Fits(const std::string& path) const {
  const std::optional<FileIdentity> now = IdentifyFile(path);
  if (!now || *now != identity_) return false;
  if (!content_ || settled_.load(std::memory_order_relaxed)) return true;
  const bool settled = !JustChanged(identity_);
  const Result<FileBytes> file = FileBytes::Open(path);
  if (!file.ok() || file->identity() != identity_) return false;
  if (HashContent(file->bytes()) != *content_) return false;
  if (settled) settled_.store(true, std::memory_order_relaxed);
  return true;
}

}  // namespace waybill::session
