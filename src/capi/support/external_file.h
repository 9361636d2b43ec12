// External data files that are in memory.
#pragma once

#include <vector>

#include "base/status/status.h"
#include "session/options/options.h"

namespace waybill::capi {

using FileInMemory = session::SessionOptions::FileInMemory;

// Adds `file` to `files`. Errors: kInvalidArgument when one of its location is there.
Status AddExternalFile(std::vector<FileInMemory>& files, FileInMemory file);

}  // namespace waybill::capi
