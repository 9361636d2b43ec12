#include "base/status/status.h"

namespace waybill {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kOk:
      return "Ok";
    case Code::kFail:
      return "Fail";
    case Code::kInvalidArgument:
      return "InvalidArgument";
    case Code::kNoSuchFile:
      return "NoSuchFile";
    case Code::kInvalidProtobuf:
      return "InvalidProtobuf";
    case Code::kInvalidGraph:
      return "InvalidGraph";
    case Code::kNotImplemented:
      return "NotImplemented";
    case Code::kOutOfMemory:
      return "OutOfMemory";
    case Code::kCancelled:
      return "Cancelled";
    case Code::kNotFound:
      return "NotFound";
    case Code::kInternal:
      return "Internal";
  }
  return "Unknown";
}

Status::Status(Code code, std::string message) {
  if (code != Code::kOk) rep_ = std::make_unique<Rep>(Rep{code, std::move(message)});
}

Status::Status(const Status& other)
    : rep_(other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) rep_ = other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr;
  return *this;
}

const std::string& Status::message() const {
  static const std::string empty;
  return rep_ ? rep_->message : empty;
}

std::string Status::ToString() const {
  if (ok()) return "Ok";
  return Format("{}: {}", CodeName(code()), message());
}

Status&& Status::With(std::string_view context) && {
  if (rep_) {
    rep_->message += " | ";
    rep_->message += context;
  }
  return std::move(*this);
}

}  // namespace waybill
