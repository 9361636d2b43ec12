// SPDX-License-Identifier: Apache-2.0
// The C interface of ONNX Runtime 1.30, as Waybill offers it: same names, same values, same layout.
// A program compiled against this header runs with either library. Everything is reached through
// the function table that OrtGetApiBase()->GetApi(ORT_API_VERSION) returns.
//
// Conventions. A function that can fail returns an OrtStatus*: NULL is success, anything else is
// owned by the caller and freed with ReleaseStatus. Objects made by Create* functions belong to the
// caller, who frees them with the matching Release*; Release* of NULL does nothing. Pointers called
// borrowed live as long as the object they came from. Texts are UTF-8 and end with NUL. No
// exception leaves a function of the table. Sessions may be run from several threads at once; other
// objects are used by one thread at a time.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnxruntime_error_code.h"

/** Version of the function table that this header describes. */
#define ORT_API_VERSION 30

#ifdef __cplusplus
extern "C" {
#define NO_EXCEPTION noexcept
#else
#define NO_EXCEPTION
#endif

/* Annotations of pointer arguments; they mean nothing to this platform's compilers. */
#ifndef _In_
#define _In_
#define _In_z_
#define _In_opt_
#define _In_opt_z_
#define _Out_
#define _Out_opt_
#define _Outptr_
#define _Outptr_opt_
#define _Outptr_result_maybenull_
#define _Outptr_opt_result_maybenull_
#define _Inout_
#define _Inout_opt_
#define _Frees_ptr_opt_
#define _Ret_maybenull_
#define _Ret_notnull_
#define _Check_return_
#define _Success_(x)
#define _In_reads_(x)
#define _In_reads_opt_(x)
#define _Inout_updates_(x)
#define _Inout_updates_all_(x)
#define _Out_writes_(x)
#define _Out_writes_all_(x)
#define _Out_writes_bytes_all_(x)
#define _Outptr_result_buffer_maybenull_(x)
#endif

/** Marks functions that the shared library exports. */
#ifndef ORT_EXPORT
#define ORT_EXPORT __attribute__((visibility("default")))
#endif
/** Calling convention of every function of the interface. */
#define ORT_API_CALL
#define ORT_MUST_USE_RESULT
/** Character of a path, and literals of it. */
#define ORTCHAR_T char
#define ORT_TSTR(x) x
/** This source file's name as a path literal, for Logger_LogMessage. */
#define ORT_FILE ORT_TSTR(__FILE__)

/** Element types of tensors. The numbers are those of this interface, not of TensorProto. */
typedef enum ONNXTensorElementDataType {
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED = 0,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT = 1,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 = 2,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8 = 3,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16 = 4,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16 = 5,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32 = 6,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 = 7,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING = 8,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL = 9,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 = 10,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE = 11,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32 = 12,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64 = 13,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64 = 14,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128 = 15,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16 = 16,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN = 17,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ = 18,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2 = 19,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ = 20,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4 = 21,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4 = 22,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1 = 23,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2 = 24,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2 = 25,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0 = 26,
} ONNXTensorElementDataType;

/** Kinds of values. */
typedef enum ONNXType {
  ONNX_TYPE_UNKNOWN = 0,
  ONNX_TYPE_TENSOR = 1,
  ONNX_TYPE_SEQUENCE = 2,
  ONNX_TYPE_MAP = 3,
  ONNX_TYPE_OPAQUE = 4,
  ONNX_TYPE_SPARSETENSOR = 5,
  ONNX_TYPE_OPTIONAL = 6,
} ONNXType;

/** Storage layouts of sparse tensors. */
typedef enum OrtSparseFormat {
  ORT_SPARSE_UNDEFINED = 0,
  ORT_SPARSE_COO = 1,
  ORT_SPARSE_CSRC = 2,
  ORT_SPARSE_BLOCK_SPARSE = 4,
} OrtSparseFormat;

/** Which index array of a sparse tensor is meant. */
typedef enum OrtSparseIndicesFormat {
  ORT_SPARSE_COO_INDICES = 0,
  ORT_SPARSE_CSR_INNER_INDICES = 1,
  ORT_SPARSE_CSR_OUTER_INDICES = 2,
  ORT_SPARSE_BLOCK_SPARSE_INDICES = 3,
} OrtSparseIndicesFormat;

/** Severity of a log line. */
typedef enum OrtLoggingLevel {
  ORT_LOGGING_LEVEL_VERBOSE = 0,
  ORT_LOGGING_LEVEL_INFO = 1,
  ORT_LOGGING_LEVEL_WARNING = 2,
  ORT_LOGGING_LEVEL_ERROR = 3,
  ORT_LOGGING_LEVEL_FATAL = 4,
} OrtLoggingLevel;

/** Kinds of node attributes. */
typedef enum OrtOpAttrType {
  ORT_OP_ATTR_UNDEFINED = 0,
  ORT_OP_ATTR_INT = 1,
  ORT_OP_ATTR_INTS = 2,
  ORT_OP_ATTR_FLOAT = 3,
  ORT_OP_ATTR_FLOATS = 4,
  ORT_OP_ATTR_STRING = 5,
  ORT_OP_ATTR_STRINGS = 6,
  ORT_OP_ATTR_GRAPH = 7,
  ORT_OP_ATTR_TENSOR = 8,
} OrtOpAttrType;

/** How much a session may rewrite its graph. */
typedef enum GraphOptimizationLevel {
  ORT_DISABLE_ALL = 0,
  ORT_ENABLE_BASIC = 1,
  ORT_ENABLE_EXTENDED = 2,
  ORT_ENABLE_LAYOUT = 3,
  ORT_ENABLE_ALL = 99,
} GraphOptimizationLevel;

/** Whether independent nodes may run side by side. */
typedef enum ExecutionMode {
  ORT_SEQUENTIAL = 0,
  ORT_PARALLEL = 1,
} ExecutionMode;

/** The language binding that calls. */
typedef enum OrtLanguageProjection {
  ORT_PROJECTION_C = 0,
  ORT_PROJECTION_CPLUSPLUS = 1,
  ORT_PROJECTION_CSHARP = 2,
  ORT_PROJECTION_PYTHON = 3,
  ORT_PROJECTION_JAVA = 4,
  ORT_PROJECTION_WINML = 5,
  ORT_PROJECTION_NODEJS = 6,
} OrtLanguageProjection;

/** Kinds of allocators. */
typedef enum OrtAllocatorType {
  OrtInvalidAllocator = -1,
  OrtDeviceAllocator = 0,
  OrtArenaAllocator = 1,
  OrtReadOnlyAllocator = 2,
} OrtAllocatorType;

/** What memory is used for, relative to the provider that owns it. */
typedef enum OrtMemType {
  OrtMemTypeCPUInput = -2,
  OrtMemTypeCPUOutput = -1,
  OrtMemTypeCPU = OrtMemTypeCPUOutput,
  OrtMemTypeDefault = 0,
} OrtMemType;

/** Kinds of memory of one device. */
typedef enum OrtDeviceMemoryType {
  OrtDeviceMemoryType_DEFAULT = 0,
  OrtDeviceMemoryType_HOST_ACCESSIBLE = 5,
} OrtDeviceMemoryType;

/** Device classes of memory. */
typedef enum OrtMemoryInfoDeviceType {
  OrtMemoryInfoDeviceType_CPU = 0,
  OrtMemoryInfoDeviceType_GPU = 1,
  OrtMemoryInfoDeviceType_FPGA = 2,
  OrtMemoryInfoDeviceType_NPU = 3,
} OrtMemoryInfoDeviceType;

/** Classes of hardware. */
typedef enum OrtHardwareDeviceType {
  OrtHardwareDeviceType_CPU = 0,
  OrtHardwareDeviceType_GPU = 1,
  OrtHardwareDeviceType_NPU = 2,
} OrtHardwareDeviceType;

/** How providers are picked when the caller leaves it to the library. */
typedef enum OrtExecutionProviderDevicePolicy {
  OrtExecutionProviderDevicePolicy_DEFAULT = 0,
  OrtExecutionProviderDevicePolicy_PREFER_CPU = 1,
  OrtExecutionProviderDevicePolicy_PREFER_NPU = 2,
  OrtExecutionProviderDevicePolicy_PREFER_GPU = 3,
  OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE = 4,
  OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY = 5,
  OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER = 6,
} OrtExecutionProviderDevicePolicy;

/** Bits that say why a provider cannot use a device. */
typedef enum OrtDeviceEpIncompatibilityReason {
  OrtDeviceEpIncompatibility_NONE = 0,
  OrtDeviceEpIncompatibility_DRIVER_INCOMPATIBLE = 1,
  OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE = 2,
  OrtDeviceEpIncompatibility_MISSING_DEPENDENCY = 4,
  OrtDeviceEpIncompatibility_UNKNOWN = -2147483647 - 1, /* bit 31 */
} OrtDeviceEpIncompatibilityReason;

/** How cuDNN convolution algorithms are searched. */
typedef enum OrtCudnnConvAlgoSearch {
  OrtCudnnConvAlgoSearchExhaustive = 0,
  OrtCudnnConvAlgoSearchHeuristic = 1,
  OrtCudnnConvAlgoSearchDefault = 2,
} OrtCudnnConvAlgoSearch;

/** Kinds of handles of memory made by other interfaces. */
typedef enum OrtExternalMemoryHandleType {
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 0,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 1,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_MEMORY_WIN32 = 2,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_MEMORY_OPAQUE_FD = 3,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION = 4,
} OrtExternalMemoryHandleType;

/* Names these two had before 1.30. */
#define ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_WIN32 ORT_EXTERNAL_MEMORY_HANDLE_TYPE_MEMORY_WIN32
#define ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD \
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_MEMORY_OPAQUE_FD

/** Kinds of semaphores made by other interfaces. */
typedef enum OrtExternalSemaphoreType {
  ORT_EXTERNAL_SEMAPHORE_D3D12_FENCE = 0,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_WIN32 = 1,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD = 2,
} OrtExternalSemaphoreType;

/** Graphics interfaces that memory may be shared with. */
typedef enum OrtGraphicsApi {
  ORT_GRAPHICS_API_NONE = 0,
  ORT_GRAPHICS_API_D3D12 = 1,
  ORT_GRAPHICS_API_VULKAN = 2,
} OrtGraphicsApi;

/** Whether a compiled model fits a device. */
typedef enum OrtCompiledModelCompatibility {
  OrtCompiledModelCompatibility_EP_NOT_APPLICABLE = 0,
  OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL = 1,
  OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION = 2,
  OrtCompiledModelCompatibility_EP_UNSUPPORTED = 3,
} OrtCompiledModelCompatibility;

/** Whether an input or output of a custom operator must be there. */
typedef enum OrtCustomOpInputOutputCharacteristic {
  INPUT_OUTPUT_REQUIRED = 0,
  INPUT_OUTPUT_OPTIONAL = 1,
  INPUT_OUTPUT_VARIADIC = 2,
} OrtCustomOpInputOutputCharacteristic;

/** Bit flags for model compilation. */
typedef enum OrtCompileApiFlags {
  OrtCompileApiFlags_NONE = 0,
  OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED = 1,
  OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS = 2,
} OrtCompileApiFlags;

/** Declares a type that callers only hold pointers to. */
#define ORT_RUNTIME_CLASS(x) \
  struct Ort##x;             \
  typedef struct Ort##x Ort##x

ORT_RUNTIME_CLASS(Env);
ORT_RUNTIME_CLASS(Status);
ORT_RUNTIME_CLASS(MemoryInfo);
ORT_RUNTIME_CLASS(IoBinding);
ORT_RUNTIME_CLASS(Session);
ORT_RUNTIME_CLASS(Value);
ORT_RUNTIME_CLASS(RunOptions);
ORT_RUNTIME_CLASS(TypeInfo);
ORT_RUNTIME_CLASS(TensorTypeAndShapeInfo);
ORT_RUNTIME_CLASS(MapTypeInfo);
ORT_RUNTIME_CLASS(SequenceTypeInfo);
ORT_RUNTIME_CLASS(OptionalTypeInfo);
ORT_RUNTIME_CLASS(SessionOptions);
ORT_RUNTIME_CLASS(CustomOpDomain);
ORT_RUNTIME_CLASS(ModelMetadata);
ORT_RUNTIME_CLASS(ThreadPoolParams);
ORT_RUNTIME_CLASS(ThreadingOptions);
ORT_RUNTIME_CLASS(ArenaCfg);
ORT_RUNTIME_CLASS(PrepackedWeightsContainer);
ORT_RUNTIME_CLASS(TensorRTProviderOptionsV2);
ORT_RUNTIME_CLASS(NvTensorRtRtxProviderOptions);
ORT_RUNTIME_CLASS(CUDAProviderOptionsV2);
ORT_RUNTIME_CLASS(CANNProviderOptions);
ORT_RUNTIME_CLASS(DnnlProviderOptions);
ORT_RUNTIME_CLASS(Op);
ORT_RUNTIME_CLASS(OpAttr);
ORT_RUNTIME_CLASS(Logger);
ORT_RUNTIME_CLASS(ShapeInferContext);
ORT_RUNTIME_CLASS(LoraAdapter);
ORT_RUNTIME_CLASS(ValueInfo);
ORT_RUNTIME_CLASS(Node);
ORT_RUNTIME_CLASS(Graph);
ORT_RUNTIME_CLASS(Model);
ORT_RUNTIME_CLASS(ModelCompilationOptions);
ORT_RUNTIME_CLASS(HardwareDevice);
ORT_RUNTIME_CLASS(EpDevice);
ORT_RUNTIME_CLASS(KeyValuePairs);
ORT_RUNTIME_CLASS(SyncStream);
ORT_RUNTIME_CLASS(ExternalInitializerInfo);
ORT_RUNTIME_CLASS(ExternalResourceImporter);
ORT_RUNTIME_CLASS(ExternalMemoryHandle);
ORT_RUNTIME_CLASS(ExternalSemaphoreHandle);
ORT_RUNTIME_CLASS(DeviceEpIncompatibilityDetails);
ORT_RUNTIME_CLASS(EpAssignedSubgraph);
ORT_RUNTIME_CLASS(EpAssignedNode);
ORT_RUNTIME_CLASS(KernelInfo);
ORT_RUNTIME_CLASS(KernelContext);

/* Types that plug-in providers see from inside; see onnxruntime_ep_c_api.h. */
ORT_RUNTIME_CLASS(Ep);
ORT_RUNTIME_CLASS(EpFactory);
ORT_RUNTIME_CLASS(EpGraphSupportInfo);
ORT_RUNTIME_CLASS(MemoryDevice);
ORT_RUNTIME_CLASS(NodeComputeContext);
ORT_RUNTIME_CLASS(DataTransferImpl);
ORT_RUNTIME_CLASS(SyncNotificationImpl);
ORT_RUNTIME_CLASS(SyncStreamImpl);
ORT_RUNTIME_CLASS(ExternalResourceImporterImpl);
ORT_RUNTIME_CLASS(OpSchema);
ORT_RUNTIME_CLASS(OpSchemaTypeConstraint);
ORT_RUNTIME_CLASS(ProfilingEventsContainer);
ORT_RUNTIME_CLASS(ProfilingEvent);
ORT_RUNTIME_CLASS(KernelRegistry);
ORT_RUNTIME_CLASS(KernelDefBuilder);
ORT_RUNTIME_CLASS(KernelDef);
ORT_RUNTIME_CLASS(DataType);
ORT_RUNTIME_CLASS(SharedPrePackedWeightCache);

/* Types whose members are below. */
ORT_RUNTIME_CLASS(Api);
ORT_RUNTIME_CLASS(ModelEditorApi);
ORT_RUNTIME_CLASS(CompileApi);
ORT_RUNTIME_CLASS(InteropApi);
ORT_RUNTIME_CLASS(EpApi);
ORT_RUNTIME_CLASS(TrainingApi);
ORT_RUNTIME_CLASS(ApiBase);
ORT_RUNTIME_CLASS(Allocator);
ORT_RUNTIME_CLASS(CustomOp);
ORT_RUNTIME_CLASS(CUDAProviderOptions);
ORT_RUNTIME_CLASS(ROCMProviderOptions);
ORT_RUNTIME_CLASS(TensorRTProviderOptions);
ORT_RUNTIME_CLASS(MIGraphXProviderOptions);
ORT_RUNTIME_CLASS(OpenVINOProviderOptions);
ORT_RUNTIME_CLASS(ThreadPoolCallbacksConfig);
ORT_RUNTIME_CLASS(ExternalMemoryDescriptor);
ORT_RUNTIME_CLASS(ExternalSemaphoreDescriptor);
ORT_RUNTIME_CLASS(GraphicsInteropConfig);
ORT_RUNTIME_CLASS(ExternalTensorDescriptor);
ORT_RUNTIME_CLASS(EnvCreationOptions);
ORT_RUNTIME_CLASS(EpProfilerImpl);
ORT_RUNTIME_CLASS(NodeFusionOptions);
ORT_RUNTIME_CLASS(NodeComputeInfo);
ORT_RUNTIME_CLASS(KernelImpl);
ORT_RUNTIME_CLASS(LoopKernelHelper);
ORT_RUNTIME_CLASS(ScanKernelHelper);
ORT_RUNTIME_CLASS(ResourceCount);

/** NULL means success. Since 1.0. */
typedef OrtStatus* OrtStatusPtr;

/**
 * Logging callback; category is "onnxruntime", code_location "file.cc:line
 * function". Since 1.0.
 */
typedef void(ORT_API_CALL* OrtLoggingFunction)(void* param, OrtLoggingLevel severity,
                                               const char* category, const char* logid,
                                               const char* code_location, const char* message);

/** Thread body handed to a custom thread creator. Since 1.10. */
typedef void(ORT_API_CALL* OrtThreadWorkerFn)(void* ort_worker_fn_param);

/** Opaque thread handle of the caller. Since 1.10. */
struct OrtCustomHandleType {
  char __place_holder;
};
typedef const struct OrtCustomHandleType* OrtCustomThreadHandle;

/** Creates a thread that runs the worker. Since 1.10. */
typedef OrtCustomThreadHandle(ORT_API_CALL* OrtCustomCreateThreadFn)(
    void* ort_custom_thread_creation_options, OrtThreadWorkerFn ort_thread_worker_fn,
    void* ort_worker_fn_param);

/** Joins such a thread. Since 1.10. */
typedef void(ORT_API_CALL* OrtCustomJoinThreadFn)(OrtCustomThreadHandle ort_custom_thread_handle);

/** Export named RegisterCustomOps in a custom-op library. Since 1.14. */
typedef OrtStatus*(ORT_API_CALL* RegisterCustomOpsFn)(OrtSessionOptions* options,
                                                      const OrtApiBase* api);

/** Completion callback of RunAsync; callee releases outputs and status. Since 1.16. */
typedef void(ORT_API_CALL* RunAsyncCallbackFn)(void* user_data, OrtValue** outputs,
                                               size_t num_outputs, OrtStatusPtr status);

/** Chooses provider devices. Since 1.22. */
typedef OrtStatus*(ORT_API_CALL* EpSelectionDelegate)(
    const OrtEpDevice** ep_devices, size_t num_devices, const OrtKeyValuePairs* model_metadata,
    const OrtKeyValuePairs* runtime_metadata, const OrtEpDevice** selected, size_t max_selected,
    size_t* num_selected, void* state);

/** Receives compiled-model bytes. Since 1.23. */
typedef OrtStatus*(ORT_API_CALL* OrtWriteBufferFunc)(void* state, const void* buffer,
                                                     size_t buffer_num_bytes);

/** Decides where an initializer goes while compiling. Since 1.23. */
typedef OrtStatus*(ORT_API_CALL* OrtGetInitializerLocationFunc)(
    void* state, const char* initializer_name, const OrtValue* initializer_value,
    const OrtExternalInitializerInfo* external_info,
    OrtExternalInitializerInfo** new_external_info);

/** Generic pointer returned by GetExperimentalFunction. Since 1.28. */
typedef void(ORT_API_CALL* OrtExperimentalFnPtr)(void);

/** Called when work is queued. Since 1.25. */
typedef void*(ORT_API_CALL* OrtThreadPoolWorkEnqueueFn)(void* user_context);

/** Called around execution or when work is dropped. Since 1.25. */
typedef void(ORT_API_CALL* OrtThreadPoolWorkStartFn)(void* user_context, void* enqueue_data);

typedef void(ORT_API_CALL* OrtThreadPoolWorkStopFn)(void* user_context, void* enqueue_data);

typedef void(ORT_API_CALL* OrtThreadPoolWorkAbandonFn)(void* user_context, void* enqueue_data);

/**
 * Memory callbacks. A caller that implements one sets `version` to ORT_API_VERSION; members
 * after `Info` are looked at only when the version has them.
 */
struct OrtAllocator {
  uint32_t version;
  void*(ORT_API_CALL* Alloc)(struct OrtAllocator* this_, size_t size);
  void(ORT_API_CALL* Free)(struct OrtAllocator* this_, void* p);
  const struct OrtMemoryInfo*(ORT_API_CALL* Info)(const struct OrtAllocator* this_);
  void*(ORT_API_CALL* Reserve)(struct OrtAllocator* this_, size_t size);
  OrtStatus*(ORT_API_CALL* GetStats)(const struct OrtAllocator* this_, OrtKeyValuePairs** out);
  void*(ORT_API_CALL* AllocOnStream)(struct OrtAllocator* this_, size_t size,
                                     OrtSyncStream* stream);
  OrtStatus*(ORT_API_CALL* Shrink)(struct OrtAllocator* this_);
};

/** Options of the CUDA provider, fixed layout. */
struct OrtCUDAProviderOptions {
  int device_id;
  OrtCudnnConvAlgoSearch cudnn_conv_algo_search;
  size_t gpu_mem_limit;
  int arena_extend_strategy;
  int do_copy_in_default_stream;
  int has_user_compute_stream;
  void* user_compute_stream;
  OrtArenaCfg* default_memory_arena_cfg;
  int tunable_op_enable;
  int tunable_op_tuning_enable;
  int tunable_op_max_tuning_duration_ms;
};

/** Options of the ROCm provider, fixed layout. */
struct OrtROCMProviderOptions {
  int device_id;
  int miopen_conv_exhaustive_search;
  size_t gpu_mem_limit;
  int arena_extend_strategy;
  int do_copy_in_default_stream;
  int has_user_compute_stream;
  void* user_compute_stream;
  OrtArenaCfg* default_memory_arena_cfg;
  int enable_hip_graph;
  int tunable_op_enable;
  int tunable_op_tuning_enable;
  int tunable_op_max_tuning_duration_ms;
};

/** Options of the TensorRT provider, fixed layout. */
struct OrtTensorRTProviderOptions {
  int device_id;
  int has_user_compute_stream;
  void* user_compute_stream;
  int trt_max_partition_iterations;
  int trt_min_subgraph_size;
  size_t trt_max_workspace_size;
  int trt_fp16_enable;
  int trt_int8_enable;
  const char* trt_int8_calibration_table_name;
  int trt_int8_use_native_calibration_table;
  int trt_dla_enable;
  int trt_dla_core;
  int trt_dump_subgraphs;
  int trt_engine_cache_enable;
  const char* trt_engine_cache_path;
  int trt_engine_decryption_enable;
  const char* trt_engine_decryption_lib_path;
  int trt_force_sequential_engine_build;
};

/** Options of the MIGraphX provider, fixed layout. */
struct OrtMIGraphXProviderOptions {
  int device_id;
  int migraphx_fp16_enable;
  int migraphx_fp8_enable;
  int migraphx_int8_enable;
  int migraphx_use_native_calibration_table;
  const char* migraphx_int8_calibration_table_name;
  int migraphx_save_compiled_model;
  const char* migraphx_save_model_path;
  int migraphx_load_compiled_model;
  const char* migraphx_load_model_path;
  bool migraphx_exhaustive_tune;
  size_t migraphx_mem_limit;
  int migraphx_arena_extend_strategy;
};

/** Options of the OpenVINO provider, fixed layout. */
struct OrtOpenVINOProviderOptions {
  const char* device_type;
  unsigned char enable_npu_fast_compile;
  const char* device_id;
  size_t num_of_threads;
  const char* cache_dir;
  void* context;
  unsigned char enable_opencl_throttling;
  unsigned char enable_dynamic_shapes;
};

/** Callbacks that watch the work items of thread pools. */
struct OrtThreadPoolCallbacksConfig {
  uint32_t version;
  OrtThreadPoolWorkEnqueueFn on_enqueue;
  OrtThreadPoolWorkStartFn on_start_work;
  OrtThreadPoolWorkStopFn on_stop_work;
  OrtThreadPoolWorkAbandonFn on_abandon;
  void* user_context;
};

/** Memory made by another interface, to be imported. */
struct OrtExternalMemoryDescriptor {
  uint32_t version;
  OrtExternalMemoryHandleType handle_type;
  void* native_handle;
  size_t size_bytes;
  size_t offset_bytes;
};

/** A semaphore made by another interface, to be imported. */
struct OrtExternalSemaphoreDescriptor {
  uint32_t version;
  OrtExternalSemaphoreType type;
  void* native_handle;
};

/** How to share memory with a graphics interface. */
struct OrtGraphicsInteropConfig {
  uint32_t version;
  OrtGraphicsApi graphics_api;
  void* command_queue;
  const OrtKeyValuePairs* additional_options;
};

/** A tensor inside imported memory. */
struct OrtExternalTensorDescriptor {
  uint32_t version;
  ONNXTensorElementDataType element_type;
  const int64_t* shape;
  size_t rank;
  size_t offset_bytes;
};

/** Everything an environment can be made with. */
struct OrtEnvCreationOptions {
  uint32_t version;
  int32_t logging_severity_level;
  const char* log_id;
  OrtLoggingFunction custom_logging_function;
  void* custom_logging_param;
  const OrtThreadingOptions* threading_options;
  const OrtKeyValuePairs* config_entries;
};

/** The entry: what OrtGetApiBase returns. */
struct OrtApiBase {
  const OrtApi*(ORT_API_CALL* GetApi)(uint32_t version);
  const char*(ORT_API_CALL* GetVersionString)(void);
};

/** The one symbol a client needs. The object is static: never freed. */
ORT_EXPORT const OrtApiBase* ORT_API_CALL OrtGetApiBase(void) NO_EXCEPTION;

/** The function table. Slots keep their place for ever; new ones are added at the end. */
struct OrtApi {
  /**
   * Makes a heap-allocated status object carrying an error code and a private copy of the text;
   * the caller owns it. Since 1.0, slot 0.
   */
  OrtStatus*(ORT_API_CALL* CreateStatus)(OrtErrorCode code, const char* msg);

  /** Reads the numeric error code out of a status object. Since 1.0, slot 1. */
  OrtErrorCode(ORT_API_CALL* GetErrorCode)(const OrtStatus* status);

  /**
   * Returns the NUL-terminated text held inside a status; it lives as long as the status does.
   * Since 1.0, slot 2.
   */
  const char*(ORT_API_CALL* GetErrorMessage)(const OrtStatus* status);

  /**
   * Creates (or adds a reference to) the process-wide environment with a default logger at the
   * given severity. Since 1.0, slot 3.
   */
  OrtStatus*(ORT_API_CALL* CreateEnv)(OrtLoggingLevel log_severity_level, const char* logid,
                                      OrtEnv** out);

  /**
   * Same as CreateEnv but routes every log line to a caller-supplied callback with a user
   * pointer. Since 1.0, slot 4.
   */
  OrtStatus*(ORT_API_CALL* CreateEnvWithCustomLogger)(OrtLoggingFunction logging_function,
                                                      void* logger_param,
                                                      OrtLoggingLevel log_severity_level,
                                                      const char* logid, OrtEnv** out);

  /**
   * Turns on platform telemetry for the process (a no-op where no provider exists, e.g. Linux).
   * Since 1.0, slot 5.
   */
  OrtStatus*(ORT_API_CALL* EnableTelemetryEvents)(const OrtEnv* env);

  /** Turns off platform telemetry for the process. Since 1.0, slot 6. */
  OrtStatus*(ORT_API_CALL* DisableTelemetryEvents)(const OrtEnv* env);

  /**
   * Loads a model from a file path, builds and optimises it, and returns a ready session (NULL
   * options means defaults). Since 1.0, slot 7.
   */
  OrtStatus*(ORT_API_CALL* CreateSession)(const OrtEnv* env, const ORTCHAR_T* model_path,
                                          const OrtSessionOptions* options, OrtSession** out);

  /**
   * Same as CreateSession but the serialized model comes from a memory range that may be freed
   * after the call. Since 1.0, slot 8.
   */
  OrtStatus*(ORT_API_CALL* CreateSessionFromArray)(const OrtEnv* env, const void* model_data,
                                                   size_t model_data_length,
                                                   const OrtSessionOptions* options,
                                                   OrtSession** out);

  /**
   * Runs the model synchronously: named inputs in, named outputs out; a NULL output entry is
   * allocated by the runtime, a non-NULL one is written in place; zero outputs is
   * INVALID_ARGUMENT. Since 1.0, slot 9.
   */
  OrtStatus*(ORT_API_CALL* Run)(OrtSession* session, const OrtRunOptions* run_options,
                                const char* const* input_names, const OrtValue* const* inputs,
                                size_t input_len, const char* const* output_names,
                                size_t output_names_len, OrtValue** outputs);

  /** Allocates a session-options object holding default settings. Since 1.0, slot 10. */
  OrtStatus*(ORT_API_CALL* CreateSessionOptions)(OrtSessionOptions** options);

  /** Asks session creation to write the optimised model to this path. Since 1.0, slot 11. */
  OrtStatus*(ORT_API_CALL* SetOptimizedModelFilePath)(OrtSessionOptions* options,
                                                      const ORTCHAR_T* optimized_model_filepath);

  /** Makes an independent copy of a session-options object. Since 1.0, slot 12. */
  OrtStatus*(ORT_API_CALL* CloneSessionOptions)(const OrtSessionOptions* in_options,
                                                OrtSessionOptions** out_options);

  /**
   * Chooses sequential or parallel scheduling of graph nodes; invalid values give
   * INVALID_ARGUMENT. Since 1.0, slot 13.
   */
  OrtStatus*(ORT_API_CALL* SetSessionExecutionMode)(OrtSessionOptions* options,
                                                    ExecutionMode execution_mode);

  /**
   * Enables profiling for sessions made from these options, with a file-name prefix for the
   * JSON trace. Since 1.0, slot 14.
   */
  OrtStatus*(ORT_API_CALL* EnableProfiling)(OrtSessionOptions* options,
                                            const ORTCHAR_T* profile_file_prefix);

  /** Disables session profiling again. Since 1.0, slot 15. */
  OrtStatus*(ORT_API_CALL* DisableProfiling)(OrtSessionOptions* options);

  /**
   * Enables the planning optimisation that pre-computes one buffer layout for fixed shapes.
   * Since 1.0, slot 16.
   */
  OrtStatus*(ORT_API_CALL* EnableMemPattern)(OrtSessionOptions* options);

  /** Disables the memory-pattern optimisation. Since 1.0, slot 17. */
  OrtStatus*(ORT_API_CALL* DisableMemPattern)(OrtSessionOptions* options);

  /** Enables the arena for CPU memory (default on). Since 1.0, slot 18. */
  OrtStatus*(ORT_API_CALL* EnableCpuMemArena)(OrtSessionOptions* options);

  /**
   * Disables the CPU arena so that each allocation goes to the system allocator. Since 1.0,
   * slot 19.
   */
  OrtStatus*(ORT_API_CALL* DisableCpuMemArena)(OrtSessionOptions* options);

  /** Sets the id text shown in this session's log lines. Since 1.0, slot 20. */
  OrtStatus*(ORT_API_CALL* SetSessionLogId)(OrtSessionOptions* options, const char* logid);

  /** Sets the VLOG verbosity used when severity is verbose. Since 1.0, slot 21. */
  OrtStatus*(ORT_API_CALL* SetSessionLogVerbosityLevel)(OrtSessionOptions* options,
                                                        int session_log_verbosity_level);

  /** Sets the minimum severity logged by the session. Since 1.0, slot 22. */
  OrtStatus*(ORT_API_CALL* SetSessionLogSeverityLevel)(OrtSessionOptions* options,
                                                       int session_log_severity_level);

  /**
   * Sets the graph optimisation level; only the enumerated values are accepted. Since 1.0, slot
   * 23.
   */
  OrtStatus*(ORT_API_CALL* SetSessionGraphOptimizationLevel)(
      OrtSessionOptions* options, GraphOptimizationLevel graph_optimization_level);

  /**
   * Sets the size of the thread pool used inside one operator (0 = choose, 1 = main thread
   * only). Since 1.0, slot 24.
   */
  OrtStatus*(ORT_API_CALL* SetIntraOpNumThreads)(OrtSessionOptions* options,
                                                 int intra_op_num_threads);

  /**
   * Sets the size of the thread pool used across operators in parallel mode. Since 1.0, slot
   * 25.
   */
  OrtStatus*(ORT_API_CALL* SetInterOpNumThreads)(OrtSessionOptions* options,
                                                 int inter_op_num_threads);

  /** Creates an empty custom-operator domain with the given name. Since 1.0, slot 26. */
  OrtStatus*(ORT_API_CALL* CreateCustomOpDomain)(const char* domain, OrtCustomOpDomain** out);

  /** Adds a caller-owned OrtCustomOp description to a custom domain. Since 1.0, slot 27. */
  OrtStatus*(ORT_API_CALL* CustomOpDomain_Add)(OrtCustomOpDomain* custom_op_domain,
                                               const OrtCustomOp* op);

  /**
   * Registers a custom-operator domain with session options; domain must outlive the sessions.
   * Since 1.0, slot 28.
   */
  OrtStatus*(ORT_API_CALL* AddCustomOpDomain)(OrtSessionOptions* options,
                                              OrtCustomOpDomain* custom_op_domain);

  /**
   * Loads a shared library, calls its RegisterCustomOps export, and hands back the raw handle
   * for the caller to close. Since 1.0, slot 29.
   */
  OrtStatus*(ORT_API_CALL* RegisterCustomOpsLibrary)(OrtSessionOptions* options,
                                                     const char* library_path,
                                                     void** library_handle);

  /** Number of model inputs that are not initializers. Since 1.0, slot 30. */
  OrtStatus*(ORT_API_CALL* SessionGetInputCount)(const OrtSession* session, size_t* out);

  /** Number of model outputs. Since 1.0, slot 31. */
  OrtStatus*(ORT_API_CALL* SessionGetOutputCount)(const OrtSession* session, size_t* out);

  /** Number of initializers that an input feed may override. Since 1.0, slot 32. */
  OrtStatus*(ORT_API_CALL* SessionGetOverridableInitializerCount)(const OrtSession* session,
                                                                  size_t* out);

  /**
   * Returns a new type-info object for input number index; caller releases it. Since 1.0, slot
   * 33.
   */
  OrtStatus*(ORT_API_CALL* SessionGetInputTypeInfo)(const OrtSession* session, size_t index,
                                                    OrtTypeInfo** type_info);

  /**
   * Returns a new type-info object for output number index; caller releases it. Since 1.0, slot
   * 34.
   */
  OrtStatus*(ORT_API_CALL* SessionGetOutputTypeInfo)(const OrtSession* session, size_t index,
                                                     OrtTypeInfo** type_info);

  /**
   * Returns a new type-info object for overridable initializer number index. Since 1.0, slot
   * 35.
   */
  OrtStatus*(ORT_API_CALL* SessionGetOverridableInitializerTypeInfo)(const OrtSession* session,
                                                                     size_t index,
                                                                     OrtTypeInfo** type_info);

  /**
   * Copies the name of input number index into memory from the given allocator (caller frees
   * with it); a bad index is FAIL 'index out of range'. Since 1.0, slot 36.
   */
  OrtStatus*(ORT_API_CALL* SessionGetInputName)(const OrtSession* session, size_t index,
                                                OrtAllocator* allocator, char** value);

  /**
   * Copies the name of output number index into memory from the given allocator. Since 1.0,
   * slot 37.
   */
  OrtStatus*(ORT_API_CALL* SessionGetOutputName)(const OrtSession* session, size_t index,
                                                 OrtAllocator* allocator, char** value);

  /**
   * Copies the name of overridable initializer number index into memory from the given
   * allocator. Since 1.0, slot 38.
   */
  OrtStatus*(ORT_API_CALL* SessionGetOverridableInitializerName)(const OrtSession* session,
                                                                 size_t index,
                                                                 OrtAllocator* allocator,
                                                                 char** value);

  /** Allocates run options with defaults. Since 1.0, slot 39. */
  OrtStatus*(ORT_API_CALL* CreateRunOptions)(OrtRunOptions** out);

  /** Sets the VLOG level for one run. Since 1.0, slot 40. */
  OrtStatus*(ORT_API_CALL* RunOptionsSetRunLogVerbosityLevel)(OrtRunOptions* options,
                                                              int log_verbosity_level);

  /** Sets the minimum log severity for one run. Since 1.0, slot 41. */
  OrtStatus*(ORT_API_CALL* RunOptionsSetRunLogSeverityLevel)(OrtRunOptions* options,
                                                             int log_severity_level);

  /** Sets the tag text that identifies one run in the logs. Since 1.0, slot 42. */
  OrtStatus*(ORT_API_CALL* RunOptionsSetRunTag)(OrtRunOptions* options, const char* run_tag);

  /** Reads back the run's VLOG level. Since 1.0, slot 43. */
  OrtStatus*(ORT_API_CALL* RunOptionsGetRunLogVerbosityLevel)(const OrtRunOptions* options,
                                                              int* log_verbosity_level);

  /** Reads back the run's log severity. Since 1.0, slot 44. */
  OrtStatus*(ORT_API_CALL* RunOptionsGetRunLogSeverityLevel)(const OrtRunOptions* options,
                                                             int* log_severity_level);

  /** Reads back the run tag as a borrowed pointer. Since 1.0, slot 45. */
  OrtStatus*(ORT_API_CALL* RunOptionsGetRunTag)(const OrtRunOptions* options, const char** run_tag);

  /**
   * Raises a flag that makes runs using these options stop with an error as soon as possible.
   * Since 1.0, slot 46.
   */
  OrtStatus*(ORT_API_CALL* RunOptionsSetTerminate)(OrtRunOptions* options);

  /** Clears the stop flag so that the options can be reused. Since 1.0, slot 47. */
  OrtStatus*(ORT_API_CALL* RunOptionsUnsetTerminate)(OrtRunOptions* options);

  /**
   * Allocates a dense tensor of the given shape and type through an allocator and wraps it in a
   * value (string tensors start as empty strings). Since 1.0, slot 48.
   */
  OrtStatus*(ORT_API_CALL* CreateTensorAsOrtValue)(OrtAllocator* allocator, const int64_t* shape,
                                                   size_t shape_len, ONNXTensorElementDataType type,
                                                   OrtValue** out);

  /**
   * Wraps a caller-owned buffer as a dense tensor without copying; checks that the buffer is
   * large enough; strings not usable this way. Since 1.0, slot 49.
   */
  OrtStatus*(ORT_API_CALL* CreateTensorWithDataAsOrtValue)(const OrtMemoryInfo* info, void* p_data,
                                                           size_t p_data_len, const int64_t* shape,
                                                           size_t shape_len,
                                                           ONNXTensorElementDataType type,
                                                           OrtValue** out);

  /** Sets 1 if the value holds a dense tensor. Since 1.0, slot 50. */
  OrtStatus*(ORT_API_CALL* IsTensor)(const OrtValue* value, int* out);

  /**
   * Gives a writable pointer to the tensor's data (for strings the pointer is to internal
   * string objects). Since 1.0, slot 51.
   */
  OrtStatus*(ORT_API_CALL* GetTensorMutableData)(OrtValue* value, void** out);

  /**
   * Copies an array of C strings into all elements of a string tensor; counts must match. Since
   * 1.0, slot 52.
   */
  OrtStatus*(ORT_API_CALL* FillStringTensor)(OrtValue* value, const char* const* s, size_t s_len);

  /**
   * Total byte length of all strings in a string tensor, without terminators. Since 1.0, slot
   * 53.
   */
  OrtStatus*(ORT_API_CALL* GetStringTensorDataLength)(const OrtValue* value, size_t* len);

  /**
   * Copies all strings concatenated without terminators plus the start offset of each. Since
   * 1.0, slot 54.
   */
  OrtStatus*(ORT_API_CALL* GetStringTensorContent)(const OrtValue* value, void* s, size_t s_len,
                                                   size_t* offsets, size_t offsets_len);

  /**
   * Borrows the tensor part of a type-info object; gives NULL (not an error) when it is another
   * kind. Since 1.0, slot 55.
   */
  OrtStatus*(ORT_API_CALL* CastTypeInfoToTensorInfo)(const OrtTypeInfo* type_info,
                                                     const OrtTensorTypeAndShapeInfo** out);

  /**
   * Tells which ONNX kind (tensor, sequence, map, ...) a type-info object describes. Since 1.0,
   * slot 56.
   */
  OrtStatus*(ORT_API_CALL* GetOnnxTypeFromTypeInfo)(const OrtTypeInfo* type_info,
                                                    enum ONNXType* out);

  /** Allocates an empty element-type-and-shape object. Since 1.0, slot 57. */
  OrtStatus*(ORT_API_CALL* CreateTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo** out);

  /** Sets the element type of such an object. Since 1.0, slot 58. */
  OrtStatus*(ORT_API_CALL* SetTensorElementType)(OrtTensorTypeAndShapeInfo* info,
                                                 enum ONNXTensorElementDataType type);

  /** Sets the dimensions of such an object (-1 for unknown). Since 1.0, slot 59. */
  OrtStatus*(ORT_API_CALL* SetDimensions)(OrtTensorTypeAndShapeInfo* info,
                                          const int64_t* dim_values, size_t dim_count);

  /** Reads the element type. Since 1.0, slot 60. */
  OrtStatus*(ORT_API_CALL* GetTensorElementType)(const OrtTensorTypeAndShapeInfo* info,
                                                 enum ONNXTensorElementDataType* out);

  /** Reads the rank. Since 1.0, slot 61. */
  OrtStatus*(ORT_API_CALL* GetDimensionsCount)(const OrtTensorTypeAndShapeInfo* info, size_t* out);

  /** Copies up to the given number of dimensions; unknown ones are -1. Since 1.0, slot 62. */
  OrtStatus*(ORT_API_CALL* GetDimensions)(const OrtTensorTypeAndShapeInfo* info,
                                          int64_t* dim_values, size_t dim_values_length);

  /**
   * Copies borrowed pointers to the symbolic dimension names; unnamed ones are empty strings.
   * Since 1.0, slot 63.
   */
  OrtStatus*(ORT_API_CALL* GetSymbolicDimensions)(const OrtTensorTypeAndShapeInfo* info,
                                                  const char* dim_params[],
                                                  size_t dim_params_length);

  /**
   * Product of the dimensions, 1 for a scalar; FAIL when a dimension is unknown. Since 1.0,
   * slot 64.
   */
  OrtStatus*(ORT_API_CALL* GetTensorShapeElementCount)(const OrtTensorTypeAndShapeInfo* info,
                                                       size_t* out);

  /**
   * Makes a new element-type-and-shape object describing a tensor value (also sparse). Since
   * 1.0, slot 65.
   */
  OrtStatus*(ORT_API_CALL* GetTensorTypeAndShape)(const OrtValue* value,
                                                  OrtTensorTypeAndShapeInfo** out);

  /**
   * Makes a new type-info object describing any value; NULL out for an unset value. Since 1.0,
   * slot 66.
   */
  OrtStatus*(ORT_API_CALL* GetTypeInfo)(const OrtValue* value, OrtTypeInfo** out);

  /** Tells which ONNX kind a value holds. Since 1.0, slot 67. */
  OrtStatus*(ORT_API_CALL* GetValueType)(const OrtValue* value, enum ONNXType* out);

  /**
   * Creates a memory-location description from a well-known device name, allocator kind, device
   * number and memory kind; an unknown name is INVALID_ARGUMENT. Since 1.0, slot 68.
   */
  OrtStatus*(ORT_API_CALL* CreateMemoryInfo)(const char* name, enum OrtAllocatorType type, int id,
                                             enum OrtMemType mem_type, OrtMemoryInfo** out);

  /** Shortcut that describes ordinary CPU memory. Since 1.0, slot 69. */
  OrtStatus*(ORT_API_CALL* CreateCpuMemoryInfo)(enum OrtAllocatorType type,
                                                enum OrtMemType mem_type, OrtMemoryInfo** out);

  /** Sets 0 when two memory descriptions are equal, -1 otherwise. Since 1.0, slot 70. */
  OrtStatus*(ORT_API_CALL* CompareMemoryInfo)(const OrtMemoryInfo* info1,
                                              const OrtMemoryInfo* info2, int* out);

  /** Borrows the device name text of a memory description. Since 1.0, slot 71. */
  OrtStatus*(ORT_API_CALL* MemoryInfoGetName)(const OrtMemoryInfo* ptr, const char** out);

  /** Reads the device number. Since 1.0, slot 72. */
  OrtStatus*(ORT_API_CALL* MemoryInfoGetId)(const OrtMemoryInfo* ptr, int* out);

  /** Reads the memory kind (default, CPU input, CPU output). Since 1.0, slot 73. */
  OrtStatus*(ORT_API_CALL* MemoryInfoGetMemType)(const OrtMemoryInfo* ptr, OrtMemType* out);

  /** Reads the allocator kind (device or arena). Since 1.0, slot 74. */
  OrtStatus*(ORT_API_CALL* MemoryInfoGetType)(const OrtMemoryInfo* ptr, OrtAllocatorType* out);

  /** Allocates bytes through an OrtAllocator (size 0 yields NULL). Since 1.0, slot 75. */
  OrtStatus*(ORT_API_CALL* AllocatorAlloc)(OrtAllocator* ort_allocator, size_t size, void** out);

  /** Frees bytes through an OrtAllocator. Since 1.0, slot 76. */
  OrtStatus*(ORT_API_CALL* AllocatorFree)(OrtAllocator* ort_allocator, void* p);

  /** Borrows the memory description of an allocator. Since 1.0, slot 77. */
  OrtStatus*(ORT_API_CALL* AllocatorGetInfo)(const OrtAllocator* ort_allocator,
                                             const struct OrtMemoryInfo** out);

  /**
   * Gives the process-wide default CPU allocator, which must not be released. Since 1.0, slot
   * 78.
   */
  OrtStatus*(ORT_API_CALL* GetAllocatorWithDefaultOptions)(OrtAllocator** out);

  /**
   * Fixes the value of every input dimension that carries a given denotation. Since 1.0, slot
   * 79.
   */
  OrtStatus*(ORT_API_CALL* AddFreeDimensionOverride)(OrtSessionOptions* options,
                                                     const char* dim_denotation, int64_t dim_value);

  /**
   * Extracts one element of a sequence, or keys (index 0) / values (index 1) of a map, as a new
   * value. Since 1.0, slot 80.
   */
  OrtStatus*(ORT_API_CALL* GetValue)(const OrtValue* value, int index, OrtAllocator* allocator,
                                     OrtValue** out);

  /** Number of elements in a sequence, or 2 for a map. Since 1.0, slot 81. */
  OrtStatus*(ORT_API_CALL* GetValueCount)(const OrtValue* value, size_t* out);

  /**
   * Builds a sequence from values, or a map from a keys tensor and a values tensor. Since 1.0,
   * slot 82.
   */
  OrtStatus*(ORT_API_CALL* CreateValue)(const OrtValue* const* in, size_t num_values,
                                        enum ONNXType value_type, OrtValue** out);

  /** Builds a value of a registered opaque type from a raw container. Since 1.0, slot 83. */
  OrtStatus*(ORT_API_CALL* CreateOpaqueValue)(const char* domain_name, const char* type_name,
                                              const void* data_container,
                                              size_t data_container_size, OrtValue** out);

  /** Copies the content of an opaque value to a raw container. Since 1.0, slot 84. */
  OrtStatus*(ORT_API_CALL* GetOpaqueValue)(const char* domain_name, const char* type_name,
                                           const OrtValue* in, void* data_container,
                                           size_t data_container_size);

  /** Reads a float attribute of the node behind a kernel. Since 1.0, slot 85. */
  OrtStatus*(ORT_API_CALL* KernelInfoGetAttribute_float)(const OrtKernelInfo* info,
                                                         const char* name, float* out);

  /** Reads an integer attribute of the node behind a kernel. Since 1.0, slot 86. */
  OrtStatus*(ORT_API_CALL* KernelInfoGetAttribute_int64)(const OrtKernelInfo* info,
                                                         const char* name, int64_t* out);

  /**
   * Reads a string attribute; two-call size protocol (NULL out returns needed size with
   * terminator). Since 1.0, slot 87.
   */
  OrtStatus*(ORT_API_CALL* KernelInfoGetAttribute_string)(const OrtKernelInfo* info,
                                                          const char* name, char* out,
                                                          size_t* size);

  /** Number of inputs available to the running kernel. Since 1.0, slot 88. */
  OrtStatus*(ORT_API_CALL* KernelContext_GetInputCount)(const OrtKernelContext* context,
                                                        size_t* out);

  /** Number of outputs of the running kernel. Since 1.0, slot 89. */
  OrtStatus*(ORT_API_CALL* KernelContext_GetOutputCount)(const OrtKernelContext* context,
                                                         size_t* out);

  /** Borrows input value number index (NULL for an omitted optional input). Since 1.0, slot 90. */
  OrtStatus*(ORT_API_CALL* KernelContext_GetInput)(const OrtKernelContext* context, size_t index,
                                                   const OrtValue** out);

  /**
   * Allocates (or fetches) output number index with the given shape and borrows it. Since 1.0,
   * slot 91.
   */
  OrtStatus*(ORT_API_CALL* KernelContext_GetOutput)(OrtKernelContext* context, size_t index,
                                                    const int64_t* dim_values, size_t dim_count,
                                                    OrtValue** out);

  /** Drops one reference to the environment; the last one destroys it. Since 1.0, slot 92. */
  void(ORT_API_CALL* ReleaseEnv)(OrtEnv* input);

  /** Frees a status. Since 1.0, slot 93. */
  void(ORT_API_CALL* ReleaseStatus)(OrtStatus* input);

  /** Frees a memory description. Since 1.0, slot 94. */
  void(ORT_API_CALL* ReleaseMemoryInfo)(OrtMemoryInfo* input);

  /** Destroys a session and all it owns. Since 1.0, slot 95. */
  void(ORT_API_CALL* ReleaseSession)(OrtSession* input);

  /** Frees a value (wrapped caller buffers are left alone). Since 1.0, slot 96. */
  void(ORT_API_CALL* ReleaseValue)(OrtValue* input);

  /** Frees run options. Since 1.0, slot 97. */
  void(ORT_API_CALL* ReleaseRunOptions)(OrtRunOptions* input);

  /** Frees a type-info object. Since 1.0, slot 98. */
  void(ORT_API_CALL* ReleaseTypeInfo)(OrtTypeInfo* input);

  /** Frees an element-type-and-shape object. Since 1.0, slot 99. */
  void(ORT_API_CALL* ReleaseTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo* input);

  /** Frees session options. Since 1.0, slot 100. */
  void(ORT_API_CALL* ReleaseSessionOptions)(OrtSessionOptions* input);

  /** Frees a custom-operator domain. Since 1.0, slot 101. */
  void(ORT_API_CALL* ReleaseCustomOpDomain)(OrtCustomOpDomain* input);

  /** Borrows the denotation text of a type and its length. Since 1.2, slot 102. */
  OrtStatus*(ORT_API_CALL* GetDenotationFromTypeInfo)(const OrtTypeInfo* type_info,
                                                      const char** const denotation, size_t* len);

  /** Borrows the map part of a type-info object, or NULL. Since 1.2, slot 103. */
  OrtStatus*(ORT_API_CALL* CastTypeInfoToMapTypeInfo)(const OrtTypeInfo* type_info,
                                                      const OrtMapTypeInfo** out);

  /** Borrows the sequence part of a type-info object, or NULL. Since 1.2, slot 104. */
  OrtStatus*(ORT_API_CALL* CastTypeInfoToSequenceTypeInfo)(const OrtTypeInfo* type_info,
                                                           const OrtSequenceTypeInfo** out);

  /** Reads the key element type of a map type. Since 1.2, slot 105. */
  OrtStatus*(ORT_API_CALL* GetMapKeyType)(const OrtMapTypeInfo* map_type_info,
                                          enum ONNXTensorElementDataType* out);

  /** Makes a new type-info object for a map's value type. Since 1.2, slot 106. */
  OrtStatus*(ORT_API_CALL* GetMapValueType)(const OrtMapTypeInfo* map_type_info,
                                            OrtTypeInfo** type_info);

  /** Makes a new type-info object for a sequence's element type. Since 1.2, slot 107. */
  OrtStatus*(ORT_API_CALL* GetSequenceElementType)(const OrtSequenceTypeInfo* sequence_type_info,
                                                   OrtTypeInfo** type_info);

  /** Frees a map type object. Since 1.2, slot 108. */
  void(ORT_API_CALL* ReleaseMapTypeInfo)(OrtMapTypeInfo* input);

  /** Frees a sequence type object. Since 1.2, slot 109. */
  void(ORT_API_CALL* ReleaseSequenceTypeInfo)(OrtSequenceTypeInfo* input);

  /**
   * Stops profiling and returns the trace file name in memory from the given allocator (empty
   * text if it was off). Since 1.2, slot 110.
   */
  OrtStatus*(ORT_API_CALL* SessionEndProfiling)(OrtSession* session, OrtAllocator* allocator,
                                                char** out);

  /** Makes a new metadata object for the session's model. Since 1.2, slot 111. */
  OrtStatus*(ORT_API_CALL* SessionGetModelMetadata)(const OrtSession* session,
                                                    OrtModelMetadata** out);

  /** Copies the producer name using the given allocator. Since 1.2, slot 112. */
  OrtStatus*(ORT_API_CALL* ModelMetadataGetProducerName)(const OrtModelMetadata* model_metadata,
                                                         OrtAllocator* allocator, char** value);

  /** Copies the graph name using the given allocator. Since 1.2, slot 113. */
  OrtStatus*(ORT_API_CALL* ModelMetadataGetGraphName)(const OrtModelMetadata* model_metadata,
                                                      OrtAllocator* allocator, char** value);

  /** Copies the model domain using the given allocator. Since 1.2, slot 114. */
  OrtStatus*(ORT_API_CALL* ModelMetadataGetDomain)(const OrtModelMetadata* model_metadata,
                                                   OrtAllocator* allocator, char** value);

  /** Copies the model description text using the given allocator. Since 1.2, slot 115. */
  OrtStatus*(ORT_API_CALL* ModelMetadataGetDescription)(const OrtModelMetadata* model_metadata,
                                                        OrtAllocator* allocator, char** value);

  /**
   * Looks up a custom metadata entry and copies its value; NULL out when the key is absent.
   * Since 1.2, slot 116.
   */
  OrtStatus*(ORT_API_CALL* ModelMetadataLookupCustomMetadataMap)(
      const OrtModelMetadata* model_metadata, OrtAllocator* allocator, const char* key,
      char** value);

  /** Reads the model version number (INT64_MAX when the model states none). Since 1.2, slot 117. */
  OrtStatus*(ORT_API_CALL* ModelMetadataGetVersion)(const OrtModelMetadata* model_metadata,
                                                    int64_t* value);

  /** Frees a metadata object. Since 1.2, slot 118. */
  void(ORT_API_CALL* ReleaseModelMetadata)(OrtModelMetadata* input);

  /**
   * Creates the environment together with thread pools shared by all sessions. Since 1.3, slot
   * 119.
   */
  OrtStatus*(ORT_API_CALL* CreateEnvWithGlobalThreadPools)(OrtLoggingLevel log_severity_level,
                                                           const char* logid,
                                                           const OrtThreadingOptions* tp_options,
                                                           OrtEnv** out);

  /**
   * Makes sessions use the environment's shared pools instead of private ones. Since 1.3, slot
   * 120.
   */
  OrtStatus*(ORT_API_CALL* DisablePerSessionThreads)(OrtSessionOptions* options);

  /** Allocates settings for the shared thread pools. Since 1.3, slot 121. */
  OrtStatus*(ORT_API_CALL* CreateThreadingOptions)(OrtThreadingOptions** out);

  /** Frees such settings. Since 1.3, slot 122. */
  void(ORT_API_CALL* ReleaseThreadingOptions)(OrtThreadingOptions* input);

  /**
   * Copies all custom metadata keys as an allocator-owned array of allocator-owned strings
   * (NULL and 0 when none). Since 1.3, slot 123.
   */
  OrtStatus*(ORT_API_CALL* ModelMetadataGetCustomMetadataMapKeys)(
      const OrtModelMetadata* model_metadata, OrtAllocator* allocator, char*** keys,
      int64_t* num_keys);

  /**
   * Fixes the value of every input dimension that has a given symbolic name. Since 1.3, slot
   * 124.
   */
  OrtStatus*(ORT_API_CALL* AddFreeDimensionOverrideByName)(OrtSessionOptions* options,
                                                           const char* dim_name, int64_t dim_value);

  /**
   * Lists the execution-provider names compiled into the library, in priority order, as one
   * block. Since 1.4, slot 125.
   */
  OrtStatus*(ORT_API_CALL* GetAvailableProviders)(char*** out_ptr, int* provider_length);

  /** Frees the list from GetAvailableProviders. Since 1.4, slot 126. */
  OrtStatus*(ORT_API_CALL* ReleaseAvailableProviders)(char** ptr, int providers_length);

  /** Byte length of one element of a string tensor. Since 1.5, slot 127. */
  OrtStatus*(ORT_API_CALL* GetStringTensorElementLength)(const OrtValue* value, size_t index,
                                                         size_t* out);

  /**
   * Copies one element of a string tensor, no terminator; buffer must be at least the element
   * length. Since 1.5, slot 128.
   */
  OrtStatus*(ORT_API_CALL* GetStringTensorElement)(const OrtValue* value, size_t s_len,
                                                   size_t index, void* s);

  /** Overwrites one element of a string tensor. Since 1.5, slot 129. */
  OrtStatus*(ORT_API_CALL* FillStringTensorElement)(OrtValue* value, const char* s, size_t index);

  /**
   * Stores a key/value text pair; key length must be 1-1024, unknown keys are accepted; keys
   * that mean the same as a setter (session.intra_op_num_threads, ...) are parsed here. Since
   * 1.5, slot 130.
   */
  OrtStatus*(ORT_API_CALL* AddSessionConfigEntry)(OrtSessionOptions* options,
                                                  const char* config_key, const char* config_value);

  /**
   * Makes an allocator for a memory location that the session's providers know; caller releases
   * it. Since 1.5, slot 131.
   */
  OrtStatus*(ORT_API_CALL* CreateAllocator)(const OrtSession* session,
                                            const OrtMemoryInfo* mem_info, OrtAllocator** out);

  /** Frees an allocator made by CreateAllocator. Since 1.5, slot 132. */
  void(ORT_API_CALL* ReleaseAllocator)(OrtAllocator* input);

  /** Runs a session with the inputs and outputs recorded in a binding. Since 1.5, slot 133. */
  OrtStatus*(ORT_API_CALL* RunWithBinding)(OrtSession* session, const OrtRunOptions* run_options,
                                           const OrtIoBinding* binding_ptr);

  /** Makes an empty binding for a session. Since 1.5, slot 134. */
  OrtStatus*(ORT_API_CALL* CreateIoBinding)(OrtSession* session, OrtIoBinding** out);

  /** Frees a binding. Since 1.5, slot 135. */
  void(ORT_API_CALL* ReleaseIoBinding)(OrtIoBinding* input);

  /**
   * Records a value for a named input, copying it to the device where the input is consumed if
   * needed; unknown name fails. Since 1.5, slot 136.
   */
  OrtStatus*(ORT_API_CALL* BindInput)(OrtIoBinding* binding_ptr, const char* name,
                                      const OrtValue* val_ptr);

  /**
   * Records a pre-allocated value for a named output (the name is only checked at run time).
   * Since 1.5, slot 137.
   */
  OrtStatus*(ORT_API_CALL* BindOutput)(OrtIoBinding* binding_ptr, const char* name,
                                       const OrtValue* val_ptr);

  /**
   * Records that a named output is to be allocated in a given memory location. Since 1.5, slot
   * 138.
   */
  OrtStatus*(ORT_API_CALL* BindOutputToDevice)(OrtIoBinding* binding_ptr, const char* name,
                                               const OrtMemoryInfo* mem_info_ptr);

  /**
   * Copies all bound output names into one allocator-owned buffer without terminators plus a
   * lengths array. Since 1.5, slot 139.
   */
  OrtStatus*(ORT_API_CALL* GetBoundOutputNames)(const OrtIoBinding* binding_ptr,
                                                OrtAllocator* allocator, char** buffer,
                                                size_t** lengths, size_t* count);

  /**
   * Returns an allocator-owned array of new value handles for the bound outputs. Since 1.5,
   * slot 140.
   */
  OrtStatus*(ORT_API_CALL* GetBoundOutputValues)(const OrtIoBinding* binding_ptr,
                                                 OrtAllocator* allocator, OrtValue*** output,
                                                 size_t* output_count);

  /** Forgets all bound inputs. Since 1.5, slot 141. */
  void(ORT_API_CALL* ClearBoundInputs)(OrtIoBinding* binding_ptr);

  /** Forgets all bound outputs. Since 1.5, slot 142. */
  void(ORT_API_CALL* ClearBoundOutputs)(OrtIoBinding* binding_ptr);

  /** Pointer to one element of a non-string tensor given its coordinates. Since 1.5, slot 143. */
  OrtStatus*(ORT_API_CALL* TensorAt)(OrtValue* value, const int64_t* location_values,
                                     size_t location_values_count, void** out);

  /**
   * Creates an arena or plain CPU allocator in the environment for sessions that opt in by
   * session.use_env_allocators. Since 1.5, slot 144.
   */
  OrtStatus*(ORT_API_CALL* CreateAndRegisterAllocator)(OrtEnv* env, const OrtMemoryInfo* mem_info,
                                                       const OrtArenaCfg* arena_cfg);

  /** Tells the runtime which language binding is calling (telemetry only). Since 1.5, slot 145. */
  OrtStatus*(ORT_API_CALL* SetLanguageProjection)(const OrtEnv* ort_env,
                                                  OrtLanguageProjection projection);

  /**
   * Start time of the session's profiler in nanoseconds since the Unix epoch (0 when profiling
   * is off). Since 1.5, slot 146.
   */
  OrtStatus*(ORT_API_CALL* SessionGetProfilingStartTimeNs)(const OrtSession* session,
                                                           uint64_t* out);

  /** Sets the size of the shared intra-operator pool. Since 1.5, slot 147. */
  OrtStatus*(ORT_API_CALL* SetGlobalIntraOpNumThreads)(OrtThreadingOptions* tp_options,
                                                       int intra_op_num_threads);

  /** Sets the size of the shared inter-operator pool. Since 1.5, slot 148. */
  OrtStatus*(ORT_API_CALL* SetGlobalInterOpNumThreads)(OrtThreadingOptions* tp_options,
                                                       int inter_op_num_threads);

  /** Sets whether idle shared-pool threads spin (1) or block (0). Since 1.5, slot 149. */
  OrtStatus*(ORT_API_CALL* SetGlobalSpinControl)(OrtThreadingOptions* tp_options,
                                                 int allow_spinning);

  /**
   * Supplies a caller-owned tensor as the value of a named initializer, which sessions then
   * share without copying. Since 1.6, slot 150.
   */
  OrtStatus*(ORT_API_CALL* AddInitializer)(OrtSessionOptions* options, const char* name,
                                           const OrtValue* val);

  /** Environment with both a custom logging callback and shared pools. Since 1.6, slot 151. */
  OrtStatus*(ORT_API_CALL* CreateEnvWithCustomLoggerAndGlobalThreadPools)(
      OrtLoggingFunction logging_function, void* logger_param, OrtLoggingLevel log_severity_level,
      const char* logid, const struct OrtThreadingOptions* tp_options, OrtEnv** out);

  /** Adds the CUDA provider with the fixed-layout options struct. Since 1.6, slot 152. */
  OrtStatus*(ORT_API_CALL* SessionOptionsAppendExecutionProvider_CUDA)(
      OrtSessionOptions* options, const OrtCUDAProviderOptions* cuda_options);

  /**
   * Adds the ROCm provider with the fixed-layout options struct (removed provider). Since 1.6,
   * slot 153.
   */
  OrtStatus*(ORT_API_CALL* SessionOptionsAppendExecutionProvider_ROCM)(
      OrtSessionOptions* options, const OrtROCMProviderOptions* rocm_options);

  /** Adds the OpenVINO provider with the fixed-layout options struct. Since 1.6, slot 154. */
  OrtStatus*(ORT_API_CALL* SessionOptionsAppendExecutionProvider_OpenVINO)(
      OrtSessionOptions* options, const OrtOpenVINOProviderOptions* provider_options);

  /** Makes shared-pool threads flush denormals to zero. Since 1.6, slot 155. */
  OrtStatus*(ORT_API_CALL* SetGlobalDenormalAsZero)(OrtThreadingOptions* tp_options);

  /** Makes an arena configuration from four numbers (0 or -1 mean default). Since 1.6, slot 156. */
  OrtStatus*(ORT_API_CALL* CreateArenaCfg)(size_t max_mem, int arena_extend_strategy,
                                           int initial_chunk_size_bytes,
                                           int max_dead_bytes_per_chunk, OrtArenaCfg** out);

  /** Frees an arena configuration. Since 1.6, slot 157. */
  void(ORT_API_CALL* ReleaseArenaCfg)(OrtArenaCfg* input);

  /** Copies the graph's doc string using the given allocator. Since 1.7, slot 158. */
  OrtStatus*(ORT_API_CALL* ModelMetadataGetGraphDescription)(const OrtModelMetadata* model_metadata,
                                                             OrtAllocator* allocator, char** value);

  /** Adds the TensorRT provider with the fixed-layout options struct. Since 1.7, slot 159. */
  OrtStatus*(ORT_API_CALL* SessionOptionsAppendExecutionProvider_TensorRT)(
      OrtSessionOptions* options, const OrtTensorRTProviderOptions* tensorrt_options);

  /** Selects the CUDA device of the calling thread. Since 1.7, slot 160. */
  OrtStatus*(ORT_API_CALL* SetCurrentGpuDeviceId)(int device_id);

  /** Reads the CUDA device of the calling thread; fails without CUDA. Since 1.7, slot 161. */
  OrtStatus*(ORT_API_CALL* GetCurrentGpuDeviceId)(int* device_id);

  /** Reads a float-array attribute with a two-call size protocol. Since 1.8, slot 162. */
  OrtStatus*(ORT_API_CALL* KernelInfoGetAttributeArray_float)(const OrtKernelInfo* info,
                                                              const char* name, float* out,
                                                              size_t* size);

  /** Reads an integer-array attribute with a two-call size protocol. Since 1.8, slot 163. */
  OrtStatus*(ORT_API_CALL* KernelInfoGetAttributeArray_int64)(const OrtKernelInfo* info,
                                                              const char* name, int64_t* out,
                                                              size_t* size);

  /**
   * Makes an arena configuration from named keys; an unknown key is INVALID_ARGUMENT. Since
   * 1.8, slot 164.
   */
  OrtStatus*(ORT_API_CALL* CreateArenaCfgV2)(const char* const* arena_config_keys,
                                             const size_t* arena_config_values, size_t num_keys,
                                             OrtArenaCfg** out);

  /** Stores a key/value text pair in run options. Since 1.8, slot 165. */
  OrtStatus*(ORT_API_CALL* AddRunConfigEntry)(OrtRunOptions* options, const char* config_key,
                                              const char* config_value);

  /** Makes a store in which sessions share repacked weights. Since 1.8, slot 166. */
  OrtStatus*(ORT_API_CALL* CreatePrepackedWeightsContainer)(OrtPrepackedWeightsContainer** out);

  /** Frees that store (it must outlive the sessions that use it). Since 1.8, slot 167. */
  void(ORT_API_CALL* ReleasePrepackedWeightsContainer)(OrtPrepackedWeightsContainer* input);

  /** CreateSession with a shared repacked-weights store. Since 1.8, slot 168. */
  OrtStatus*(ORT_API_CALL* CreateSessionWithPrepackedWeightsContainer)(
      const OrtEnv* env, const ORTCHAR_T* model_path, const OrtSessionOptions* options,
      OrtPrepackedWeightsContainer* prepacked_weights_container, OrtSession** out);

  /** CreateSessionFromArray with a shared repacked-weights store. Since 1.8, slot 169. */
  OrtStatus*(ORT_API_CALL* CreateSessionFromArrayWithPrepackedWeightsContainer)(
      const OrtEnv* env, const void* model_data, size_t model_data_length,
      const OrtSessionOptions* options, OrtPrepackedWeightsContainer* prepacked_weights_container,
      OrtSession** out);

  /** Adds the TensorRT provider with the opaque options object. Since 1.9, slot 170. */
  OrtStatus*(ORT_API_CALL* SessionOptionsAppendExecutionProvider_TensorRT_V2)(
      OrtSessionOptions* options, const OrtTensorRTProviderOptionsV2* tensorrt_options);

  /** Makes an opaque TensorRT options object. Since 1.9, slot 171. */
  OrtStatus*(ORT_API_CALL* CreateTensorRTProviderOptions)(OrtTensorRTProviderOptionsV2** out);

  /** Sets TensorRT options from key/value texts. Since 1.9, slot 172. */
  OrtStatus*(ORT_API_CALL* UpdateTensorRTProviderOptions)(
      OrtTensorRTProviderOptionsV2* tensorrt_options, const char* const* provider_options_keys,
      const char* const* provider_options_values, size_t num_keys);

  /** Serialises TensorRT options to text. Since 1.9, slot 173. */
  OrtStatus*(ORT_API_CALL* GetTensorRTProviderOptionsAsString)(
      const OrtTensorRTProviderOptionsV2* tensorrt_options, OrtAllocator* allocator, char** ptr);

  /** Frees TensorRT options. Since 1.9, slot 174. */
  void(ORT_API_CALL* ReleaseTensorRTProviderOptions)(OrtTensorRTProviderOptionsV2* input);

  /**
   * Registers the built-in onnxruntime-extensions operators when compiled in, else fails. Since
   * 1.9, slot 175.
   */
  OrtStatus*(ORT_API_CALL* EnableOrtCustomOps)(OrtSessionOptions* options);

  /** Adds a caller-implemented allocator to the environment. Since 1.9, slot 176. */
  OrtStatus*(ORT_API_CALL* RegisterAllocator)(OrtEnv* env, OrtAllocator* allocator);

  /** Removes an allocator from the environment by memory description. Since 1.9, slot 177. */
  OrtStatus*(ORT_API_CALL* UnregisterAllocator)(OrtEnv* env, const OrtMemoryInfo* mem_info);

  /** Sets 1 if the value holds a sparse tensor. Since 1.9, slot 178. */
  OrtStatus*(ORT_API_CALL* IsSparseTensor)(const OrtValue* value, int* out);

  /** Makes an empty sparse tensor that allocates its own storage. Since 1.9, slot 179. */
  OrtStatus*(ORT_API_CALL* CreateSparseTensorAsOrtValue)(OrtAllocator* allocator,
                                                         const int64_t* dense_shape,
                                                         size_t dense_shape_len,
                                                         ONNXTensorElementDataType type,
                                                         OrtValue** out);

  /** Fills such a tensor with copies of values and coordinate indices. Since 1.9, slot 180. */
  OrtStatus*(ORT_API_CALL* FillSparseTensorCoo)(OrtValue* ort_value,
                                                const OrtMemoryInfo* data_mem_info,
                                                const int64_t* values_shape,
                                                size_t values_shape_len, const void* values,
                                                const int64_t* indices_data, size_t indices_num);

  /** Fills such a tensor with copies of values and compressed-row indices. Since 1.9, slot 181. */
  OrtStatus*(ORT_API_CALL* FillSparseTensorCsr)(
      OrtValue* ort_value, const OrtMemoryInfo* data_mem_info, const int64_t* values_shape,
      size_t values_shape_len, const void* values, const int64_t* inner_indices_data,
      size_t inner_indices_num, const int64_t* outer_indices_data, size_t outer_indices_num);

  /** Fills such a tensor with copies of values and block-sparse indices. Since 1.9, slot 182. */
  OrtStatus*(ORT_API_CALL* FillSparseTensorBlockSparse)(
      OrtValue* ort_value, const OrtMemoryInfo* data_mem_info, const int64_t* values_shape,
      size_t values_shape_len, const void* values, const int64_t* indices_shape_data,
      size_t indices_shape_len, const int32_t* indices_data);

  /** Wraps a caller-owned values buffer as a sparse tensor. Since 1.9, slot 183. */
  OrtStatus*(ORT_API_CALL* CreateSparseTensorWithValuesAsOrtValue)(
      const OrtMemoryInfo* info, void* p_data, const int64_t* dense_shape, size_t dense_shape_len,
      const int64_t* values_shape, size_t values_shape_len, ONNXTensorElementDataType type,
      OrtValue** out);

  /** Attaches caller-owned coordinate indices to it. Since 1.9, slot 184. */
  OrtStatus*(ORT_API_CALL* UseCooIndices)(OrtValue* ort_value, int64_t* indices_data,
                                          size_t indices_num);

  /** Attaches caller-owned compressed-row indices to it. Since 1.9, slot 185. */
  OrtStatus*(ORT_API_CALL* UseCsrIndices)(OrtValue* ort_value, int64_t* inner_data,
                                          size_t inner_num, int64_t* outer_data, size_t outer_num);

  /** Attaches caller-owned block-sparse indices to it. Since 1.9, slot 186. */
  OrtStatus*(ORT_API_CALL* UseBlockSparseIndices)(OrtValue* ort_value, const int64_t* indices_shape,
                                                  size_t indices_shape_len, int32_t* indices_data);

  /** Tells the storage format of a sparse tensor. Since 1.9, slot 187. */
  OrtStatus*(ORT_API_CALL* GetSparseTensorFormat)(const OrtValue* ort_value,
                                                  enum OrtSparseFormat* out);

  /** Makes a type-and-shape object for the non-zero values. Since 1.9, slot 188. */
  OrtStatus*(ORT_API_CALL* GetSparseTensorValuesTypeAndShape)(const OrtValue* ort_value,
                                                              OrtTensorTypeAndShapeInfo** out);

  /** Borrows the non-zero values. Since 1.9, slot 189. */
  OrtStatus*(ORT_API_CALL* GetSparseTensorValues)(const OrtValue* ort_value, const void** out);

  /** Makes a type-and-shape object for one index array. Since 1.9, slot 190. */
  OrtStatus*(ORT_API_CALL* GetSparseTensorIndicesTypeShape)(
      const OrtValue* ort_value, enum OrtSparseIndicesFormat indices_format,
      OrtTensorTypeAndShapeInfo** out);

  /** Borrows one index array and its element count. Since 1.9, slot 191. */
  OrtStatus*(ORT_API_CALL* GetSparseTensorIndices)(const OrtValue* ort_value,
                                                   enum OrtSparseIndicesFormat indices_format,
                                                   size_t* num_indices, const void** indices);

  /** Sets 1 if an optional-typed value is present. Since 1.10, slot 192. */
  OrtStatus*(ORT_API_CALL* HasValue)(const OrtValue* value, int* out);

  /** Borrows the device stream handle of the running kernel (NULL on CPU). Since 1.10, slot 193. */
  OrtStatus*(ORT_API_CALL* KernelContext_GetGPUComputeStream)(const OrtKernelContext* context,
                                                              void** out);

  /** Borrows the memory description of a tensor. Since 1.10, slot 194. */
  OrtStatus*(ORT_API_CALL* GetTensorMemoryInfo)(const OrtValue* value,
                                                const OrtMemoryInfo** mem_info);

  /**
   * Fetches a provider-specific function table by name and version (only DML has one). Since
   * 1.10, slot 195.
   */
  OrtStatus*(ORT_API_CALL* GetExecutionProviderApi)(const char* provider_name, uint32_t version,
                                                    const void** provider_api);

  /** Sets a caller function that creates the session's threads. Since 1.10, slot 196. */
  OrtStatus*(ORT_API_CALL* SessionOptionsSetCustomCreateThreadFn)(
      OrtSessionOptions* options, OrtCustomCreateThreadFn ort_custom_create_thread_fn);

  /** Sets the pointer given to that function. Since 1.10, slot 197. */
  OrtStatus*(ORT_API_CALL* SessionOptionsSetCustomThreadCreationOptions)(
      OrtSessionOptions* options, void* ort_custom_thread_creation_options);

  /**
   * Sets a caller function that joins the session's threads (required with the create
   * function). Since 1.10, slot 198.
   */
  OrtStatus*(ORT_API_CALL* SessionOptionsSetCustomJoinThreadFn)(
      OrtSessionOptions* options, OrtCustomJoinThreadFn ort_custom_join_thread_fn);

  /** As 196 for the shared pools. Since 1.10, slot 199. */
  OrtStatus*(ORT_API_CALL* SetGlobalCustomCreateThreadFn)(
      OrtThreadingOptions* tp_options, OrtCustomCreateThreadFn ort_custom_create_thread_fn);

  /** As 197 for the shared pools. Since 1.10, slot 200. */
  OrtStatus*(ORT_API_CALL* SetGlobalCustomThreadCreationOptions)(
      OrtThreadingOptions* tp_options, void* ort_custom_thread_creation_options);

  /** As 198 for the shared pools. Since 1.10, slot 201. */
  OrtStatus*(ORT_API_CALL* SetGlobalCustomJoinThreadFn)(
      OrtThreadingOptions* tp_options, OrtCustomJoinThreadFn ort_custom_join_thread_fn);

  /** Waits until copies of bound inputs to the device are done. Since 1.10, slot 202. */
  OrtStatus*(ORT_API_CALL* SynchronizeBoundInputs)(OrtIoBinding* binding_ptr);

  /** Waits until bound outputs are complete on the device. Since 1.10, slot 203. */
  OrtStatus*(ORT_API_CALL* SynchronizeBoundOutputs)(OrtIoBinding* binding_ptr);

  /** Adds the CUDA provider with the opaque options object. Since 1.11, slot 204. */
  OrtStatus*(ORT_API_CALL* SessionOptionsAppendExecutionProvider_CUDA_V2)(
      OrtSessionOptions* options, const OrtCUDAProviderOptionsV2* cuda_options);

  /** Makes an opaque CUDA options object. Since 1.11, slot 205. */
  OrtStatus*(ORT_API_CALL* CreateCUDAProviderOptions)(OrtCUDAProviderOptionsV2** out);

  /** Sets CUDA options from key/value texts. Since 1.11, slot 206. */
  OrtStatus*(ORT_API_CALL* UpdateCUDAProviderOptions)(OrtCUDAProviderOptionsV2* cuda_options,
                                                      const char* const* provider_options_keys,
                                                      const char* const* provider_options_values,
                                                      size_t num_keys);

  /** Serialises CUDA options to text. Since 1.11, slot 207. */
  OrtStatus*(ORT_API_CALL* GetCUDAProviderOptionsAsString)(
      const OrtCUDAProviderOptionsV2* cuda_options, OrtAllocator* allocator, char** ptr);

  /** Frees CUDA options. Since 1.11, slot 208. */
  void(ORT_API_CALL* ReleaseCUDAProviderOptions)(OrtCUDAProviderOptionsV2* input);

  /** Adds the MIGraphX provider with the fixed-layout options struct. Since 1.11, slot 209. */
  OrtStatus*(ORT_API_CALL* SessionOptionsAppendExecutionProvider_MIGraphX)(
      OrtSessionOptions* options, const OrtMIGraphXProviderOptions* migraphx_options);

  /**
   * Supplies tensors that replace several externally-stored initializers by name. Since 1.12,
   * slot 210.
   */
  OrtStatus*(ORT_API_CALL* AddExternalInitializers)(OrtSessionOptions* options,
                                                    const char* const* initializer_names,
                                                    const OrtValue* const* initializers,
                                                    size_t num_initializers);

  /** Makes a named attribute of a given kind for CreateOp. Since 1.12, slot 211. */
  OrtStatus*(ORT_API_CALL* CreateOpAttr)(const char* name, const void* data, int len,
                                         OrtOpAttrType type, OrtOpAttr** op_attr);

  /** Frees an attribute. Since 1.12, slot 212. */
  void(ORT_API_CALL* ReleaseOpAttr)(OrtOpAttr* input);

  /**
   * Makes an instance of a built-in CPU operator callable from a custom kernel. Since 1.12,
   * slot 213.
   */
  OrtStatus*(ORT_API_CALL* CreateOp)(const OrtKernelInfo* info, const char* op_name,
                                     const char* domain, int version,
                                     const char** type_constraint_names,
                                     const ONNXTensorElementDataType* type_constraint_values,
                                     int type_constraint_count, const OrtOpAttr* const* attr_values,
                                     int attr_count, int input_count, int output_count,
                                     OrtOp** ort_op);

  /** Calls such an operator on values. Since 1.12, slot 214. */
  OrtStatus*(ORT_API_CALL* InvokeOp)(const OrtKernelContext* context, const OrtOp* ort_op,
                                     const OrtValue* const* input_values, int input_count,
                                     OrtValue* const* output_values, int output_count);

  /** Frees such an operator. Since 1.12, slot 215. */
  void(ORT_API_CALL* ReleaseOp)(OrtOp* input);

  /**
   * Adds a provider by its short or full name with key/value options; unknown name is
   * INVALID_ARGUMENT, one not compiled in is INVALID_ARGUMENT as well. Since 1.12, slot 216.
   */
  OrtStatus*(ORT_API_CALL* SessionOptionsAppendExecutionProvider)(
      OrtSessionOptions* options, const char* provider_name,
      const char* const* provider_options_keys, const char* const* provider_options_values,
      size_t num_keys);

  /** Copies a kernel-info object so that it outlives kernel creation. Since 1.12, slot 217. */
  OrtStatus*(ORT_API_CALL* CopyKernelInfo)(const OrtKernelInfo* info, OrtKernelInfo** info_copy);

  /** Frees a copied kernel-info object. Since 1.12, slot 218. */
  void(ORT_API_CALL* ReleaseKernelInfo)(OrtKernelInfo* input);

  /**
   * Gives the on-device training table, or NULL in builds without training. Since 1.13, slot
   * 219.
   */
  const OrtTrainingApi*(ORT_API_CALL* GetTrainingApi)(uint32_t version);

  /** Adds the CANN provider with its opaque options. Since 1.13, slot 220. */
  OrtStatus*(ORT_API_CALL* SessionOptionsAppendExecutionProvider_CANN)(
      OrtSessionOptions* options, const OrtCANNProviderOptions* cann_options);

  /** Makes CANN options; FAIL when not compiled in. Since 1.13, slot 221. */
  OrtStatus*(ORT_API_CALL* CreateCANNProviderOptions)(OrtCANNProviderOptions** out);

  /** Sets CANN options from key/value texts. Since 1.13, slot 222. */
  OrtStatus*(ORT_API_CALL* UpdateCANNProviderOptions)(OrtCANNProviderOptions* cann_options,
                                                      const char* const* provider_options_keys,
                                                      const char* const* provider_options_values,
                                                      size_t num_keys);

  /** Serialises CANN options to text. Since 1.13, slot 223. */
  OrtStatus*(ORT_API_CALL* GetCANNProviderOptionsAsString)(
      const OrtCANNProviderOptions* cann_options, OrtAllocator* allocator, char** ptr);

  /** Frees CANN options. Since 1.13, slot 224. */
  void(ORT_API_CALL* ReleaseCANNProviderOptions)(OrtCANNProviderOptions* input);

  /**
   * Writes the device class (CPU, GPU, FPGA, NPU) of a memory description; returns nothing.
   * Since 1.14, slot 225.
   */
  void(ORT_API_CALL* MemoryInfoGetDeviceType)(const OrtMemoryInfo* ptr,
                                              OrtMemoryInfoDeviceType* out);

  /** Changes the severity of the environment's default logger. Since 1.14, slot 226. */
  OrtStatus*(ORT_API_CALL* UpdateEnvWithCustomLogLevel)(OrtEnv* ort_env,
                                                        OrtLoggingLevel log_severity_level);

  /** Sets the affinity text for shared intra-operator threads. Since 1.14, slot 227. */
  OrtStatus*(ORT_API_CALL* SetGlobalIntraOpThreadAffinity)(OrtThreadingOptions* tp_options,
                                                           const char* affinity_string);

  /**
   * Loads a custom-operator library by path and keeps it open until the last session that uses
   * it is gone. Since 1.14, slot 228.
   */
  OrtStatus*(ORT_API_CALL* RegisterCustomOpsLibrary_V2)(OrtSessionOptions* options,
                                                        const ORTCHAR_T* library_name);

  /**
   * Finds an already linked registration function by symbol name and calls it with the options.
   * Since 1.14, slot 229.
   */
  OrtStatus*(ORT_API_CALL* RegisterCustomOpsUsingFunction)(OrtSessionOptions* options,
                                                           const char* registration_func_name);

  /** Number of node inputs seen at kernel creation. Since 1.14, slot 230. */
  OrtStatus*(ORT_API_CALL* KernelInfo_GetInputCount)(const OrtKernelInfo* info, size_t* out);

  /** Number of node outputs seen at kernel creation. Since 1.14, slot 231. */
  OrtStatus*(ORT_API_CALL* KernelInfo_GetOutputCount)(const OrtKernelInfo* info, size_t* out);

  /** Copies an input name (two-call size protocol). Since 1.14, slot 232. */
  OrtStatus*(ORT_API_CALL* KernelInfo_GetInputName)(const OrtKernelInfo* info, size_t index,
                                                    char* out, size_t* size);

  /** Copies an output name (two-call size protocol). Since 1.14, slot 233. */
  OrtStatus*(ORT_API_CALL* KernelInfo_GetOutputName)(const OrtKernelInfo* info, size_t index,
                                                     char* out, size_t* size);

  /** New type-info object for a node input. Since 1.14, slot 234. */
  OrtStatus*(ORT_API_CALL* KernelInfo_GetInputTypeInfo)(const OrtKernelInfo* info, size_t index,
                                                        OrtTypeInfo** type_info);

  /** New type-info object for a node output. Since 1.14, slot 235. */
  OrtStatus*(ORT_API_CALL* KernelInfo_GetOutputTypeInfo)(const OrtKernelInfo* info, size_t index,
                                                         OrtTypeInfo** type_info);

  /** Copies a tensor attribute into a new value using the allocator. Since 1.14, slot 236. */
  OrtStatus*(ORT_API_CALL* KernelInfoGetAttribute_tensor)(const OrtKernelInfo* info,
                                                          const char* name, OrtAllocator* allocator,
                                                          OrtValue** out);

  /** Sets 1 if session options hold the key. Since 1.14, slot 237. */
  OrtStatus*(ORT_API_CALL* HasSessionConfigEntry)(const OrtSessionOptions* options,
                                                  const char* config_key, int* out);

  /**
   * Copies the value of a key (two-call size protocol with terminator; missing key is
   * INVALID_ARGUMENT). Since 1.14, slot 238.
   */
  OrtStatus*(ORT_API_CALL* GetSessionConfigEntry)(const OrtSessionOptions* options,
                                                  const char* config_key, char* config_value,
                                                  size_t* size);

  /** Adds the oneDNN provider with its opaque options. Since 1.15, slot 239. */
  OrtStatus*(ORT_API_CALL* SessionOptionsAppendExecutionProvider_Dnnl)(
      OrtSessionOptions* options, const OrtDnnlProviderOptions* dnnl_options);

  /** Makes oneDNN options; FAIL when not compiled in. Since 1.15, slot 240. */
  OrtStatus*(ORT_API_CALL* CreateDnnlProviderOptions)(OrtDnnlProviderOptions** out);

  /** Sets oneDNN options from key/value texts. Since 1.15, slot 241. */
  OrtStatus*(ORT_API_CALL* UpdateDnnlProviderOptions)(OrtDnnlProviderOptions* dnnl_options,
                                                      const char* const* provider_options_keys,
                                                      const char* const* provider_options_values,
                                                      size_t num_keys);

  /** Serialises oneDNN options to text. Since 1.15, slot 242. */
  OrtStatus*(ORT_API_CALL* GetDnnlProviderOptionsAsString)(
      const OrtDnnlProviderOptions* dnnl_options, OrtAllocator* allocator, char** ptr);

  /** Frees oneDNN options. Since 1.15, slot 243. */
  void(ORT_API_CALL* ReleaseDnnlProviderOptions)(OrtDnnlProviderOptions* input);

  /** Copies the node name (two-call size protocol). Since 1.15, slot 244. */
  OrtStatus*(ORT_API_CALL* KernelInfo_GetNodeName)(const OrtKernelInfo* info, char* out,
                                                   size_t* size);

  /** Borrows the session logger at kernel creation. Since 1.15, slot 245. */
  OrtStatus*(ORT_API_CALL* KernelInfo_GetLogger)(const OrtKernelInfo* info,
                                                 const OrtLogger** logger);

  /** Borrows the run logger inside a kernel. Since 1.15, slot 246. */
  OrtStatus*(ORT_API_CALL* KernelContext_GetLogger)(const OrtKernelContext* context,
                                                    const OrtLogger** logger);

  /** Writes a message with severity, file, line and function to a logger. Since 1.15, slot 247. */
  OrtStatus*(ORT_API_CALL* Logger_LogMessage)(const OrtLogger* logger,
                                              OrtLoggingLevel log_severity_level,
                                              const char* message, const ORTCHAR_T* file_path,
                                              int line_number, const char* func_name);

  /** Reads the minimum severity of a logger. Since 1.15, slot 248. */
  OrtStatus*(ORT_API_CALL* Logger_GetLoggingSeverityLevel)(const OrtLogger* logger,
                                                           OrtLoggingLevel* out);

  /**
   * Tells whether an input is a constant initializer and borrows it if so. Since 1.15, slot
   * 249.
   */
  OrtStatus*(ORT_API_CALL* KernelInfoGetConstantInput_tensor)(const OrtKernelInfo* info,
                                                              size_t index, int* is_constant,
                                                              const OrtValue** out);

  /** Borrows the optional part of a type-info object, or NULL. Since 1.15, slot 250. */
  OrtStatus*(ORT_API_CALL* CastTypeInfoToOptionalTypeInfo)(const OrtTypeInfo* type_info,
                                                           const OrtOptionalTypeInfo** out);

  /** Makes a new type-info object for the type inside an optional. Since 1.15, slot 251. */
  OrtStatus*(ORT_API_CALL* GetOptionalContainedTypeInfo)(
      const OrtOptionalTypeInfo* optional_type_info, OrtTypeInfo** out);

  /**
   * Resizes one string element and gives a writable buffer of that many bytes. Since 1.15, slot
   * 252.
   */
  OrtStatus*(ORT_API_CALL* GetResizedStringTensorElementBuffer)(OrtValue* value, size_t index,
                                                                size_t length_in_bytes,
                                                                char** buffer);

  /**
   * Gives an allocator for a memory description inside a kernel; caller releases it. Since
   * 1.15, slot 253.
   */
  OrtStatus*(ORT_API_CALL* KernelContext_GetAllocator)(const OrtKernelContext* context,
                                                       const OrtMemoryInfo* mem_info,
                                                       OrtAllocator** out);

  /** Static text with git revision, build type and flags. Since 1.15, slot 254. */
  const char*(ORT_API_CALL* GetBuildInfoString)(void);

  /** Makes ROCm options; FAIL when not compiled in. Since 1.16, slot 255. */
  OrtStatus*(ORT_API_CALL* CreateROCMProviderOptions)(OrtROCMProviderOptions** out);

  /** Sets ROCm options from key/value texts. Since 1.16, slot 256. */
  OrtStatus*(ORT_API_CALL* UpdateROCMProviderOptions)(OrtROCMProviderOptions* rocm_options,
                                                      const char* const* provider_options_keys,
                                                      const char* const* provider_options_values,
                                                      size_t num_keys);

  /** Serialises ROCm options to text. Since 1.16, slot 257. */
  OrtStatus*(ORT_API_CALL* GetROCMProviderOptionsAsString)(
      const OrtROCMProviderOptions* rocm_options, OrtAllocator* allocator, char** ptr);

  /** Frees ROCm options. Since 1.16, slot 258. */
  void(ORT_API_CALL* ReleaseROCMProviderOptions)(OrtROCMProviderOptions* input);

  /**
   * Registers an environment allocator for a named provider with its options. Since 1.16, slot
   * 259.
   */
  OrtStatus*(ORT_API_CALL* CreateAndRegisterAllocatorV2)(OrtEnv* env, const char* provider_type,
                                                         const OrtMemoryInfo* mem_info,
                                                         const OrtArenaCfg* arena_cfg,
                                                         const char* const* provider_options_keys,
                                                         const char* const* provider_options_values,
                                                         size_t num_keys);

  /**
   * Starts a run on the intra-operator pool and calls back with outputs and status (owned by
   * the callee); needs a pool of at least one thread besides the caller, else INVALID_ARGUMENT.
   * Since 1.16, slot 260.
   */
  OrtStatus*(ORT_API_CALL* RunAsync)(OrtSession* session, const OrtRunOptions* run_options,
                                     const char* const* input_names, const OrtValue* const* input,
                                     size_t input_len, const char* const* output_names,
                                     size_t output_names_len, OrtValue** output,
                                     RunAsyncCallbackFn run_async_callback, void* user_data);

  /** Sets one TensorRT option that is a raw pointer (e.g. a stream). Since 1.16, slot 261. */
  OrtStatus*(ORT_API_CALL* UpdateTensorRTProviderOptionsWithValue)(
      OrtTensorRTProviderOptionsV2* tensorrt_options, const char* key, void* value);

  /** Reads one TensorRT option as a raw pointer. Since 1.16, slot 262. */
  OrtStatus*(ORT_API_CALL* GetTensorRTProviderOptionsByName)(
      const OrtTensorRTProviderOptionsV2* tensorrt_options, const char* key, void** ptr);

  /** Sets one CUDA option that is a raw pointer (e.g. a stream). Since 1.16, slot 263. */
  OrtStatus*(ORT_API_CALL* UpdateCUDAProviderOptionsWithValue)(
      OrtCUDAProviderOptionsV2* cuda_options, const char* key, void* value);

  /** Reads one CUDA option as a raw pointer. Since 1.16, slot 264. */
  OrtStatus*(ORT_API_CALL* GetCUDAProviderOptionsByName)(
      const OrtCUDAProviderOptionsV2* cuda_options, const char* key, void** ptr);

  /** Fetches a provider resource (by id and version) inside a kernel. Since 1.16, slot 265. */
  OrtStatus*(ORT_API_CALL* KernelContext_GetResource)(const OrtKernelContext* context,
                                                      int resource_version, int resource_id,
                                                      void** resource);

  /** Routes a session's log lines to a caller function. Since 1.17, slot 266. */
  OrtStatus*(ORT_API_CALL* SetUserLoggingFunction)(OrtSessionOptions* options,
                                                   OrtLoggingFunction user_logging_function,
                                                   void* user_logging_param);

  /** Number of inputs in custom shape inference. Since 1.17, slot 267. */
  OrtStatus*(ORT_API_CALL* ShapeInferContext_GetInputCount)(const OrtShapeInferContext* context,
                                                            size_t* out);

  /** Type and shape of an input in custom shape inference. Since 1.17, slot 268. */
  OrtStatus*(ORT_API_CALL* ShapeInferContext_GetInputTypeShape)(const OrtShapeInferContext* context,
                                                                size_t index,
                                                                OrtTensorTypeAndShapeInfo** info);

  /** Borrows a node attribute in custom shape inference. Since 1.17, slot 269. */
  OrtStatus*(ORT_API_CALL* ShapeInferContext_GetAttribute)(const OrtShapeInferContext* context,
                                                           const char* attr_name,
                                                           const OrtOpAttr** attr);

  /** States an output's type and shape in custom shape inference. Since 1.17, slot 270. */
  OrtStatus*(ORT_API_CALL* ShapeInferContext_SetOutputTypeShape)(
      const OrtShapeInferContext* context, size_t index, const OrtTensorTypeAndShapeInfo* info);

  /** Sets symbolic dimension names in a type-and-shape object. Since 1.17, slot 271. */
  OrtStatus*(ORT_API_CALL* SetSymbolicDimensions)(OrtTensorTypeAndShapeInfo* info,
                                                  const char* dim_params[],
                                                  size_t dim_params_length);

  /** Copies the content of an attribute (with needed size on failure). Since 1.17, slot 272. */
  OrtStatus*(ORT_API_CALL* ReadOpAttr)(const OrtOpAttr* op_attr, OrtOpAttrType type, void* data,
                                       size_t len, size_t* out);

  /** Asks kernels to give bit-identical results from run to run. Since 1.17, slot 273. */
  OrtStatus*(ORT_API_CALL* SetDeterministicCompute)(OrtSessionOptions* options, bool value);

  /**
   * Runs a callback over an index range on the session's pool inside a kernel. Since 1.17, slot
   * 274.
   */
  OrtStatus*(ORT_API_CALL* KernelContext_ParallelFor)(const OrtKernelContext* context,
                                                      void (*fn)(void*, size_t), size_t total,
                                                      size_t num_batch, void* usr_data);

  /** Adds the OpenVINO provider with key/value options. Since 1.17, slot 275. */
  OrtStatus*(ORT_API_CALL* SessionOptionsAppendExecutionProvider_OpenVINO_V2)(
      OrtSessionOptions* options, const char* const* provider_options_keys,
      const char* const* provider_options_values, size_t num_keys);

  /** Adds the VitisAI provider with key/value options. Since 1.18, slot 276. */
  OrtStatus*(ORT_API_CALL* SessionOptionsAppendExecutionProvider_VitisAI)(
      OrtSessionOptions* options, const char* const* provider_options_keys,
      const char* const* provider_options_values, size_t num_keys);

  /** Allocates scratch memory freed after the kernel call. Since 1.18, slot 277. */
  OrtStatus*(ORT_API_CALL* KernelContext_GetScratchBuffer)(const OrtKernelContext* context,
                                                           const OrtMemoryInfo* mem_info,
                                                           size_t count_or_bytes, void** out);

  /** Gives the kernel's allocator for a memory kind. Since 1.18, slot 278. */
  OrtStatus*(ORT_API_CALL* KernelInfoGetAllocator)(const OrtKernelInfo* info, OrtMemType mem_type,
                                                   OrtAllocator** out);

  /** Supplies whole external-data files from memory, by file name. Since 1.18, slot 279. */
  OrtStatus*(ORT_API_CALL* AddExternalInitializersFromFilesInMemory)(
      OrtSessionOptions* options, const ORTCHAR_T* const* external_initializer_file_names,
      char* const* external_initializer_file_buffer_array,
      const size_t* external_initializer_file_lengths, size_t num_external_initializer_files);

  /**
   * Loads a LoRA adapter file (memory mapped); NULL allocator means leave on CPU. Since 1.20,
   * slot 280.
   */
  OrtStatus*(ORT_API_CALL* CreateLoraAdapter)(const ORTCHAR_T* adapter_file_path,
                                              OrtAllocator* allocator, OrtLoraAdapter** out);

  /** Loads a LoRA adapter from memory. Since 1.20, slot 281. */
  OrtStatus*(ORT_API_CALL* CreateLoraAdapterFromArray)(const void* bytes, size_t num_bytes,
                                                       OrtAllocator* allocator,
                                                       OrtLoraAdapter** out);

  /** Frees an adapter. Since 1.20, slot 282. */
  void(ORT_API_CALL* ReleaseLoraAdapter)(OrtLoraAdapter* input);

  /**
   * Adds an adapter whose tensors become extra inputs of the run (only plain Run honours it).
   * Since 1.20, slot 283.
   */
  OrtStatus*(ORT_API_CALL* RunOptionsAddActiveLoraAdapter)(OrtRunOptions* options,
                                                           const OrtLoraAdapter* adapter);

  /** Passes key/value options to the providers of a live session. Since 1.20, slot 284. */
  OrtStatus*(ORT_API_CALL* SetEpDynamicOptions)(OrtSession* sess, const char* const* keys,
                                                const char* const* values, size_t kv_len);

  /** Frees a value-info object not owned by a graph. Since 1.22, slot 285. */
  void(ORT_API_CALL* ReleaseValueInfo)(OrtValueInfo* input);

  /** Frees a node not owned by a graph. Since 1.22, slot 286. */
  void(ORT_API_CALL* ReleaseNode)(OrtNode* input);

  /** Frees a graph not owned by a model. Since 1.22, slot 287. */
  void(ORT_API_CALL* ReleaseGraph)(OrtGraph* input);

  /** Frees a model. Since 1.22, slot 288. */
  void(ORT_API_CALL* ReleaseModel)(OrtModel* input);

  /** Borrows the name of a value-info object. Since 1.22, slot 289. */
  OrtStatus*(ORT_API_CALL* GetValueInfoName)(const OrtValueInfo* value_info, const char** name);

  /** Borrows the type of a value-info object. Since 1.22, slot 290. */
  OrtStatus*(ORT_API_CALL* GetValueInfoTypeInfo)(const OrtValueInfo* value_info,
                                                 const OrtTypeInfo** type_info);

  /**
   * Gives the table for building or editing models in code (NULL in minimal builds). Since
   * 1.22, slot 291.
   */
  const OrtModelEditorApi*(ORT_API_CALL* GetModelEditorApi)(void);

  /**
   * Wraps a buffer as a tensor that frees it through the given allocator (Free only) when
   * released. Since 1.22, slot 292.
   */
  OrtStatus*(ORT_API_CALL* CreateTensorWithDataAndDeleterAsOrtValue)(
      OrtAllocator* deleter, void* p_data, size_t p_data_len, const int64_t* shape,
      size_t shape_len, ONNXTensorElementDataType type, OrtValue** out);

  /**
   * Sets or clears a flag that cancels a session creation in progress with MODEL_LOAD_CANCELED.
   * Since 1.22, slot 293.
   */
  OrtStatus*(ORT_API_CALL* SessionOptionsSetLoadCancellationFlag)(OrtSessionOptions* options,
                                                                  bool cancel);

  /**
   * Gives the table for ahead-of-time compilation of EPContext models (NULL in minimal builds).
   * Since 1.22, slot 294.
   */
  const OrtCompileApi*(ORT_API_CALL* GetCompileApi)(void);

  /** Allocates an empty set of text pairs that is kept sorted by key. Since 1.22, slot 295. */
  void(ORT_API_CALL* CreateKeyValuePairs)(OrtKeyValuePairs** out);

  /** Adds or replaces a pair (NULL or empty key ignored). Since 1.22, slot 296. */
  void(ORT_API_CALL* AddKeyValuePair)(OrtKeyValuePairs* kvps, const char* key, const char* value);

  /** Borrows the value for a key, NULL when missing. Since 1.22, slot 297. */
  const char*(ORT_API_CALL* GetKeyValue)(const OrtKeyValuePairs* kvps, const char* key);

  /**
   * Borrows parallel arrays of all keys and values; invalid after any change. Since 1.22, slot
   * 298.
   */
  void(ORT_API_CALL* GetKeyValuePairs)(const OrtKeyValuePairs* kvps, const char* const** keys,
                                       const char* const** values, size_t* num_entries);

  /** Removes a key if present. Since 1.22, slot 299. */
  void(ORT_API_CALL* RemoveKeyValuePair)(OrtKeyValuePairs* kvps, const char* key);

  /** Frees the set. Since 1.22, slot 300. */
  void(ORT_API_CALL* ReleaseKeyValuePairs)(OrtKeyValuePairs* input);

  /** Loads a plug-in provider library under a name. Since 1.22, slot 301. */
  OrtStatus*(ORT_API_CALL* RegisterExecutionProviderLibrary)(OrtEnv* env,
                                                             const char* registration_name,
                                                             const ORTCHAR_T* path);

  /** Unloads such a library; nothing may still use it. Since 1.22, slot 302. */
  OrtStatus*(ORT_API_CALL* UnregisterExecutionProviderLibrary)(OrtEnv* env,
                                                               const char* registration_name);

  /**
   * Lists provider/device pairs known to the environment (borrowed array). Since 1.22, slot
   * 303.
   */
  OrtStatus*(ORT_API_CALL* GetEpDevices)(const OrtEnv* env, const OrtEpDevice* const** ep_devices,
                                         size_t* num_ep_devices);

  /**
   * Adds the provider that owns the given devices (all of one provider) with options. Since
   * 1.22, slot 304.
   */
  OrtStatus*(ORT_API_CALL* SessionOptionsAppendExecutionProvider_V2)(
      OrtSessionOptions* session_options, OrtEnv* env, const OrtEpDevice* const* ep_devices,
      size_t num_ep_devices, const char* const* ep_option_keys, const char* const* ep_option_vals,
      size_t num_ep_options);

  /** Chooses a policy by which the runtime picks providers itself. Since 1.22, slot 305. */
  OrtStatus*(ORT_API_CALL* SessionOptionsSetEpSelectionPolicy)(
      OrtSessionOptions* session_options, OrtExecutionProviderDevicePolicy policy);

  /** Sets a callback that picks providers. Since 1.22, slot 306. */
  OrtStatus*(ORT_API_CALL* SessionOptionsSetEpSelectionPolicyDelegate)(
      OrtSessionOptions* session_options, EpSelectionDelegate delegate, void* delegate_state);

  /** Class of a hardware device. Since 1.22, slot 307. */
  OrtHardwareDeviceType(ORT_API_CALL* HardwareDevice_Type)(const OrtHardwareDevice* device);

  /** Vendor number of a hardware device. Since 1.22, slot 308. */
  uint32_t(ORT_API_CALL* HardwareDevice_VendorId)(const OrtHardwareDevice* device);

  /** Vendor name of a hardware device. Since 1.22, slot 309. */
  const char*(ORT_API_CALL* HardwareDevice_Vendor)(const OrtHardwareDevice* device);

  /** Device number of a hardware device (a model number, not unique). Since 1.22, slot 310. */
  uint32_t(ORT_API_CALL* HardwareDevice_DeviceId)(const OrtHardwareDevice* device);

  /** Borrowed extra properties of a hardware device. Since 1.22, slot 311. */
  const OrtKeyValuePairs*(ORT_API_CALL* HardwareDevice_Metadata)(const OrtHardwareDevice* device);

  /** Provider name of a provider/device pair. Since 1.22, slot 312. */
  const char*(ORT_API_CALL* EpDevice_EpName)(const OrtEpDevice* ep_device);

  /** Vendor of the provider. Since 1.22, slot 313. */
  const char*(ORT_API_CALL* EpDevice_EpVendor)(const OrtEpDevice* ep_device);

  /** Borrowed provider metadata for the pair. Since 1.22, slot 314. */
  const OrtKeyValuePairs*(ORT_API_CALL* EpDevice_EpMetadata)(const OrtEpDevice* ep_device);

  /** Borrowed provider options for the pair. Since 1.22, slot 315. */
  const OrtKeyValuePairs*(ORT_API_CALL* EpDevice_EpOptions)(const OrtEpDevice* ep_device);

  /** Borrowed hardware device of the pair. Since 1.22, slot 316. */
  const OrtHardwareDevice*(ORT_API_CALL* EpDevice_Device)(const OrtEpDevice* ep_device);

  /**
   * Gives the table used by plug-in provider libraries (NULL in minimal builds). Since 1.22,
   * slot 317.
   */
  const OrtEpApi*(ORT_API_CALL* GetEpApi)(void);

  /**
   * Byte size of a dense tensor's data (an error for strings and non-tensors). Since 1.23, slot
   * 318.
   */
  OrtStatus*(ORT_API_CALL* GetTensorSizeInBytes)(const OrtValue* ort_value, size_t* size);

  /** New key/value set of statistics of an allocator. Since 1.23, slot 319. */
  OrtStatus*(ORT_API_CALL* AllocatorGetStats)(const OrtAllocator* ort_allocator,
                                              OrtKeyValuePairs** out);

  /**
   * Memory description with explicit device class, vendor, device, memory kind and alignment.
   * Since 1.23, slot 320.
   */
  OrtStatus*(ORT_API_CALL* CreateMemoryInfo_V2)(const char* name,
                                                enum OrtMemoryInfoDeviceType device_type,
                                                uint32_t vendor_id, int32_t device_id,
                                                enum OrtDeviceMemoryType mem_type, size_t alignment,
                                                enum OrtAllocatorType allocator_type,
                                                OrtMemoryInfo** out);

  /** Reads whether the memory is device default or host accessible. Since 1.23, slot 321. */
  OrtDeviceMemoryType(ORT_API_CALL* MemoryInfoGetDeviceMemType)(const OrtMemoryInfo* ptr);

  /** Reads the vendor number. Since 1.23, slot 322. */
  uint32_t(ORT_API_CALL* MemoryInfoGetVendorId)(const OrtMemoryInfo* ptr);

  /**
   * Node and output index that make a value (NULL for a graph input or initializer). Since
   * 1.23, slot 323.
   */
  OrtStatus*(ORT_API_CALL* ValueInfo_GetValueProducer)(const OrtValueInfo* value_info,
                                                       const OrtNode** producer_node,
                                                       size_t* producer_output_index);

  /** Number of uses of a value. Since 1.23, slot 324. */
  OrtStatus*(ORT_API_CALL* ValueInfo_GetValueNumConsumers)(const OrtValueInfo* value_info,
                                                           size_t* num_consumers);

  /** Nodes and input indices (-1 for implicit) that use a value. Since 1.23, slot 325. */
  OrtStatus*(ORT_API_CALL* ValueInfo_GetValueConsumers)(const OrtValueInfo* value_info,
                                                        const OrtNode** nodes,
                                                        int64_t* input_indices,
                                                        size_t num_consumers);

  /** Borrows the initializer's tensor, NULL if it is none. Since 1.23, slot 326. */
  OrtStatus*(ORT_API_CALL* ValueInfo_GetInitializerValue)(const OrtValueInfo* value_info,
                                                          const OrtValue** initializer_value);

  /**
   * New object with file, offset and size of an externally stored initializer, NULL if
   * internal. Since 1.23, slot 327.
   */
  OrtStatus*(ORT_API_CALL* ValueInfo_GetExternalInitializerInfo)(const OrtValueInfo* value_info,
                                                                 OrtExternalInitializerInfo** info);

  /** True for a graph input that must be fed. Since 1.23, slot 328. */
  OrtStatus*(ORT_API_CALL* ValueInfo_IsRequiredGraphInput)(const OrtValueInfo* value_info,
                                                           bool* is_required_graph_input);

  /** True for a graph input that has a default. Since 1.23, slot 329. */
  OrtStatus*(ORT_API_CALL* ValueInfo_IsOptionalGraphInput)(const OrtValueInfo* value_info,
                                                           bool* is_optional_graph_input);

  /** True for a graph output. Since 1.23, slot 330. */
  OrtStatus*(ORT_API_CALL* ValueInfo_IsGraphOutput)(const OrtValueInfo* value_info,
                                                    bool* is_graph_output);

  /** True for a constant initializer. Since 1.23, slot 331. */
  OrtStatus*(ORT_API_CALL* ValueInfo_IsConstantInitializer)(const OrtValueInfo* value_info,
                                                            bool* is_constant_initializer);

  /** True for a value that comes from an outer graph. Since 1.23, slot 332. */
  OrtStatus*(ORT_API_CALL* ValueInfo_IsFromOuterScope)(const OrtValueInfo* value_info,
                                                       bool* is_from_outer_scope);

  /** Borrows the graph name. Since 1.23, slot 333. */
  OrtStatus*(ORT_API_CALL* Graph_GetName)(const OrtGraph* graph, const char** graph_name);

  /** Borrows the model file path (empty when from memory). Since 1.23, slot 334. */
  OrtStatus*(ORT_API_CALL* Graph_GetModelPath)(const OrtGraph* graph, const ORTCHAR_T** model_path);

  /** Reads the IR version. Since 1.23, slot 335. */
  OrtStatus*(ORT_API_CALL* Graph_GetOnnxIRVersion)(const OrtGraph* graph, int64_t* onnx_ir_version);

  /** Number of operator sets imported. Since 1.23, slot 336. */
  OrtStatus*(ORT_API_CALL* Graph_GetNumOperatorSets)(const OrtGraph* graph,
                                                     size_t* num_operator_sets);

  /** Fills arrays of imported domains and versions. Since 1.23, slot 337. */
  OrtStatus*(ORT_API_CALL* Graph_GetOperatorSets)(const OrtGraph* graph, const char** domains,
                                                  int64_t* opset_versions,
                                                  size_t num_operator_sets);

  /** Number of graph inputs, initializers that are inputs included. Since 1.23, slot 338. */
  OrtStatus*(ORT_API_CALL* Graph_GetNumInputs)(const OrtGraph* graph, size_t* num_inputs);

  /** Fills an array with the graph inputs. Since 1.23, slot 339. */
  OrtStatus*(ORT_API_CALL* Graph_GetInputs)(const OrtGraph* graph, const OrtValueInfo** inputs,
                                            size_t num_inputs);

  /** Number of graph outputs. Since 1.23, slot 340. */
  OrtStatus*(ORT_API_CALL* Graph_GetNumOutputs)(const OrtGraph* graph, size_t* num_outputs);

  /** Fills an array with the graph outputs. Since 1.23, slot 341. */
  OrtStatus*(ORT_API_CALL* Graph_GetOutputs)(const OrtGraph* graph, const OrtValueInfo** outputs,
                                             size_t num_outputs);

  /** Number of initializers. Since 1.23, slot 342. */
  OrtStatus*(ORT_API_CALL* Graph_GetNumInitializers)(const OrtGraph* graph,
                                                     size_t* num_initializers);

  /** Fills an array with the initializers. Since 1.23, slot 343. */
  OrtStatus*(ORT_API_CALL* Graph_GetInitializers)(const OrtGraph* graph,
                                                  const OrtValueInfo** initializers,
                                                  size_t num_initializers);

  /** Number of nodes. Since 1.23, slot 344. */
  OrtStatus*(ORT_API_CALL* Graph_GetNumNodes)(const OrtGraph* graph, size_t* num_nodes);

  /** Fills an array with the nodes in topological order. Since 1.23, slot 345. */
  OrtStatus*(ORT_API_CALL* Graph_GetNodes)(const OrtGraph* graph, const OrtNode** nodes,
                                           size_t num_nodes);

  /** Borrows the node that holds this subgraph, NULL for the main graph. Since 1.23, slot 346. */
  OrtStatus*(ORT_API_CALL* Graph_GetParentNode)(const OrtGraph* graph, const OrtNode** node);

  /** Makes a view over a subset of nodes. Since 1.23, slot 347. */
  OrtStatus*(ORT_API_CALL* Graph_GetGraphView)(const OrtGraph* src_graph, const OrtNode** nodes,
                                               size_t num_nodes, OrtGraph** dst_graph);

  /** Id of a node, unique in its graph. Since 1.23, slot 348. */
  OrtStatus*(ORT_API_CALL* Node_GetId)(const OrtNode* node, size_t* node_id);

  /** Borrows a node's name. Since 1.23, slot 349. */
  OrtStatus*(ORT_API_CALL* Node_GetName)(const OrtNode* node, const char** node_name);

  /** Borrows a node's operator type. Since 1.23, slot 350. */
  OrtStatus*(ORT_API_CALL* Node_GetOperatorType)(const OrtNode* node, const char** operator_type);

  /** Borrows a node's domain. Since 1.23, slot 351. */
  OrtStatus*(ORT_API_CALL* Node_GetDomain)(const OrtNode* node, const char** domain_name);

  /** Opset version that first defined the node's operator. Since 1.23, slot 352. */
  OrtStatus*(ORT_API_CALL* Node_GetSinceVersion)(const OrtNode* node, int* since_version);

  /** Number of node inputs. Since 1.23, slot 353. */
  OrtStatus*(ORT_API_CALL* Node_GetNumInputs)(const OrtNode* node, size_t* num_inputs);

  /** Fills an array with the node inputs (NULL for omitted ones). Since 1.23, slot 354. */
  OrtStatus*(ORT_API_CALL* Node_GetInputs)(const OrtNode* node, const OrtValueInfo** inputs,
                                           size_t num_inputs);

  /** Number of node outputs. Since 1.23, slot 355. */
  OrtStatus*(ORT_API_CALL* Node_GetNumOutputs)(const OrtNode* node, size_t* num_outputs);

  /** Fills an array with the node outputs (NULL for omitted ones). Since 1.23, slot 356. */
  OrtStatus*(ORT_API_CALL* Node_GetOutputs)(const OrtNode* node, const OrtValueInfo** outputs,
                                            size_t num_outputs);

  /** Number of outer values used by the node's subgraphs. Since 1.23, slot 357. */
  OrtStatus*(ORT_API_CALL* Node_GetNumImplicitInputs)(const OrtNode* node,
                                                      size_t* num_implicit_inputs);

  /** Fills an array with those values. Since 1.23, slot 358. */
  OrtStatus*(ORT_API_CALL* Node_GetImplicitInputs)(const OrtNode* node,
                                                   const OrtValueInfo** implicit_inputs,
                                                   size_t num_implicit_inputs);

  /** Number of attributes. Since 1.23, slot 359. */
  OrtStatus*(ORT_API_CALL* Node_GetNumAttributes)(const OrtNode* node, size_t* num_attributes);

  /** Fills an array with the attributes. Since 1.23, slot 360. */
  OrtStatus*(ORT_API_CALL* Node_GetAttributes)(const OrtNode* node, const OrtOpAttr** attributes,
                                               size_t num_attributes);

  /**
   * Borrows an attribute by name (NULL for an unset optional one, NOT_FOUND otherwise). Since
   * 1.23, slot 361.
   */
  OrtStatus*(ORT_API_CALL* Node_GetAttributeByName)(const OrtNode* node, const char* attribute_name,
                                                    const OrtOpAttr** attribute);

  /** Copies a tensor attribute to a new value. Since 1.23, slot 362. */
  OrtStatus*(ORT_API_CALL* OpAttr_GetTensorAttributeAsOrtValue)(const OrtOpAttr* attribute,
                                                                OrtValue** attr_tensor);

  /** Kind of an attribute. Since 1.23, slot 363. */
  OrtStatus*(ORT_API_CALL* OpAttr_GetType)(const OrtOpAttr* attribute, OrtOpAttrType* type);

  /** Name of an attribute. Since 1.23, slot 364. */
  OrtStatus*(ORT_API_CALL* OpAttr_GetName)(const OrtOpAttr* attribute, const char** name);

  /** Number of subgraphs of a node. Since 1.23, slot 365. */
  OrtStatus*(ORT_API_CALL* Node_GetNumSubgraphs)(const OrtNode* node, size_t* num_subgraphs);

  /** Fills arrays of subgraphs and their attribute names. Since 1.23, slot 366. */
  OrtStatus*(ORT_API_CALL* Node_GetSubgraphs)(const OrtNode* node, const OrtGraph** subgraphs,
                                              size_t num_subgraphs, const char** attribute_names);

  /** Borrows the graph that holds a node. Since 1.23, slot 367. */
  OrtStatus*(ORT_API_CALL* Node_GetGraph)(const OrtNode* node, const OrtGraph** graph);

  /** Borrows the name of the provider that a node is assigned to. Since 1.23, slot 368. */
  OrtStatus*(ORT_API_CALL* Node_GetEpName)(const OrtNode* node, const char** out);

  /** Frees an external-initializer description. Since 1.23, slot 369. */
  void(ORT_API_CALL* ReleaseExternalInitializerInfo)(OrtExternalInitializerInfo* input);

  /** Borrows its file path. Since 1.23, slot 370. */
  const ORTCHAR_T*(ORT_API_CALL* ExternalInitializerInfo_GetFilePath)(
      const OrtExternalInitializerInfo* info);

  /** Reads its file offset. Since 1.23, slot 371. */
  int64_t(ORT_API_CALL* ExternalInitializerInfo_GetFileOffset)(
      const OrtExternalInitializerInfo* info);

  /** Reads its byte size. Since 1.23, slot 372. */
  size_t(ORT_API_CALL* ExternalInitializerInfo_GetByteSize)(const OrtExternalInitializerInfo* info);

  /** Borrows the value of a run-options key, NULL when missing. Since 1.23, slot 373. */
  const char*(ORT_API_CALL* GetRunConfigEntry)(const OrtRunOptions* options,
                                               const char* config_key);

  /**
   * Memory description used by a provider/device pair for a memory kind, or NULL. Since 1.23,
   * slot 374.
   */
  const OrtMemoryInfo*(ORT_API_CALL* EpDevice_MemoryInfo)(const OrtEpDevice* ep_device,
                                                          OrtDeviceMemoryType memory_type);

  /**
   * Makes or replaces the environment-wide allocator of a provider/device pair. Since 1.23,
   * slot 375.
   */
  OrtStatus*(ORT_API_CALL* CreateSharedAllocator)(OrtEnv* env, const OrtEpDevice* ep_device,
                                                  OrtDeviceMemoryType mem_type,
                                                  OrtAllocatorType allocator_type,
                                                  const OrtKeyValuePairs* allocator_options,
                                                  OrtAllocator** allocator);

  /** Finds the environment-wide allocator for a memory description. Since 1.23, slot 376. */
  OrtStatus*(ORT_API_CALL* GetSharedAllocator)(OrtEnv* env, const OrtMemoryInfo* mem_info,
                                               OrtAllocator** allocator);

  /** Drops the environment-wide allocator of a pair. Since 1.23, slot 377. */
  OrtStatus*(ORT_API_CALL* ReleaseSharedAllocator)(OrtEnv* env, const OrtEpDevice* ep_device,
                                                   OrtDeviceMemoryType mem_type);

  /** Read-only pointer to a tensor's data. Since 1.23, slot 378. */
  OrtStatus*(ORT_API_CALL* GetTensorData)(const OrtValue* value, const void** out);

  /**
   * New key/value set with all config entries of session options (none by default). Since 1.23,
   * slot 379.
   */
  OrtStatus*(ORT_API_CALL* GetSessionOptionsConfigEntries)(const OrtSessionOptions* options,
                                                           OrtKeyValuePairs** out);

  /** Fills an array with the memory location expected for each input. Since 1.23, slot 380. */
  OrtStatus*(ORT_API_CALL* SessionGetMemoryInfoForInputs)(const OrtSession* session,
                                                          const OrtMemoryInfo** inputs_memory_info,
                                                          size_t num_inputs);

  /** Fills an array with the memory location of each output. Since 1.23, slot 381. */
  OrtStatus*(ORT_API_CALL* SessionGetMemoryInfoForOutputs)(
      const OrtSession* session, const OrtMemoryInfo** outputs_memory_info, size_t num_outputs);

  /**
   * Fills an array with the provider/device pair for each input (NULL entries possible). Since
   * 1.23, slot 382.
   */
  OrtStatus*(ORT_API_CALL* SessionGetEpDeviceForInputs)(const OrtSession* session,
                                                        const OrtEpDevice** inputs_ep_devices,
                                                        size_t num_inputs);

  /** Makes a stream on a provider's device. Since 1.23, slot 383. */
  OrtStatus*(ORT_API_CALL* CreateSyncStreamForEpDevice)(const OrtEpDevice* ep_device,
                                                        const OrtKeyValuePairs* stream_options,
                                                        OrtSyncStream** stream);

  /** Native handle of a stream. Since 1.23, slot 384. */
  void*(ORT_API_CALL* SyncStream_GetHandle)(OrtSyncStream* stream);

  /** Frees a stream. Since 1.23, slot 385. */
  void(ORT_API_CALL* ReleaseSyncStream)(OrtSyncStream* input);

  /**
   * Copies tensors pairwise between memory locations, optionally on a stream. Since 1.23, slot
   * 386.
   */
  OrtStatus*(ORT_API_CALL* CopyTensors)(const OrtEnv* env, const OrtValue* const* src_tensors,
                                        OrtValue* const* dst_tensors, OrtSyncStream* stream,
                                        size_t num_tensors);

  /** New metadata object for the model that holds a graph. Since 1.23, slot 387. */
  OrtStatus*(ORT_API_CALL* Graph_GetModelMetadata)(const OrtGraph* graph, OrtModelMetadata** out);

  /** Tells whether a compiled model fits the given devices. Since 1.23, slot 388. */
  OrtStatus*(ORT_API_CALL* GetModelCompatibilityForEpDevices)(
      const OrtEpDevice* const* ep_devices, size_t num_ep_devices, const char* compatibility_info,
      OrtCompiledModelCompatibility* out_status);

  /** Makes an external-initializer description. Since 1.23, slot 389. */
  OrtStatus*(ORT_API_CALL* CreateExternalInitializerInfo)(const ORTCHAR_T* filepath,
                                                          int64_t file_offset, size_t byte_size,
                                                          OrtExternalInitializerInfo** out);

  /** True when the object has a shape, i.e. the rank is known. Since 1.24, slot 390. */
  bool(ORT_API_CALL* TensorTypeAndShape_HasShape)(const OrtTensorTypeAndShapeInfo* info);

  /**
   * New key/value set with the session's config entries as seen by a kernel. Since 1.24, slot
   * 391.
   */
  OrtStatus*(ORT_API_CALL* KernelInfo_GetConfigEntries)(const OrtKernelInfo* info,
                                                        OrtKeyValuePairs** out);

  /**
   * Copies the operator domain of a kernel's node (two-call size protocol). Since 1.24, slot
   * 392.
   */
  OrtStatus*(ORT_API_CALL* KernelInfo_GetOperatorDomain)(const OrtKernelInfo* info, char* out,
                                                         size_t* size);

  /** Copies the operator type of a kernel's node (two-call size protocol). Since 1.24, slot 393. */
  OrtStatus*(ORT_API_CALL* KernelInfo_GetOperatorType)(const OrtKernelInfo* info, char* out,
                                                       size_t* size);

  /** Opset version of a kernel's node. Since 1.24, slot 394. */
  OrtStatus*(ORT_API_CALL* KernelInfo_GetOperatorSinceVersion)(const OrtKernelInfo* info,
                                                               int* since_version);

  /** Gives the table for importing graphics-API memory and semaphores. Since 1.24, slot 395. */
  const OrtInteropApi*(ORT_API_CALL* GetInteropApi)(void);

  /** Fills an array with the provider/device pair for each output. Since 1.24, slot 396. */
  OrtStatus*(ORT_API_CALL* SessionGetEpDeviceForOutputs)(const OrtSession* session,
                                                         const OrtEpDevice** outputs_ep_devices,
                                                         size_t num_outputs);

  /** Number of hardware devices found. Since 1.24, slot 397. */
  OrtStatus*(ORT_API_CALL* GetNumHardwareDevices)(const OrtEnv* env, size_t* num_devices);

  /** Fills an array with the hardware devices found. Since 1.24, slot 398. */
  OrtStatus*(ORT_API_CALL* GetHardwareDevices)(const OrtEnv* env, const OrtHardwareDevice** devices,
                                               size_t num_devices);

  /** New object that says why a provider cannot use a device. Since 1.24, slot 399. */
  OrtStatus*(ORT_API_CALL* GetHardwareDeviceEpIncompatibilityDetails)(
      const OrtEnv* env, const char* ep_name, const OrtHardwareDevice* hw,
      OrtDeviceEpIncompatibilityDetails** details);

  /** Reads its reasons as bits. Since 1.24, slot 400. */
  OrtStatus*(ORT_API_CALL* DeviceEpIncompatibilityDetails_GetReasonsBitmask)(
      const OrtDeviceEpIncompatibilityDetails* details, uint32_t* reasons_bitmask);

  /** Borrows its free text, or NULL. Since 1.24, slot 401. */
  OrtStatus*(ORT_API_CALL* DeviceEpIncompatibilityDetails_GetNotes)(
      const OrtDeviceEpIncompatibilityDetails* details, const char** notes);

  /** Reads its provider-specific error number. Since 1.24, slot 402. */
  OrtStatus*(ORT_API_CALL* DeviceEpIncompatibilityDetails_GetErrorCode)(
      const OrtDeviceEpIncompatibilityDetails* details, int32_t* error_code);

  /** Frees it. Since 1.24, slot 403. */
  void(ORT_API_CALL* ReleaseDeviceEpIncompatibilityDetails)(
      OrtDeviceEpIncompatibilityDetails* input);

  /**
   * Copies a provider's compatibility text out of a model file without making a session. Since
   * 1.24, slot 404.
   */
  OrtStatus*(ORT_API_CALL* GetCompatibilityInfoFromModel)(const ORTCHAR_T* model_path,
                                                          const char* ep_type,
                                                          OrtAllocator* allocator,
                                                          char** compatibility_info);

  /** Same from a model in memory. Since 1.24, slot 405. */
  OrtStatus*(ORT_API_CALL* GetCompatibilityInfoFromModelBytes)(const void* model_data,
                                                               size_t model_data_length,
                                                               const char* ep_type,
                                                               OrtAllocator* allocator,
                                                               char** compatibility_info);

  /**
   * Creates the environment from one versioned struct with logging, threads and config entries.
   * Since 1.24, slot 406.
   */
  OrtStatus*(ORT_API_CALL* CreateEnvWithOptions)(const OrtEnvCreationOptions* options,
                                                 OrtEnv** out);

  /**
   * Lists subgraphs with the provider that each was given to; needs
   * session.record_ep_graph_assignment_info. Since 1.24, slot 407.
   */
  OrtStatus*(ORT_API_CALL* Session_GetEpGraphAssignmentInfo)(
      const OrtSession* session, const OrtEpAssignedSubgraph* const** ep_subgraphs,
      size_t* num_ep_subgraphs);

  /** Borrows the provider name of such a subgraph. Since 1.24, slot 408. */
  OrtStatus*(ORT_API_CALL* EpAssignedSubgraph_GetEpName)(const OrtEpAssignedSubgraph* ep_subgraph,
                                                         const char** out);

  /** Borrows the node list of such a subgraph. Since 1.24, slot 409. */
  OrtStatus*(ORT_API_CALL* EpAssignedSubgraph_GetNodes)(const OrtEpAssignedSubgraph* ep_subgraph,
                                                        const OrtEpAssignedNode* const** ep_nodes,
                                                        size_t* num_ep_nodes);

  /** Borrows a listed node's name. Since 1.24, slot 410. */
  OrtStatus*(ORT_API_CALL* EpAssignedNode_GetName)(const OrtEpAssignedNode* ep_node,
                                                   const char** out);

  /** Borrows a listed node's domain. Since 1.24, slot 411. */
  OrtStatus*(ORT_API_CALL* EpAssignedNode_GetDomain)(const OrtEpAssignedNode* ep_node,
                                                     const char** out);

  /** Borrows a listed node's operator type. Since 1.24, slot 412. */
  OrtStatus*(ORT_API_CALL* EpAssignedNode_GetOperatorType)(const OrtEpAssignedNode* ep_node,
                                                           const char** out);

  /**
   * Makes runs with these options use the given stream (NULL clears it); returns nothing. Since
   * 1.24, slot 413.
   */
  void(ORT_API_CALL* RunOptionsSetSyncStream)(OrtRunOptions* options, OrtSyncStream* sync_stream);

  /**
   * Element type and a borrowed pointer to the dimensions of a tensor, without allocation (NULL
   * and 0 for a scalar). Since 1.24, slot 414.
   */
  OrtStatus*(ORT_API_CALL* GetTensorElementTypeAndShapeDataReference)(
      const OrtValue* value, ONNXTensorElementDataType* elem_type, const int64_t** shape_data,
      size_t* shape_data_count);

  /** Makes a single run write a profile with the given file prefix. Since 1.25, slot 415. */
  OrtStatus*(ORT_API_CALL* RunOptionsEnableProfiling)(OrtRunOptions* options,
                                                      const ORTCHAR_T* profile_file_prefix);

  /** Stops a single run from writing a profile. Since 1.25, slot 416. */
  OrtStatus*(ORT_API_CALL* RunOptionsDisableProfiling)(OrtRunOptions* options);

  /**
   * Copies a string-array attribute with the allocator (NULL out returns only the size). Since
   * 1.25, slot 417.
   */
  OrtStatus*(ORT_API_CALL* KernelInfoGetAttributeArray_string)(const OrtKernelInfo* info,
                                                               const char* name,
                                                               OrtAllocator* allocator, char*** out,
                                                               size_t* size);

  /**
   * Sets callbacks on the environment that observe work items of per-session pools;
   * NOT_IMPLEMENTED in libraries not built for it. Since 1.25, slot 418.
   */
  OrtStatus*(ORT_API_CALL* SetPerSessionThreadPoolCallbacks)(
      OrtEnv* env, const OrtThreadPoolCallbacksConfig* config);

  /** Reads whether memory pattern is on. Since 1.27, slot 419. */
  OrtStatus*(ORT_API_CALL* GetMemPatternEnabled)(const OrtSessionOptions* options, int* out);

  /** Reads the execution mode. Since 1.27, slot 420. */
  OrtStatus*(ORT_API_CALL* GetSessionExecutionMode)(const OrtSessionOptions* options,
                                                    ExecutionMode* out);

  /** Frees a captured device graph by its annotation id. Since 1.27, slot 421. */
  OrtStatus*(ORT_API_CALL* SessionReleaseCapturedGraph)(OrtSession* session,
                                                        int graph_annotation_id);

  /**
   * Looks up an experimental function by its versioned name, NULL when unknown. Since 1.28,
   * slot 422.
   */
  OrtExperimentalFnPtr(ORT_API_CALL* GetExperimentalFunction)(const char* name);

  /**
   * Borrows the framework stream object of the running kernel, NULL on CPU. Since 1.28, slot
   * 423.
   */
  OrtStatus*(ORT_API_CALL* KernelContext_GetSyncStream)(const OrtKernelContext* context,
                                                        OrtSyncStream** out);

  /**
   * Gives the source model's bytes to a provider for a compiled model without weights; caller
   * keeps them alive. Since 1.29, slot 424.
   */
  OrtStatus*(ORT_API_CALL* SessionOptionsSetWeightlessSourceModelBuffer)(
      OrtSessionOptions* options, const void* source_model_data, size_t source_model_data_length);

  /**
   * Borrows an output value that the caller pre-allocated, NULL when there is none. Since 1.30,
   * slot 425.
   */
  OrtStatus*(ORT_API_CALL* KernelContext_GetPreallocatedOutput)(const OrtKernelContext* context,
                                                                size_t output_index,
                                                                OrtValue** output);
};

/** A custom operator, described by callbacks. `version` says which of the later members exist. */
struct OrtCustomOp {
  uint32_t version;
  void*(ORT_API_CALL* CreateKernel)(const struct OrtCustomOp* op, const OrtApi* api,
                                    const OrtKernelInfo* info);
  const char*(ORT_API_CALL* GetName)(const struct OrtCustomOp* op);
  const char*(ORT_API_CALL* GetExecutionProviderType)(const struct OrtCustomOp* op);
  ONNXTensorElementDataType(ORT_API_CALL* GetInputType)(const struct OrtCustomOp* op, size_t index);
  size_t(ORT_API_CALL* GetInputTypeCount)(const struct OrtCustomOp* op);
  ONNXTensorElementDataType(ORT_API_CALL* GetOutputType)(const struct OrtCustomOp* op,
                                                         size_t index);
  size_t(ORT_API_CALL* GetOutputTypeCount)(const struct OrtCustomOp* op);
  void(ORT_API_CALL* KernelCompute)(void* op_kernel, OrtKernelContext* context);
  void(ORT_API_CALL* KernelDestroy)(void* op_kernel);
  OrtCustomOpInputOutputCharacteristic(ORT_API_CALL* GetInputCharacteristic)(
      const struct OrtCustomOp* op, size_t index);
  OrtCustomOpInputOutputCharacteristic(ORT_API_CALL* GetOutputCharacteristic)(
      const struct OrtCustomOp* op, size_t index);
  OrtMemType(ORT_API_CALL* GetInputMemoryType)(const struct OrtCustomOp* op, size_t index);
  int(ORT_API_CALL* GetVariadicInputMinArity)(const struct OrtCustomOp* op);
  int(ORT_API_CALL* GetVariadicInputHomogeneity)(const struct OrtCustomOp* op);
  int(ORT_API_CALL* GetVariadicOutputMinArity)(const struct OrtCustomOp* op);
  int(ORT_API_CALL* GetVariadicOutputHomogeneity)(const struct OrtCustomOp* op);
  OrtStatusPtr(ORT_API_CALL* CreateKernelV2)(const struct OrtCustomOp* op, const OrtApi* api,
                                             const OrtKernelInfo* info, void** kernel);
  OrtStatusPtr(ORT_API_CALL* KernelComputeV2)(void* op_kernel, OrtKernelContext* context);
  OrtStatusPtr(ORT_API_CALL* InferOutputShapeFn)(const struct OrtCustomOp* op,
                                                 OrtShapeInferContext*);
  int(ORT_API_CALL* GetStartVersion)(const struct OrtCustomOp* op);
  int(ORT_API_CALL* GetEndVersion)(const struct OrtCustomOp* op);
  size_t(ORT_API_CALL* GetMayInplace)(int** input_index, int** output_index);
  void(ORT_API_CALL* ReleaseMayInplace)(int* input_index, int* output_index);
  size_t(ORT_API_CALL* GetAliasMap)(int** input_index, int** output_index);
  void(ORT_API_CALL* ReleaseAliasMap)(int* input_index, int* output_index);
};

/** Builds and edits models in code. GetModelEditorApi gives NULL where the library has none. */
struct OrtModelEditorApi {
  /** Makes a tensor type from an element-type-and-shape object. Since 1.22. */
  OrtStatus*(ORT_API_CALL* CreateTensorTypeInfo)(const OrtTensorTypeAndShapeInfo* tensor_info,
                                                 OrtTypeInfo** type_info);

  /** Makes a sparse-tensor type from an element-type-and-shape object. Since 1.22. */
  OrtStatus*(ORT_API_CALL* CreateSparseTensorTypeInfo)(const OrtTensorTypeAndShapeInfo* tensor_info,
                                                       OrtTypeInfo** type_info);

  /** Makes a map type from a key element type and a value type. Since 1.22. */
  OrtStatus*(ORT_API_CALL* CreateMapTypeInfo)(ONNXTensorElementDataType map_key_type,
                                              const OrtTypeInfo* map_value_type,
                                              OrtTypeInfo** type_info);

  /** Makes a sequence type from its element type. Since 1.22. */
  OrtStatus*(ORT_API_CALL* CreateSequenceTypeInfo)(const OrtTypeInfo* sequence_type,
                                                   OrtTypeInfo** type_info);

  /** Makes an optional type from the contained type. Since 1.22. */
  OrtStatus*(ORT_API_CALL* CreateOptionalTypeInfo)(const OrtTypeInfo* contained_type,
                                                   OrtTypeInfo** type_info);

  /** Makes a named, typed graph value. Since 1.22. */
  OrtStatus*(ORT_API_CALL* CreateValueInfo)(const char* name, const OrtTypeInfo* type_info,
                                            OrtValueInfo** value_info);

  /**
   * Makes a node from operator, domain, names and attributes (attributes are taken over). Since
   * 1.22.
   */
  OrtStatus*(ORT_API_CALL* CreateNode)(const char* operator_name, const char* domain_name,
                                       const char* node_name, const char* const* input_names,
                                       size_t input_names_len, const char* const* output_names,
                                       size_t output_names_len, OrtOpAttr** attributes,
                                       size_t attribs_len, OrtNode** node);

  /** Makes an empty graph. Since 1.22. */
  OrtStatus*(ORT_API_CALL* CreateGraph)(OrtGraph** graph);

  /** Sets the graph inputs and takes them over. Since 1.22. */
  OrtStatus*(ORT_API_CALL* SetGraphInputs)(OrtGraph* graph, OrtValueInfo** inputs,
                                           size_t inputs_len);

  /** Sets the graph outputs and takes them over. Since 1.22. */
  OrtStatus*(ORT_API_CALL* SetGraphOutputs)(OrtGraph* graph, OrtValueInfo** outputs,
                                            size_t outputs_len);

  /**
   * Adds an initializer tensor; with the external flag the graph only points at the buffer
   * (meant for 128 bytes and more). Since 1.22.
   */
  OrtStatus*(ORT_API_CALL* AddInitializerToGraph)(OrtGraph* graph, const char* name,
                                                  OrtValue* tensor, bool data_is_external);

  /** Adds a node and takes it over. Since 1.22. */
  OrtStatus*(ORT_API_CALL* AddNodeToGraph)(OrtGraph* graph, OrtNode* node);

  /** Makes a model with its opset imports. Since 1.22. */
  OrtStatus*(ORT_API_CALL* CreateModel)(const char* const* domain_names, const int* opset_versions,
                                        size_t opset_entries_len, OrtModel** model);

  /** Gives the graph to the model, which takes it over. Since 1.22. */
  OrtStatus*(ORT_API_CALL* AddGraphToModel)(OrtModel* model, OrtGraph* graph);

  /** Makes a session straight from a model object. Since 1.22. */
  OrtStatus*(ORT_API_CALL* CreateSessionFromModel)(const OrtEnv* env, const OrtModel* model,
                                                   const OrtSessionOptions* options,
                                                   OrtSession** out);

  /** Opens a model file in a session whose graph may still be extended. Since 1.22. */
  OrtStatus*(ORT_API_CALL* CreateModelEditorSession)(const OrtEnv* env, const ORTCHAR_T* model_path,
                                                     const OrtSessionOptions* options,
                                                     OrtSession** out);

  /** Same from memory. Since 1.22. */
  OrtStatus*(ORT_API_CALL* CreateModelEditorSessionFromArray)(const OrtEnv* env,
                                                              const void* model_data,
                                                              size_t model_data_length,
                                                              const OrtSessionOptions* options,
                                                              OrtSession** out);

  /** Reads which opset of a domain the session's model imports. Since 1.22. */
  OrtStatus*(ORT_API_CALL* SessionGetOpsetForDomain)(const OrtSession* session, const char* domain,
                                                     int* opset);

  /** Merges nodes and initializers of a model into such a session. Since 1.22. */
  OrtStatus*(ORT_API_CALL* ApplyModelToModelEditorSession)(OrtSession* session, OrtModel* model);

  /** Finishes such a session so that it can run. Since 1.22. */
  OrtStatus*(ORT_API_CALL* FinalizeModelEditorSession)(
      OrtSession* session, const OrtSessionOptions* options,
      OrtPrepackedWeightsContainer* prepacked_weights_container);
};

/** Compiles models ahead of time. GetCompileApi gives NULL where the library has none. */
struct OrtCompileApi {
  /** Frees compile options. Since 1.22. */
  void(ORT_API_CALL* ReleaseModelCompilationOptions)(OrtModelCompilationOptions* input);

  /** Makes compile options from session options (providers come from there). Since 1.22. */
  OrtStatus*(ORT_API_CALL* CreateModelCompilationOptionsFromSessionOptions)(
      const OrtEnv* env, const OrtSessionOptions* session_options,
      OrtModelCompilationOptions** out);

  /** Names the input model file. Since 1.22. */
  OrtStatus*(ORT_API_CALL* ModelCompilationOptions_SetInputModelPath)(
      OrtModelCompilationOptions* model_compile_options, const ORTCHAR_T* input_model_path);

  /** Gives the input model as bytes, kept by the caller until compilation ends. Since 1.22. */
  OrtStatus*(ORT_API_CALL* ModelCompilationOptions_SetInputModelFromBuffer)(
      OrtModelCompilationOptions* model_compile_options, const void* input_model_data,
      size_t input_model_data_size);

  /** Names the output model file (default: input name with _ctx before .onnx). Since 1.22. */
  OrtStatus*(ORT_API_CALL* ModelCompilationOptions_SetOutputModelPath)(
      OrtModelCompilationOptions* model_compile_options, const ORTCHAR_T* output_model_path);

  /** Names a file for initializers above a size threshold. Since 1.22. */
  OrtStatus*(ORT_API_CALL* ModelCompilationOptions_SetOutputModelExternalInitializersFile)(
      OrtModelCompilationOptions* model_compile_options,
      const ORTCHAR_T* external_initializers_file_path,
      size_t external_initializers_size_threshold);

  /** Asks for the output as bytes allocated by the given allocator. Since 1.22. */
  OrtStatus*(ORT_API_CALL* ModelCompilationOptions_SetOutputModelBuffer)(
      OrtModelCompilationOptions* model_compile_options, OrtAllocator* allocator,
      void** output_model_buffer_ptr, size_t* output_model_buffer_size_ptr);

  /** Chooses whether compiled blobs are put inside the model. Since 1.22. */
  OrtStatus*(ORT_API_CALL* ModelCompilationOptions_SetEpContextEmbedMode)(
      OrtModelCompilationOptions* model_compile_options, bool embed_ep_context_in_model);

  /** Runs the compilation. Since 1.22. */
  OrtStatus*(ORT_API_CALL* CompileModel)(const OrtEnv* env,
                                         const OrtModelCompilationOptions* model_options);

  /** Sets bit flags (fail if nothing was compiled, fail if the output file exists). Since 1.23. */
  OrtStatus*(ORT_API_CALL* ModelCompilationOptions_SetFlags)(
      OrtModelCompilationOptions* model_compile_options, uint32_t flags);

  /**
   * Gives the directory and model name for blob files when the output goes to memory. Since
   * 1.23.
   */
  OrtStatus*(ORT_API_CALL* ModelCompilationOptions_SetEpContextBinaryInformation)(
      OrtModelCompilationOptions* model_compile_options, const ORTCHAR_T* output_directory,
      const ORTCHAR_T* model_name);

  /** Sets the graph optimisation level used while compiling (default: none). Since 1.23. */
  OrtStatus*(ORT_API_CALL* ModelCompilationOptions_SetGraphOptimizationLevel)(
      OrtModelCompilationOptions* model_compile_options,
      GraphOptimizationLevel graph_optimization_level);

  /** Asks for the output through a write callback. Since 1.23. */
  OrtStatus*(ORT_API_CALL* ModelCompilationOptions_SetOutputModelWriteFunc)(
      OrtModelCompilationOptions* model_compile_options, OrtWriteBufferFunc write_func,
      void* state);

  /**
   * Sets a callback that decides per initializer whether and where it is stored externally.
   * Since 1.23.
   */
  OrtStatus*(ORT_API_CALL* ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc)(
      OrtModelCompilationOptions* model_compile_options,
      OrtGetInitializerLocationFunc get_initializer_location_func, void* state);

  /** Gives the input as a model object. Since 1.24. */
  OrtStatus*(ORT_API_CALL* ModelCompilationOptions_SetInputModel)(
      OrtModelCompilationOptions* model_compile_options, const OrtModel* model);

  /** Turns on compiled models without constant weights. Since 1.29. */
  OrtStatus*(ORT_API_CALL* ModelCompilationOptions_SetWeightlessEnabled)(
      OrtModelCompilationOptions* model_compile_options, bool use_weightless);
};

/**
 * Shares memory and semaphores with other interfaces. GetInteropApi gives NULL where the
 * library has none.
 */
struct OrtInteropApi {
  /** Makes an importer for a provider device, or NULL when it has none. Since 1.24. */
  OrtStatus*(ORT_API_CALL* CreateExternalResourceImporterForDevice)(
      const OrtEpDevice* ep_device, OrtExternalResourceImporter** out_importer);

  /** Frees an importer. Since 1.24. */
  void(ORT_API_CALL* ReleaseExternalResourceImporter)(OrtExternalResourceImporter* input);

  /** Asks whether a kind of external memory handle can be imported. Since 1.24. */
  OrtStatus*(ORT_API_CALL* CanImportMemory)(const OrtExternalResourceImporter* importer,
                                            OrtExternalMemoryHandleType handle_type,
                                            bool* out_supported);

  /** Imports external memory. Since 1.24. */
  OrtStatus*(ORT_API_CALL* ImportMemory)(OrtExternalResourceImporter* importer,
                                         const OrtExternalMemoryDescriptor* desc,
                                         OrtExternalMemoryHandle** out_handle);

  /** Frees imported memory. Since 1.24. */
  void(ORT_API_CALL* ReleaseExternalMemoryHandle)(OrtExternalMemoryHandle* input);

  /** Makes a tensor over imported memory. Since 1.24. */
  OrtStatus*(ORT_API_CALL* CreateTensorFromMemory)(OrtExternalResourceImporter* importer,
                                                   const OrtExternalMemoryHandle* mem_handle,
                                                   const OrtExternalTensorDescriptor* tensor_desc,
                                                   OrtValue** out_tensor);

  /** Asks whether a kind of external semaphore can be imported. Since 1.24. */
  OrtStatus*(ORT_API_CALL* CanImportSemaphore)(const OrtExternalResourceImporter* importer,
                                               OrtExternalSemaphoreType type, bool* out_supported);

  /** Imports an external semaphore. Since 1.24. */
  OrtStatus*(ORT_API_CALL* ImportSemaphore)(OrtExternalResourceImporter* importer,
                                            const OrtExternalSemaphoreDescriptor* desc,
                                            OrtExternalSemaphoreHandle** out_handle);

  /** Frees an imported semaphore. Since 1.24. */
  void(ORT_API_CALL* ReleaseExternalSemaphoreHandle)(OrtExternalSemaphoreHandle* input);

  /** Makes a stream wait until a semaphore reaches a value. Since 1.24. */
  OrtStatus*(ORT_API_CALL* WaitSemaphore)(OrtExternalResourceImporter* importer,
                                          OrtExternalSemaphoreHandle* semaphore_handle,
                                          OrtSyncStream* stream, uint64_t value);

  /** Makes a stream set a semaphore to a value. Since 1.24. */
  OrtStatus*(ORT_API_CALL* SignalSemaphore)(OrtExternalResourceImporter* importer,
                                            OrtExternalSemaphoreHandle* semaphore_handle,
                                            OrtSyncStream* stream, uint64_t value);

  /** Sets up graphics-API interop for a provider device. Since 1.25. */
  OrtStatus*(ORT_API_CALL* InitGraphicsInteropForEpDevice)(const OrtEpDevice* ep_device,
                                                           const OrtGraphicsInteropConfig* config);

  /** Tears that interop down. Since 1.25. */
  OrtStatus*(ORT_API_CALL* DeinitGraphicsInteropForEpDevice)(const OrtEpDevice* ep_device);
};

/** Adds the CPU provider, which every session has anyway; `use_arena` as EnableCpuMemArena. */
ORT_EXPORT OrtStatus* ORT_API_CALL OrtSessionOptionsAppendExecutionProvider_CPU(
    OrtSessionOptions* options, int use_arena) NO_EXCEPTION;

/* Exported only by libraries built with the provider. */
OrtStatus* ORT_API_CALL OrtSessionOptionsAppendExecutionProvider_CUDA(OrtSessionOptions* options,
                                                                      int device_id);
OrtStatus* ORT_API_CALL OrtSessionOptionsAppendExecutionProvider_ROCM(OrtSessionOptions* options,
                                                                      int device_id);
OrtStatus* ORT_API_CALL
OrtSessionOptionsAppendExecutionProvider_MIGraphX(OrtSessionOptions* options, int device_id);
OrtStatus* ORT_API_CALL OrtSessionOptionsAppendExecutionProvider_Dnnl(OrtSessionOptions* options,
                                                                      int use_arena);
OrtStatus* ORT_API_CALL
OrtSessionOptionsAppendExecutionProvider_Tensorrt(OrtSessionOptions* options, int device_id);

#ifdef __cplusplus
}
#endif

#include "onnxruntime_ep_c_api.h"  // NOLINT: after the types it builds on
