#include "session/load/foreign_keys.h"

#include "session/load/hint_values.h"

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
    {"mlas.enable_gemm_fastmath_arm64_bfloat16", "0"},
    {"mlas.use_lut_gemm", "0"},
    {"optimization.enable_cast_chain_elimination", "0"},
    {"optimization.enable_gelu_approximation", "0"},
    {"session.disable_aot_function_inlining", "0"},
    {"session.disable_double_qdq_remover", "0"},
    {"session.disable_prepacking", "0"},
    {"session.disable_qdq_constant_folding", "0"},
    {"session.dynamic_block_base", "0"},
    {"session.enable_dq_matmulnbits_fusion", "0"},
    {"session.enable_quant_qdq_cleanup", "0"},
    {"session.force_spinning_stop", "0"},
    {"session.graph_optimizations_loop_level", "1"},
    {"session.inter_op.allow_spinning", "1"},
    {"session.inter_op.spin_backoff_max", "1"},
    {"session.inter_op.spin_duration_us", "-1"},
    {"session.intra_op.allow_spinning", "1"},
    {"session.intra_op.spin_backoff_max", "1"},
    {"session.intra_op.spin_duration_us", "-1"},
    {"session.intra_op_thread_affinities", ""},
    {"session.load_model_format", "ONNX"},
    {"session.max_shape_override", ""},
    {"session.node_partition_config_file", ""},
    {"session.save_external_prepacked_constant_initializers", "0"},
    {"session.save_model_format", "ONNX"},
    {"session.strict_shape_type_inference", "0"},
    {"session.use_device_allocator_for_initializers", "0"},
    {"session.x64quantprecision", "0"},
};

template <size_t kCount>
bool Asks(const ForeignKey (&list)[kCount], std::string_view key, std::string_view value) {
  for (const ForeignKey& entry : list) {
    if (key == entry.key) return !value.empty() && value != entry.nothing;
  }
  return false;
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
  if (Asks(kRefused, key, value) || AsksForOrtFormat(key, value)) {
    return Error(Code::kNotImplemented, "session config entry {} = \"{}\" is not implemented", key,
                 value);
  }
  if (Asks(kWithoutEffect, key, value)) {
    warnings.push_back(Format("session config entry {} = \"{}\" has no effect", key, value));
  }
  return Status::Ok();
}

}  // namespace waybill::session
