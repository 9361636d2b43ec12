#include "graph/import/state.h"

namespace waybill::graph::importing {

namespace {

// Longer prefixes of names are cut to a number, so that names do not grow with the depth of calls.
constexpr size_t kMaxPrefix = 200;

std::string DescribeFunction(const onnx::FunctionView& function) {
  std::string out =
      Format("function {}:{}", DomainName(CanonicalDomain(function.domain)), function.name);
  if (!function.overload.empty()) out += Format(" (overload {})", function.overload);
  return out;
}

Status CheckCall(const Scope& caller, const onnx::NodeView& call,
                 const onnx::FunctionView& function, size_t inputs, size_t outputs) {
  int depth = 1;
  for (const FunctionFrame* frame = caller.frame; frame != nullptr; frame = frame->caller) {
    if (frame->function == &function) {
      return Error(Code::kInvalidGraph, "{}: {} calls itself (recursion)", DescribeNode(call),
                   DescribeFunction(function));
    }
    ++depth;
  }
  if (depth > kMaxCallDepth) {
    return Error(Code::kInvalidGraph, "{}: functions call each other deeper than {}",
                 DescribeNode(call), kMaxCallDepth);
  }
  if (inputs > function.inputs.size() || outputs > function.outputs.size()) {
    return Error(Code::kInvalidGraph, "{} has {} inputs and {} outputs, {} has {} and {}",
                 DescribeNode(call), inputs, outputs, DescribeFunction(function),
                 function.inputs.size(), function.outputs.size());
  }
  return Status::Ok();
}

bool HasAttribute(const onnx::FunctionView& function, std::string_view name) {
  for (const std::string_view own : function.attributes) {
    if (own == name) return true;
  }
  for (const onnx::AttributeView& own : function.attribute_defaults) {
    if (own.name == name) return true;
  }
  return false;
}

Status BindAttributes(Scope& caller, const onnx::NodeView& call, const onnx::FunctionView& function,
                      FunctionFrame& frame) {
  WB_ASSIGN_OR_RETURN(const std::vector<WrittenAttribute> written, WrittenAttributes(call, caller));
  for (const WrittenAttribute& item : written) {
    if (!HasAttribute(function, item.name)) {
      return Error(Code::kInvalidGraph, "{}: unknown attribute '{}' of {}", DescribeNode(call),
                   item.name, DescribeFunction(function));
    }
    frame.attributes.emplace(item.name, item.bound);
  }
  return Status::Ok();
}

Status BindInputs(const onnx::FunctionView& function, std::span<const ValueId> inputs,
                  Scope& body) {
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    const ValueId value = i < inputs.size() ? inputs[i] : kNoValue;
    const bool fresh =
        body.names.emplace(function.inputs[i], Scope::Definition{value, Scope::kBeforeNodes})
            .second;
    if (!fresh) {
      return Error(Code::kInvalidGraph, "duplicate name: two inputs '{}'", function.inputs[i]);
    }
  }
  return Status::Ok();
}

// Outputs that no node of the body made a value of the caller's: inputs that are passed through and
// values that are returned twice.
Status PassThrough(ImportState& state, const onnx::FunctionView& function,
                   std::span<const ValueId> outputs, Scope& body) {
  for (size_t i = 0; i < function.outputs.size(); ++i) {
    const std::string_view name = function.outputs[i];
    const auto it = body.names.find(name);
    if (it == body.names.end()) {
      return Error(Code::kInvalidGraph, "output '{}' is not defined", name);
    }
    const ValueId wanted = i < outputs.size() ? outputs[i] : kNoValue;
    if (wanted == kNoValue || it->second.value == wanted) continue;
    if (it->second.value == kNoValue) {
      return Error(Code::kInvalidGraph, "output '{}' is an input that the call omits", name);
    }
    AppendIdentity(state, *body.graph, it->second.value, wanted);
  }
  return Status::Ok();
}

}  // namespace

Status CollectFunctions(ImportState& state) {
  for (const onnx::FunctionView& function : state.view.functions) {
    const std::string_view domain = CanonicalDomain(function.domain);
    if (function.name.empty()) {
      return Error(Code::kInvalidGraph, "a function in domain '{}' has no name",
                   DomainName(domain));
    }
    const FunctionKey key{domain, function.name, function.overload};
    if (!state.functions.emplace(key, &function).second) {
      return Error(Code::kInvalidGraph, "{} is defined twice", DescribeFunction(function));
    }
    WB_RETURN_IF_ERROR(ReadOpsets(function.opset_imports, state.options.released_opsets_only,
                                  state.function_opsets[&function], state.model.warnings),
                       "{}", DescribeFunction(function));
  }
  return Status::Ok();
}

Status InlineCall(ImportState& state, Scope& caller, const onnx::NodeView& call,
                  const onnx::FunctionView& function, std::span<const ValueId> inputs,
                  std::span<const ValueId> outputs) {
  WB_RETURN_IF_ERROR(CheckCall(caller, call, function, inputs.size(), outputs.size()));
  FunctionFrame frame;
  frame.function = &function;
  frame.caller = caller.frame;
  frame.opsets = &state.function_opsets[&function];
  Scope body;
  body.graph = caller.graph;
  body.caller = &caller;
  body.frame = &frame;
  body.repeated = true;
  body.depth = caller.depth + 1;
  body.prefix = caller.prefix + std::string(call.name.empty() ? function.name : call.name) + "/";
  if (body.prefix.size() > kMaxPrefix) body.prefix = Format("call{}/", state.inlined_nodes);
  if (body.depth > kMaxNesting) {
    return Error(Code::kInvalidGraph, "{}: graphs and functions are nested deeper than {}",
                 DescribeNode(call), kMaxNesting);
  }
  WB_RETURN_IF_ERROR(BindAttributes(caller, call, function, frame));
  for (const onnx::AttributeView& fallback : function.attribute_defaults) {
    frame.attributes.emplace(fallback.name, BoundAttribute{&fallback, &body});
  }
  OutputBindings bound;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] != kNoValue) bound.emplace(function.outputs[i], outputs[i]);
  }
  const auto build = [&] {
    WB_RETURN_IF_ERROR(BindInputs(function, inputs, body));
    WB_RETURN_IF_ERROR(BuildNodes(state, body, function.nodes, &bound));
    return PassThrough(state, function, outputs, body);
  };
  WB_RETURN_IF_ERROR(build(), "{}, called by {}", DescribeFunction(function), DescribeNode(call));
  return Status::Ok();
}

}  // namespace waybill::graph::importing
