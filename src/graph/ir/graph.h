// The IR: values and nodes of one graph by index, in topological order, subgraphs as attributes
// with their captures made explicit. Built by import, changed by rewrites only, read by all.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/ir/attribute.h"
#include "graph/ir/constant.h"
#include "tensor/shape/symbolic.h"
#include "tensor/value/type.h"

namespace waybill::graph {

namespace schema {
struct OpSchema;
}

using ValueId = uint32_t;
using NodeId = uint32_t;
inline constexpr ValueId kNoValue = std::numeric_limits<ValueId>::max();  // an omitted input/output
inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();

// Domain of operators that only rewrites make (fused ones); files saved after them have it too.
inline constexpr std::string_view kInternalDomain = "waybill";

struct Value {
  std::string name;           // as in the file; may be empty for values made by rewrites
  ValueType type;             // as inferred; before inference only inputs and constants have one
  Constant constant;          // defined() when the value is known at load
  NodeId producer = kNoNode;  // kNoNode: input, initializer or capture
  // Contents of a small integer tensor in symbols (shape arithmetic), when inference knows them.
  std::optional<std::vector<Dim>> contents;
  // What the file says of the type, be it true or not; null when it says nothing.
  std::shared_ptr<const ValueType> declared;
};

struct Node {
  std::string name;
  std::string domain;  // "" is ai.onnx (the spelling "ai.onnx" is mapped to it)
  std::string op_type;
  int since_version = 0;                     // of the bound schema
  int opset = 0;                             // the model's import for the domain
  const schema::OpSchema* schema = nullptr;  // static; null for internal operators made here
  std::vector<ValueId> inputs;               // kNoValue where omitted
  std::vector<ValueId> outputs;              // kNoValue where omitted
  Attributes attrs;
  std::string origin;  // name of the patch that made the node; empty: from the file
  bool alive = true;

  bool Is(std::string_view op, std::string_view dom = "") const {
    return op_type == op && domain == dom;
  }
  bool HasInput(size_t i) const { return i < inputs.size() && inputs[i] != kNoValue; }
  bool HasOutput(size_t i) const { return i < outputs.size() && outputs[i] != kNoValue; }
  // "/layer1/conv (Conv-11)" for messages.
  std::string Describe() const;
};

// A body value that stands for a value of the enclosing graph.
struct Capture {
  ValueId outer = kNoValue;  // in the graph whose node carries this one as an attribute
  ValueId inner = kNoValue;
};

// What an input is when the caller does not give it: an overridable initializer. Such a value is no
// constant (Value::constant stays undefined), so nothing is folded or packed by it.
struct InputDefault {
  ValueId input = kNoValue;
  Constant value;
};

class Graph {
 public:
  std::string name;
  std::vector<ValueId> inputs;         // formal inputs, overridable initializers among them
  std::vector<InputDefault> defaults;  // of those inputs that have one
  std::vector<ValueId> outputs;        // may repeat; may be inputs or constants
  std::vector<Capture> captures;       // empty for a main graph

  ValueId AddValue(Value value);
  // Appends to the end of the order and sets itself as producer of its outputs.
  NodeId AddNode(Node node);

  Value& value(ValueId id) { return values_[id]; }
  const Value& value(ValueId id) const { return values_[id]; }
  Node& node(NodeId id) { return nodes_[id]; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  size_t num_values() const { return values_.size(); }
  size_t num_nodes() const { return nodes_.size(); }  // dead ones included

  // Live nodes in execution order.
  const std::vector<NodeId>& order() const { return order_; }
  void SetOrder(std::vector<NodeId> order) { order_ = std::move(order); }
  // Marks a node dead and takes it out of the order (O(order); batch callers rebuild the order).
  void RemoveNode(NodeId id);

  // Readers of each value: nodes (once per use, captures of their subgraphs included), made anew on
  // each call in O(graph).
  std::vector<std::vector<NodeId>> Consumers() const;
  bool IsOutput(ValueId id) const;

 private:
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<NodeId> order_;
};

// A whole imported model. Functions are inlined already.
struct Model {
  Graph main;
  std::map<std::string, int> opset_imports;  // domain ("" for ai.onnx) -> version
  int64_t ir_version = 0;
  std::string producer_name, producer_version, domain, doc_string, graph_doc_string;
  std::optional<int64_t> model_version;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<std::string> warnings;  // e.g. an IR version newer than released
};

// One node with its graph: what inference, selection and kernels look at.
class NodeRef {
 public:
  NodeRef(const Graph& graph, const Node& node) : graph_(&graph), node_(&node) {}
  const Graph& graph() const { return *graph_; }
  const Node& node() const { return *node_; }
  const Attributes& attrs() const { return node_->attrs; }
  int since_version() const { return node_->since_version; }
  size_t num_inputs() const { return node_->inputs.size(); }
  size_t num_outputs() const { return node_->outputs.size(); }
  bool has_input(size_t i) const { return node_->HasInput(i); }
  bool has_output(size_t i) const { return node_->HasOutput(i); }
  // Only where has_input / has_output.
  const ValueType& input_type(size_t i) const { return graph_->value(node_->inputs[i]).type; }
  const ValueType& output_type(size_t i) const { return graph_->value(node_->outputs[i]).type; }
  DType input_dtype(size_t i) const {
    return has_input(i) ? input_type(i).dtype : DType::kUndefined;
  }
  DType output_dtype(size_t i) const {
    return has_output(i) ? output_type(i).dtype : DType::kUndefined;
  }
  // Null unless input i is present and known at load.
  const Constant* constant(size_t i) const {
    if (!has_input(i)) return nullptr;
    const Constant& c = graph_->value(node_->inputs[i]).constant;
    return c.defined() ? &c : nullptr;
  }

 private:
  const Graph* graph_;
  const Node* node_;
};

}  // namespace waybill::graph
