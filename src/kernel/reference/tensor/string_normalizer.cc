// StringNormalizer: removes stop words, then changes case.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/tensor/kernels.h"
#include "kernel/reference/tensor/utf8_case.h"

namespace waybill::kernel::reference {

namespace {

enum class CaseChange { kNone, kLower, kUpper };

struct NormalizerParams {
  CaseChange change = CaseChange::kNone;
  bool case_sensitive = false;
  std::set<std::string, std::less<>> stopwords;  // in lower case unless case_sensitive
};

Result<NormalizerParams> ParseStringNormalizer(const graph::NodeRef& node) {
  NormalizerParams params;
  const std::string change = node.attrs().String("case_change_action", "NONE");
  if (change == "LOWER") {
    params.change = CaseChange::kLower;
  } else if (change == "UPPER") {
    params.change = CaseChange::kUpper;
  } else if (change != "NONE") {
    return Error(Code::kInvalidArgument, "there is no case_change_action \"{}\"", change);
  }
  params.case_sensitive = node.attrs().Int("is_case_sensitive", 0) != 0;
  for (const std::string& word : node.attrs().Strings("stopwords")) {
    params.stopwords.insert(params.case_sensitive ? word : Utf8Lower(word));
  }
  return params;
}

// Case is changed by Unicode's own pairs, which are those of all languages but a few.
Acceptance AcceptStringNormalizer(const graph::NodeRef& node) {
  const std::string locale = node.attrs().String("locale", "");
  const std::string language = locale.substr(0, locale.find_first_of("_-.@"));
  for (const char* other : {"tr", "az", "lt"}) {
    WB_REFUSE_IF(language == other, "locale {} has other pairs of upper and lower case", locale);
  }
  return Acceptance::Yes();
}

bool IsStopword(const NormalizerParams& params, const std::string& word) {
  if (params.stopwords.empty()) return false;
  return params.stopwords.count(params.case_sensitive ? word : Utf8Lower(word)) != 0;
}

Status RunStringNormalizer(const NormalizerParams& params, RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  std::vector<std::string> kept;
  for (const std::string& word : in.span<const std::string>()) {
    if (IsStopword(params, word)) continue;
    switch (params.change) {
      case CaseChange::kNone:
        kept.push_back(word);
        break;
      case CaseChange::kLower:
        kept.push_back(Utf8Lower(word));
        break;
      case CaseChange::kUpper:
        kept.push_back(Utf8Upper(word));
        break;
    }
  }
  if (kept.empty()) kept.emplace_back();
  Shape shape = in.shape;
  shape[shape.rank() - 1] = static_cast<int64_t>(kept.size());
  // The rule sizes the output where no word can be removed.
  TensorView out;
  if (params.stopwords.empty()) {
    out = ctx.output(0);
  } else {
    WB_ASSIGN_OR_RETURN(out, ctx.AllocateOutput(0, DType::kString, shape));
  }
  std::move(kept.begin(), kept.end(), out.as<std::string>());
  return Status::Ok();
}

}  // namespace

const KernelImpl kStringNormalizer[1] = {
    FunctionImpl<NormalizerParams, ParseStringNormalizer, RunStringNormalizer>(
        "string_normalizer.reference", AcceptStringNormalizer)};

}  // namespace waybill::kernel::reference
