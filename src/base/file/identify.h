// Which file is at a path, without opening it.
#pragma once

#include <optional>
#include <string>

#include "base/file/file_bytes.h"

namespace waybill {

// The identity that FileBytes::Open would give now, links followed. Nothing when there is no
// regular file.
std::optional<FileIdentity> IdentifyFile(const std::string& path);

}  // namespace waybill
