#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "graph/infer/infer.h"

namespace waybill::graph::infer {

namespace {

using Sizes = std::map<std::string, int64_t>;

// `used` collects the names that were met.
using Used = std::set<std::string_view>;

void Override(ValueType& type, const Sizes& sizes, Used& used) {
  if (type.shape.has_rank()) {
    for (size_t i = 0; i < type.shape.rank(); ++i) {
      if (!type.shape[i].symbolic()) continue;
      const auto it = sizes.find(type.shape[i].symbol());
      if (it == sizes.end()) continue;
      used.insert(it->first);
      type.shape[i] = Dim(it->second);
    }
  }
  if (type.element) {
    ValueType element = *type.element;
    Override(element, sizes, used);
    type.element = std::make_shared<const ValueType>(std::move(element));
  }
}

void OverrideGraph(Graph& graph, const Sizes& sizes, Used& used) {
  for (ValueId id = 0; id < graph.num_values(); ++id) {
    Value& value = graph.value(id);
    Override(value.type, sizes, used);
    value.contents.reset();
    if (value.declared) {
      ValueType declared = *value.declared;
      Override(declared, sizes, used);
      value.declared = std::make_shared<const ValueType>(std::move(declared));
    }
  }
  for (const NodeId id : graph.order()) {
    for (const Attribute& attribute : graph.node(id).attrs.all()) {
      if (const auto* body = std::get_if<GraphPtr>(&attribute.value)) {
        OverrideGraph(**body, sizes, used);
      }
      if (const auto* bodies = std::get_if<std::vector<GraphPtr>>(&attribute.value)) {
        for (const GraphPtr& item : *bodies) OverrideGraph(*item, sizes, used);
      }
    }
  }
}

}  // namespace

Status OverrideDims(Model& model, const Sizes& sizes) {
  for (const auto& [name, size] : sizes) {
    if (size < 0) {
      return Error(Code::kInvalidArgument, "dimension '{}' can not have the size {}", name, size);
    }
  }
  if (sizes.empty()) return Status::Ok();
  Used used;
  OverrideGraph(model.main, sizes, used);
  for (const auto& [name, size] : sizes) {
    if (used.count(name) != 0) continue;
    model.warnings.push_back(
        Format("the free dimension override {} = {} has no effect: the model has no dimension of "
               "this name",
               name, size));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::infer
