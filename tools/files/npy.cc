#include "tools/files/npy.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "tools/files/bytes.h"
#include "tools/values/elements.h"

namespace waybill::tools {
namespace {

const std::string kMagic("\x93NUMPY", 6);

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;
  size_t data_offset = 0;
};

// The text after `'key':` of the header's Python dictionary.
std::string Field(const std::string& dict, const std::string& key, const std::string& what) {
  const size_t at = dict.find("'" + key + "'");
  const size_t colon = at == std::string::npos ? at : dict.find(':', at);
  if (colon == std::string::npos) throw ToolError(what + ": the header has no '" + key + "'");
  return dict.substr(colon + 1);
}

std::vector<int64_t> ParseShape(const std::string& text, const std::string& what) {
  const size_t open = text.find('('), close = text.find(')');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    throw ToolError(what + ": the header's shape cannot be read");
  }
  std::vector<int64_t> shape;
  size_t at = open + 1;
  while (at < close) {
    if (text[at] < '0' || text[at] > '9') {
      ++at;
      continue;
    }
    int64_t value = 0;
    for (; at < close && text[at] >= '0' && text[at] <= '9'; ++at) {
      if (value > (std::numeric_limits<int64_t>::max() - 9) / 10) {
        throw ToolError(what + ": a dimension is too large");
      }
      value = value * 10 + (text[at] - '0');
    }
    shape.push_back(value);
  }
  return shape;
}

Header ParseHeader(const std::string& bytes, const std::string& what) {
  if (bytes.size() < 10 || bytes.compare(0, 6, kMagic) != 0) {
    throw ToolError(what + ": not a .npy file");
  }
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(bytes[i])); };
  const bool wide = byte(6) >= 2;
  const size_t start = wide ? 12 : 10;
  if (bytes.size() < start) throw ToolError(what + ": the header is cut short");
  size_t length = byte(8) | byte(9) << 8;
  if (wide) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - start) throw ToolError(what + ": the header is cut short");
  const std::string dict = bytes.substr(start, length);
  Header header;
  const std::string descr = Field(dict, "descr", what);
  const size_t quote = descr.find('\''), end = descr.find('\'', quote + 1);
  if (quote == std::string::npos || end == std::string::npos) {
    throw ToolError(what + ": structured arrays are not supported");
  }
  header.descr = descr.substr(quote + 1, end - quote - 1);
  const std::string fortran = Field(dict, "fortran_order", what);
  header.fortran = fortran.find("True") < fortran.find("False");
  header.shape = ParseShape(Field(dict, "shape", what), what);
  header.data_offset = start + length;
  return header;
}

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

Ort::Value ParseText(const Header& header, const std::string& bytes, const std::string& what) {
  const bool wide = header.descr[1] == 'U';
  const size_t width = std::stoul(header.descr.substr(2)) * (wide ? 4 : 1);
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
  const Header header = ParseHeader(bytes, what);
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
  std::string out = kMagic + std::string("\x01\x00", 2);
  out += static_cast<char>(dict.size() & 0xFF);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict + data;
}

}  // namespace waybill::tools
