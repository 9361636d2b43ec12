// From the IR back to an ONNX file.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "base/status/result.h"
#include "graph/ir/graph.h"

namespace waybill::graph {

// Takes the next bytes of a file; they are valid during the call only.
using ByteSink = std::function<Status(std::span<const std::byte>)>;

struct ExportOptions {
  ByteSink model;  // the ONNX file. Required
  // Where constants of at least `external_min_bytes` go, none when empty. Their tensors name the
  // file as `external_location`, relative to the folder of the ONNX file.
  ByteSink external;
  std::string external_location;
  size_t external_min_bytes = 1024;
};

// Writes the model as one that importing gives back: the same inputs, outputs, nodes, bodies,
// constants and metadata, under names made unique. Values of the main graph have the types that
// inference found. Constants go from their buffers to the sinks; nothing of their size is held. A
// constant that several graphs hold is written once, as an initializer of the main graph.
//
// The file is standard ONNX unless the model has operators of kInternalDomain, or nodes bound to
// other operator set versions than one file can import (as inlined functions may bring): each of
// the latter becomes a call of a function with an import of its own.
//
// Errors: those of the sinks; kInvalidArgument when the ONNX file would take 2 GiB or more, which
// protobuf does not allow, or when an input has a type that ONNX can not spell.
Status ExportModel(const Model& model, const ExportOptions& options);

// True when the graph, or a body in it, has nodes of kInternalDomain: other runtimes do not load
// it.
bool HasInternalNodes(const Graph& graph);

}  // namespace waybill::graph
