// From an ONNX file to the IR: names become values, operators are bound to their schemas,
// attributes get their defaults, functions are inlined, captures made explicit.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "memory/buffer/view.h"
#include "memory/source/source.h"
#include "onnx/model/model_file.h"

namespace waybill::graph {

// Bytes of an external tensor, `tensor.bytes` long, in the raw layout; no alignment is promised.
using ExternalBytes = std::function<Result<SharedView>(const onnx::TensorProtoView& tensor)>;

struct ImportOptions {
  // Serves constants that can not stay in the file (typed fields, strings, sparse ones), tagged
  // kWeights. Required.
  std::shared_ptr<MemorySource> source;
  // Empty: a model with external data is refused.
  ExternalBytes external;
  // Values that take the place of initializers of the main graph, by name; types and shapes must
  // be those of the file. Entries that name no initializer are refused.
  std::map<std::string, Tensor, std::less<>> initializers;
  // Whether every tensor is copied out of the file's bytes, which may then go: no constant keeps a
  // share of `file`. Those of `external` are used as they come.
  bool copy_tensors = false;
  // Whether operator set versions that are not released yet are refused; else they give a warning.
  bool released_opsets_only = false;
};

// Imports the model. Constants are views into the file's bytes wherever these are in the raw layout
// (they may be misaligned there), and each keeps a share of `file`; nothing else does.
//
// The result is checked: names are defined once, nodes are in topological order (they are sorted if
// the file has them in another one), every node is bound to a schema and has the inputs, outputs
// and attributes that it allows. Types are as declared; infer::InferModel determines them.
// Functions of the specification are not expanded: a node whose schema has_function and for which
// no kernel is selected is a node that could be replaced by that body.
//
// Errors: kInvalidGraph, naming graph, node, operator and what is wrong; kNotImplemented for format
// or operator set versions that are too new; kFail for unreleased ones; those of `external` and of
// the memory source.
Result<Model> ImportModel(std::shared_ptr<const onnx::ModelFile> file,
                          const ImportOptions& options);

}  // namespace waybill::graph
