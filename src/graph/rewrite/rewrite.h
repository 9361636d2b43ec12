// Rewrites of a model before it runs. Each change is a patch: it has a name and a number, it is
// written down, and it refuses to change the type or the shape of a value.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "graph/rewrite/evaluator.h"
#include "memory/source/source.h"

namespace waybill::graph {

// How far a model may be changed, in ONNX Runtime's words.
enum class RewriteLevel : int {
  kNone = 0,      // it runs as written
  kBasic = 1,     // nodes that do nothing go, constants are folded
  kExtended = 2,  // and operators are fused
  kLayout = 3,    // and values are laid out for their operators
  kAll = 99,
};

struct RewriteOptions {
  RewriteLevel level = RewriteLevel::kAll;
  size_t stop_after_patch = std::numeric_limits<size_t>::max();  // apply only so many patches
  size_t fold_limit_bytes = size_t{1} << 30;  // bytes that folding may add to what its inputs take
  ConstantEvaluator* evaluator = nullptr;     // null: nothing is folded
  // Weights that take at least so many bytes are not written out between what the model says and
  // what kernels pack: they are dequantized, cast, scaled and transposed while they are packed.
  size_t stream_bytes = size_t{1} << 20;
  std::shared_ptr<MemorySource> source;  // constants that rewrites make, tagged kFolded
  bool fuse_quantized = true;  // DequantizeLinear, operator, QuantizeLinear may become one on bytes
};

struct PatchRecord {
  size_t number = 0;  // from 1
  std::string patch;  // "remove-identity"
  std::string node;  // "/l1/id (Identity-16)"; nodes of bodies are prefixed with their owner's name
  std::string what;  // "readers of 'a' read 'x'"
  bool refused = false;  // it would have changed a type or shape, or had no memory (number is 0)
};

struct RewriteReport {
  std::vector<PatchRecord> patches;
  size_t folded_growth_bytes = 0;
  bool stopped = false;  // by stop_after_patch
  // Nodes of constants that are computed in every run because their results had no memory, with the
  // first error. Refused patches say so too, also of nodes that were folded in a later round.
  std::vector<std::string> short_of_memory;
};

// Changes the model, whose types are inferred; they are inferred anew afterwards. Names, types and
// order of inputs and outputs stay. Errors: kOutOfMemory; kInternal when the model does not infer
// any more.
Result<RewriteReport> Rewrite(Model& model, const RewriteOptions& options);

}  // namespace waybill::graph
