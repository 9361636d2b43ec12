// SidecarWriter: writes a file of packed weights, entry by entry, and gives their bytes back as
// pages of it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file/new_file.h"
#include "base/status/result.h"
#include "memory/buffer/view.h"
#include "memory/weights/sidecar_format.h"

namespace waybill {

// The file is at its path after Commit and not before. Not thread-safe.
class SidecarWriter {
 public:
  // `library`: as for SidecarMadeBy. Errors: those of NewFile::Create and Write.
  static Result<SidecarWriter> Create(const std::string& path, std::string_view library);

  // Writes the bytes of `entry`, whose StableHash it has already, and sets its place.
  // Errors: those of NewFile::Write; then nothing else is to be written.
  Status Append(SidecarEntry entry, std::span<const std::byte> bytes);
  // The bytes of the last entry, which must not be empty, as pages of the file; they stay valid
  // whatever becomes of it. Errors: those of NewFile::Map.
  Result<SharedView> MapLast();
  // Errors: those of NewFile.
  Status Commit();

 private:
  SidecarWriter(NewFile file, std::string_view library);
  Status PadTo(size_t align);

  NewFile file_;
  SidecarHead head_;
  std::vector<SidecarEntry> entries_;
};

}  // namespace waybill
