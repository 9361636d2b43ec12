// JsonWriter: JSON text, written from front to back.
//
//   JsonWriter json;
//   json.BeginObject();
//   json.Field("name", node.name);
//   json.Key("inputs").BeginArray();
//   for (...) json.Value(input.name);
//   json.EndArray();
//   json.EndObject();
//   return json.Take();
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace waybill {

// Commas are set by the writer; that Begin and End match and that values in objects have keys is
// the caller's part. Bytes that are no UTF-8 are replaced by U+FFFD, numbers that JSON has no text
// for (infinities, NaN) become null.
class JsonWriter {
 public:
  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();
  JsonWriter& Key(std::string_view key);

  JsonWriter& Value(std::string_view text);
  JsonWriter& Value(const char* text) { return Value(std::string_view(text)); }
  JsonWriter& Value(const std::string& text) { return Value(std::string_view(text)); }
  JsonWriter& Value(bool value);
  JsonWriter& Value(double value);
  template <std::signed_integral T>
  JsonWriter& Value(T value) {
    return Signed(value);
  }
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) JsonWriter& Value(T value) { return Unsigned(value); }
  JsonWriter& Null();
  // JSON text that is inserted as it is.
  JsonWriter& Raw(std::string_view json);

  // Key and value at once.
  template <typename T>
  JsonWriter& Field(std::string_view key, const T& value) {
    return Key(key).Value(value);
  }

  const std::string& text() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  JsonWriter& Signed(int64_t value);
  JsonWriter& Unsigned(uint64_t value);
  void Comma();
  void Quote(std::string_view text);

  std::string out_;
  // Per open object or array: whether something is in it already.
  std::vector<bool> used_;
  bool after_key_ = false;
};

}  // namespace waybill
