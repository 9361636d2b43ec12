// SPDX-License-Identifier: Apache-2.0
// What Waybill offers beyond ONNX Runtime's C interface: values from and to ONNX's own files,
// plans, patches and kernel choices of a session, what loading cost, what memory is used for.
//
// The conventions are those of onnxruntime_c_api.h: NULL is success, a status is released by the
// caller, texts are UTF-8. JSON and bytes that are returned come from the allocator that is given
// and are freed with it. Structs only grow at their end: the caller passes sizeof, and the members
// that it knows are filled.
#pragma once

#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Session config entries of Waybill (AddSessionConfigEntry). An unknown key that starts with
 * "waybill." and a bad value are INVALID_ARGUMENT when the session is made.
 */

/**
 * "1" reads the model and its external data files into memory; "0", the default, maps them. A file
 * that is mapped and changed in place while a session lives gives undefined results, and a shorter
 * one ends the process; to replace it by renaming another file over it is safe, and so is deleting
 * it. A file that is read may be changed as soon as the session is made.
 */
static const char* const kWaybillConfigReadModel = "waybill.read_model";

/**
 * "N" applies only the first N patches that rewrite the graph; default: all. With 0 the graph stays
 * as it is written. For finding the patch that makes a difference; see
 * WaybillSessionGetPatchesJson.
 */
static const char* const kWaybillConfigStopAfterPatch = "waybill.stop_after_patch";

/**
 * "N" is how many bytes constants that are computed at load may add to what they are computed from;
 * default: 1 GiB. What would add more is computed in each run.
 */
static const char* const kWaybillConfigFoldLimitBytes = "waybill.fold_limit_bytes";

/**
 * "N": weights from so many bytes on are dequantized, cast, scaled and transposed block by block
 * while they are packed, without a whole copy of them in between; default: 1 MiB.
 */
static const char* const kWaybillConfigStreamBytes = "waybill.stream_bytes";

/**
 * "N" is how many runs of the process may hold a slab (the memory of activations and scratch) at
 * once for a run of this session to start; the others wait in the order in which they came. "0":
 * any number. Default: 2 x the CPUs that the process may use / the session's threads, at least 3 (2
 * on one CPU), where runs with a slab of at most 256 KiB neither wait nor count. A run that is
 * started within a run, on the same thread, never waits.
 */
static const char* const kWaybillConfigMaxInflight = "waybill.max_inflight";

/**
 * "N" milliseconds is how long the making of the session may wait for memory, and each of its runs
 * that does not say it itself (kWaybillRunAdmissionTimeoutMs has the meaning); memory for
 * kWaybillConfigPrewarm is waited for as a run does. Default: "-1".
 */
static const char* const kWaybillConfigAdmissionTimeoutMs = "waybill.admission_timeout_ms";

/** WaybillEnvSetMemoryBudget with "N" bytes, done when the session is made. */
static const char* const kWaybillConfigMemoryBudgetBytes = "waybill.memory_budget_bytes";

/**
 * "N" milliseconds after it was last needed memory of finished runs goes back to the system; "0":
 * only when asked for. Default: 30000. For all sessions of the environment, from when the session
 * is made.
 */
static const char* const kWaybillConfigIdleTrimMs = "waybill.idle_trim_ms";

/**
 * Plans are kept by the exact shapes of a run's inputs, those of control flow bodies too. "N" is
 * how many the session keeps at most for each graph (default 1024), and how many bytes all may take
 * (default: a 20th of weights and largest slab or 48 plans' worth, 256 KiB to 32 MiB); the plan
 * used last stays whatever it takes. What was used least recently goes first.
 */
static const char* const kWaybillConfigPlanCachePlans = "waybill.plan_cache_plans";
static const char* const kWaybillConfigPlanCacheBytes = "waybill.plan_cache_bytes";

