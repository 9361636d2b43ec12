// Where a tensor's external data lies, as the model says it, and whether it may lie there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status/result.h"
#include "onnx/model/model_file.h"
#include "onnx/model/tensor_view.h"

namespace waybill::onnx {

// The external_data entries of one tensor. Keys other than these three are ignored.
struct ExternalLocation {
  std::string_view location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;  // nothing: up to the end of the file
};

// Errors: kInvalidGraph for a tensor that is not external, without a location, or with an offset or
// length that is no decimal number; the tensor is named.
Result<ExternalLocation> ParseExternalLocation(const TensorProtoView& tensor);

// Refuses, by text alone, locations that are empty, absolute, of Windows' kind, or that leave the
// folder through "..". Errors: kInvalidGraph, naming the location.
Status CheckLocationText(std::string_view location);

// The real folder of the model's file when the path it was opened by is a symbolic link that still
// leads to it; else empty. (Whoever may change that link must not choose a folder with it.)
std::string LinkedFolder(const ModelFile& model);

// The path, free of links, of the file that `location` means for a model in `base_dir`. It lies
// below the real base_dir or, where that is not empty, below `linked_folder` (as in the Hugging
// Face cache, whose models are links). That holds for the path as it is now: open it without
// following links. Errors: kInvalidGraph when it lies elsewhere, kNoSuchFile when it does not
// exist.
Result<std::string> ResolveLocation(const std::string& base_dir, const std::string& linked_folder,
                                    std::string_view location);

}  // namespace waybill::onnx
