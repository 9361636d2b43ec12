// Encoder appends protobuf fields to a byte string. It writes what it is told to, so that tests can
// also make messages that no well-behaved writer would.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace waybill::onnx {

enum class WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kLength = 2,
  kGroup = 3,
  kGroupEnd = 4,
  kFixed32 = 5
};

class Encoder {
 public:
  const std::string& bytes() const& { return bytes_; }
  std::string bytes() && { return std::move(bytes_); }

  // Unframed pieces.
  void RawVarint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void RawBytes(std::string_view bytes) { bytes_ += bytes; }
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void RawFixed(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes_.append(raw, sizeof(T));
  }
  void Tag(uint32_t field, WireType type) {
    RawVarint(uint64_t{field} << 3 | static_cast<uint32_t>(type));
  }

  // One field each. Int also serves enums and int32: negative values take ten bytes, as protobuf's.
  void Int(uint32_t field, int64_t value) {
    Tag(field, WireType::kVarint);
    RawVarint(static_cast<uint64_t>(value));
  }
  void Float(uint32_t field, float value) {
    Tag(field, WireType::kFixed32);
    RawFixed(value);
  }
  void Double(uint32_t field, double value) {
    Tag(field, WireType::kFixed64);
    RawFixed(value);
  }
  // Strings, byte strings and serialized sub-messages.
  void Bytes(uint32_t field, std::string_view bytes) {
    Tag(field, WireType::kLength);
    RawVarint(bytes.size());
    bytes_ += bytes;
  }

  // A repeated numeric field as one packed chunk; integers as varints, floating point as fixed.
  template <typename T>
  void Packed(uint32_t field, std::span<const T> values) {
    Encoder chunk;
    for (const T value : values) chunk.Element(value);
    Bytes(field, chunk.bytes_);
  }
  // The same, one field per element.
  template <typename T>
  void Unpacked(uint32_t field, std::span<const T> values) {
    for (const T value : values) {
      Tag(field, std::integral<T> ? WireType::kVarint
                 : sizeof(T) == 4 ? WireType::kFixed32
                                  : WireType::kFixed64);
      Element(value);
    }
  }

 private:
  template <typename T>
  void Element(T value) {
    if constexpr (std::integral<T>) {
      RawVarint(static_cast<uint64_t>(value));  // sign-extends, as protobuf does
    } else {
      RawFixed(value);
    }
  }

  std::string bytes_;
};

}  // namespace waybill::onnx
