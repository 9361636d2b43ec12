#include "capi/support/external_file.h"

#include <utility>

namespace waybill::capi {

Status AddExternalFile(std::vector<FileInMemory>& files, FileInMemory file) {
  for (const FileInMemory& known : files) {
    if (known.location == file.location) {
      return Error(Code::kInvalidArgument, "file '{}' was added already", file.location);
    }
  }
  files.push_back(std::move(file));
  return Status::Ok();
}

}  // namespace waybill::capi
