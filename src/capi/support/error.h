// Status to OrtStatus, and the one wrapper that every function of the table runs in.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "base/status/status.h"
#include "onnxruntime_c_api.h"

namespace waybill::capi {

// A status the caller owns. Never fails: when there is no memory for it, the static out-of-memory
// status is returned.
OrtStatus* MakeStatus(OrtErrorCode code, std::string_view message) noexcept;
OrtStatus* NotImplemented(const char* function) noexcept;
OrtStatus* OutOfMemoryStatus() noexcept;

OrtErrorCode ToOrtCode(Code code);
// Null for Ok.
OrtStatus* ToOrtStatus(const Status& status) noexcept;

// Runs `body`, which returns a Status, and lets nothing but an OrtStatus* out.
template <typename Body>
OrtStatus* Guard(Body&& body) noexcept {
  try {
    return ToOrtStatus(std::forward<Body>(body)());
  } catch (const std::bad_alloc&) {
    return OutOfMemoryStatus();
  } catch (const std::exception& error) {
    return MakeStatus(ORT_RUNTIME_EXCEPTION, error.what());
  } catch (...) {
    return MakeStatus(ORT_RUNTIME_EXCEPTION, "unknown exception");
  }
}

}  // namespace waybill::capi

// Inside a Guard body: returns an error that names the argument when it is NULL.
#define WB_NOT_NULL(argument)                                                             \
  do {                                                                                    \
    if ((argument) == nullptr)                                                            \
      return ::waybill::Error(::waybill::Code::kInvalidArgument, "argument '{}' is NULL", \
                              #argument);                                                 \
  } while (false)
