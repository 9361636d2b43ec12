// Nodes and bodies of the IR as messages.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/export/names.h"
#include "graph/export/opsets.h"
#include "graph/ir/graph.h"
#include "onnx/model/writer/graph_writer.h"

namespace waybill::graph::exporting {

// Domain of the functions that stand for nodes of other operator set versions.
inline constexpr const char* kFunctionDomain = "waybill.functions";

// Writes the nodes of one model. Borrows the names and imports.
class NodeExporter {
 public:
  NodeExporter(const Names& names, const OpsetImports& imports)
      : names_(names), imports_(imports) {}

  // Appends the graph's live nodes, and the types of what they compute: those that inference found,
  // and in a body those that were declared, or element types alone.
  void AddNodes(const Graph& graph, bool is_body, onnx::GraphWriter& out);

  // Functions that nodes call, of all graphs so far. Each has one node.
  const std::vector<onnx::FunctionWriter>& functions() const { return functions_; }

 private:
  onnx::GraphWriter Body(const Graph& body);
  void AddNode(const Graph& graph, const Node& node, onnx::GraphWriter& out);
  void AddAttribute(const Attribute& attribute, onnx::NodeWriter& out);
  std::string FunctionFor(const Node& node, int version);

  const Names& names_;
  const OpsetImports& imports_;
  std::vector<onnx::FunctionWriter> functions_;
  std::map<std::string, std::string> function_names_;  // by what the node looks like
};

}  // namespace waybill::graph::exporting