/**
 * Input shapes whose plans and memory are made ready when the session is made, so that the first
 * run with each asks the system for nothing: "1" for the declared shapes, else sets of them, as in
 * "ids:[1,128];mask:[1,128]|ids:[1,512];mask:[1,512]". Inputs that a set does not name have their
 * declared shape. Shapes that do not fit the model are INVALID_ARGUMENT.
 */
static const char* const kWaybillConfigPrewarm = "waybill.prewarm";

/**
 * A folder in which weights are kept in the form that kernels read, for later processes: they map
 * the file and share its pages instead of packing anew. "beside_model": the folder of the model.
 * Default: nothing is written. A file that is damaged, or of another model, library version or
 * instruction set, is made again; one that can not be written or is damaged gives a warning. Who
 * can write to the folder decides what the model computes.
 */
static const char* const kWaybillConfigPackedWeightsPath = "waybill.packed_weights_path";

/**
 * "memory", the default: steps go in an order in which less memory is in use at once than in that
 * of the file, where there is one that saves at least 3 %; "file": in that. The results are the
 * same bits.
 */
static const char* const kWaybillConfigStepOrder = "waybill.step_order";

/**
 * For looking into results: "1" gives every value and all scratch a place of its own and overwrites
 * nothing, which takes more memory and must give the same bits.
 */
static const char* const kWaybillConfigNoReuse = "waybill.no_reuse";

/**
 * A test aid: "1" fills memory of a run that is not needed any more, or that nobody has written
 * yet, with ones (NaN as floats), so that a fault which reads it shows in the outputs. Runs get
 * slower.
 */
static const char* const kWaybillConfigPoisonFreed = "waybill.poison_freed";

/**
 * "0": the plan for new shapes is searched for each time. Default "1": where the plan for others
 * tells how to place it within 1.02 x its bound, that is done, in microseconds; the plan may then
 * depend on the shapes that came before. Results are the same bits.
 */
static const char* const kWaybillConfigPlanTemplates = "waybill.plan_templates";

/*
 * Run config entries of Waybill (AddRunConfigEntry). An unknown one that starts with "waybill." and
 * a bad value are INVALID_ARGUMENT.
 */

/**
 * "N" milliseconds is how long the run may wait for its turn and for memory; "0": not at all, "-1":
 * as long as runs are at work, and one second beyond that, since then only the caller can free what
 * is in the way. Default: the session's. What is not served in time fails with RUNTIME_EXCEPTION,
 * and the message has the numbers. Setting the terminate flag ends the waiting.
 */
static const char* const kWaybillRunAdmissionTimeoutMs = "waybill.admission_timeout_ms";

/**
 * "NAME" or "NAME;NAME": inputs that the run may overwrite, so that it needs less memory of its
 * own. What they hold after the run is undefined, also of one that fails. No output is made in them
 * but one that is given over all of an input's bytes: steps then write it there if the model allows
 * it, else the input is copied first. INVALID_ARGUMENT, by name: what is no input of the model (as
 * its initializers) or is not given, is named twice, is no tensor or is one of strings, shares
 * bytes with another input, or shares only some of its bytes with a given output. No other run may
 * use the bytes meanwhile. Runs in which some step is planned in the run overwrite nothing.
 */
static const char* const kWaybillRunDonateInputs = "waybill.donate_inputs";

/** Version of Waybill itself, e.g. "0.1.0". Static text. */
ORT_EXPORT const char* WaybillGetVersion(void) NO_EXCEPTION;

/**
 * A value from a serialized message: TensorProto, or, as `type` says, SequenceProto, MapProto,
 * OptionalProto or SparseTensorProto. A NULL `type` stands for any tensor. The bytes are copied.
 * Fails with INVALID_PROTOBUF for bytes that are no such message, INVALID_ARGUMENT for one that
 * does not fit `type`.
 */
ORT_EXPORT OrtStatus* WaybillValueFromPb(const OrtTypeInfo* type, const void* bytes,
                                         size_t num_bytes, OrtValue** out) NO_EXCEPTION;

