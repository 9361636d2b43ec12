// From a model's bytes to a program: read, import, infer, rewrite, select, pack.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status/result.h"
#include "exec/program/program.h"
#include "graph/rewrite/rewrite.h"
#include "onnx/model/model_file.h"
#include "session/io/signature.h"
#include "session/load/config.h"
#include "session/load/file_stamp.h"
#include "session/load/model_source.h"
#include "session/load/model_use.h"
#include "session/session.h"

namespace waybill::session {

class LoadPlace;

// What sessions are made of; shared by all whose loads are the same, so nothing in it is one
// session's own. Immutable but for the counts of sessions. Constants keep the file's bytes alive by
// themselves.
struct Loaded {
  std::unique_ptr<graph::Model> model;  // at a fixed address: the program points into it
  std::unique_ptr<exec::Program> program;
  graph::RewriteReport rewrites;
  exec::BuildReport build;
  LoadReport report;  // of the load that made it
  std::vector<IoInfo> inputs, outputs, overridable;
  std::optional<Signature> signature;
  std::vector<Value> defaults;  // by input; undefined where there is none

  std::vector<std::shared_ptr<const void>> external_owners;  // of files in memory, used in place
  std::string name;                                          // the path, or "bytes"
  WeightBytesUse bytes;
  uint64_t caller_packed = 0;  // bytes of the caller's that were packed or copied
  std::vector<std::pair<std::string, std::string>> not_shared;  // constant, why
  mutable std::atomic<uint64_t> sessions_live{0}, sessions_created{0};

  std::weak_ptr<const onnx::ModelFile> file;
  std::vector<std::unique_ptr<const FileStamp>> files;  // of the model and its external data
  std::string linked_folder;  // where external data may be, beside its folder
  std::string why_alone;      // why it is not shared; empty: it is
};

// Threads that a session may use of the shared pool, loading included.
size_t WidthOf(Env& env, const SessionOptions& options);

// Blocks of the Env's memory for files that are read or copied instead of mapped.
TakeBytes WeightBytes(Env& env);

// Everything after reading. `packed_file`: where packed weights are kept; empty: nowhere.
// Errors: those of the phases; kCancelled when options.cancel_load is set; kOutOfMemory where
// `place` has no room, before anything is packed.
Result<std::unique_ptr<Loaded>> LoadModel(Env& env, OpenedModel opened,
                                          const SessionOptions& options, const Config& config,
                                          const std::string& packed_file, LoadPlace& place);

// What a session logs of its options before it has a model.
void LogOptionWarnings(Env& env, const SessionOptions& options, const Config& config);
// Each as a warning of the session.
void LogWarnings(Env& env, const SessionOptions& options, const std::vector<std::string>& texts);

}  // namespace waybill::session
