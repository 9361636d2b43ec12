#include "graph/export/opsets.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "graph/export/walk.h"
#include "graph/schema/schema.h"

namespace waybill::graph::exporting {

namespace {

// Operators whose versions differ in the types they take only. Rewrites and import make them at
// one version, whatever the model imports.
bool DiffersInTypesOnly(const Node& node) {
  for (const char* op : {"Identity", "Transpose", "LayerNormalization", "MatMul"}) {
    if (node.Is(op)) return true;
  }
  return false;
}

bool TakesTypes(const Graph& graph, const Node& node, const schema::OpSchema& schema) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!node.HasInput(i)) continue;
    const schema::Param* param = schema.Input(i);
    if (param == nullptr) return false;
    if (!schema.types[param->type].Allows(graph.value(node.inputs[i]).type)) return false;
  }
  for (const Attribute& attribute : node.attrs.all()) {
    if (schema.FindAttr(attribute.name) == nullptr) return false;
  }
  return true;
}

}  // namespace

bool Suits(const Graph& graph, const Node& node, int version) {
  if (node.domain == kInternalDomain) return version == 1;
  const schema::OpSchema* schema = schema::Find(node.domain, node.op_type, version);
  if (schema == nullptr) return false;
  if (schema->deprecated) {  // import takes what the operator was before
    schema = schema::Find(node.domain, node.op_type, schema->since_version - 1);
    return schema != nullptr && schema == node.schema;
  }
  if (schema == node.schema) return true;
  return DiffersInTypesOnly(node) && TakesTypes(graph, node, *schema);
}

namespace {

// Nodes of the domain that the version does not suit.
size_t Misfits(const Model& model, const std::string& domain, int version) {
  size_t count = 0;
  ForEachNode(model.main, [&](const Graph& graph, const Node& node) {
    if (node.domain == domain && !Suits(graph, node, version)) ++count;
  });
  return count;
}

}  // namespace

OpsetImports ChooseImports(const Model& model) {
  std::map<std::string, std::set<int>> versions;  // that nodes were read under
  versions[""];
  ForEachNode(model.main,
              [&](const Graph&, const Node& node) { versions[node.domain].insert(node.opset); });
  OpsetImports out;
  for (const auto& [domain, read_under] : versions) {
    std::vector<int> candidates;
    if (const auto own = model.opset_imports.find(domain); own != model.opset_imports.end()) {
      candidates.push_back(own->second);
    }
    candidates.insert(candidates.end(), read_under.rbegin(), read_under.rend());
    if (candidates.empty()) candidates.push_back(schema::DefaultOpset(domain));
    size_t fewest = std::numeric_limits<size_t>::max();
    for (const int version : candidates) {
      const size_t misfits = Misfits(model, domain, version);
      if (misfits < fewest) out[domain] = version;
      fewest = std::min(fewest, misfits);
    }
  }
  return out;
}

}  // namespace waybill::graph::exporting
