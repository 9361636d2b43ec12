#include "session/load/load.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <set>
#include <string_view>

#include "base/text/printable.h"
#include "exec/program/evaluator.h"
#include "graph/import/import.h"
#include "graph/infer/infer.h"
#include "graph/rewrite/rewrite.h"
#include "memory/buffer/buffer.h"
#include "memory/source/hub.h"
#include "memory/weights/sidecar.h"
#include "memory/weights/weight_load.h"
#include "memory/weights/weight_store.h"
#include "onnx/external/external_data.h"
#include "parallel/pool/thread_pool.h"
#include "session/load/packed_path.h"
#include "session/load/save.h"
#include "session/load/weight_need.h"

namespace waybill::session {
namespace {

// Adds the time since the last lap to a phase of the report.
class Laps {
 public:
  void Add(int64_t& phase_ns) {
    const auto now = std::chrono::steady_clock::now();
    phase_ns += std::chrono::duration_cast<std::chrono::nanoseconds>(now - last_).count();
    last_ = now;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

Status CheckCancel(const SessionOptions& options) {
  if (options.cancel_load != nullptr && options.cancel_load->load(std::memory_order_relaxed)) {
    return Error(Code::kCancelled, "loading was cancelled");
  }
  return Status::Ok();
}

Status AddInitializers(const std::vector<std::pair<std::string, Value>>& values,
                       graph::ImportOptions& out) {
  for (const auto& [name, value] : values) {
    if (value.tensor() == nullptr) {
      return Error(Code::kInvalidArgument, "the value given for initializer {} is no tensor", name);
    }
    out.initializers[name] = *value.tensor();
  }
  return Status::Ok();
}

onnx::ExternalData MakeExternal(Env& env, const onnx::ModelFile& file,
                                const SessionOptions& options, const Config& config) {
  onnx::ExternalData::Options external;
  external.base_dir =
      config.external_folder.empty() ? options.base_directory : config.external_folder;
  external.access = config.read_model ? FileAccess::kRead : FileAccess::kMap;
  external.take = WeightBytes(env);
  for (const SessionOptions::FileInMemory& buffer : options.external_files) {
    external.buffers[buffer.location] = {{buffer.data, buffer.bytes}, nullptr};
  }
  return onnx::ExternalData(file, std::move(external));
}

bool Passes(const SessionOptions& options, std::span<const std::byte> bytes) {
  for (const SessionOptions::FileInMemory& buffer : options.external_files) {
    const bool inside =
        std::greater_equal<>()(bytes.data(), buffer.data) &&
        std::less_equal<>()(bytes.data() + bytes.size(), buffer.data + buffer.bytes);
    if (!buffer.keep && inside) return true;
  }
  return false;
}

// The tensor's bytes in its external file, or a copy of them where that passes.
Result<SharedView> ReadExternal(Env& env, const SessionOptions& options,
                                onnx::ExternalData& external, const onnx::TensorProtoView& tensor) {
  WB_ASSIGN_OR_RETURN(onnx::SharedBytes shared, external.Resolve(tensor));
  if (shared.owner == nullptr && !shared.bytes.empty() && Passes(options, shared.bytes)) {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<std::byte> copy,
                        TakeBlock(WeightBytes(env), shared.bytes.size()));
    std::memcpy(copy.get(), shared.bytes.data(), shared.bytes.size());
    shared = {{copy.get(), shared.bytes.size()}, copy};
  }
  // Constants are never written; views carry no const.
  auto* data = const_cast<std::byte*>(shared.bytes.data());
  return SharedView(std::move(shared.owner), {data, shared.bytes.size(), {}});
}

// What later loads compare, and what this one knows of its weights.
void NoteFiles(const OpenedModel& opened, const onnx::ExternalData& external,
               const SessionOptions& options, Loaded& loaded, WeightLoad& weights) {
  const onnx::ModelFile& file = *opened.file;
  if (file.identity()) {
    loaded.files.push_back(
        std::make_unique<FileStamp>(std::string(), *file.identity(), file.bytes()));
    weights.AddFile(file.bytes(),
                    opened.origin == WeightOrigin::kMapped ? FileAccess::kMap : FileAccess::kRead,
                    loaded.files.back()->settled_identity());
  } else if (!opened.passing) {
    weights.AddRange(file.bytes(), opened.origin, opened.file);
  }
  for (const auto& [location, bytes] : external.files()) {
    loaded.files.push_back(std::make_unique<FileStamp>(location, bytes.identity(), bytes.bytes()));
    weights.AddFile(bytes.bytes(), bytes.access(), loaded.files.back()->settled_identity(),
                    bytes.owner());
  }
  for (const SessionOptions::FileInMemory& buffer : options.external_files) {
    if (!buffer.keep) continue;
    weights.AddRange({buffer.data, buffer.bytes}, WeightOrigin::kCaller);
    if (buffer.owner != nullptr) loaded.external_owners.push_back(buffer.owner);
  }
  for (const auto* values : {&options.initializers, &options.external_initializers}) {
    for (const auto& [name, value] : *values) {
      const TensorView& view = value.tensor()->view();
      weights.AddRange({view.data, view.bytes()}, WeightOrigin::kCaller);
    }
  }
  loaded.linked_folder = external.linked_folder();
}

Status Import(Env& env, const OpenedModel& opened, const SessionOptions& options,
              const Config& config, Loaded& loaded, WeightLoad& weights) {
  onnx::ExternalData external = MakeExternal(env, *opened.file, options, config);
  graph::ImportOptions wanted;
  wanted.source = env.cpu_source();
  wanted.external = [&](const auto& tensor) {
    return ReadExternal(env, options, external, tensor);
  };
  wanted.copy_tensors = opened.passing;
  wanted.released_opsets_only = config.released_opsets_only;
  WB_RETURN_IF_ERROR(AddInitializers(options.initializers, wanted));
  WB_RETURN_IF_ERROR(AddInitializers(options.external_initializers, wanted));
  WB_ASSIGN_OR_RETURN(graph::Model model, graph::ImportModel(opened.file, wanted));
  loaded.model = std::make_unique<graph::Model>(std::move(model));
  if (!opened.passing) loaded.file = opened.file;
  NoteFiles(opened, external, options, loaded, weights);
  return Status::Ok();
}

// Sizes of dimensions that carry a denotation: the file says which, the IR no longer does.
Status OverrideByDenotation(const onnx::ModelFile& file,
                            const std::map<std::string, int64_t>& sizes, graph::Model& model) {
  if (sizes.empty()) return Status::Ok();
  std::set<std::string_view> used;
  for (const graph::ValueId id : model.main.inputs) {
    graph::Value& value = model.main.value(id);
    for (const onnx::ValueInfoView& input : file.view().graph.inputs) {
      if (input.name != value.name || !value.type.shape.has_rank()) continue;
      for (size_t i = 0; i < input.type.dims.size() && i < value.type.shape.rank(); ++i) {
        const auto size = sizes.find(std::string(input.type.dims[i].denotation));
        if (size == sizes.end()) continue;
        used.insert(size->first);
        if (value.type.shape[i].known()) continue;
        if (size->second < 0) {
          return Error(Code::kInvalidArgument, "dimension denotation {} is given the size {}",
                       size->first, size->second);
        }
        value.type.shape[i] = Dim(size->second);
      }
    }
  }
  for (const auto& [denotation, size] : sizes) {
    if (used.count(denotation) != 0) continue;
    model.warnings.push_back(
        Format("the free dimension override {} = {} has no effect: no input of the model has a "
               "dimension of this denotation",
               denotation, size));
  }
  return Status::Ok();
}

Status RewriteModel(Env& env, const SessionOptions& options, const Config& config, Loaded& loaded) {
  exec::KernelEvaluator evaluator(options.providers, env.cpu_source());
  graph::RewriteOptions rewrite;
  rewrite.level = static_cast<graph::RewriteLevel>(options.level);
  if (config.stop_after_patch >= 0) {
    rewrite.stop_after_patch = static_cast<size_t>(config.stop_after_patch);
  }
  rewrite.fold_limit_bytes = static_cast<size_t>(config.fold_limit_bytes);
  rewrite.stream_bytes = static_cast<size_t>(config.stream_bytes);
  rewrite.fuse_quantized = config.fuse_quantized;
  rewrite.evaluator = &evaluator;
  rewrite.source = env.cpu_source();
  WB_ASSIGN_OR_RETURN(loaded.rewrites, graph::Rewrite(*loaded.model, rewrite));
  return Status::Ok();
}

void DescribeIo(Loaded& loaded) {
  const graph::Graph& graph = loaded.model->main;
  for (const graph::ValueId id : graph.inputs) {
    bool has_default = false;
    for (const graph::InputDefault& given : graph.defaults) has_default |= given.input == id;
    const graph::Value& value = graph.value(id);
    (has_default ? loaded.overridable : loaded.inputs).push_back({value.name, value.type});
  }
  for (const graph::ValueId id : graph.outputs) {
    loaded.outputs.push_back({graph.value(id).name, graph.value(id).type});
  }
}

// Those of SessionOptions' members that are accepted for compatibility.
std::vector<std::string> OptionWarnings(const SessionOptions& options) {
  std::vector<std::string> out;
  if (!options.mem_pattern) out.emplace_back("turning memory patterns off has no effect");
  if (!options.cpu_mem_arena)
    out.emplace_back("turning the CPU memory arena off has no effect on runs");
  if (options.parallel_steps) out.emplace_back("the parallel execution mode has no effect");
  if (options.inter_op_threads > 1) {
    out.push_back(Format("{} inter-op threads have no effect", options.inter_op_threads));
  }
  const auto env_allocators = options.config.find("session.use_env_allocators");
  if (env_allocators != options.config.end() && env_allocators->second == "1" &&
      options.output_source == nullptr) {
    out.emplace_back("session.use_env_allocators = \"1\" has no effect: none is registered");
  }
  return out;
}

// Values of overridable initializers.
Status MakeDefaults(Env& env, Loaded& loaded) {
  const graph::Graph& graph = loaded.model->main;
  loaded.defaults.resize(graph.inputs.size());
  for (const graph::InputDefault& given : graph.defaults) {
    const auto at = std::find(graph.inputs.begin(), graph.inputs.end(), given.input);
    if (at == graph.inputs.end()) continue;
    WB_ASSIGN_OR_RETURN(Tensor tensor,
                        given.value.Materialize(env.cpu_source(), MemoryTag::kWeights));
    loaded.defaults[static_cast<size_t>(at - graph.inputs.begin())] = Value(std::move(tensor));
  }
  return Status::Ok();
}

Status BuildProgram(Env& env, const SessionOptions& options, const Config& config,
                    WeightLoad& weights, LoadPlace& place, Loaded& loaded) {
  exec::BuildOptions build;
  build.providers = options.providers;
  build.source = env.cpu_source();
  build.cancel = options.cancel_load;
  build.pool = &env.pool();
  build.book = &env.runs();
  build.width = WidthOf(env, options);
  build.order_steps = config.order_steps;
  build.pack = config.pack;
  build.plan_limits.max_plans = static_cast<size_t>(config.max_plans);
  if (config.max_plan_bytes >= 0) {
    build.plan_limits.max_bytes = static_cast<size_t>(config.max_plan_bytes);
  }
  build.rules.reuse = config.reuse_memory;
  build.rules.poison_freed = config.poison_freed;
  build.rules.templates = config.plan_templates;
  build.weights = &weights;
  // The builder sees the graph as const; it is ours, and those who packed the constant are done.
  build.let_go = [](const graph::Graph& graph, graph::ValueId id, const graph::Constant& instead) {
    const_cast<graph::Graph&>(graph).value(id).constant = instead;
  };
  WB_RETURN_IF_ERROR(AskToBuild(loaded.model->main, build, weights, place));
  WB_ASSIGN_OR_RETURN(loaded.program,
                      exec::Program::Build(loaded.model->main, build, loaded.build));
  loaded.report.select_ns = loaded.build.select_ns;
  loaded.report.pack_ns = loaded.build.pack_ns;
  loaded.report.order_ns = loaded.build.order_ns;
  CountWeights(weights, loaded);
  return MakeDefaults(env, loaded);
}

}  // namespace

void LogWarnings(Env& env, const SessionOptions& options, const std::vector<std::string>& texts) {
  const Severity least = options.severity.value_or(env.severity());
  if (least > Severity::kWarning) return;
  for (const std::string& text : texts) {
    env.LogAlways(Severity::kWarning, options.log_id, "load.cc LoadModel", PrintableMessage(text));
  }
}

void LogOptionWarnings(Env& env, const SessionOptions& options, const Config& config) {
  LogWarnings(env, options, OptionWarnings(options));
  LogWarnings(env, options, config.warnings);
}

TakeBytes WeightBytes(Env& env) {
  return [source = env.cpu_source()](size_t bytes) -> Result<std::shared_ptr<std::byte>> {
    WB_ASSIGN_OR_RETURN(Buffer block,
                        Buffer::Allocate(source, bytes, kBlockAlign, MemoryTag::kWeights));
    std::byte* data = block.view().data;
    auto owner = std::make_shared<Buffer>(std::move(block));
    return std::shared_ptr<std::byte>(std::move(owner), data);
  };
}

size_t WidthOf(Env& env, const SessionOptions& options) {
  const size_t all = env.pool().max_width();
  return options.intra_op_threads > 0 ? std::min(all, static_cast<size_t>(options.intra_op_threads))
                                      : all;
}

Result<std::unique_ptr<Loaded>> LoadModel(Env& env, OpenedModel opened,
                                          const SessionOptions& options, const Config& config,
                                          const std::string& packed_file, LoadPlace& place) {
  auto made = std::make_unique<Loaded>();
  Loaded& loaded = *made;
  std::optional<Sidecar> sidecar;
  if (!packed_file.empty()) sidecar.emplace(packed_file, LibraryVersion());
  WeightLoad weights(env.weights(), options.cancel_load, sidecar ? &*sidecar : nullptr);
  Laps laps;
  WB_RETURN_IF_ERROR(CheckCancel(options));
  WB_RETURN_IF_ERROR(AskToImport(opened, place));
  WB_RETURN_IF_ERROR(Import(env, opened, options, config, loaded, weights));
  WB_RETURN_IF_ERROR(CheckCancel(options));
  WB_RETURN_IF_ERROR(
      OverrideByDenotation(*opened.file, options.free_dims_by_denotation, *loaded.model));
  opened.file.reset();
  WB_RETURN_IF_ERROR(graph::infer::OverrideDims(*loaded.model, options.free_dims_by_name));
  WB_RETURN_IF_ERROR(graph::infer::InferModel(*loaded.model));
  LogWarnings(env, options, loaded.model->warnings);
  laps.Add(loaded.report.import_ns);

  WB_RETURN_IF_ERROR(CheckCancel(options));
  WB_RETURN_IF_ERROR(RewriteModel(env, options, config, loaded));
  for (const std::string& node : loaded.rewrites.short_of_memory) {
    LogWarnings(env, options, {Format("what is constant is computed in every run: {}", node)});
  }
  DescribeIo(loaded);
  laps.Add(loaded.report.rewrite_ns);
  WB_RETURN_IF_ERROR(CheckCancel(options));
  std::vector<std::string> warnings;
  WB_RETURN_IF_ERROR(SaveOptimized(*loaded.model, options, config, warnings));
  LogWarnings(env, options, warnings);
  WB_RETURN_IF_ERROR(BuildProgram(env, options, config, weights, place, loaded));
  if (sidecar) {
    sidecar->Finish();
    LogWarnings(env, options, sidecar->warnings());
  }
  loaded.signature.emplace(loaded.model->main);
  return made;
}

}  // namespace waybill::session
