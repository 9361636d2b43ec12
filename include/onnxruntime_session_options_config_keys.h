// SPDX-License-Identifier: Apache-2.0
// Names of session config entries (AddSessionConfigEntry).
#pragma once

// 1 stops kernels from repacking constant weights at load. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsConfigDisablePrepacking = "session.disable_prepacking";

// 1 makes the session use allocators registered in the environment. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsConfigUseEnvAllocators = "session.use_env_allocators";

// Forces the model format; unset means ORT format for a .ort name or matching bytes, else ONNX.
// Values: ORT or ONNX (case sensitive); default: unset.
static const char* const kOrtSessionOptionsConfigLoadModelFormat = "session.load_model_format";

// Format of the saved optimised model; unset means ORT for a .ort name, else ONNX. Values: ORT or
// ONNX; default: unset.
static const char* const kOrtSessionOptionsConfigSaveModelFormat = "session.save_model_format";

// 1 makes session threads flush denormals to zero. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsConfigSetDenormalAsZero = "session.set_denormal_as_zero";

// 1 turns off fusing of quantize/dequantize pairs into integer operators. Values: 0/1; default: 0
// (1 with DirectML).
static const char* const kOrtSessionOptionsDisableQuantQDQ = "session.disable_quant_qdq";

// 1 keeps doubled quantize/dequantize pairs. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsDisableDoubleQDQRemover =
    "session.disable_double_qdq_remover";

// 1 removes leftover quantize/dequantize pairs between float operators; may change accuracy.
// Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsEnableQuantQDQCleanup =
    "session.enable_quant_qdq_cleanup";

// 1 replaces Gelu by a faster approximation. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsEnableGeluApproximation =
    "optimization.enable_gelu_approximation";

// 1 collapses chains of Cast nodes even when rounding may change. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsEnableCastChainElimination =
    "optimization.enable_cast_chain_elimination";

// 1 postpones inlining of model-local functions. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsDisableAheadOfTimeFunctionInlining =
    "session.disable_aot_function_inlining";

// Training builds only: file that lists subgraphs to recompute. Values: file path; default: unset.
static const char* const kOrtSessionOptionsMemoryOptimizerApplyConfig =
    "optimization.memory_optimizer_config";

// Training builds only: how to look for recomputable subgraphs. Values: comma-separated ints;
// default: 0:0.
static const char* const kOrtSessionOptionsMemoryOptimizerProbeConfig =
    "optimization.enable_memory_probe_recompute_config";

// Optimizers to skip. Values: names separated by ';'; default: empty.
static const char* const kOrtSessionOptionsDisableSpecifiedOptimizers =
    "optimization.disable_specified_optimizers";

// How often the optimiser levels are repeated: never, when level 4 changed the graph, when level 2
// or higher did. Values: 0/1/2; default: 1.
static const char* const kOrtSessionOptionsGraphOptimizationsLoopLevel =
    "session.graph_optimizations_loop_level";

// 1 allocates weights outside the arena. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsUseDeviceAllocatorForInitializers =
    "session.use_device_allocator_for_initializers";

// Whether idle inter-operator threads spin before blocking. Values: 0/1; default: 1 (0 in client
// builds).
static const char* const kOrtSessionOptionsConfigAllowInterOpSpinning =
    "session.inter_op.allow_spinning";

// Whether idle intra-operator threads spin before blocking. Values: 0/1; default: 1 (0 in client
// builds).
static const char* const kOrtSessionOptionsConfigAllowIntraOpSpinning =
    "session.intra_op.allow_spinning";

// 1 uses an ORT-format buffer in place; the caller keeps it alive. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsConfigUseORTModelBytesDirectly =
    "session.use_ort_model_bytes_directly";

// 1 also points weights into that buffer; needs the key above or the memory-mapped key. Values:
// 0/1; default: 0.
static const char* const kOrtSessionOptionsConfigUseORTModelBytesForInitializers =
    "session.use_ort_model_bytes_for_initializers";

// Used when exporting an ORT-format model for another platform. Values: 0/1; default: platform (1
// on Arm).
static const char* const kOrtSessionOptionsQDQIsInt8Allowed = "session.qdqisint8allowed";

// 1 uses slower unsigned-unsigned products on AVX2/AVX512 without VNNI to avoid saturation.
// Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsAvx2PrecisionMode = "session.x64quantprecision";

// How optimisations for reduced builds are recorded or restricted. Values: save / apply / empty;
// default: empty.
static const char* const kOrtSessionOptionsConfigMinimalBuildOptimizations =
    "optimization.minimal_build_optimizations";

// Operators from which on NNAPI is not used; empty text means none. Values: comma-separated
// operator types; default: built-in list.
static const char* const kOrtSessionOptionsConfigNnapiEpPartitioningStopOps =
    "ep.nnapi.partitioning_stop_ops";

// A positive value makes parallel loops hand out shrinking blocks. Values: integer; default: 0
// (off).
static const char* const kOrtSessionOptionsConfigDynamicBlockBase = "session.dynamic_block_base";

// 1 stops spinning when the last concurrent run ends. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsConfigForceSpinningStop = "session.force_spinning_stop";

// 1 makes shape and type conflicts errors. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsConfigStrictShapeTypeInference =
    "session.strict_shape_type_inference";

// 1 rejects models with an opset newer than the last released one. Values: 0/1; default:
// environment ALLOW_RELEASED_ONNX_OPSET_ONLY, else 1.
static const char* const kOrtSessionOptionsConfigStrictAllowReleasedOpsetsOnly =
    "session.allow_released_opsets_only";

