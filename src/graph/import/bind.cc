#include "base/text/printable.h"
#include "graph/import/state.h"

namespace waybill::graph::importing {

namespace {

const onnx::FunctionView* FindFunction(const ImportState& state, std::string_view domain,
                                       const onnx::NodeView& node) {
  const auto it = state.functions.find({domain, node.op_type, node.overload});
  return it == state.functions.end() ? nullptr : it->second;
}

// The operator set that a node of `domain` belongs to; 0 when nothing says it.
int OpsetOf(ImportState& state, const Scope& scope, std::string_view domain) {
  if (scope.frame != nullptr) {
    const auto own = scope.frame->opsets->find(domain);
    if (own != scope.frame->opsets->end()) return own->second;
  }
  if (const auto it = state.opsets.find(domain); it != state.opsets.end()) return it->second;
  const int fallback = schema::DefaultOpset(domain);
  if (fallback > 0) {
    state.WarnOnce(Format("the model does not import domain '{}'; its opset {} is taken",
                          DomainName(domain), fallback));
    state.opsets.emplace(std::string(domain), fallback);
  }
  return fallback;
}

// Code kFail, as ONNX Runtime answers here.
Status Unknown(const onnx::NodeView& node, std::string_view domain, int opset) {
  const std::string what = DescribeNode(node);
  if (!schema::KnownDomain(domain)) {
    return Error(Code::kFail,
                 "{}: domain '{}' is unknown and the model defines no function '{}' in it", what,
                 DomainName(domain), node.op_type);
  }
  if (const int first = schema::FirstVersion(domain, node.op_type); first > 0) {
    return Error(Code::kFail,
                 "{}: operator {} exists in domain '{}' from opset {} on, but the model imports {}",
                 what, node.op_type, DomainName(domain), first, opset);
  }
  return Error(Code::kFail, "{}: unknown operator '{}' in domain '{}' (opset {})", what,
               node.op_type, DomainName(domain), opset);
}

// "inputs 2 to 3", "at least 1 input".
std::string Allowed(int min, int max, std::string_view noun) {
  if (max == schema::kUnlimited) return Format("at least {} {}s", min, noun);
  if (min == max) return Format("{} {}{}", min, noun, min == 1 ? "" : "s");
  return Format("{} to {} {}s", min, max, noun);
}

Status CheckCount(const Node& node, size_t count, int min, int max, std::string_view noun) {
  if (count >= static_cast<size_t>(min) && count <= static_cast<size_t>(max)) return Status::Ok();
  return Error(Code::kInvalidGraph, "node {} (opset {}) has {} {}{}, the operator takes {}",
               node.Describe(), node.opset, count, noun, count == 1 ? "" : "s",
               Allowed(min, max, noun));
}

}  // namespace

std::string DescribeNode(const onnx::NodeView& node) {
  const std::string_view domain = CanonicalDomain(node.domain);
  return Format("node '{}' ({}{}{})", PrintableName(node.name), PrintableName(domain),
                domain.empty() ? "" : ":", PrintableName(node.op_type));
}

Result<Binding> Bind(ImportState& state, const Scope& scope, const onnx::NodeView& node) {
  const std::string_view domain = CanonicalDomain(node.domain);
  if (node.op_type.empty()) {
    return Error(Code::kInvalidGraph, "node '{}' has no operator type", node.name);
  }
  Binding out;
  const onnx::FunctionView* function = FindFunction(state, domain, node);
  if (function == nullptr || schema::KnownDomain(domain)) {
    out.opset = OpsetOf(state, scope, domain);
    out.schema = schema::Find(domain, node.op_type, out.opset);
  }
  if (out.schema != nullptr && !out.schema->deprecated) return out;
  if (function != nullptr) {
    out.schema = nullptr;
    out.function = function;
    return out;
  }
  if (out.schema != nullptr) {  // deprecated: as it was last
    const int gone = out.schema->since_version;
    out.schema = schema::Find(domain, node.op_type, gone - 1);
    if (out.schema != nullptr) {
      state.WarnOnce(Format("operator {} is deprecated from opset {} on; version {} is run",
                            node.op_type, gone, out.schema->since_version));
      return out;
    }
    return Error(Code::kInvalidGraph, "{}: the operator is deprecated from opset {} on",
                 DescribeNode(node), gone);
  }
  return Unknown(node, domain, out.opset);
}

Status CheckArity(const Node& node) {
  const schema::OpSchema& schema = *node.schema;
  // Omitted inputs at the end are not kept, yet they count.
  size_t given = node.inputs.size();
  while (given < static_cast<size_t>(schema.min_inputs) && schema.Input(given) != nullptr &&
         schema.Input(given)->option == schema::Option::kOptional) {
    ++given;
  }
  WB_RETURN_IF_ERROR(CheckCount(node, given, schema.min_inputs, schema.max_inputs, "input"));
  WB_RETURN_IF_ERROR(
      CheckCount(node, node.outputs.size(), schema.min_outputs, schema.max_outputs, "output"));
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const schema::Param* param = schema.Input(i);
    if (node.inputs[i] != kNoValue || param == nullptr) continue;
    if (param->option != schema::Option::kOptional) {
      return Error(Code::kInvalidGraph, "node {} (opset {}): required input {} ('{}') is missing",
                   node.Describe(), node.opset, i, param->name);
    }
  }
  return Status::Ok();
}

}  // namespace waybill::graph::importing
