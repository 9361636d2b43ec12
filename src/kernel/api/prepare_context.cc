#include "kernel/api/prepare_context.h"

#include "graph/ir/constant_bytes.h"
#include "memory/source/weight_survey.h"
#include "memory/weights/weight_load.h"

namespace waybill::kernel {
namespace {

using Inputs = std::initializer_list<size_t>;

// What input i is, but for the bytes that it is made of.
std::string DescribeInput(size_t i, const graph::Constant& constant) {
  std::string text = Format("|{} {} {}{}", i, DTypeName(constant.dtype()), constant.shape(),
                            constant.is_splat() ? " splat" : "");
  if (constant.rows() != nullptr) text += Format(" {{{}}}", constant.rows()->maker());
  return text;
}

// The same for all that read the same constants in the same way.
std::string SurveyKey(const PrepareContext& ctx, const std::string& maker, Inputs inputs) {
  std::string key = maker;
  for (const size_t i : inputs) {
    const graph::Constant* from = ctx.constant(i);
    if (from == nullptr) continue;
    key += DescribeInput(i, *from);
    for (const auto bytes : graph::SourcesOf(*from)) {
      key += Format(" {}", WeightSurvey::KeyOf(bytes, ctx.weights()));
    }
  }
  return key;
}

}  // namespace

Result<SharedView> PrepareContext::Pack(std::string maker, std::initializer_list<size_t> inputs,
                                        size_t bytes,
                                        const std::function<Status(std::byte*)>& fill) {
  auto* const survey = dynamic_cast<WeightSurvey*>(source_.get());
  const std::string survey_key = survey != nullptr ? SurveyKey(*this, maker, inputs) : "";
  uint64_t caller_bytes = 0;
  const auto make = [&]() -> Result<SharedView> {
    if (survey != nullptr) return Error(Code::kNotFound, "nobody has packed it yet");
    WB_ASSIGN_OR_RETURN(Buffer packed, AllocatePacked(bytes));
    WB_RETURN_IF_ERROR(fill(packed.view().data));
    if (caller_bytes != 0) weights_->CountCaller(caller_bytes);
    return Buffer::Share(std::move(packed));
  };
  const auto find_or_make = [&]() -> Result<SharedView> {
    if (weights_ == nullptr) return make();
    WeightRequest request;
    request.maker = std::move(maker);
    request.bytes = bytes;
    for (const size_t i : inputs) {
      const graph::Constant* from = constant(i);
      if (from == nullptr) continue;
      request.maker += DescribeInput(i, *from);
      for (const auto contents : graph::SourcesOf(*from)) {
        request.sources.push_back(contents);
        if (weights_->OriginOf(contents) == WeightOrigin::kCaller) caller_bytes += contents.size();
      }
    }
    return weights_->FindOrMake(request, make);
  };
  Result<SharedView> packed = find_or_make();
  if (survey == nullptr || packed.ok() || packed.status().code() != Code::kNotFound) return packed;
  survey->Note(survey_key, bytes);
  return SharedView::Unowned({nullptr, bytes, {}});
}

Status PrepareContext::ForEachBlock(
    size_t i, int64_t multiple, const std::function<void(int64_t, const TensorView&)>& fn) const {
  const graph::Constant& from = *constant(i);
  return from.ForEachBlock(multiple, source_, [&](int64_t first, const TensorView& rows) {
    fn(first, rows);
    if (from.rows() == nullptr || weights_ == nullptr) return;
    weights_->Forget(from.rows()->BytesBehind(first, rows.shape[0]));
  });
}

}  // namespace waybill::kernel
