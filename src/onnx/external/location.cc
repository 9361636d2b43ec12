#include "onnx/external/location.h"

#include <sys/stat.h>

#include <charconv>
#include <filesystem>
#include <system_error>

namespace waybill::onnx {
namespace {

namespace fs = std::filesystem;

Result<uint64_t> ParseNumber(const TensorProtoView& tensor, const StringEntry& entry) {
  uint64_t value = 0;
  const char* const end = entry.value.data() + entry.value.size();
  const auto [stop, error] = std::from_chars(entry.value.data(), end, value);
  if (error != std::errc() || stop != end) {
    return Error(Code::kInvalidGraph, "{}: the external data's {} '{}' is no number of bytes",
                 tensor.Describe(), entry.key, entry.value);
  }
  return value;
}

bool LeavesThroughParent(const fs::path& path) {
  for (const fs::path& part : path.lexically_normal()) {
    if (part == "..") return true;
  }
  return false;
}

// True when `file` lies below `folder`; both canonical.
bool LiesBelow(const fs::path& file, const fs::path& folder) {
  auto part = file.begin();
  for (const fs::path& expected : folder) {
    if (expected.empty()) continue;  // a trailing slash
    if (part == file.end() || *part != expected) return false;
    ++part;
  }
  return part != file.end();
}

}  // namespace

Result<ExternalLocation> ParseExternalLocation(const TensorProtoView& tensor) {
  if (tensor.payload != TensorProtoView::Payload::kExternal) {
    return Error(Code::kInvalidGraph, "{} is not external data", tensor.Describe());
  }
  ExternalLocation out;
  bool found = false;
  for (const StringEntry& entry : tensor.external_data) {
    if (entry.key == "location") {
      out.location = entry.value;
      found = true;
    } else if (entry.key == "offset") {
      WB_ASSIGN_OR_RETURN(out.offset, ParseNumber(tensor, entry));
    } else if (entry.key == "length") {
      WB_ASSIGN_OR_RETURN(out.length, ParseNumber(tensor, entry));
    }
  }
  if (!found) {
    return Error(Code::kInvalidGraph, "{} is external data without a location", tensor.Describe());
  }
  return out;
}

Status CheckLocationText(std::string_view location) {
  const auto refuse = [&](std::string_view why) {
    return Error(Code::kInvalidGraph, "external data location '{}' {}", location, why);
  };
  if (location.empty()) return refuse("is empty");
  if (location.find('\0') != std::string_view::npos) return refuse("contains a NUL");
  if (location[0] == '/' || location[0] == '\\') return refuse("is absolute");
  if (location.size() > 1 && location[1] == ':') return refuse("is absolute (a Windows drive)");
  const fs::path path(location);
  if (LeavesThroughParent(path)) return refuse("leaves the model's folder through '..'");
  return Status::Ok();
}

std::string LinkedFolder(const ModelFile& model) {
  std::error_code error;
  if (!model.identity() || !fs::is_symlink(fs::symlink_status(model.path(), error))) return {};
  const fs::path real = fs::canonical(model.path(), error);
  struct stat info {};
  if (error || lstat(real.c_str(), &info) != 0) return {};
  const bool same =
      info.st_dev == model.identity()->device && info.st_ino == model.identity()->inode;
  return same ? real.parent_path().string() : std::string();
}

Result<std::string> ResolveLocation(const std::string& base_dir, const std::string& linked_folder,
                                    std::string_view location) {
  WB_RETURN_IF_ERROR(CheckLocationText(location));
  std::error_code error;
  const fs::path base = fs::canonical(base_dir.empty() ? "." : base_dir, error);
  if (error) {
    return Error(Code::kNoSuchFile, "cannot resolve the external data folder {}: {}", base_dir,
                 error.message());
  }
  const fs::path file = fs::canonical(base / location, error);
  if (error) {
    return Error(Code::kNoSuchFile, "cannot open external data {}: {}", (base / location).string(),
                 error.message());
  }
  if (LiesBelow(file, base)) return file.string();
  if (!linked_folder.empty() && LiesBelow(file, linked_folder)) return file.string();
  return Error(Code::kInvalidGraph, "external data location '{}' leads to {}, outside of {}",
               location, file.string(), base.string());
}

}  // namespace waybill::onnx
