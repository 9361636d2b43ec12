#include "graph/infer/rules/math/einsum_equation.h"

#include <algorithm>
#include <map>

namespace waybill::graph::infer {

namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "b...ij" becomes "b.ij".
Result<std::string> ParseTerm(std::string_view term) {
  std::string labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (IsLetter(term[i])) {
      labels += term[i];
    } else if (term.substr(i, 3) == "..." && labels.find('.') == std::string::npos) {
      labels += '.';
      i += 2;
    } else {
      return Error(Code::kInvalidArgument, "equation term \"{}\" is wrong at position {}", term, i);
    }
  }
  return labels;
}

std::string ImplicitOutput(const std::vector<std::string>& inputs) {
  std::map<char, int> uses;
  bool ellipsis = false;
  for (const std::string& input : inputs) {
    for (const char label : input) {
      if (label == '.') ellipsis = true;
      if (label != '.') ++uses[label];
    }
  }
  std::string output = ellipsis ? "." : "";
  for (const auto& [label, count] : uses) {
    if (count == 1) output += label;
  }
  return output;
}

Status CheckOutput(const EinsumEquation& equation) {
  for (size_t i = 0; i < equation.output.size(); ++i) {
    const char label = equation.output[i];
    const bool known = std::any_of(
        equation.inputs.begin(), equation.inputs.end(),
        [&](const std::string& input) { return input.find(label) != std::string::npos; });
    if (!known && label != '.') {
      return Error(Code::kInvalidArgument, "output label '{}' is in no input", label);
    }
    if (equation.output.find(label, i + 1) != std::string::npos) {
      return Error(Code::kInvalidArgument, "output label '{}' is repeated", label);
    }
  }
  return Status::Ok();
}

EinsumLabels Spell(const std::string& term, size_t ellipsis_rank, size_t max_ellipsis) {
  EinsumLabels labels;
  for (const char label : term) {
    if (label != '.') {
      labels.push_back(static_cast<unsigned char>(label));
      continue;
    }
    for (size_t i = 0; i < ellipsis_rank; ++i) {
      labels.push_back(kEllipsisLabel + static_cast<int>(max_ellipsis - ellipsis_rank + i));
    }
  }
  return labels;
}

}  // namespace

Result<EinsumEquation> EinsumEquation::Parse(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != ' ') plain += c;
  }
  EinsumEquation equation;
  const size_t arrow = plain.find("->");
  std::string_view left = std::string_view(plain).substr(0, arrow);
  while (true) {
    const size_t comma = left.find(',');
    WB_ASSIGN_OR_RETURN(std::string term, ParseTerm(left.substr(0, comma)));
    equation.inputs.push_back(std::move(term));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  if (arrow == std::string::npos) {
    equation.output = ImplicitOutput(equation.inputs);
  } else {
    WB_ASSIGN_OR_RETURN(equation.output, ParseTerm(std::string_view(plain).substr(arrow + 2)));
  }
  WB_RETURN_IF_ERROR(CheckOutput(equation));
  return equation;
}

Result<EinsumBinding> BindEinsum(const EinsumEquation& equation, const std::vector<size_t>& ranks) {
  if (ranks.size() != equation.inputs.size()) {
    return Error(Code::kInvalidArgument, "the equation has {} terms for {} inputs",
                 equation.inputs.size(), ranks.size());
  }
  size_t max_ellipsis = 0;
  std::vector<size_t> ellipsis(ranks.size(), 0);
  for (size_t i = 0; i < ranks.size(); ++i) {
    const std::string& term = equation.inputs[i];
    const bool has_ellipsis = term.find('.') != std::string::npos;
    const size_t letters = term.size() - (has_ellipsis ? 1 : 0);
    if (has_ellipsis ? ranks[i] < letters : ranks[i] != letters) {
      return Error(Code::kInvalidArgument,
                   "input {} of rank {} does not fit its term with {} labels", i, ranks[i],
                   letters);
    }
    ellipsis[i] = ranks[i] - letters;
    max_ellipsis = std::max(max_ellipsis, ellipsis[i]);
  }
  EinsumBinding binding;
  for (size_t i = 0; i < ranks.size(); ++i) {
    binding.inputs.push_back(Spell(equation.inputs[i], ellipsis[i], max_ellipsis));
  }
  binding.output = Spell(equation.output, max_ellipsis, max_ellipsis);
  return binding;
}

}  // namespace waybill::graph::infer
