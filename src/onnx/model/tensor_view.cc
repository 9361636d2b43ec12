#include "onnx/model/tensor_view.h"

#include <algorithm>
#include <cstring>

namespace waybill::onnx {
namespace {

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// The low `width` bytes of each entry, back to back.
template <typename T>
void Pack(const FieldList<T>& values, size_t width, std::byte* out) {
  for (const T value : values) {
    std::memcpy(out, &value, width);
    out += width;
  }
}

void DecodeTyped(const TensorProtoView& tensor, std::byte* out) {
  switch (tensor.data_type) {
    case kFloat:
    case kComplex64:
      return Pack(tensor.float_data, sizeof(float), out);
    case kDouble:
    case kComplex128:
      return Pack(tensor.double_data, sizeof(double), out);
    case kInt64:
      return Pack(tensor.int64_data, sizeof(int64_t), out);
    case kUint32:
      return Pack(tensor.uint64_data, sizeof(uint32_t), out);
    case kUint64:
      return Pack(tensor.uint64_data, sizeof(uint64_t), out);
    case kBool:
      for (const int32_t value : tensor.int32_data) *out++ = std::byte{value != 0};
      return;
    default:
      break;
  }
  Pack(tensor.int32_data, std::max<size_t>(DataTypeBits(tensor.data_type) / 8, 1), out);
}

}  // namespace

bool AreBools(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b <= std::byte{1}; });
}

std::optional<std::span<const std::byte>> TensorProtoView::Direct() const {
  switch (payload) {
    case Payload::kNone:
      if (data_type == kString) return std::nullopt;
      return std::span<const std::byte>();
    case Payload::kRaw: {
      const auto direct = AsBytes(raw_data).first(bytes);
      if (data_type == kBool && !AreBools(direct)) return std::nullopt;
      return direct;
    }
    case Payload::kTyped:
      if (data_type == kFloat || data_type == kComplex64) return float_data.Contiguous();
      if (data_type == kDouble || data_type == kComplex128) return double_data.Contiguous();
      return std::nullopt;
    case Payload::kStrings:
    case Payload::kExternal:
      break;
  }
  return std::nullopt;
}

Status TensorProtoView::DecodeInto(std::span<std::byte> out) const {
  if (out.size() != bytes) {
    return Error(Code::kInvalidArgument, "{} takes {} bytes, the destination has {}", Describe(),
                 bytes, out.size());
  }
  if (payload == Payload::kStrings || payload == Payload::kExternal || data_type == kString) {
    return Error(Code::kInvalidArgument, "{} holds {}, which can not be decoded from the model",
                 Describe(), payload == Payload::kExternal ? "external data" : "strings");
  }
  if (bytes == 0) return Status::Ok();
  if (const auto direct = Direct()) {
    std::memcpy(out.data(), direct->data(), bytes);
  } else if (payload == Payload::kRaw) {
    for (size_t i = 0; i < bytes; ++i) out[i] = std::byte{raw_data[i] != 0};
  } else {
    DecodeTyped(*this, out.data());
  }
  return Status::Ok();
}

std::string TensorProtoView::Describe() const {
  return Format("tensor '{}' {} {}", name, DescribeDataType(data_type), dims);
}

}  // namespace waybill::onnx
