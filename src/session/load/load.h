// From a model's bytes to a program: read, import, infer, rewrite, select, pack.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status/result.h"
#include "exec/program/program.h"
#include "graph/rewrite/rewrite.h"
#include "onnx/model/model_file.h"
#include "session/load/config.h"
#include "session/session.h"

namespace waybill::session {

// What a session is made of. Constants keep the file's bytes alive by themselves.
struct Loaded {
  std::unique_ptr<graph::Model> model;  // at a fixed address: the program points into it
  std::unique_ptr<exec::Program> program;
  graph::RewriteReport rewrites;
  exec::BuildReport build;
  LoadReport report;
  std::vector<IoInfo> inputs, outputs, overridable;
};

// Threads that a session may use of the shared pool, loading included.
size_t WidthOf(Env& env, const SessionOptions& options);

// Blocks of the Env's memory for files that are read or copied instead of mapped.
TakeBytes WeightBytes(Env& env);

// Everything after reading. Errors: those of the phases; kCancelled when options.cancel_load is
// set.
Result<Loaded> LoadModel(Env& env, std::shared_ptr<const onnx::ModelFile> file,
                         const SessionOptions& options, const Config& config);

}  // namespace waybill::session