/** The message of a value. An optional that holds nothing is an OptionalProto. */
ORT_EXPORT OrtStatus* WaybillValueToPb(const OrtValue* value, OrtAllocator* allocator, void** bytes,
                                       size_t* num_bytes) NO_EXCEPTION;

/**
 * A tensor over the bytes of a file from `offset` on, which are mapped and not read: they come from
 * the page cache when they are used and cost no memory of the process's own. Writing to the value
 * changes this process's copy of the pages it touches, never the file. A file that is changed in
 * place or shortened while the value lives has the effects described at waybill.read_model.
 * Fails with NO_SUCHFILE for a file that cannot be opened, INVALID_ARGUMENT for one that is too
 * short for the shape, for strings and for a bad shape.
 */
ORT_EXPORT OrtStatus* WaybillValueFromFile(const ORTCHAR_T* path, uint64_t offset,
                                           const int64_t* shape, size_t shape_len,
                                           ONNXTensorElementDataType type,
                                           OrtValue** out) NO_EXCEPTION;

/**
 * An external data file of a model whose contents are in memory: `location` as the model spells it,
 * as for AddExternalInitializersFromFilesInMemory, which copies what is used. Here initializers are
 * used where they lie in `bytes`, but for those that are not aligned for their type, which are
 * copied, and those that kernels want in an order of their own, which are packed (once for all
 * sessions, and not at all with session.disable_prepacking).
 *
 * The bytes must stay as they are until `release` is called with `context`: once, after the last of
 * the sessions made with these options, the options and their clones is gone, by the thread that
 * let go last. It must not call into this library. NULL: the caller keeps them that long by other
 * means. Fails with INVALID_ARGUMENT for an empty location and one that was added already;
 * `release` is then not called.
 */
ORT_EXPORT OrtStatus* WaybillSessionOptionsAddExternalFile(OrtSessionOptions* options,
                                                           const ORTCHAR_T* location,
                                                           const void* bytes, size_t num_bytes,
                                                           void (*release)(void* context),
                                                           void* context) NO_EXCEPTION;

/** What one memory plan of a session costs; of bodies in a control flow step the largest counts. */
typedef struct WaybillPlanReport {
  size_t planned_bytes;  /* what a run takes for activations and scratch */
  size_t bound_bytes;    /* no plan can take less */
  size_t no_reuse_bytes; /* every value at a place of its own, as waybill.no_reuse=1 plans */
  size_t steps;
  size_t planned_values; /* all bodies' too */
  size_t dynamic_values; /* sizes known only while running; not in the bytes above */
  size_t output_bytes;   /* of outputs whose sizes are known before; not in the bytes above */
  size_t scratch_bytes;  /* the most that one step works in; part of the bytes above */
  size_t peak_step;      /* the first of the steps at which the most bytes are alive */
} WaybillPlanReport;

/**
 * The plan for input shapes, without running: shapes[i] has ranks[i] dimensions and belongs to
 * input_names[i]. Inputs that are not named have their declared shape; a dimension that stays open
 * is INVALID_ARGUMENT, as are negative dimensions and a name given twice. With no names at all: the
 * plan of the last run, if there was one.
 */
ORT_EXPORT OrtStatus* WaybillSessionGetPlanReport(OrtSession* session,
                                                  const char* const* input_names,
                                                  const int64_t* const* shapes, const size_t* ranks,
                                                  size_t num_inputs, WaybillPlanReport* out,
                                                  size_t out_size) NO_EXCEPTION;

/**
 * What a run of these shapes needs and why: the plan, the bytes alive at each step, the fullest
 * step with the values alive there, and what would make it smaller. Shapes as for
 * WaybillSessionGetPlanReport. docs/schemas/memory.schema.json describes the document as "session".
 */
ORT_EXPORT OrtStatus* WaybillSessionGetMemoryJson(const OrtSession* session,
                                                  const char* const* input_names,
                                                  const int64_t* const* shapes, const size_t* ranks,
                                                  size_t num_inputs, OrtAllocator* allocator,
                                                  char** json) NO_EXCEPTION;

