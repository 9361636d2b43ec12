// ModelFile: a model's bytes, whoever owns them, and the view over them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/file/file_bytes.h"
#include "base/status/result.h"
#include "onnx/model/model_view.h"

namespace waybill::onnx {

// Immutable; any thread may read. Whatever points into view() or bytes() must hold a share of the
// ModelFile.
class ModelFile {
 public:
  // Opens and reads the model at `path`; `take` serves FileAccess::kRead.
  // Errors: as FileBytes::Open and ReadModel, the path named.
  static Result<std::shared_ptr<const ModelFile>> Open(const std::string& path,
                                                       FileAccess access = FileAccess::kMap,
                                                       const TakeBytes& take = {});

  // A model in memory that `owner` keeps valid, or that the caller does for as long as the
  // ModelFile lives when `owner` is null. Not copied.
  static Result<std::shared_ptr<const ModelFile>> FromBytes(std::span<const std::byte> bytes,
                                                            std::shared_ptr<const void> owner);
  // A model in memory that may change or go after this call. Copied into a block from `take`.
  static Result<std::shared_ptr<const ModelFile>> FromCopy(std::span<const std::byte> bytes,
                                                           const TakeBytes& take = {});

  const ModelView& view() const { return view_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // Path as given to Open; empty for models from memory.
  const std::string& path() const { return path_; }
  // Set for models from files.
  const std::optional<FileIdentity>& identity() const { return identity_; }

 private:
  ModelFile() = default;
  Status Read();

  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
  std::string path_;
  std::optional<FileIdentity> identity_;
  ModelView view_;
};

}  // namespace waybill::onnx
