// What is behind the opaque types of the C interface.
#pragma once

#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/thread/share.h"
#include "memory/source/arena.h"
#include "onnxruntime_c_api.h"
#include "session/options/env.h"
#include "session/options/options.h"
#include "session/session.h"
#include "tensor/value/value.h"

struct OrtMemoryInfo {
  std::string name = "Cpu";
  OrtMemoryInfoDeviceType device_type = OrtMemoryInfoDeviceType_CPU;
  uint32_t vendor_id = 0;
  int id = 0;
  OrtMemType mem_type = OrtMemTypeDefault;
  OrtDeviceMemoryType device_mem_type = OrtDeviceMemoryType_DEFAULT;
  size_t alignment = 0;
  OrtAllocatorType allocator_type = OrtDeviceAllocator;

  bool host_accessible() const {
    return device_type == OrtMemoryInfoDeviceType_CPU ||
           device_mem_type == OrtDeviceMemoryType_HOST_ACCESSIBLE;
  }
  bool operator==(const OrtMemoryInfo&) const = default;
};

// Made by CreateEnv and its sisters; one per process, counted.
struct OrtEnv {
  std::shared_ptr<waybill::session::Env> env;
  bool has_global_pools = false;
  bool denormals_as_zero = false;  // in sessions that use the global pools
  size_t references = 1;
  // The one that is registered or shared, ours or the caller's, and where its blocks come from;
  // null: none.
  mutable std::mutex allocator_mutex;
  std::shared_ptr<OrtAllocator> allocator;
  std::shared_ptr<waybill::MemorySource> allocator_source;
};

struct OrtThreadingOptions {
  int intra_op_threads = 0;
  int inter_op_threads = 0;
  bool spin = true;
  bool denormal_as_zero = false;
};

struct OrtSessionOptions {
  waybill::session::SessionOptions options;
  int log_verbosity = 0;  // kept only: there are no verbose lines to choose from
  bool per_session_threads = true;
  bool deterministic_compute = false;  // kept only: computing always is
  // Shared with the loads that are under way.
  std::shared_ptr<std::atomic<bool>> cancel_load = std::make_shared<std::atomic<bool>>(false);
};

// A run writes no log lines, so tag, severity and verbosity are kept for their getters only.
struct OrtRunOptions {
  std::string tag;
  int severity = -1;
  int verbosity = 0;
  std::atomic<bool> terminate{false};
  std::map<std::string, std::string> config;
};

struct OrtSession {
  std::shared_ptr<std::atomic<bool>> cancel_load;
  std::shared_ptr<waybill::session::Env> env;
  std::shared_ptr<waybill::session::Session> session;
  waybill::ShareByThread<waybill::session::Session> running;  // of it, for runs
  std::shared_ptr<waybill::Arena> arena;  // of its allocators; null: they have none
  // Where blocks of its allocators come from: an allocator of the caller's; null: it uses none.
  std::shared_ptr<waybill::MemorySource> registered;
};

// Of a sparse tensor that is not, or not yet, plain coordinates.
struct OrtSparseForm {
  OrtSparseFormat format = ORT_SPARSE_UNDEFINED;  // undefined: indices are to come
  OrtAllocator* allocator = nullptr;              // undefined: for what it is filled with
  waybill::Tensor values;                         // undefined: the caller's, waiting for indices
  waybill::Tensor inner, outer;                   // CSR: as the caller gave them
};

struct OrtValue {
  waybill::Value value;  // of a sparse tensor: as coordinates; without values while unfilled
  OrtMemoryInfo memory;
  std::shared_ptr<const OrtSparseForm> sparse = nullptr;
};

struct OrtTensorTypeAndShapeInfo {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  bool has_shape = false;
  std::vector<int64_t> dims;         // -1: unknown
  std::vector<std::string> symbols;  // as many as dims; empty where unnamed
};

struct OrtMapTypeInfo {
  waybill::ValueType type;
};
struct OrtSequenceTypeInfo {
  waybill::ValueType type;
};
struct OrtOptionalTypeInfo {
  waybill::ValueType type;
};

// The parts are made with the object, so that borrowed pointers to them need no lock.
struct OrtTypeInfo {
  waybill::ValueType type;
  std::unique_ptr<OrtTensorTypeAndShapeInfo> tensor;
  std::unique_ptr<OrtMapTypeInfo> map;
  std::unique_ptr<OrtSequenceTypeInfo> sequence;
  std::unique_ptr<OrtOptionalTypeInfo> optional;
};

struct OrtModelMetadata {
  std::string producer_name, graph_name, domain, description, graph_description;
  int64_t version = std::numeric_limits<int64_t>::max();
  std::vector<std::pair<std::string, std::string>> custom;
};

struct OrtIoBinding {
  struct Output {
    std::string name;
    waybill::Value value;  // undefined: made by the run
    OrtMemoryInfo memory;
    bool preallocated = false;
  };
  std::shared_ptr<waybill::session::Session> session;
  std::shared_ptr<waybill::session::Env> env;
  std::vector<std::pair<std::string, waybill::Value>> inputs;  // shares of what was bound
  std::vector<Output> outputs;
  mutable std::mutex in_use;  // by a run, or by a call that looks at or changes what is bound
  uint64_t counted_values = 0, counted_bytes = 0;  // in the account of `env`
};

// Text pairs sorted by key, with the arrays that GetKeyValuePairs lends.
struct OrtKeyValuePairs {
  std::map<std::string, std::string> entries;
  std::vector<const char*> keys, values;

  void Sync();
};

namespace waybill::capi {

// Plain CPU memory, as every value of ours is in.
const OrtMemoryInfo& CpuMemory();

// The live environment; null when there is none.
std::shared_ptr<session::Env> LiveEnv();

// Memory of the live environment, or of the system when there is none.
std::shared_ptr<MemorySource> CpuSource();

// The object with all its parts.
std::unique_ptr<OrtTypeInfo> MakeTypeInfo(ValueType type);
std::unique_ptr<OrtTensorTypeAndShapeInfo> MakeTensorInfo(DType dtype, const SymShape& shape);

// What callers see of a value: optionals that hold something become what they hold.
Value Unwrap(Value value);
// A handle to hand out, unwrapped.
std::unique_ptr<OrtValue> MakeValue(Value value, const OrtMemoryInfo& memory = CpuMemory());

// Runs with inputs and outputs as the session has them: optional inputs are wrapped, an output that
// is asked for twice is one value in both places. `inputs` may be changed.
Status RunSession(session::Session& session, const OrtRunOptions* run_options,
                  std::span<const std::string_view> input_names, std::span<Value> inputs,
                  std::span<const std::string_view> output_names, std::span<Value> outputs);

// Sets a session config entry, typed keys included.
Status SetConfigEntry(OrtSessionOptions& options, std::string_view key, std::string_view value);

}  // namespace waybill::capi
