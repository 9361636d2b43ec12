#include "session/io/donated.h"

#include <algorithm>

#include "exec/runner/overlap.h"

namespace waybill::session {
namespace {

using exec::Donation;

class Finder {
 public:
  Finder(const Signature& signature, std::span<const Value* const> feeds,
         std::span<const Value> outputs)
      : signature_(signature), feeds_(feeds), outputs_(outputs) {}

  Result<Donation> Find(const std::string& name) const {
    const auto input = signature_.FindInput(name);
    if (!input.ok()) {
      return Error(Code::kInvalidArgument, "the model has no input {}; initializers stay its own",
                   name);
    }
    if (feeds_[*input] == nullptr) {
      return Error(Code::kInvalidArgument, "input {} is not given to the run", name);
    }
    Donation donation;
    donation.input = static_cast<uint32_t>(*input);
    WB_RETURN_IF_ERROR(CheckAlone(donation.input));
    WB_RETURN_IF_ERROR(FindOutput(donation));
    return donation;
  }

 private:
  Status CheckAlone(uint32_t i) const {
    const Value& value = *feeds_[i];
    const Tensor* tensor = value.tensor();
    if (tensor == nullptr || tensor->dtype() == DType::kString) {
      return Error(Code::kInvalidArgument, "input {} is {}; only tensors of numbers can be donated",
                   signature_.input_name(i), value.type().TypeString());
    }
    for (size_t k = 0; k < feeds_.size(); ++k) {
      if (k == i || feeds_[k] == nullptr || !exec::LiesUnder(*feeds_[k], {&value, 1})) continue;
      return Error(Code::kInvalidArgument, "input {} shares bytes with input {}",
                   signature_.input_name(i), signature_.input_name(k));
    }
    return Status::Ok();
  }

  // The output given over the input's bytes, if one is.
  Status FindOutput(Donation& donation) const {
    const Value& value = *feeds_[donation.input];
    const TensorView& input = value.tensor()->view();
    const std::string& name = signature_.input_name(donation.input);
    for (uint32_t k = 0; k < outputs_.size(); ++k) {
      const Tensor* given = outputs_[k].tensor();
      if (given == nullptr || !exec::LiesUnder(given->view(), {&value, 1})) continue;
      const TensorView& output = given->view();
      if (output.data != input.data || output.bytes() != input.bytes()) {
        return Error(Code::kInvalidArgument,
                     "input {} of {} bytes shares some with the {} bytes given for output {}; an "
                     "output made in a donated input has all of its bytes",
                     name, input.bytes(), output.bytes(), signature_.output_name(k));
      }
      if (donation.output != Donation::kNoOutput) {
        return Error(Code::kInvalidArgument, "input {} shares bytes with outputs {} and {}", name,
                     signature_.output_name(donation.output), signature_.output_name(k));
      }
      donation.output = k;
    }
    return Status::Ok();
  }

  const Signature& signature_;
  std::span<const Value* const> feeds_;
  std::span<const Value> outputs_;
};

}  // namespace

Result<std::vector<Donation>> FindDonated(const Signature& signature,
                                          std::span<const std::string> names,
                                          std::span<const Value* const> feeds,
                                          std::span<const Value> outputs) {
  const Finder finder(signature, feeds, outputs);
  std::vector<Donation> found;
  for (const std::string& name : names) {
    WB_ASSIGN_OR_RETURN(const Donation next, finder.Find(name), "donated inputs");
    const auto is_same = [&](const Donation& other) { return other.input == next.input; };
    if (std::any_of(found.begin(), found.end(), is_same)) {
      return Error(Code::kInvalidArgument, "donated inputs: input {} is named twice", name);
    }
    found.push_back(next);
  }
  // Equal sets have equal keys, in whatever order they are named.
  std::sort(found.begin(), found.end(),
            [](const Donation& a, const Donation& b) { return a.input < b.input; });
  return found;
}

}  // namespace waybill::session