/**
 * The buffers of a plan as a planning problem with its answer, in the CSV form of the MiniMalloc
 * benchmark suite: id, lower (first step), upper (last step + 1), size, alignment, offset. Shapes
 * as for WaybillSessionGetPlanReport.
 */
ORT_EXPORT OrtStatus* WaybillSessionGetPlanCsv(const OrtSession* session,
                                               const char* const* input_names,
                                               const int64_t* const* shapes, const size_t* ranks,
                                               size_t num_inputs, OrtAllocator* allocator,
                                               char** csv) NO_EXCEPTION;

/**
 * Nanoseconds that each phase of making a session took. A session that shares the model of one that
 * was there before has spent its time in reading, that is looking for it, alone.
 */
typedef struct WaybillLoadReport {
  int64_t read_ns;
  int64_t import_ns;
  int64_t rewrite_ns;
  int64_t select_ns;
  int64_t pack_ns;
  int64_t total_ns;
  int64_t shared;   /* 1: the model was there already, nothing was loaded */
  int64_t order_ns; /* looking for an order of the steps that takes less memory */
} WaybillLoadReport;

ORT_EXPORT OrtStatus* WaybillSessionGetLoadReport(const OrtSession* session, WaybillLoadReport* out,
                                                  size_t out_size) NO_EXCEPTION;

/** The plan used last, or that of the declared shapes: every value, its bytes, offset and life. */
ORT_EXPORT OrtStatus* WaybillSessionGetPlanJson(const OrtSession* session, OrtAllocator* allocator,
                                                char** json) NO_EXCEPTION;

/** The patches that were applied to the graph at load, in order. */
ORT_EXPORT OrtStatus* WaybillSessionGetPatchesJson(const OrtSession* session,
                                                   OrtAllocator* allocator,
                                                   char** json) NO_EXCEPTION;

/** The kernel chosen for each node, and why those before it in the list were not. */
ORT_EXPORT OrtStatus* WaybillSessionGetKernelsJson(const OrtSession* session,
                                                   OrtAllocator* allocator,
                                                   char** json) NO_EXCEPTION;

/**
 * Whether the runs of a session count the time of each step; 0 ends it. Starting forgets what was
 * counted before. Off, runs read no clock.
 */
ORT_EXPORT OrtStatus* WaybillSessionSetProfiling(OrtSession* session, int on) NO_EXCEPTION;

/**
 * What was counted: {"runs", "steps": [{"node", "op", "kernel", "inputs", "calls", "total_ns",
 * "least_ns"}]}. Time is CPU time of the run's thread where the session uses one thread, else wall
 * time; a control flow step does not count the steps of its bodies.
 */
ORT_EXPORT OrtStatus* WaybillSessionGetProfileJson(const OrtSession* session,
                                                   OrtAllocator* allocator,
                                                   char** json) NO_EXCEPTION;

/**
 * Bytes in use and their peaks, by purpose and by holder; the pools of slabs and of large outputs.
 * docs/schemas/memory.schema.json describes the document as "environment".
 */
ORT_EXPORT OrtStatus* WaybillEnvGetMemoryJson(const OrtEnv* env, OrtAllocator* allocator,
                                              char** json) NO_EXCEPTION;

/**
 * The account of a process's tensor memory, of all sessions together. Exact when no run is under
 * way. What is requested is either allocated or reused, so
 *   allocated     = requested - saved, in bytes, or requests - reused, in numbers
 *   hit rate      = reused / requests, of values, of leases and of blocks
 *   turnover      = served_bytes / peak_held_bytes
 *   fragmentation = 1 - slab_peak_leased_bytes / slab_peak_held_bytes
 */
