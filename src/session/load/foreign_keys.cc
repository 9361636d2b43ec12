#include "session/load/foreign_keys.h"

#include <algorithm>
#include <iterator>

#include "session/load/hint_values.h"
#include "session/load/memory_keys.h"

namespace waybill::session {

namespace {

struct ForeignKey {
  std::string_view key;
  std::string_view nothing;  // the value that asks for nothing, as an empty one does
};

// They would change results or write files.
constexpr ForeignKey kRefused[] = {
    {"ep.context_enable", "0"},
    {"optimization.disable_specified_optimizers", ""},
    {"session.collect_node_memory_stats_to_file", ""},
    {"session.debug_layout_transformation", "0"},
    {"session.gqa_value_layout", "BNSH"},
};

// They are about speed, memory or diagnostics, or allow what is never done here: less exact
// results.
constexpr ForeignKey kWithoutEffect[] = {
    {"ep.context_embed_mode", "0"},
    {"ep.context_file_path", ""},
    {"ep.context_model_external_initializers_file_name", ""},
    {"ep.context_node_name_prefix", ""},
    {"ep.context_source_model_path", ""},
    {"ep.dynamic.qnn_htp_performance_mode", ""},
    {"ep.dynamic.workload_type", ""},
    {"ep.enable_weightless", "0"},
    {"ep.nnapi.partitioning_stop_ops", ""},
    {"ep.share_ep_contexts", "0"},
    {"ep.stop_share_ep_contexts", "0"},
    {"mlas.disable_kleidiai", "0"},
    {"mlas.enable_gemm_fastmath_arm64_bfloat16", "0"},
    {"mlas.use_lut_gemm", "0"},
    {"optimization.enable_cast_chain_elimination", "0"},
    {"optimization.enable_gelu_approximation", "0"},
    {"optimization.enable_memory_probe_recompute_config", ""},
    {"optimization.memory_optimizer_config", ""},
    {"optimization.minimal_build_optimizations", ""},
    {"session.compile_only", "0"},
    {"session.disable_aot_function_inlining", "0"},
    {"session.disable_cpu_ep_fallback", "0"},
    {"session.disable_double_qdq_remover", "0"},
    {"session.disable_model_compile", "0"},
    {"session.disable_prepacking", "0"},
    {"session.disable_qdq_constant_folding", "0"},
    {"session.dynamic_block_base", "0"},
    {"session.enable_dq_matmulnbits_fusion", "0"},
    {"session.enable_quant_qdq_cleanup", "0"},
    {"session.enable_saved_runtime_optimizations", "1"},
    {"session.fail_on_suboptimal_compiled_model", "0"},
    {"session.force_spinning_stop", "0"},
    {"session.graph_optimizations_loop_level", "1"},
    {"session.inter_op.allow_spinning", "1"},
    {"session.inter_op.spin_backoff_max", "1"},
    {"session.inter_op.spin_duration_us", "-1"},
    {"session.intra_op.allow_spinning", "1"},
    {"session.intra_op.spin_backoff_max", "1"},
    {"session.intra_op.spin_duration_us", "-1"},
    {"session.intra_op_thread_affinities", ""},
    {"session.layer_assignment_settings", ""},
    {"session.load_model_format", "ONNX"},
    {"session.max_shape_override", ""},
    {"session.name_based_layer_assignment", ""},
    {"session.node_partition_config_file", ""},
    {"session.qdq_matmulnbits_accuracy_level", "4"},
    {"session.qdq_matmulnbits_block_size", "0"},
    {"session.qdqisint8allowed", "0"},
    {"session.record_ep_graph_assignment_info", "0"},
    {"session.resource_cuda_partitioning_settings", ""},
    {"session.save_external_prepacked_constant_initializers", "0"},
    {"session.save_model_format", "ONNX"},
    {"session.strict_shape_type_inference", "0"},
    {"session.use_device_allocator_for_initializers", "0"},
    {"session.use_memory_mapped_ort_model", "0"},
    {"session.use_ort_model_bytes_directly", "0"},
    {"session.use_ort_model_bytes_for_initializers", "0"},
    {"session.x64quantprecision", "0"},
};

// They are read elsewhere: by setters of the options, or where allocators are registered.
constexpr std::string_view kReadElsewhere[] = {
    "session.enable_cpu_mem_arena",     "session.enable_mem_pattern",
    "session.enable_profiling",         "session.execution_mode",
    "session.graph_optimization_level", "session.inter_op_num_threads",
    "session.intra_op_num_threads",     "session.log_id",
    "session.log_severity_level",       "session.log_verbosity_level",
    "session.optimized_model_filepath", "session.use_deterministic_compute",
    "session.use_env_allocators",       "session.use_per_session_threads",
};

template <size_t kCount>
const ForeignKey* Find(const ForeignKey (&list)[kCount], std::string_view key) {
  const auto at = std::ranges::find(list, key, &ForeignKey::key);
  return at != std::end(list) ? at : nullptr;
}

bool Asks(const ForeignKey& known, std::string_view value) {
  return !value.empty() && value != known.nothing;
}

// Any other text but "ONNX" is no format, which is no error there.
bool AsksForOrtFormat(std::string_view key, std::string_view value) {
  return value == "ORT" &&
         (key == "session.load_model_format" || key == "session.save_model_format");
}

}  // namespace

Status CheckForeignKey(std::string_view key, std::string_view value,
                       std::vector<std::string>& warnings) {
  if (key == "session.gqa_value_layout" && value != "BNSH" && value != "BNHS") {
    return Error(Code::kInvalidArgument, "session config entry {} must be BNSH or BNHS, not \"{}\"",
                 key, value);
  }
  WB_RETURN_IF_ERROR(CheckHintValue(key, value));
  const ForeignKey* const refused = Find(kRefused, key);
  if ((refused != nullptr && Asks(*refused, value)) || AsksForOrtFormat(key, value)) {
    return Error(Code::kNotImplemented, "session config entry {} = \"{}\" is not implemented", key,
                 value);
  }
  if (refused != nullptr || std::ranges::find(kReadElsewhere, key) != std::end(kReadElsewhere)) {
    return Status::Ok();
  }
  const ForeignKey* const known = Find(kWithoutEffect, key);
  if (known == nullptr) {
    WB_RETURN_IF_ERROR(CheckMemoryKey("session config entry", key));
    warnings.push_back(
        Format("session config entry {} = \"{}\" is not known and has no effect", key, value));
  } else if (Asks(*known, value)) {
    warnings.push_back(Format("session config entry {} = \"{}\" has no effect", key, value));
  }
  return Status::Ok();
}

}  // namespace waybill::session
