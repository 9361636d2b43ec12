// Work in a forked child, so that what it does to memory begins from nothing.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace waybill::bench {

// Does `work` in a child and returns its text; the words of the exception when one was thrown, or
// how the child died, are thrown as std::runtime_error. The caller has no other threads.
std::string InChild(const std::function<std::string()>& work);

// Calls of the operating system by name that `work` makes on its thread, once `prepare` is done;
// both in a child that this process traces. Nothing where tracing is not permitted.
std::optional<std::map<std::string, size_t>> CountSystemCalls(const std::function<void()>& prepare,
                                                              const std::function<void()>& work);

}  // namespace waybill::bench
