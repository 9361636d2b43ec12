#include "graph/infer/control/carried.h"

#include "graph/infer/types.h"

namespace waybill::graph::infer {

namespace {

// Inside so many loops nothing is assumed of carried shapes, so that nested loops do not multiply
// the work.
constexpr int kMaxLoopDepth = 3;
constexpr int kMaxPasses = 8;

void ForgetShape(ValueType& type) {
  type.shape = SymShape();
  if (!type.element) return;
  ValueType element = *type.element;
  ForgetShape(element);
  type.element = std::make_shared<const ValueType>(std::move(element));
}

bool SameShapes(const ValueType& a, const ValueType& b) {
  if (!(a.shape == b.shape)) return false;
  if (!a.element || !b.element) return a.element == nullptr && b.element == nullptr;
  return SameShapes(*a.element, *b.element);
}

// An optional may be given as the value itself: a body that takes optional(x) may return x.
bool IsElementOf(const ValueType& type, const ValueType& optional) {
  return optional.kind == ValueKind::kOptional && optional.element != nullptr &&
         type.kind != ValueKind::kOptional && !Contradicts(*optional.element, type);
}

}  // namespace

Status InferCarried(Driver& driver, const Graph& graph, const Node& node, Graph& body,
                    std::vector<ValueType>& inputs, size_t first, size_t count,
                    size_t first_output) {
  if (body.outputs.size() < first_output + count) {
    return Error(Code::kInvalidGraph, "node {}: its body '{}' has {} outputs, at least {} needed",
                 node.Describe(), body.name, body.outputs.size(), first_output + count);
  }
  const bool deep = driver.loop_depth >= kMaxLoopDepth;
  for (size_t i = first; deep && i < first + count; ++i) ForgetShape(inputs[i]);
  for (int pass = 0;; ++pass) {
    ++driver.loop_depth;
    Status status = driver.RunBody(graph, body, inputs);
    --driver.loop_depth;
    WB_RETURN_IF_ERROR(std::move(status), "node {}", node.Describe());
    bool stable = true;
    for (size_t i = 0; i < count; ++i) {
      ValueType& in = inputs[first + i];
      const ValueType& out = body.value(body.outputs[first_output + i]).type;
      if (IsElementOf(out, in)) continue;
      if (Contradicts(in, out)) {
        return Error(Code::kInvalidGraph,
                     "node {}: carried value {} is {} at first, but {} after an iteration",
                     node.Describe(), i, in.TypeString(), out.TypeString());
      }
      ValueType joined = JoinTypes(in, out);
      if (!SameShapes(joined, in) || joined.kind != in.kind || joined.dtype != in.dtype) {
        stable = false;
        in = std::move(joined);
        if (pass + 2 >= kMaxPasses) ForgetShape(in);
      }
    }
    if (stable || pass >= kMaxPasses) return Status::Ok();
  }
}

}  // namespace waybill::graph::infer
