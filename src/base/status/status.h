// Errors are values: a code, a message, and the chain of context added on the way up.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/format.h"

namespace waybill {

// What went wrong, as a decision a caller can make. The C ABI maps each to one OrtErrorCode.
enum class Code : int {
  kOk = 0,
  kFail,             // a run or a load failed for a reason its message names
  kInvalidArgument,  // the caller's argument, shape, type or option is wrong
  kNoSuchFile,       // a file that the caller named cannot be opened
  kInvalidProtobuf,  // bytes are not a well-formed ONNX message
  kInvalidGraph,     // a well-formed message that is no valid model
  kNotImplemented,   // valid, but this build has no kernel or function for it
  kOutOfMemory,      // the system or a budget refused bytes; the message names both
  kCancelled,        // the caller asked to stop
  kNotFound,         // a named thing does not exist
  kInternal,         // an invariant of this library is broken: a bug to report
};

// Short, stable name of a code, e.g. "InvalidArgument".
std::string_view CodeName(Code code);

// The result of an operation without a value. Ok costs one null pointer; an error owns its text.
// Not thread-safe for concurrent mutation; copies are deep.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  ~Status() = default;

  static Status Ok() { return {}; }

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ ? rep_->code : Code::kOk; }

  // Message with its context, innermost first: "asked 8 bytes | node /l1 (MatMul) | run 17".
  const std::string& message() const;

  // "InvalidArgument: message | context".
  std::string ToString() const;

  // Adds one link of context to an error; does nothing on Ok.
  Status&& With(std::string_view context) &&;
  template <typename... Args>
  requires(sizeof...(Args) > 0) Status && With(std::string_view pattern, const Args&... args) && {
    if (ok()) return std::move(*this);
    return std::move(*this).With(std::string_view(Format(pattern, args...)));
  }

 private:
  struct Rep {
    Code code;
    std::string message;
  };
  std::unique_ptr<Rep> rep_;
};

// Builds an error with a formatted message: Error(Code::kInvalidArgument, "axis {} of rank {}", a,
// r).
template <typename... Args>
Status Error(Code code, std::string_view pattern, const Args&... args) {
  return Status(code, Format(pattern, args...));
}

// For the macros below: hands a local status on.
inline Status&& PassOn(Status& status) { return std::move(status); }

}  // namespace waybill

// Returns from the enclosing function when `expr` is an error. A second argument list adds context:
//   WB_RETURN_IF_ERROR(kernel.Run(ctx), "node {} ({})", node.name, node.op_type);
#define WB_RETURN_IF_ERROR(expr, ...)                                         \
  do {                                                                        \
    if (::waybill::Status wb_status_ = (expr); !wb_status_.ok()) [[unlikely]] \
      return ::waybill::PassOn(wb_status_) __VA_OPT__(.With(__VA_ARGS__));    \
  } while (false)

#define WB_CONCAT_INNER_(a, b) a##b
#define WB_CONCAT_(a, b) WB_CONCAT_INNER_(a, b)

// Declares `lhs` from a Result, or returns its error (with optional context).
#define WB_ASSIGN_OR_RETURN(lhs, expr, ...) \
  WB_ASSIGN_OR_RETURN_IMPL_(WB_CONCAT_(wb_result_, __LINE__), lhs, expr __VA_OPT__(, ) __VA_ARGS__)
#define WB_ASSIGN_OR_RETURN_IMPL_(tmp, lhs, expr, ...)             \
  auto tmp = (expr);                                               \
  if (!tmp.ok()) [[unlikely]]                                      \
    return std::move(tmp).status() __VA_OPT__(.With(__VA_ARGS__)); \
  lhs = std::move(tmp).value()
