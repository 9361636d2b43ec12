// Operators that rewrites make, in files that were written after rewrites. Schemas say their types;
// the rest of what kernels rely on is checked here.
#include <algorithm>

#include "graph/fused/expression.h"
#include "graph/import/state.h"

namespace waybill::graph::importing {

Status CheckInternal(const Node& node) {
  const schema::OpSchema& schema = *node.schema;
  if (schema.inputs.back().option != schema::Option::kVariadic) return Status::Ok();
  const size_t first = schema.inputs.size() - 1;  // operand of the expression
  // The result of a product is an operand too.
  const size_t count = node.inputs.size() - std::min(node.inputs.size(), first) +
                       (first == 0 ? size_t{0} : size_t{1});
  size_t wanted = count;
  if (node.attrs.Has("expr")) {
    WB_ASSIGN_OR_RETURN(const Expression expression, Expression::Parse(node.attrs.String("expr")),
                        "node {}", node.Describe());
    wanted = expression.num_inputs();
  } else if (count != 1) {
    return Error(Code::kInvalidGraph, "node {} has operands, but no expression", node.Describe());
  }
  if (wanted > count || count > kMaxExprInputs) {
    return Error(Code::kInvalidGraph, "node {}: expression '{}' has {} operands", node.Describe(),
                 node.attrs.String("expr"), count);
  }
  return Status::Ok();
}

}  // namespace waybill::graph::importing
