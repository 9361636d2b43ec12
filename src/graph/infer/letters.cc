#include "graph/infer/letters.h"

#include <bit>

#include "graph/infer/types.h"
#include "graph/schema/schema.h"

namespace waybill::graph::infer {

namespace {

using schema::OpSchema;
using schema::Option;
using schema::Param;
using schema::TypeConstraint;

ValueType WithoutShape(ValueType type) {
  type.shape = SymShape();
  return type;
}

// A parameter whose actual types must all be that of its letter.
bool Binds(const OpSchema& op, const Param& param) {
  return !op.types[param.type].letter.empty() &&
         (param.option != Option::kVariadic || param.homogeneous);
}

// The only type that the constraint allows; unknown when there are several.
ValueType OnlyType(const TypeConstraint& constraint) {
  const bool tensors_only = constraint.seq == 0 && constraint.optional == 0 &&
                            constraint.optional_seq == 0 && constraint.others.empty();
  if (!tensors_only || std::popcount(constraint.tensor) != 1) return {};
  return ValueType::Tensor(static_cast<DType>(std::countr_zero(constraint.tensor)));
}

Status Refuse(const Graph& graph, const Node& node, size_t i, std::string_view why) {
  return Error(Code::kInvalidGraph, "node {} (opset {}): input {} ('{}') {}", node.Describe(),
               node.opset, i, graph.value(node.inputs[i]).name, why);
}

}  // namespace

std::string DescribeInputs(const Graph& graph, const Node& node) {
  std::string out;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (i != 0) out += ", ";
    constexpr size_t kShown = 16;
    if (i == kShown) return out + Format("... ({} inputs)", node.inputs.size());
    out += node.HasInput(i) ? graph.value(node.inputs[i]).type.ToString() : "omitted";
  }
  return out;
}

Result<std::vector<ValueType>> BindLetters(const Graph& graph, const Node& node) {
  const OpSchema& op = *node.schema;
  std::vector<ValueType> bound(op.types.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Param* param = op.Input(i);
    if (param == nullptr || !node.HasInput(i)) continue;
    const ValueType& type = graph.value(node.inputs[i]).type;
    if (!IsComplete(type)) continue;
    const TypeConstraint& constraint = op.types[param->type];
    if (!constraint.Allows(type)) {
      return Refuse(graph, node, i,
                    Format("has type {}, which '{}' of {} does not take; it takes {}",
                           type.TypeString(), param->name, op.name, constraint.ToString()));
    }
    if (!Binds(op, *param)) continue;
    ValueType& letter = bound[param->type];
    if (letter.kind == ValueKind::kUnknown) {
      letter = WithoutShape(type);
    } else if (!letter.SameTypeAs(type)) {
      return Refuse(graph, node, i,
                    Format("of {} has type {}, but {} is {} already", op.name, type.TypeString(),
                           constraint.letter, letter.TypeString()));
    }
  }
  std::vector<ValueType> out(node.outputs.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const Param* param = op.Output(i);
    if (param == nullptr || !node.HasOutput(i)) continue;
    if (Binds(op, *param)) out[i] = bound[param->type];
    if (out[i].kind == ValueKind::kUnknown) out[i] = OnlyType(op.types[param->type]);
  }
  return out;
}

Status CheckOutputTypes(const Node& node, const std::vector<ValueType>& outputs) {
  const OpSchema& op = *node.schema;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Param* param = op.Output(i);
    if (param == nullptr || !node.HasOutput(i) || !IsComplete(outputs[i])) continue;
    const TypeConstraint& constraint = op.types[param->type];
    if (constraint.Allows(outputs[i])) continue;
    return Error(Code::kInvalidGraph,
                 "node {} (opset {}): output {} would have type {}, but '{}' may be {} only",
                 node.Describe(), node.opset, i, outputs[i].TypeString(), param->name,
                 constraint.ToString());
  }
  return Status::Ok();
}

}  // namespace waybill::graph::infer
