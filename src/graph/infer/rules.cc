#include "graph/infer/context.h"

namespace waybill::graph::infer {

InferFn FindInferRule(std::string_view domain, std::string_view op_type) {
  for (const auto& table : {MathRules(), NnRules(), TensorRules(), QuantRules(), MlRules(),
                            ContribRules(), InternalRules()}) {
    for (const InferRule& rule : table) {
      if (rule.op_type == op_type && rule.domain == domain) return rule.fn;
    }
  }
  return nullptr;
}

}  // namespace waybill::graph::infer
