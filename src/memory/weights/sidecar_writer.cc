#include "memory/weights/sidecar_writer.h"

#include <algorithm>
#include <utility>

#include "base/file/page_bytes.h"
#include "base/math/checked.h"

namespace waybill {
namespace {

// Of this machine, so that each entry can be mapped by itself.
size_t EntryAlign() { return std::max(PageBytes(), kSidecarAlign); }

}  // namespace

SidecarWriter::SidecarWriter(NewFile file, std::string_view library) : file_(std::move(file)) {
  head_.made_by = SidecarMadeBy(library);
}

Result<SidecarWriter> SidecarWriter::Create(const std::string& path, std::string_view library) {
  WB_ASSIGN_OR_RETURN(NewFile file, NewFile::Create(path));
  SidecarWriter writer(std::move(file), library);
  // What says that the file is one of these comes last.
  const SidecarHead none;
  WB_RETURN_IF_ERROR(writer.file_.Write(std::as_bytes(std::span(&none, 1))));
  return writer;
}

Status SidecarWriter::PadTo(size_t align) {
  const std::string zeros(AlignUp(file_.size(), align) - file_.size(), '\0');
  return file_.Write(std::as_bytes(std::span(zeros)));
}

Status SidecarWriter::Append(SidecarEntry entry, std::span<const std::byte> bytes) {
  WB_RETURN_IF_ERROR(PadTo(EntryAlign()));
  entry.offset = file_.size();
  entry.bytes = bytes.size();
  WB_RETURN_IF_ERROR(file_.Write(bytes));
  entries_.push_back(std::move(entry));
  return Status::Ok();
}

Result<SharedView> SidecarWriter::MapLast() {
  const SidecarEntry& entry = entries_.back();
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<const std::byte> mapped,
                      file_.Map(entry.offset, entry.bytes));
  // Weights are never written; views carry no const.
  return SharedView(mapped, {const_cast<std::byte*>(mapped.get()), entry.bytes, {}});
}

Status SidecarWriter::Commit() {
  WB_RETURN_IF_ERROR(PadTo(EntryAlign()));
  const std::string index = EncodeSidecarIndex(entries_);
  head_.index_offset = file_.size();
  head_.index_bytes = index.size();
  WB_RETURN_IF_ERROR(file_.Write(std::as_bytes(std::span(index))));
  head_.file_bytes = file_.size();
  const SidecarHead sealed = SealSidecarHead(head_, index);
  WB_RETURN_IF_ERROR(file_.WriteAt(0, std::as_bytes(std::span(&sealed, 1))));
  return file_.Commit();
}

}  // namespace waybill
