#include "graph/export/initializers.h"

#include <algorithm>
#include <memory>

#include "graph/export/types.h"
#include "memory/source/system_source.h"

namespace waybill::graph::exporting {

namespace {

constexpr uint32_t kInitializerField = 5;  // of GraphProto
constexpr uint32_t kRawDataField = 9;      // of TensorProto
constexpr uint64_t kExternalAlign = 64;    // so that mapped bytes can be used where they lie
constexpr size_t kBlockBytes = size_t{32} << 10;

uint64_t DenseBytes(const Constant& constant) {
  return *DTypeBytes(constant.dtype(), static_cast<size_t>(constant.shape().elems()));
}

Status WriteContent(const Constant& constant, const ByteSink& sink) {
  const TensorView& view = constant.tensor().view();
  if (constant.rows() != nullptr) {
    Status written;
    WB_RETURN_IF_ERROR(constant.ForEachBlock(1, std::make_shared<SystemSource>(),
                                             [&](int64_t, const TensorView& rows) {
                                               if (written.ok())
                                                 written = sink({rows.data, rows.bytes()});
                                             }));
    return written;
  }
  if (!constant.is_splat()) return sink({view.data, view.bytes()});
  const uint64_t bytes = DenseBytes(constant);
  std::vector<std::byte> block;
  while (block.size() < std::min<uint64_t>(bytes, kBlockBytes)) {
    block.insert(block.end(), view.data, view.data + view.bytes());
  }
  for (uint64_t done = 0; done < bytes;) {
    const auto step = static_cast<size_t>(std::min<uint64_t>(block.size(), bytes - done));
    WB_RETURN_IF_ERROR(sink({block.data(), step}));
    done += step;
  }
  return Status::Ok();
}

}  // namespace

Result<uint64_t> InitializerFields::WriteExternal(const Constant& constant, uint64_t bytes) {
  const std::pair<const void*, uint64_t> key{AddressOf(constant), bytes};
  if (!constant.is_splat()) {
    if (const auto known = offsets_.find(key); known != offsets_.end()) return known->second;
  }
  const std::byte zeros[kExternalAlign] = {};
  const uint64_t gap = (kExternalAlign - external_size_ % kExternalAlign) % kExternalAlign;
  WB_RETURN_IF_ERROR(options_.external({zeros, static_cast<size_t>(gap)}));
  const uint64_t offset = external_size_ + gap;
  WB_RETURN_IF_ERROR(WriteContent(constant, options_.external));
  external_size_ = offset + bytes;
  if (!constant.is_splat()) offsets_.emplace(key, offset);
  return offset;
}

Status InitializerFields::Add(const std::string& name, const Constant& constant) {
  onnx::TensorWriter tensor = TensorHead(name, constant.dtype(), constant.shape());
  Field field;
  uint64_t content_bytes = 0;
  if (constant.dtype() == DType::kString) {
    tensor = ExportConstant(name, constant);
  } else {
    const uint64_t bytes = DenseBytes(constant);
    if (options_.external && bytes > 0 && bytes >= options_.external_min_bytes) {
      WB_ASSIGN_OR_RETURN(const uint64_t offset, WriteExternal(constant, bytes));
      tensor.External(options_.external_location, static_cast<int64_t>(offset),
                      static_cast<int64_t>(bytes));
    } else {
      tensor.encoder().Tag(kRawDataField, onnx::WireType::kLength);
      tensor.encoder().RawVarint(bytes);
      field.content = &constant;
      content_bytes = bytes;
    }
  }
  onnx::Encoder head;
  head.Tag(kInitializerField, onnx::WireType::kLength);
  head.RawVarint(tensor.bytes().size() + content_bytes);
  head.RawBytes(tensor.bytes());
  field.head = std::move(head).bytes();
  size_ += field.head.size() + content_bytes;
  fields_.push_back(std::move(field));
  return Status::Ok();
}

Status InitializerFields::Write(const ByteSink& sink) const {
  for (const Field& field : fields_) {
    WB_RETURN_IF_ERROR(sink(std::as_bytes(std::span(field.head))));
    if (field.content != nullptr) WB_RETURN_IF_ERROR(WriteContent(*field.content, sink));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::exporting
