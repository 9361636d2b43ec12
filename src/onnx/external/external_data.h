// ExternalData gives the bytes of external tensors: from files beside the model, each opened once,
// or from buffers that the caller names.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/file/file_bytes.h"
#include "base/status/result.h"
#include "onnx/model/model_file.h"
#include "onnx/model/tensor_view.h"

namespace waybill::onnx {

// A range of bytes and a share in what keeps it valid (null: the caller does). A mapping promises
// no alignment: offsets in real files are arbitrary.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// One for each model that is loaded. Not thread-safe; the bytes that it gave out are immutable and
// outlive it.
class ExternalData {
 public:
  struct Options {
    // Folder that locations are relative to. Empty: the model file's own; a model from memory then
    // has none, and its external data must be buffers.
    std::string base_dir;
    // Contents by location, exactly as the model spells it. Looked at before any file; an empty
    // base_dir of a model from memory allows nothing else.
    std::map<std::string, SharedBytes, std::less<>> buffers;
    FileAccess access = FileAccess::kMap;
    TakeBytes take;  // for bytes that can not stay in a mapping; empty: the heap
  };

  ExternalData(const ModelFile& model, Options options);

  // The elements of an external tensor, `tensor.bytes` long, in the raw layout.
  // Errors: kInvalidGraph for a location, offset or length that is not allowed or does not fit
  // the file or the tensor; kNoSuchFile when the file can not be opened. Tensor and path are named.
  Result<SharedBytes> Resolve(const TensorProtoView& tensor);

  // The files read so far, by location.
  const std::map<std::string, FileBytes, std::less<>>& files() const { return files_; }
  // The folder of the real model file, where its path is a link: data may lie there too.
  const std::string& linked_folder() const { return linked_folder_; }

 private:
  Result<SharedBytes> Contents(std::string_view location);

  Options options_;
  std::string linked_folder_;  // of the real model file, where the model's path is a link
  bool has_folder_ = false;
  std::map<std::string, FileBytes, std::less<>> files_;  // by location
};

}  // namespace waybill::onnx
