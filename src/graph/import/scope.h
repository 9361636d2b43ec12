// Scope: which name means which value at one place of a graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "graph/import/opsets.h"
#include "graph/ir/graph.h"
#include "onnx/model/graph_view.h"

namespace waybill::graph::importing {

struct Scope;

// An attribute of a function's call: where its value is written, and the scope it is read in.
struct BoundAttribute {
  const onnx::AttributeView* view = nullptr;
  Scope* scope = nullptr;
};

// One call of a model-local function that is being inlined.
struct FunctionFrame {
  const onnx::FunctionView* function = nullptr;
  const FunctionFrame* caller = nullptr;  // null: called from the model's own graphs
  const OpsetMap* opsets = nullptr;
  std::unordered_map<std::string_view, BoundAttribute> attributes;
};

// Names of one graph of the file, or of one inlined function body. A function's values live in the
// graph of its caller, under names with a prefix.
struct Scope {
  // Where a name is defined, for telling what is defined before what.
  static constexpr int64_t kBeforeNodes = -1;
  struct Definition {
    ValueId value = kNoValue;  // kNoValue: an optional input of a function that the call omits
    int64_t node = kBeforeNodes;
  };

  Graph* graph = nullptr;
  Scope* parent = nullptr;  // of a subgraph: its node's scope. Null: nothing outside is visible
  // Of a function's body: where it is called. Its names are not visible.
  Scope* caller = nullptr;
  // Of a graph that the caller of a function gives and that a node further in takes: where it is
  // written. Names are those of there; `parent` is the node's scope and gives no names.
  Scope* written_in = nullptr;
  const FunctionFrame* frame = nullptr;  // null in the model's own graphs
  bool repeated = false;                 // of or for a function, whose calls can multiply it
  std::string prefix;                    // of names of an inlined function's nodes and values
  int depth = 0;                         // graphs and functions around this one
  std::unordered_map<std::string_view, Definition> names;
  std::unordered_map<std::string_view, const onnx::TypeView*> declared;
  int64_t position = kBeforeNodes;  // node of the file that is being imported

  // The value of a name here or outside. A value of an enclosing graph is captured: it becomes a
  // value of this graph (a constant if it is one there). Nothing when the name is not defined;
  // kNoValue for an omitted input of a function.
  std::optional<ValueId> Resolve(std::string_view name);

  // True when `name` is defined by a node that comes later here while enclosing graphs have the
  // name too, so that it is not clear which is meant.
  bool IsAmbiguous(std::string_view name) const;

  // `value` of `from`, whose graph is this one's or encloses it: captured by each graph between.
  // Nothing when `from` is no such scope.
  std::optional<ValueId> Capture(const Scope& from, ValueId value);

  // A new value of this scope's graph, with the type that the file declares for it.
  ValueId NewValue(std::string_view name);
};

}  // namespace waybill::graph::importing