// File that places nodes on logical streams. Values: file path; default: unset.
static const char* const kNodePartitionConfigFile = "session.node_partition_config_file";

// Pins each pool thread; there must be (threads - 1) groups and ids start at 1. Values:
// "1,2;3-5;..." one group per extra thread; default: unset.
static const char* const kOrtSessionOptionsConfigIntraOpThreadAffinities =
    "session.intra_op_thread_affinities";

// 1 writes the model after each layout-change step. Values: 0/1; default: 0.
static const char* const kDebugLayoutTransformation = "session.debug_layout_transformation";

// 1 makes session creation fail when any node would run on the default CPU provider. Values: 0/1;
// default: 0.
static const char* const kOrtSessionOptionsDisableCPUEPFallback = "session.disable_cpu_ep_fallback";

// Saves large weights of the optimised model to this file. Values: file name; default: unset.
static const char* const kOrtSessionOptionsOptimizedModelExternalInitializersFileName =
    "session.optimized_model_external_initializers_file_name";

// Smallest weight that goes to that file. Values: integer; default: 1024.
static const char* const kOrtSessionOptionsOptimizedModelExternalInitializersMinSizeInBytes =
    "session.optimized_model_external_initializers_min_size_in_bytes";

// Where external data files are when the model comes from memory. Values: folder; default: unset.
static const char* const kOrtSessionOptionsModelExternalInitializersFileFolderPath =
    "session.model_external_initializers_file_folder_path";

// 1 also writes repacked weights to the external file. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsSavePrePackedConstantInitializers =
    "session.save_external_prepacked_constant_initializers";

// Writes a CSV with per-node memory: node name, initializers, dynamic outputs, temporaries.
// Values: file path; default: unset.
static const char* const kOrtSessionOptionsCollectNodeMemoryStatsToFile =
    "session.collect_node_memory_stats_to_file";

// Limits how much the CUDA provider takes while partitioning. Values: "limit_kb,stats file";
// default: unset.
static const char* const kOrtSessionOptionsResourceCudaPartitioningSettings =
    "session.resource_cuda_partitioning_settings";

// Places nodes by their layer annotation metadata. Values: "device(pattern,...);device(...)", '='
// for exact match, gpu:N for a device number; default: unset.
static const char* const kOrtSessionOptionsLayerAssignmentSettings =
    "session.layer_assignment_settings";

// Places nodes by parts of their name; excludes the key above (error when both are set). Values:
// same grammar; default: unset.
static const char* const kOrtSessionOptionsNameBasedLayerAssignment =
    "session.name_based_layer_assignment";

// Upper-bound shapes of graph inputs for memory estimates. Values: "name:[d0,d1];name2:[...]",
// positive ints; default: unset.
static const char* const kOrtSessionOptionsMaxShapeOverride = "session.max_shape_override";

// accuracy_level given to fused MatMulNBits. Values: 0-4; default: 4.
static const char* const kOrtSessionOptionsQDQMatMulNBitsAccuracyLevel =
    "session.qdq_matmulnbits_accuracy_level";

// 1 keeps the node-to-provider assignment for Session_GetEpGraphAssignmentInfo (else FAIL).
// Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsRecordEpGraphAssignmentInfo =
    "session.record_ep_graph_assignment_info";

// 1 makes creation fail with MODEL_REQUIRES_COMPILATION when a provider would have to compile.
// Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsDisableModelCompile = "session.disable_model_compile";

// 1 rejects compiled models that only "prefer recompilation". Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsFailOnSuboptimalCompiledModel =
    "session.fail_on_suboptimal_compiled_model";

// 1 writes a model with compiled EPContext nodes. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionEpContextEnable = "ep.context_enable";

// Where that model is written. Values: file path; default: <model>_ctx.onnx.
static const char* const kOrtSessionOptionEpContextFilePath = "ep.context_file_path";

// 1 embeds the compiled blob in the model. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionEpContextEmbedMode = "ep.context_embed_mode";

// Prefix for EPContext node names. Values: text; default: empty.
static const char* const kOrtSessionOptionEpContextNodeNamePrefix = "ep.context_node_name_prefix";

// 1 shares provider resources between sessions. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionShareEpContexts = "ep.share_ep_contexts";

// 1 ends that sharing after this session. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionStopShareEpContexts = "ep.stop_share_ep_contexts";

// External weight file of the EPContext model. Values: file name; default: unset.
static const char* const kOrtSessionOptionsEpContextModelExternalInitializersFileName =
    "ep.context_model_external_initializers_file_name";

// 1.29: source model for a compiled model without weights. Values: file path; default: unset.
static const char* const kOrtSessionOptionEpContextSourceModelPath = "ep.context_source_model_path";

// 1 computes float32 products in bfloat16 on Arm. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsMlasGemmFastMathArm64Bfloat16 =
    "mlas.enable_gemm_fastmath_arm64_bfloat16";

// 1 uses look-up-table products for low-bit weights. Values: 0/1; default: 0.
static const char* const kOrtSessionOptionsMlasLutGemm = "mlas.use_lut_gemm";

// For SetEpDynamicOptions: hints scheduling effort. Values: Default / Efficient; default: Default.
static const char* const kOrtEpDynamicOptionsWorkloadType = "ep.dynamic.workload_type";

// For SetEpDynamicOptions: QNN mode. Values: named modes; default: default.
static const char* const kOrtEpDynamicOptionsQnnHtpPerformanceMode =
    "ep.dynamic.qnn_htp_performance_mode";
