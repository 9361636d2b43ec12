// Cursor walks the fields of one protobuf message and checks everything that the bytes claim.
//
//   Status ReadPoint(Cursor& in, Point& out) {
//     while (in.Next()) {
//       switch (in.field()) {
//         case 1: in.Int("x", out.x); break;
//         case 2: in.Message("next", "Point", ReadPoint, out.next.emplace_back()); break;
//         default: in.Skip();
//       }
//     }
//     return in.TakeStatus();
//   }
//
// The first error sticks: later calls do nothing and Next() ends the loop. Errors are
// kInvalidProtobuf and name message, field and byte offset in the file. Singular fields may come
// several times: the last scalar wins, messages merge because they are read into the same object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status/status.h"
#include "onnx/wire/encoder.h"
#include "onnx/wire/field_list.h"

namespace waybill::onnx {

// Messages inside messages, the outermost not counted.
inline constexpr int kMaxDepth = 100;
// Memory that the views of one file may take: a base, and so many times the size of the file. Real
// models stay far below; it bounds what a file of tiny messages can make a reader use.
inline constexpr uint64_t kViewBytesBase = uint64_t{4} << 20;
inline constexpr uint64_t kViewBytesPerFileByte = 24;

class Cursor {
 public:
  // What all cursors of one file share.
  struct Shared {
    explicit Shared(std::string_view file)
        : file_begin(file.data()),
          view_bytes_left(kViewBytesBase + kViewBytesPerFileByte * file.size()) {}
    const char* file_begin;
    uint64_t view_bytes_left;
  };

  // `message` is the whole outermost message; `type` its name, static. Both and `shared` outlive
  // it.
  Cursor(std::string_view message, const char* type, Shared& shared)
      : Cursor(message, type, shared, 0) {}

  // Moves to the next field; false at the end and after an error.
  bool Next();
  // Number of the current field.
  uint32_t field() const { return field_; }
  // Passes over the current field, whatever it is.
  void Skip();

  // Singular scalars. Int32 keeps the low 32 bits, as protobuf does.
  void Int(const char* name, int64_t& out);
  void Int32(const char* name, int32_t& out);
  void Float(const char* name, float& out);
  void String(const char* name, std::string_view& out);

  // One more string of a repeated field.
  void String(const char* name, std::vector<std::string_view>& out);
  // One more element or packed chunk of a repeated field.
  template <typename T>
  void List(const char* name, FieldList<T>& out);
  // The same into a vector, which may grow to `limit` elements.
  void Ints(const char* name, std::vector<int64_t>& out, size_t limit);

  // A sub-message of type `type`, read by `read` into `out`.
  template <typename View>
  void Message(const char* name, const char* type, Status (*read)(Cursor&, View&), View& out) {
    std::string_view body;
    const uint64_t start = offset();
    if (!Enter(name, sizeof(View), body)) return;
    Cursor inner(body, type, *shared_, depth_ + 1);
    Leave(name, start, read(inner, out));
  }

  // Makes `status`, if an error, the cursor's own.
  void Fail(Status status);
  Status TakeStatus() { return std::move(status_); }
  // Offset of the current field in the file.
  uint64_t offset() const { return static_cast<uint64_t>(field_start_ - shared_->file_begin); }

 private:
  Cursor(std::string_view message, const char* type, Shared& shared, int depth)
      : position_(message.data()),
        end_(message.data() + message.size()),
        field_start_(message.data()),
        type_(type),
        shared_(&shared),
        depth_(depth) {}

  bool Expect(const char* name, WireType wire);
  void FailAt(const char* name, std::string_view text);
  bool Enter(const char* name, size_t view_bytes, std::string_view& body);
  void Leave(const char* name, uint64_t start, Status status);
  // Reads the current length-delimited field.
  bool Delimited(const char* name, std::string_view& out);
  void SkipValue(const char* name);
  bool Varint(const char* name, uint64_t& out);
  template <typename T>
  bool Fixed(const char* name, T& out);

  const char* position_;
  const char* end_;
  const char* field_start_;
  const char* type_;
  Shared* shared_;
  int depth_;
  uint32_t field_ = 0;
  WireType wire_ = WireType::kVarint;
  Status status_;
};

}  // namespace waybill::onnx
