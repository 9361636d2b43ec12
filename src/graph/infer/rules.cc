#include <unordered_map>

#include "graph/infer/context.h"

namespace waybill::graph::infer {

namespace {

std::unordered_multimap<std::string_view, const InferRule*> RulesByOperator() {
  std::unordered_multimap<std::string_view, const InferRule*> rules;
  for (const auto& table : {MathRules(), NnRules(), TensorRules(), QuantRules(), MlRules(),
                            ContribRules(), InternalRules()}) {
    for (const InferRule& rule : table) rules.emplace(rule.op_type, &rule);
  }
  return rules;
}

}  // namespace

InferFn FindInferRule(std::string_view domain, std::string_view op_type) {
  static const auto rules = RulesByOperator();
  const auto [begin, end] = rules.equal_range(op_type);
  for (auto rule = begin; rule != end; ++rule) {
    if (rule->second->domain == domain) return rule->second->fn;
  }
  return nullptr;
}

}  // namespace waybill::graph::infer
