#include "onnx/wire/cursor.h"

#include <concepts>
#include <cstring>

#include "onnx/wire/varint.h"

namespace waybill::onnx {
namespace {

// Levels that add themselves to an error; what lies deeper is found by its offset.
constexpr int kContextDepth = 12;
constexpr uint64_t kMaxLength = (uint64_t{1} << 32) - 1;

const char* WireName(WireType wire) {
  switch (wire) {
    case WireType::kVarint:
      return "varint";
    case WireType::kFixed64:
      return "64-bit";
    case WireType::kLength:
      return "length-delimited";
    case WireType::kGroup:
      return "group";
    case WireType::kGroupEnd:
      return "end of group";
    case WireType::kFixed32:
      return "32-bit";
  }
  return "unknown";
}

// Wire type of one element of T when it is not packed.
template <typename T>
constexpr WireType WireOf() {
  if constexpr (std::integral<T>)
    return WireType::kVarint;
  else if constexpr (std::same_as<T, float>)
    return WireType::kFixed32;
  else if constexpr (std::same_as<T, double>)
    return WireType::kFixed64;
  else
    return WireType::kLength;
}

}  // namespace

void Cursor::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
  position_ = end_;
}

void Cursor::FailAt(const char* name, std::string_view text) {
  Fail(Error(Code::kInvalidProtobuf, "{}.{}: {}, at byte {}", type_, name, text, offset()));
}

bool Cursor::Next() {
  if (!status_.ok() || position_ == end_) return false;
  field_start_ = position_;
  // Looked at before protozero does, which keeps only 32 bits of a tag and calls all of these one
  // error.
  const char* peek = position_;
  const auto tag = DecodeVarint(&peek, end_);
  if (!tag) return FailAt("(tag)", "the tag of a field is cut off or too long"), false;
  const uint64_t number = *tag >> 3;
  const uint64_t wire = *tag & 7;
  if (number == 0 || number > 0x1fffffff || (number >= 19000 && number <= 19999)) {
    return FailAt("(tag)", Format("{} is no valid field number", number)), false;
  }
  if (wire == 3 || wire == 4) {
    return FailAt("(tag)", Format("field {} is a group, which ONNX does not have", number)), false;
  }
  if (wire > 5) {
    return FailAt("(tag)", Format("field {} has the unknown wire type {}", number, wire)), false;
  }
  field_ = static_cast<uint32_t>(number);
  wire_ = static_cast<WireType>(wire);
  position_ = peek;
  return true;
}

bool Cursor::Expect(const char* name, WireType wire) {
  if (!status_.ok()) return false;
  if (wire_ == wire) return true;
  FailAt(name, Format("wire type {} where {} belongs", WireName(wire_), WireName(wire)));
  return false;
}

bool Cursor::Varint(const char* name, uint64_t& out) {
  const auto value = DecodeVarint(&position_, end_);
  if (!value) return FailAt(name, "a varint is cut off or longer than ten bytes"), false;
  out = *value;
  return true;
}

bool Cursor::Delimited(const char* name, std::string_view& out) {
  uint64_t length = 0;
  if (!Varint(name, length)) return false;
  const auto left = static_cast<uint64_t>(end_ - position_);
  if (length > kMaxLength) {
    return FailAt(name, Format("length {} is 4 GiB or more", length)), false;
  }
  if (length > left) {
    return FailAt(name, Format("length {} runs past the end, {} bytes are left", length, left)),
           false;
  }
  out = std::string_view(position_, length);
  position_ += length;
  return true;
}

template <typename T>
bool Cursor::Fixed(const char* name, T& out) {
  if (static_cast<size_t>(end_ - position_) < sizeof(T)) {
    return FailAt(name, Format("{} bytes are needed, {} are left", sizeof(T), end_ - position_)),
           false;
  }
  std::memcpy(&out, position_, sizeof(T));
  position_ += sizeof(T);
  return true;
}

