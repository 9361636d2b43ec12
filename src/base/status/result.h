// A value or the Status that says why there is none.
#pragma once

#include <optional>
#include <utility>

#include "base/status/status.h"

namespace waybill {

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT: `return value;` must read as such
  Result(Status status) : status_(std::move(status)) {  // NOLINT: `return error;` likewise
    if (status_.ok()) status_ = Status(Code::kInternal, "a Result was made from an Ok status");
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status&& status() && { return std::move(status_); }

  // Only when ok().
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace waybill
