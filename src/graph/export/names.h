// What everything is called in the file: one name for each value, no name twice in the model.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/ir/graph.h"

namespace waybill::graph::exporting {

// An initializer of the main graph. Borrowed from the model.
struct Initializer {
  std::string name;
  const Constant* constant = nullptr;
};

// Plans the names of a whole model, which it borrows. Inputs and outputs of the main graph keep
// theirs, others get a number behind it when it is taken.
class Names {
 public:
  explicit Names(const Graph& main);

  // "" for kNoValue.
  const std::string& Of(const Graph& graph, ValueId id) const;
  // True for values that live nodes of the graph compute.
  bool IsComputed(const Graph& graph, ValueId id) const;

  // Constants that are read anywhere, and those that are outputs of the main graph, each content
  // once; without the defaults of inputs.
  const std::vector<Initializer>& initializers() const { return initializers_; }
  // Constants that are outputs of a body: initializers of that body.
  const std::vector<ValueId>& body_initializers(const Graph& body) const;
  // Outputs of a body that stand for values outside: they need a node of their own, which makes
  // the name here from the value.
  struct Passed {
    std::string name;
    ValueId from = kNoValue;
  };
  const std::vector<Passed>& passed(const Graph& body) const;
  // Names of the graph's outputs, in order.
  const std::vector<std::string>& outputs(const Graph& graph) const;

 private:
  struct Entry {
    std::vector<std::string> names;  // by value; empty where nobody names it
    std::vector<bool> computed;
    std::vector<ValueId> initializers;
    std::vector<Passed> passed;
    std::vector<std::string> outputs;
  };
  // Where its bytes lie, type, shape, whether one element stands for all.
  using Content = std::tuple<const void*, DType, std::vector<int64_t>, bool>;

  void NameMain(const Graph& main);
  void NameBody(const Graph& outer, const Graph& body);
  void NameBodiesOf(const Graph& graph);
  void NameBodyOutputs(const Graph& body, Entry& entry);
  void AddInitializer(const Constant& constant, const std::string& name);
  // The initializer with the same content; adds one where there is none.
  const std::string& Shared(const Constant& constant, std::string_view wanted);
  std::string Unique(std::string_view wanted);

  std::unordered_map<const Graph*, Entry> entries_;
  std::vector<Initializer> initializers_;
  std::map<Content, std::string> by_content_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, size_t> next_;  // number to try for a name that is taken
};

}  // namespace waybill::graph::exporting
