#include "graph/import/opsets.h"

#include <algorithm>

#include "graph/ir/graph.h"
#include "graph/schema/schema.h"

namespace waybill::graph::importing {

Status CheckIrVersion(int64_t ir_version, std::vector<std::string>& warnings) {
  if (ir_version == 0) {
    return Error(Code::kInvalidGraph, "the model does not say its IR version (ir_version)");
  }
  if (ir_version < kOldestIr) {
    return Error(Code::kInvalidGraph, "IR version {} is too old: {} to {} are read", ir_version,
                 kOldestIr, kNewestIr);
  }
  if (ir_version > kNewestIr) {
    return Error(Code::kNotImplemented, "IR version {} is too new: {} to {} are read", ir_version,
                 kOldestIr, kNewestIr);
  }
  if (ir_version > kNewestReleasedIr) {
    warnings.push_back(Format("IR version {} is not released yet; the newest released one is {}",
                              ir_version, kNewestReleasedIr));
  }
  return Status::Ok();
}

Status ReadOpsets(std::span<const onnx::OpsetImport> imports, bool released_only, OpsetMap& out,
                  std::vector<std::string>& warnings) {
  for (const onnx::OpsetImport& import : imports) {
    const std::string_view domain = CanonicalDomain(import.domain);
    const bool known = schema::KnownDomain(domain);
    if (import.version < 1 && known) {
      return Error(Code::kInvalidGraph, "opset version {} of domain '{}' is not possible",
                   import.version, DomainName(domain));
    }
    const int newest = schema::NewestOpset(domain);
    // What later versions of our own operators mean nobody knows here.
    const bool bounded = domain.empty() || domain == kInternalDomain;
    if (bounded && import.version > newest) {
      return Error(Code::kNotImplemented,
                   "opset {} of domain '{}' is too new: versions up to {} are known",
                   import.version, DomainName(domain), newest);
    }
    constexpr int64_t kLarge = 1 << 30;
    out[std::string(domain)] = static_cast<int>(std::clamp<int64_t>(import.version, 0, kLarge));
  }
  for (const auto& [domain, version] : out) {
    const int released = schema::DefaultOpset(domain);
    if (!schema::KnownDomain(domain) || version <= released) continue;
    std::string text =
        Format("opset {} of domain '{}' is not released yet; the newest released one is {}",
               version, DomainName(domain), released);
    if (released_only) return Error(Code::kFail, "{}", text);
    warnings.push_back(std::move(text));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::importing
