// What the parts of one import share.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "graph/import/import.h"
#include "graph/import/opsets.h"
#include "graph/import/scope.h"
#include "graph/import/tensor_import.h"
#include "graph/schema/schema.h"
#include "onnx/model/model_view.h"

namespace waybill::graph::importing {

// Graphs inside graphs and calls inside calls, together.
inline constexpr int kMaxNesting = 128;
// Calls of functions inside functions.
inline constexpr int kMaxCallDepth = 100;
// Nodes that inlining may make: functions that call functions can multiply without bound.
inline constexpr size_t kMaxInlinedNodes = size_t{1} << 17;

using FunctionKey = std::tuple<std::string_view, std::string_view, std::string_view>;

struct ImportState {
  const onnx::ModelView& view;
  const ImportOptions& options;
  TensorImporter tensors;
  Model& model;
  OpsetMap opsets;
  std::map<FunctionKey, const onnx::FunctionView*> functions;  // by domain, name, overload
  std::map<const onnx::FunctionView*, OpsetMap> function_opsets;
  size_t inlined_nodes = 0;
  // Attribute tensors of function bodies that are no views into the file, so that a body that is
  // inlined often holds them once.
  std::unordered_map<const onnx::TensorProtoView*, Tensor> body_tensors;
  std::map<std::string, bool, std::less<>> warned;

  void WarnOnce(std::string text) {
    if (warned.emplace(text, true).second) model.warnings.push_back(std::move(text));
  }
};

// "node '/l1/conv' (Conv)", "node '' (com.example:Op)": for messages.
std::string DescribeNode(const onnx::NodeView& node);

// What a node calls: an operator of a schema or a function of the model.
struct Binding {
  const schema::OpSchema* schema = nullptr;
  int opset = 0;
  const onnx::FunctionView* function = nullptr;
};
Result<Binding> Bind(ImportState& state, const Scope& scope, const onnx::NodeView& node);

// Refuses numbers of inputs and outputs that the schema does not allow, and omitted ones that it
// requires. `node` has kNoValue where they are omitted.
Status CheckArity(const Node& node);

// Refuses a node of kInternalDomain, its attributes and inputs set, that no rewrite would make.
Status CheckInternal(const Node& node);

// Attributes as written, those that refer to a function's attribute replaced by the call's value or
// the function's default, dropped where there is neither.
struct WrittenAttribute {
  std::string_view name;
  BoundAttribute bound;
};
Result<std::vector<WrittenAttribute>> WrittenAttributes(const onnx::NodeView& node, Scope& scope);

// Checks the attributes against node.schema and sets node.attrs, defaults included.
Status ImportAttributes(ImportState& state, Scope& scope, std::span<const WrittenAttribute> written,
                        Node& node);
// The value of a Constant node.
Result<Tensor> ImportConstant(ImportState& state, std::span<const WrittenAttribute> written,
                              const Node& node);

// Builds `scope.graph` from the view: inputs, initializers, nodes, outputs.
Status BuildGraph(ImportState& state, Scope& scope, const onnx::GraphView& view);
// A subgraph whose names may mean values of `parent`.
Result<GraphPtr> BuildSubgraph(ImportState& state, Scope& parent, const onnx::GraphView& view);

// Names of formal outputs of a function, with the caller's values that they become.
using OutputBindings = std::unordered_map<std::string_view, ValueId>;
// Appends the nodes to scope.graph. `bound` may be null.
Status BuildNodes(ImportState& state, Scope& scope, std::span<const onnx::NodeView> nodes,
                  const OutputBindings* bound);

// Appends Identity(from) -> to; for functions and subgraphs that return a value of elsewhere.
void AppendIdentity(ImportState& state, Graph& graph, ValueId from, ValueId to);

// Reads the model's functions into state.functions.
Status CollectFunctions(ImportState& state);
// Appends the body of the function that `call` names. `inputs` and `outputs` are the caller's
// values, kNoValue where omitted.
Status InlineCall(ImportState& state, Scope& caller, const onnx::NodeView& call,
                  const onnx::FunctionView& function, std::span<const ValueId> inputs,
                  std::span<const ValueId> outputs);

}  // namespace waybill::graph::importing
