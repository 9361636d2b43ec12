#include "memory/weights/sidecar.h"

#include <algorithm>
#include <utility>

#include "base/file/identify.h"

namespace waybill {
namespace {

// The sources of one request; their contents are read at most once, and only when they are needed.
class Sources {
 public:
  explicit Sources(const std::vector<SidecarSource>& sources)
      : sources_(sources), hashes_(sources.size()) {}

  bool AtPlacesOf(const std::vector<SourceId>& kept) const {
    return Match(kept, [](const SidecarSource& mine, const SourceId& theirs, size_t) {
      return mine.file && mine.file == theirs.file && mine.offset == theirs.offset;
    });
  }
  bool WithContentsOf(const std::vector<SourceId>& kept) {
    return Match(kept, [&](const SidecarSource&, const SourceId& theirs, size_t i) {
      return ContentOf(i) == theirs.content;
    });
  }
  std::vector<SourceId> Ids() {
    std::vector<SourceId> ids;
    for (size_t i = 0; i < sources_.size(); ++i) {
      const SidecarSource& source = sources_[i];
      ids.push_back({source.file, source.offset, source.bytes.size(), ContentOf(i)});
    }
    return ids;
  }

 private:
  template <typename Same>
  bool Match(const std::vector<SourceId>& kept, const Same& same) const {
    if (kept.size() != sources_.size()) return false;
    for (size_t i = 0; i < kept.size(); ++i) {
      if (sources_[i].bytes.size() != kept[i].bytes || !same(sources_[i], kept[i], i)) return false;
    }
    return true;
  }
  const ContentHash& ContentOf(size_t i) {
    if (!hashes_[i]) hashes_[i] = StableHash(sources_[i].bytes);
    return *hashes_[i];
  }

  const std::vector<SidecarSource>& sources_;
  std::vector<std::optional<ContentHash>> hashes_;
};

}  // namespace

Sidecar::Sidecar(std::string path, std::string library)
    : path_(std::move(path)), library_(std::move(library)) {
  ReadOld();
}

void Sidecar::ReadOld() {
  if (!IdentifyFile(path_)) return;
  Result<FileBytes> file = FileBytes::Open(path_);
  if (!file.ok()) return WarnOfOld(file.status().message());
  const Result<SidecarHead> head = ReadSidecarHead(file->bytes());
  if (!head.ok()) return WarnOfOld(head.status().message());
  if (head->made_by != SidecarMadeBy(library_)) return;
  Result<std::vector<SidecarEntry>> entries = ReadSidecarIndex(file->bytes(), *head);
  if (!entries.ok()) return WarnOfOld(entries.status().message());
  file_ = std::move(file).value();
  for (SidecarEntry& entry : *entries) {
    Old& old = old_.emplace_back(std::move(entry));
    by_maker_.emplace(old.entry.maker, &old);
  }
}

void Sidecar::WarnOfOld(std::string_view why) {
  if (std::exchange(warned_of_old_, true)) return;
  warnings_.push_back(Format("packed weights in {} are not used but made again: {}", path_, why));
}

SharedView Sidecar::BytesOf(const SidecarEntry& entry) const {
  const auto bytes = file_.bytes().subspan(entry.offset, entry.bytes);
  // Weights are never written; views carry no const.
  return SharedView(file_.owner(), {const_cast<std::byte*>(bytes.data()), bytes.size(), {}});
}

bool Sidecar::IsWhole(Old& old) {
  Old::State state = old.state.load(std::memory_order_relaxed);
  if (state == Old::kUnknown) {
    const BufferView view = BytesOf(old.entry).view();
    const bool whole = StableHash({view.data, view.bytes}) == old.entry.content;
    state = whole ? Old::kGood : Old::kDamaged;
    old.state.store(state, std::memory_order_relaxed);
    if (!whole) {
      const std::lock_guard lock(mutex_);
      WarnOfOld(Format("{} bytes at {} are damaged", view.bytes, old.entry.offset));
    }
  }
  return state == Old::kGood;
}

std::optional<SharedView> Sidecar::Find(const SidecarRequest& request) {
  const auto [first, last] = by_maker_.equal_range(request.maker);
  Sources sources(request.sources);
  for (const bool by_place : {true, false}) {
    for (auto it = first; it != last; ++it) {
      Old& old = *it->second;
      const std::vector<SourceId>& kept = old.entry.sources;
      const bool same = by_place ? sources.AtPlacesOf(kept) : sources.WithContentsOf(kept);
      if (!same || old.entry.bytes != request.bytes || !IsWhole(old)) continue;
      old.used.store(true, std::memory_order_relaxed);
      return BytesOf(old.entry);
    }
  }
  return std::nullopt;
}

WeightStore::Made Sidecar::Keep(const SidecarRequest& request, SharedView bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (gave_up_) return {std::move(bytes)};
  }
  SidecarEntry entry;
  entry.maker = request.maker;
  entry.sources = Sources(request.sources).Ids();
  entry.content = StableHash({bytes.data(), bytes.bytes()});
  const std::lock_guard lock(mutex_);
  if (gave_up_) return {std::move(bytes)};
  const Status status = Append(std::move(entry), bytes);
  if (!status.ok()) {
    GiveUp(status);
    return {std::move(bytes)};
  }
  // Without pages of the file (some file systems have none) this process keeps its own.
  Result<SharedView> mapped = writer_->MapLast();
  WeightStore::Made made{mapped.ok() ? std::move(mapped).value() : std::move(bytes), mapped.ok()};
  written_.emplace(made.bytes.data(), made.bytes);
  return made;
}

void Sidecar::Include(const SidecarRequest& request, const SharedView& bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (gave_up_ || written_.count(bytes.data()) != 0) return;
  }
  if (Find(request)) return;
  Keep(request, bytes);
  const std::lock_guard lock(mutex_);
  written_.emplace(bytes.data(), bytes);
}

Status Sidecar::Append(SidecarEntry entry, const SharedView& bytes) {
  if (!writer_) {
    WB_ASSIGN_OR_RETURN(SidecarWriter writer, SidecarWriter::Create(path_, library_));
    writer_.emplace(std::move(writer));
  }
  return writer_->Append(std::move(entry), {bytes.data(), bytes.bytes()});
}

Status Sidecar::CopyUsed() {
  for (const Old& old : old_) {
    if (!old.used.load(std::memory_order_relaxed)) continue;
    WB_RETURN_IF_ERROR(Append(old.entry, BytesOf(old.entry)));
  }
  return writer_->Commit();
}

void Sidecar::GiveUp(const Status& why) {
  gave_up_ = true;
  writer_.reset();
  warnings_.push_back(Format("packed weights are not kept in {}: {}", path_, why.message()));
}

void Sidecar::Finish() {
  const std::lock_guard lock(mutex_);
  written_.clear();
  if (!writer_) return;
  const Status status = CopyUsed();
  if (!status.ok()) return GiveUp(status);
  writer_.reset();
}

}  // namespace waybill