void Cursor::SkipValue(const char* name) {
  uint64_t number = 0;
  uint32_t fixed32 = 0;
  std::string_view bytes;
  switch (wire_) {
    case WireType::kVarint:
      (void)Varint(name, number);
      break;
    case WireType::kFixed64:
      (void)Fixed(name, number);
      break;
    case WireType::kFixed32:
      (void)Fixed(name, fixed32);
      break;
    default:
      (void)Delimited(name, bytes);
      break;
  }
}

void Cursor::Skip() {
  if (status_.ok()) SkipValue("(unknown field)");
}

void Cursor::Int(const char* name, int64_t& out) {
  uint64_t value = 0;
  if (Expect(name, WireType::kVarint) && Varint(name, value)) out = static_cast<int64_t>(value);
}

void Cursor::Int32(const char* name, int32_t& out) {
  uint64_t value = 0;
  if (Expect(name, WireType::kVarint) && Varint(name, value)) out = static_cast<int32_t>(value);
}

void Cursor::Float(const char* name, float& out) {
  if (Expect(name, WireType::kFixed32)) (void)Fixed(name, out);
}

void Cursor::String(const char* name, std::string_view& out) {
  if (Expect(name, WireType::kLength)) (void)Delimited(name, out);
}

void Cursor::String(const char* name, std::vector<std::string_view>& out) {
  std::string_view value;
  if (Expect(name, WireType::kLength) && Delimited(name, value)) out.push_back(value);
}

template <typename T>
void Cursor::List(const char* name, FieldList<T>& out) {
  if (!status_.ok()) return;
  if constexpr (!std::same_as<T, std::string_view>) {
    if (wire_ == WireType::kLength) {
      std::string_view chunk;
      if (!Delimited(name, chunk)) return;
      size_t count = 0;
      if constexpr (std::integral<T>) {
        const auto counted = CountVarints(chunk.data(), chunk.data() + chunk.size());
        if (!counted) return FailAt(name, "a packed varint is cut off or longer than ten bytes");
        count = *counted;
      } else {
        if (chunk.size() % sizeof(T) != 0) {
          return FailAt(name, Format("a packed chunk of {} bytes is no whole number of {}-byte "
                                     "values",
                                     chunk.size(), sizeof(T)));
        }
        count = chunk.size() / sizeof(T);
      }
      return out.Append({chunk.data(), chunk.size(), true}, count);
    }
  }
  if (!Expect(name, WireOf<T>())) return;
  const char* const start = field_start_;
  SkipValue(name);
  if (!status_.ok()) return;
  out.Append({start, static_cast<size_t>(position_ - start), false}, 1);
}

template void Cursor::List(const char*, FieldList<int32_t>&);
template void Cursor::List(const char*, FieldList<int64_t>&);
template void Cursor::List(const char*, FieldList<uint64_t>&);
template void Cursor::List(const char*, FieldList<float>&);
template void Cursor::List(const char*, FieldList<double>&);
template void Cursor::List(const char*, FieldList<std::string_view>&);

void Cursor::Ints(const char* name, std::vector<int64_t>& out, size_t limit) {
  FieldList<int64_t> values;
  List(name, values);
  if (!status_.ok()) return;
  if (values.size() > limit - out.size()) {
    return FailAt(name, Format("more than {} values", limit));
  }
  for (const int64_t value : values) out.push_back(value);
}

bool Cursor::Enter(const char* name, size_t view_bytes, std::string_view& body) {
  if (!Expect(name, WireType::kLength)) return false;
  if (depth_ >= kMaxDepth) {
    return FailAt(name, Format("messages nest deeper than {}", kMaxDepth)), false;
  }
  if (view_bytes > shared_->view_bytes_left) {
    return FailAt(name, "the file holds too many messages for its size"), false;
  }
  shared_->view_bytes_left -= view_bytes;
  return Delimited(name, body);
}

void Cursor::Leave(const char* name, uint64_t start, Status status) {
  if (status.ok()) return;
  if (depth_ >= kContextDepth) return Fail(std::move(status));
  Fail(std::move(status).With("in {}.{} at byte {}", type_, name, start));
}

}  // namespace waybill::onnx
