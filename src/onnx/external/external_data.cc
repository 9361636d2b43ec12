#include "onnx/external/external_data.h"

#include <filesystem>

#include "onnx/external/location.h"

namespace waybill::onnx {
namespace {

// A copy in which every byte but 0 is 1.
Result<SharedBytes> Booleans(std::span<const std::byte> bytes, const TakeBytes& take) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<std::byte> copy, TakeBlock(take, bytes.size()));
  for (size_t i = 0; i < bytes.size(); ++i) copy.get()[i] = std::byte{bytes[i] != std::byte{0}};
  return SharedBytes{{copy.get(), bytes.size()}, copy};
}

}  // namespace

ExternalData::ExternalData(const ModelFile& model, Options options)
    : options_(std::move(options)), linked_folder_(LinkedFolder(model)) {
  has_folder_ = !model.path().empty() || !options_.base_dir.empty();
  if (options_.base_dir.empty()) {
    options_.base_dir = std::filesystem::path(model.path()).parent_path().string();
  }
}

Result<SharedBytes> ExternalData::Contents(std::string_view location) {
  if (const auto buffer = options_.buffers.find(location); buffer != options_.buffers.end()) {
    return buffer->second;
  }
  WB_RETURN_IF_ERROR(CheckLocationText(location));
  if (!has_folder_) {
    return Error(Code::kInvalidGraph,
                 "external data '{}' of a model from memory: neither a buffer of that name nor a "
                 "folder was given",
                 location);
  }
  auto file = files_.find(location);
  if (file == files_.end()) {
    WB_ASSIGN_OR_RETURN(const std::string path,
                        ResolveLocation(options_.base_dir, linked_folder_, location));
    // The path has no links: when it has some now, the folders are no longer those that were
    // allowed.
    WB_ASSIGN_OR_RETURN(FileBytes opened,
                        FileBytes::Open(path, options_.access, false, options_.take),
                        "external data '{}'", location);
    for (const auto& [other, known] : files_) {  // another spelling of an open file
      if (known.identity() == opened.identity()) opened = known;
    }
    file = files_.emplace(location, std::move(opened)).first;
  }
  return SharedBytes{file->second.bytes(), file->second.owner()};
}

Result<SharedBytes> ExternalData::Resolve(const TensorProtoView& tensor) {
  WB_ASSIGN_OR_RETURN(const ExternalLocation where, ParseExternalLocation(tensor));
  if (where.length && *where.length != tensor.bytes) {
    return Error(Code::kInvalidGraph, "{} needs {} bytes, but its external data '{}' has length {}",
                 tensor.Describe(), tensor.bytes, where.location, *where.length);
  }
  WB_ASSIGN_OR_RETURN(SharedBytes contents, Contents(where.location), "{}", tensor.Describe());
  const uint64_t size = contents.bytes.size();
  if (where.offset > size || tensor.bytes > size - where.offset) {
    return Error(Code::kInvalidGraph,
                 "{} needs {} bytes at offset {} of its external data '{}', which has {}",
                 tensor.Describe(), tensor.bytes, where.offset, where.location, size);
  }
  contents.bytes = contents.bytes.subspan(where.offset, tensor.bytes);
  if (tensor.data_type == kBool && !AreBools(contents.bytes)) {
    return Booleans(contents.bytes, options_.take);
  }
  return contents;
}

}  // namespace waybill::onnx
