#include "memory/weights/sidecar_format.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/text/format.h"

namespace waybill {
namespace {

constexpr uint64_t kMagic = 0x64656B6361704257ULL;  // "WBpacked" where the low byte comes first
constexpr std::string_view kForm = " form 1";

static_assert(std::is_trivially_copyable_v<SidecarHead> && sizeof(SidecarHead) == 104);
constexpr size_t kSealedBytes = sizeof(SidecarHead) - sizeof(ContentHash);

std::span<const std::byte> BytesOf(const SidecarHead& head) {
  return std::as_bytes(std::span(&head, 1));
}

class Words {
 public:
  void Add(uint64_t word) { text_.append(reinterpret_cast<const char*>(&word), sizeof(word)); }
  void Add(const ContentHash& hash) {
    for (const uint64_t word : hash.words) Add(word);
  }
  void Add(std::string_view text) {
    Add(uint64_t{text.size()});
    text_ += text;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// Reads what Words wrote. Beyond the end everything is 0 and `ok` false.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t Word() {
    uint64_t word = 0;
    const std::span<const std::byte> from = Take(sizeof(word));
    if (!from.empty()) std::memcpy(&word, from.data(), sizeof(word));
    return word;
  }
  ContentHash Hash() {
    const uint64_t first = Word();
    return {{first, Word()}};
  }
  std::string Text() {
    const std::span<const std::byte> from = Take(Word());
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }
  bool ok() const { return ok_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> Take(uint64_t count) {
    ok_ = ok_ && count <= bytes_.size();
    if (!ok_) return {};
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

SourceId ReadSource(Reader& reader) {
  SourceId source;
  const bool in_file = reader.Word() != 0;
  FileIdentity file;
  file.device = reader.Word();
  file.inode = reader.Word();
  file.mtime_ns = static_cast<int64_t>(reader.Word());
  file.size_bytes = reader.Word();
  if (in_file) source.file = file;
  source.offset = reader.Word();
  source.bytes = reader.Word();
  source.content = reader.Hash();
  return source;
}

}  // namespace

std::array<char, 40> SidecarMadeBy(std::string_view library) {
  std::array<char, 40> out = {};
  const std::string text =
      std::string(library.substr(0, out.size() - kForm.size())) + std::string(kForm);
  std::memcpy(out.data(), text.data(), text.size());
  return out;
}

std::string EncodeSidecarIndex(const std::vector<SidecarEntry>& entries) {
  Words words;
  words.Add(uint64_t{entries.size()});
  for (const SidecarEntry& entry : entries) {
    words.Add(std::string_view(entry.maker));
    words.Add(uint64_t{entry.sources.size()});
    for (const SourceId& source : entry.sources) {
      const FileIdentity file = source.file.value_or(FileIdentity());
      words.Add(uint64_t{source.file.has_value()});
      for (const uint64_t word : {file.device, file.inode, static_cast<uint64_t>(file.mtime_ns),
                                  file.size_bytes, source.offset, source.bytes}) {
        words.Add(word);
      }
      words.Add(source.content);
    }
    words.Add(entry.offset);
    words.Add(entry.bytes);
    words.Add(entry.content);
  }
  return words.Take();
}

SidecarHead SealSidecarHead(SidecarHead head, std::string_view index) {
  head.magic = kMagic;
  head.index = StableHash(std::as_bytes(std::span(index)));
  head.head = StableHash(BytesOf(head).first(kSealedBytes));
  return head;
}

Result<SidecarHead> ReadSidecarHead(std::span<const std::byte> file) {
  SidecarHead head;
  if (file.size() < sizeof(head)) {
    return Error(Code::kFail, "it ends after {} bytes, within its head", file.size());
  }
  std::memcpy(&head, file.data(), sizeof(head));
  if (head.magic != kMagic) return Error(Code::kFail, "it does not begin as such a file does");
  if (head.head != StableHash(BytesOf(head).first(kSealedBytes))) {
    return Error(Code::kFail, "its head is damaged");
  }
  if (head.file_bytes != file.size()) {
    return Error(Code::kFail, "it has {} bytes instead of {}", file.size(), head.file_bytes);
  }
  return head;
}

Result<std::vector<SidecarEntry>> ReadSidecarIndex(std::span<const std::byte> file,
                                                   const SidecarHead& head) {
  const bool inside =
      head.index_offset <= file.size() && head.index_bytes <= file.size() - head.index_offset;
  const auto index =
      inside ? file.subspan(head.index_offset, head.index_bytes) : std::span<const std::byte>();
  if (!inside || head.index != StableHash(index)) {
    return Error(Code::kFail, "its index is damaged");
  }
  Reader reader(index);
  std::vector<SidecarEntry> entries;
  for (uint64_t left = reader.Word(); left > 0 && reader.ok(); --left) {
    SidecarEntry& entry = entries.emplace_back();
    entry.maker = reader.Text();
    for (uint64_t sources = reader.Word(); sources > 0 && reader.ok(); --sources) {
      entry.sources.push_back(ReadSource(reader));
    }
    entry.offset = reader.Word();
    entry.bytes = reader.Word();
    entry.content = reader.Hash();
    const bool fits = entry.offset >= kSidecarAlign && entry.offset % kSidecarAlign == 0 &&
                      entry.offset <= head.index_offset &&
                      entry.bytes <= head.index_offset - entry.offset;
    if (!reader.ok() || !fits) return Error(Code::kFail, "its entry {} is wrong", entries.size());
  }
  if (!reader.ok() || !reader.at_end()) return Error(Code::kFail, "its index has a wrong length");
  return entries;
}

}  // namespace waybill
