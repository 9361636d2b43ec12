#include "tools/files/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "tools/files/bytes.h"
#include "tools/files/npy_header.h"
#include "tools/values/elements.h"

namespace waybill::tools {
namespace {

// Elements of `shape`, or an error when more than `limit`.
size_t CountOf(const std::vector<int64_t>& shape, size_t limit, const std::string& what) {
  size_t count = 1;
  for (const int64_t dim : shape) {
    const auto d = static_cast<size_t>(dim);
    if (d != 0 && count > limit / d) throw ToolError(what + ": the file is shorter than its shape");
    count *= d;
  }
  return count;
}

// Copies column-major elements to row-major order.
void FromFortran(const std::vector<int64_t>& shape, size_t width, const char* src, char* dst,
                 size_t count) {
  const size_t rank = shape.size();
  std::vector<int64_t> index(rank, 0);
  std::vector<size_t> stride(rank, 1);
  for (size_t i = 1; i < rank; ++i) stride[i] = stride[i - 1] * static_cast<size_t>(shape[i - 1]);
  for (size_t to = 0; to < count; ++to) {
    size_t from = 0;
    for (size_t i = 0; i < rank; ++i) from += static_cast<size_t>(index[i]) * stride[i];
    std::memcpy(dst + to * width, src + from * width, width);
    for (size_t i = rank; i-- > 0;) {
      if (++index[i] < shape[i]) break;
      index[i] = 0;
    }
  }
}

void AppendUtf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18 & 0x07));
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// Fixed-width text: 'U' is UTF-32, 'S' bytes; both padded with zeros.
std::string TextAt(const char* data, size_t width, bool wide) {
  std::string out;
  if (!wide) {
    out.assign(data, width);
    out.resize(out.find_last_not_of('\0') + 1);
    return out;
  }
  for (size_t i = 0; i + 4 <= width; i += 4) {
    uint32_t code;
    std::memcpy(&code, data + i, 4);
    if (code == 0) break;
    AppendUtf8(out, code);
  }
  return out;
}

Ort::Value NewTensor(const std::vector<int64_t>& shape, ONNXTensorElementDataType type) {
  Ort::AllocatorWithDefaultOptions allocator;
  return Ort::Value::CreateTensor(allocator, shape.data(), shape.size(), type);
}

Ort::Value ParseText(const NpyHeader& header, const std::string& bytes, const std::string& what) {
  const bool wide = header.descr[1] == 'U';
  size_t width = 0;
  const char* end = header.descr.data() + header.descr.size();
  const auto [stop, error] = std::from_chars(header.descr.data() + 2, end, width);
  if (error != std::errc() || stop != end || width > bytes.size()) {
    throw ToolError(what + ": element type '" + header.descr + "' is not supported");
  }
  if (wide) width *= 4;
  const size_t available = bytes.size() - header.data_offset;
  const size_t count = CountOf(header.shape, width == 0 ? available : available / width, what);
  std::string data(count * width, '\0');
  if (header.fortran) {
    FromFortran(header.shape, width, bytes.data() + header.data_offset, data.data(), count);
  } else {
    data.assign(bytes, header.data_offset, count * width);
  }
  Ort::Value value = NewTensor(header.shape, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  for (size_t i = 0; i < count; ++i) {
    value.FillStringTensorElement(TextAt(data.data() + i * width, width, wide).c_str(), i);
  }
  return value;
}

}  // namespace

Ort::Value ParseNpy(const std::string& bytes, const std::string& what) {
  const NpyHeader header = ParseNpyHeader(bytes, what);
  if (header.descr.size() < 2 || header.descr[0] == '>') {
    throw ToolError(what + ": element type '" + header.descr + "' is not supported");
  }
  if (header.descr[1] == 'U' || header.descr[1] == 'S') return ParseText(header, bytes, what);
  const ElementInfo* element = FindByNumpy(header.descr.substr(1));
  if (element == nullptr) {
    throw ToolError(what + ": element type '" + header.descr + "' is not supported");
  }
  const size_t width = element->bits / 8;
  const size_t count = CountOf(header.shape, (bytes.size() - header.data_offset) / width, what);
  Ort::Value value = NewTensor(header.shape, element->type);
  auto* to = static_cast<char*>(value.GetTensorMutableRawData());
  const char* from = bytes.data() + header.data_offset;
  if (header.fortran) {
    FromFortran(header.shape, width, from, to, count);
  } else if (count != 0) {
    std::memcpy(to, from, count * width);
  }
  return value;
}

std::string ToNpy(const Ort::Value& tensor) {
  const auto info = tensor.GetTensorTypeAndShapeInfo();
  const std::vector<int64_t> shape = info.GetShape();
  const size_t count = info.GetElementCount();
  const ElementInfo& element = InfoOf(info.GetElementType());
  std::string descr, data;
  if (element.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    size_t width = 1;
    std::vector<std::string> texts(count);
    for (size_t i = 0; i < count; ++i) {
      texts[i] = tensor.GetStringTensorElement(i);
      width = std::max(width, texts[i].size());
    }
    for (std::string& text : texts) data += text.append(width - text.size(), '\0');
    descr = "|S" + std::to_string(width);
  } else if (element.numpy[0] != '\0') {
    descr = (element.bits == 8 ? "|" : "<") + std::string(element.numpy);
    data.assign(static_cast<const char*>(tensor.GetTensorRawData()), count * element.bits / 8);
  } else {
    descr = "<f4";
    for (size_t i = 0; i < count; ++i) {
      const auto number = static_cast<float>(NumberAt(tensor, element.type, i));
      data.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
  }
  std::string dict = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (const int64_t dim : shape) dict += std::to_string(dim) + ",";
  dict += "), }";
  while ((10 + dict.size() + 1) % 64 != 0) dict += ' ';
  dict += '\n';
  std::string out = kNpyMagic + std::string("\x01\x00", 2);
  out += static_cast<char>(dict.size() & 0xFF);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict + data;
}

}  // namespace waybill::tools
