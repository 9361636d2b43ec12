#include "onnx/model/model_file.h"

#include <cstring>

namespace waybill::onnx {

using SharedModel = std::shared_ptr<const ModelFile>;

Status ModelFile::Read() {
  WB_ASSIGN_OR_RETURN(view_, ReadModel(bytes_));
  return Status::Ok();
}

Result<SharedModel> ModelFile::Open(const std::string& path, FileAccess access,
                                    const TakeBytes& take) {
  WB_ASSIGN_OR_RETURN(const FileBytes file, FileBytes::Open(path, access, true, take));
  std::shared_ptr<ModelFile> out(new ModelFile);
  out->owner_ = file.owner();
  out->bytes_ = file.bytes();
  out->path_ = path;
  out->identity_ = file.identity();
  WB_RETURN_IF_ERROR(out->Read(), "model {}", path);
  return SharedModel(std::move(out));
}

Result<SharedModel> ModelFile::FromBytes(std::span<const std::byte> bytes,
                                         std::shared_ptr<const void> owner) {
  std::shared_ptr<ModelFile> out(new ModelFile);
  out->owner_ = std::move(owner);
  out->bytes_ = bytes;
  WB_RETURN_IF_ERROR(out->Read(), "model from memory");
  return SharedModel(std::move(out));
}

Result<SharedModel> ModelFile::FromCopy(std::span<const std::byte> bytes, const TakeBytes& take) {
  if (bytes.empty()) return FromBytes(bytes, nullptr);
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<std::byte> copy, TakeBlock(take, bytes.size()),
                      "a copy of the model");
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  return FromBytes({copy.get(), bytes.size()}, copy);
}

}  // namespace waybill::onnx