typedef struct WaybillMemoryAccount {
  uint64_t held_bytes;      /* taken from the operating system and not given back */
  uint64_t peak_held_bytes; /* the most so far */
  uint64_t session_bytes;   /* of those held: weights, packed weights, folded constants */
  uint64_t run_bytes;       /* slabs that runs have, and values whose sizes were not known before */
  uint64_t caller_bytes;    /* other outputs, and what callers took of an allocator */
  uint64_t pool_bytes;      /* slabs and blocks for large outputs that nobody has */
  uint64_t slab_held_bytes; /* all slabs */
  uint64_t slab_peak_held_bytes;
  uint64_t slab_peak_leased_bytes; /* the most that runs had at once */
  uint64_t runs;                   /* that ended well */
  uint64_t value_requests;         /* values and scratch that plans of runs placed in slabs */
  uint64_t values_reused;          /* those of them that lay in bytes that were held already */
  uint64_t value_requested_bytes;
  uint64_t value_saved_bytes;
  uint64_t lease_requests; /* slabs that runs took */
  uint64_t leases_reused;  /* those that were there already */
  uint64_t lease_requested_bytes;
  uint64_t lease_saved_bytes;
  uint64_t served_bytes;         /* all blocks that were taken, and all leases */
  uint64_t system_calls_avoided; /* a new slab or block is mapped and unmapped; a reused one not */
  uint64_t binding_bytes;        /* outputs that runs made for bindings which still have them */
  uint64_t donated_bytes;        /* values that runs made in donated inputs; not requested */
  uint64_t block_requests;       /* large outputs, and large values of sizes not known before */
  uint64_t blocks_reused;        /* those in blocks that were there already */
  uint64_t block_requested_bytes;
  uint64_t block_saved_bytes;
} WaybillMemoryAccount;

ORT_EXPORT OrtStatus* WaybillEnvGetMemoryAccount(const OrtEnv* env, WaybillMemoryAccount* out,
                                                 size_t out_size) NO_EXCEPTION;

/**
 * Whether blocks of memory that are handed out and come back, and runs that begin and end, are
 * recorded; 0 ends it. Starting forgets what was recorded before. The last 65,536 events are kept.
 */
ORT_EXPORT OrtStatus* WaybillEnvSetMemoryTrace(OrtEnv* env, int on) NO_EXCEPTION;

/**
 * The events recorded: for each block its size, alignment, source, purpose, device, and whether its
 * bytes were new or used before. docs/schemas/memory.schema.json describes it as "trace".
 */
ORT_EXPORT OrtStatus* WaybillEnvGetMemoryTraceJson(const OrtEnv* env, OrtAllocator* allocator,
                                                   char** json) NO_EXCEPTION;

/**
 * Gives back to the system all memory that later runs can ask for again: idle slabs, blocks of
 * outputs that were dropped, arenas, and the plans of shapes that ran, with the constants computed
 * in them. The next run of each shape takes as long as a first one. Runs under way keep what they
 * use. Reports on the plan used last need a run first.
 */
ORT_EXPORT OrtStatus* WaybillEnvTrim(OrtEnv* env) NO_EXCEPTION;

/**
 * How many bytes all memory of the process's sessions may come to: weights that are not mapped,
 * activations, scratch, outputs and what callers take from allocators; 0: any number. Default: what
 * the memory limit of the process's control group has left when the environment is made, where
 * there is such a limit.
 *
 * It is never exceeded. A run, or the making of a session, that needs more than is free gives idle
 * memory back, then waits until others are done; one that needs more than the budget less what
 * weights hold fails before it takes anything. What a run learns it needs only while it runs is
 * refused when it is not there. A budget below what is in use takes nothing away.
 */
ORT_EXPORT OrtStatus* WaybillEnvSetMemoryBudget(OrtEnv* env, size_t bytes) NO_EXCEPTION;

/**
 * What a model file says of itself, without loading weights or making a session: versions, opsets,
 * inputs, outputs, operators with their counts, parameters with their counts and bytes.
 */
ORT_EXPORT OrtStatus* WaybillInspectModel(const ORTCHAR_T* path, OrtAllocator* allocator,
                                          char** json) NO_EXCEPTION;

#ifdef __cplusplus
}
#endif
