// Versions: which format versions are read, and which operator set a node's domain has.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status/status.h"
#include "onnx/model/graph_view.h"

namespace waybill::graph::importing {

inline constexpr int64_t kOldestIr = 3;
inline constexpr int64_t kNewestReleasedIr = 13;
inline constexpr int64_t kNewestIr = 14;

// Refuses format versions that are not read; a version that is not released yet gives a warning.
Status CheckIrVersion(int64_t ir_version, std::vector<std::string>& warnings);

// "" for ai.onnx, which has both spellings.
inline std::string_view CanonicalDomain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}
// For messages: "ai.onnx" for "".
inline std::string_view DomainName(std::string_view domain) {
  return domain.empty() ? std::string_view("ai.onnx") : domain;
}

using OpsetMap = std::map<std::string, int, std::less<>>;

// The imports by canonical domain; of several for one domain the last counts. Domains that nobody
// knows are kept: they matter only if a node uses them.
// Versions of known domains that are above the newest released one give a warning; their operators
// are those of the newest one.
// Errors: kInvalidGraph for versions below 1, kNotImplemented for an ai.onnx version too new;
// kFail for versions that are not released when `released_only` is set.
Status ReadOpsets(std::span<const onnx::OpsetImport> imports, bool released_only, OpsetMap& out,
                  std::vector<std::string>& warnings);

}  // namespace waybill::graph::importing
