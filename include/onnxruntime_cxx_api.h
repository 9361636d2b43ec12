// SPDX-License-Identifier: Apache-2.0
// The C++ interface of ONNX Runtime as Waybill offers it: owners and views over the C interface,
// nothing but inline code, C++17.
//
// An owner (Env, Session, Value, ...) is move-only and frees what it holds; constructed from
// nullptr it holds nothing. A view (ConstValue, UnownedSession, ...) is copied freely and must not
// outlive the owner. Both convert to the C pointer. Every failing call throws Ort::Exception, or,
// when ORT_NO_EXCEPTIONS is defined, prints its text and ends the program.
//
// The function table is asked for on first use. With ORT_API_MANUAL_INIT defined before the include
// it stays unset until Ort::InitApi().
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnxruntime_c_api.h"
#include "onnxruntime_float16.h"

#ifdef ORT_NO_EXCEPTIONS
#define ORT_CXX_API_THROW(string, code)                        \
  do {                                                         \
    std::fprintf(stderr, "%s\n", std::string(string).c_str()); \
    (void)(code);                                              \
    std::terminate();                                          \
  } while (false)
#else
#define ORT_CXX_API_THROW(string, code) throw Ort::Exception(string, code)
#endif

/** Returns a failing status from a function that returns OrtStatus*. */
#define ORT_CXX_RETURN_ON_API_FAIL(expression)              \
  do {                                                      \
    if (auto* ort_status = (expression)) return ort_status; \
  } while (false)

/** All C++ names of the interface. */
namespace Ort {

/** Thrown by every failing call. */
struct Exception : std::exception {
  Exception(const std::string& string, OrtErrorCode code) : message_(string), code_(code) {}
  Exception(std::string&& string, OrtErrorCode code) : message_(std::move(string)), code_(code) {}
  OrtErrorCode GetOrtErrorCode() const { return code_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
  OrtErrorCode code_;
};

namespace detail {

/** Where the function table's address is kept. */
struct Global {
  /** The table; a new one when given. NULL before InitApi() under ORT_API_MANUAL_INIT. */
  static const OrtApi* Api(const OrtApi* newValue = nullptr) noexcept {
#ifdef ORT_API_MANUAL_INIT
    static const OrtApi* api = nullptr;
#else
    static const OrtApi* api = DefaultInit();
#endif
    if (newValue != nullptr) api = newValue;
    return api;
  }

  static const OrtApi* DefaultInit() noexcept { return OrtGetApiBase()->GetApi(ORT_API_VERSION); }
};

}  // namespace detail

/** Asks the library for the table. Only needed under ORT_API_MANUAL_INIT. */
inline void InitApi() noexcept { detail::Global::Api(detail::Global::DefaultInit()); }
/** Uses a table that the caller has already. */
inline void InitApi(const OrtApi* api) noexcept { detail::Global::Api(api); }

/** The C function table. */
inline const OrtApi& GetApi() noexcept { return *detail::Global::Api(); }

/** "1.30.0" or alike. */
inline std::string GetVersionString() { return OrtGetApiBase()->GetVersionString(); }
inline std::string GetBuildInfoString() { return GetApi().GetBuildInfoString(); }

/** Names of the providers that the library was built with, in order of priority. */
std::vector<std::string> GetAvailableProviders();

/** IEEE half. */
struct Float16_t : onnxruntime_float16::Float16Impl<Float16_t> {
  using Base = onnxruntime_float16::Float16Impl<Float16_t>;
  Float16_t() = default;
  explicit Float16_t(float v) noexcept { val = Base::ToUint16Impl(v); }
  static constexpr Float16_t FromBits(uint16_t v) noexcept { return Float16_t(v); }
  float ToFloat() const noexcept { return Base::ToFloatImpl(); }
  explicit operator float() const noexcept { return ToFloat(); }

 private:
  constexpr explicit Float16_t(uint16_t v) noexcept { val = v; }
};
static_assert(sizeof(Float16_t) == sizeof(uint16_t), "two bytes, as in tensors");

/** bfloat16. */
struct BFloat16_t : onnxruntime_float16::BFloat16Impl<BFloat16_t> {
  using Base = onnxruntime_float16::BFloat16Impl<BFloat16_t>;
  BFloat16_t() = default;
  explicit BFloat16_t(float v) noexcept { val = Base::ToUint16Impl(v); }
  static constexpr BFloat16_t FromBits(uint16_t v) noexcept { return BFloat16_t(v); }
  float ToFloat() const noexcept { return Base::ToFloatImpl(); }
  explicit operator float() const noexcept { return ToFloat(); }
  bool operator==(const BFloat16_t& rhs) const noexcept { return ToFloat() == rhs.ToFloat(); }
  bool operator!=(const BFloat16_t& rhs) const noexcept { return !(*this == rhs); }
  bool operator<(const BFloat16_t& rhs) const noexcept { return ToFloat() < rhs.ToFloat(); }

 private:
  constexpr explicit BFloat16_t(uint16_t v) noexcept { val = v; }
};
static_assert(sizeof(BFloat16_t) == sizeof(uint16_t), "two bytes, as in tensors");

/** One-byte floats: bits without arithmetic. */
#define ORT_CXX_FLOAT8(name)                                                                 \
  struct name {                                                                              \
    uint8_t value = 0;                                                                       \
    constexpr name() noexcept = default;                                                     \
    constexpr name(uint8_t v) noexcept : value(v) {} /* NOLINT: as its byte */               \
    constexpr operator uint8_t() const noexcept { return value; }                            \
    constexpr bool operator==(const name& rhs) const noexcept { return value == rhs.value; } \
    constexpr bool operator!=(const name& rhs) const noexcept { return value != rhs.value; } \
  };                                                                                         \
  static_assert(sizeof(name) == 1, "one byte, as in tensors");
ORT_CXX_FLOAT8(Float8E4M3FN_t)
ORT_CXX_FLOAT8(Float8E4M3FNUZ_t)
ORT_CXX_FLOAT8(Float8E5M2_t)
ORT_CXX_FLOAT8(Float8E5M2FNUZ_t)
#undef ORT_CXX_FLOAT8

/** The tensor element type that stands for a C++ type. */
template <typename T>
struct TypeToTensorType;
#define ORT_CXX_ELEMENT(cpp_type, name)                                                     \
  template <>                                                                               \
  struct TypeToTensorType<cpp_type> {                                                       \
    static constexpr ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_##name; \
  };
ORT_CXX_ELEMENT(float, FLOAT)
ORT_CXX_ELEMENT(double, DOUBLE)
ORT_CXX_ELEMENT(Float16_t, FLOAT16)
ORT_CXX_ELEMENT(BFloat16_t, BFLOAT16)
ORT_CXX_ELEMENT(int8_t, INT8)
ORT_CXX_ELEMENT(int16_t, INT16)
ORT_CXX_ELEMENT(int32_t, INT32)
ORT_CXX_ELEMENT(int64_t, INT64)
ORT_CXX_ELEMENT(uint8_t, UINT8)
ORT_CXX_ELEMENT(uint16_t, UINT16)
ORT_CXX_ELEMENT(uint32_t, UINT32)
ORT_CXX_ELEMENT(uint64_t, UINT64)
ORT_CXX_ELEMENT(bool, BOOL)
ORT_CXX_ELEMENT(Float8E4M3FN_t, FLOAT8E4M3FN)
ORT_CXX_ELEMENT(Float8E4M3FNUZ_t, FLOAT8E4M3FNUZ)
ORT_CXX_ELEMENT(Float8E5M2_t, FLOAT8E5M2)
ORT_CXX_ELEMENT(Float8E5M2FNUZ_t, FLOAT8E5M2FNUZ)
#undef ORT_CXX_ELEMENT

namespace detail {

#define ORT_DEFINE_RELEASE(name) \
  inline void OrtRelease(Ort##name* ptr) { GetApi().Release##name(ptr); }
ORT_DEFINE_RELEASE(Allocator)
ORT_DEFINE_RELEASE(ArenaCfg)
ORT_DEFINE_RELEASE(CustomOpDomain)
ORT_DEFINE_RELEASE(Env)
ORT_DEFINE_RELEASE(IoBinding)
ORT_DEFINE_RELEASE(KeyValuePairs)
ORT_DEFINE_RELEASE(LoraAdapter)
ORT_DEFINE_RELEASE(MapTypeInfo)
ORT_DEFINE_RELEASE(MemoryInfo)
ORT_DEFINE_RELEASE(ModelMetadata)
ORT_DEFINE_RELEASE(PrepackedWeightsContainer)
ORT_DEFINE_RELEASE(RunOptions)
ORT_DEFINE_RELEASE(SequenceTypeInfo)
ORT_DEFINE_RELEASE(Session)
ORT_DEFINE_RELEASE(SessionOptions)
ORT_DEFINE_RELEASE(Status)
ORT_DEFINE_RELEASE(TensorTypeAndShapeInfo)
ORT_DEFINE_RELEASE(ThreadingOptions)
ORT_DEFINE_RELEASE(TypeInfo)
ORT_DEFINE_RELEASE(Value)
#undef ORT_DEFINE_RELEASE
inline void OrtRelease(OrtCUDAProviderOptionsV2* ptr) { GetApi().ReleaseCUDAProviderOptions(ptr); }
inline void OrtRelease(OrtTensorRTProviderOptionsV2* ptr) {
  GetApi().ReleaseTensorRTProviderOptions(ptr);
}

/** Marks a type of which only a view is held. */
template <typename T>
struct Unowned {
  using Type = T;
};

/** An owner: frees its object at the end. */
template <typename T>
struct Base {
  using contained_type = T;

  constexpr Base() = default;
  constexpr explicit Base(contained_type* p) noexcept : p_{p} {}
  ~Base() {
    if (p_ != nullptr) OrtRelease(p_);
  }
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;
  Base(Base&& v) noexcept : p_{v.release()} {}
  Base& operator=(Base&& v) noexcept {
    if (this != &v) {
      contained_type* old = std::exchange(p_, v.release());
      if (old != nullptr) OrtRelease(old);
    }
    return *this;
  }

  constexpr operator contained_type*() const noexcept { return p_; }
  constexpr contained_type& operator*() const noexcept { return *p_; }

  /** Gives the object up; the caller frees it. */
  contained_type* release() noexcept { return std::exchange(p_, nullptr); }

 protected:
  contained_type* p_{};
};

/** A view: copies freely, frees nothing. */
template <typename T>
struct Base<Unowned<T>> {
  using contained_type = typename Unowned<T>::Type;

  constexpr Base() = default;
  constexpr explicit Base(contained_type* p) noexcept : p_{p} {}

  constexpr operator contained_type*() const noexcept { return p_; }
  constexpr contained_type& operator*() const noexcept { return *p_; }

 protected:
  contained_type* p_{};
};

/** Frees text with the allocator it came from. */
struct AllocatedFree {
  OrtAllocator* allocator_;
  explicit AllocatedFree(OrtAllocator* allocator = nullptr) : allocator_(allocator) {}
  void operator()(void* ptr) const {
    if (ptr != nullptr) allocator_->Free(allocator_, ptr);
  }
};

}  // namespace detail

/** Text in an allocator's memory; freed with it. */
using AllocatedStringPtr = std::unique_ptr<char, detail::AllocatedFree>;

/** An owned status; success when it holds nothing. */
struct Status : detail::Base<OrtStatus> {
  using Base = detail::Base<OrtStatus>;
  Status() = default;
  explicit Status(std::nullptr_t) noexcept {}
  explicit Status(OrtStatus* status) noexcept : Base(status) {}
  Status(const char* message, OrtErrorCode code) : Base(GetApi().CreateStatus(code, message)) {}
  explicit Status(const Exception& e) : Status(e.what(), e.GetOrtErrorCode()) {}
  explicit Status(const std::exception& e) : Status(e.what(), ORT_FAIL) {}
  bool IsOK() const noexcept { return p_ == nullptr; }
  std::string GetErrorMessage() const {
    return IsOK() ? std::string() : std::string(GetApi().GetErrorMessage(p_));
  }
  OrtErrorCode GetErrorCode() const { return IsOK() ? ORT_OK : GetApi().GetErrorCode(p_); }
};

/** Throws what a status says, and frees it. */
inline void ThrowOnError(OrtStatus* ort_status) {
  if (ort_status == nullptr) return;
  const Status status(ort_status);
  ORT_CXX_API_THROW(status.GetErrorMessage(), status.GetErrorCode());
}
inline void ThrowOnError(const Status& st) {
  if (!st.IsOK()) ORT_CXX_API_THROW(st.GetErrorMessage(), st.GetErrorCode());
}

namespace detail {

/** Keys and values as the C interface wants them; `texts` must outlive it. */
struct KeyValueArrays {
  std::vector<const char*> keys, values;
  explicit KeyValueArrays(const std::unordered_map<std::string, std::string>& texts) {
    for (const auto& entry : texts) {
      keys.push_back(entry.first.c_str());
      values.push_back(entry.second.c_str());
    }
  }
};

template <typename T>
struct KeyValuePairsImpl : Base<T> {
  using Base<T>::Base;
  /** Borrowed; NULL when missing. */
  const char* GetValue(const char* key) const { return GetApi().GetKeyValue(this->p_, key); }
  std::unordered_map<std::string, std::string> GetKeyValuePairs() const {
    std::vector<const char*> keys, values;
    GetKeyValuePairs(keys, values);
    std::unordered_map<std::string, std::string> out;
    for (size_t i = 0; i < keys.size(); ++i) out.emplace(keys[i], values[i]);
    return out;
  }
  void GetKeyValuePairs(std::vector<const char*>& keys, std::vector<const char*>& values) const {
    const char* const* k = nullptr;
    const char* const* v = nullptr;
    size_t count = 0;
    GetApi().GetKeyValuePairs(this->p_, &k, &v, &count);
    keys.assign(k, k + count);
    values.assign(v, v + count);
  }
};

}  // namespace detail

using ConstKeyValuePairs = detail::KeyValuePairsImpl<detail::Unowned<const OrtKeyValuePairs>>;

/** Text pairs sorted by key. */
struct KeyValuePairs : detail::KeyValuePairsImpl<OrtKeyValuePairs> {
  explicit KeyValuePairs(std::nullptr_t) {}
  explicit KeyValuePairs(OrtKeyValuePairs* p) : KeyValuePairsImpl(p) {}
  KeyValuePairs() { GetApi().CreateKeyValuePairs(&p_); }
  explicit KeyValuePairs(const std::unordered_map<std::string, std::string>& kv_pairs)
      : KeyValuePairs() {
    for (const auto& entry : kv_pairs) Add(entry.first.c_str(), entry.second.c_str());
  }
  void Add(const char* key, const char* value) { GetApi().AddKeyValuePair(p_, key, value); }
  void Remove(const char* key) { GetApi().RemoveKeyValuePair(p_, key); }
  ConstKeyValuePairs GetConst() const { return ConstKeyValuePairs(p_); }
};

namespace detail {

template <typename T>
struct MemoryInfoImpl : Base<T> {
  using Base<T>::Base;
  std::string GetAllocatorName() const {
    const char* name = nullptr;
    ThrowOnError(GetApi().MemoryInfoGetName(this->p_, &name));
    return name;
  }
  OrtAllocatorType GetAllocatorType() const {
    OrtAllocatorType type;
    ThrowOnError(GetApi().MemoryInfoGetType(this->p_, &type));
    return type;
  }
  int GetDeviceId() const {
    int id = 0;
    ThrowOnError(GetApi().MemoryInfoGetId(this->p_, &id));
    return id;
  }
  OrtMemoryInfoDeviceType GetDeviceType() const {
    OrtMemoryInfoDeviceType type;
    GetApi().MemoryInfoGetDeviceType(this->p_, &type);
    return type;
  }
  OrtMemType GetMemoryType() const {
    OrtMemType type;
    ThrowOnError(GetApi().MemoryInfoGetMemType(this->p_, &type));
    return type;
  }
  OrtDeviceMemoryType GetDeviceMemoryType() const {
    return GetApi().MemoryInfoGetDeviceMemType(this->p_);
  }
  uint32_t GetVendorId() const { return GetApi().MemoryInfoGetVendorId(this->p_); }

  template <typename U>
  bool operator==(const MemoryInfoImpl<U>& o) const {
    int different = 0;
    ThrowOnError(GetApi().CompareMemoryInfo(this->p_, o, &different));
    return different == 0;
  }
};

}  // namespace detail

using ConstMemoryInfo = detail::MemoryInfoImpl<detail::Unowned<const OrtMemoryInfo>>;

/** Where memory is. */
struct MemoryInfo : detail::MemoryInfoImpl<OrtMemoryInfo> {
  static MemoryInfo CreateCpu(OrtAllocatorType type, OrtMemType mem_type1) {
    OrtMemoryInfo* p = nullptr;
    ThrowOnError(GetApi().CreateCpuMemoryInfo(type, mem_type1, &p));
    return MemoryInfo(p);
  }
  explicit MemoryInfo(std::nullptr_t) {}
  explicit MemoryInfo(OrtMemoryInfo* p) : MemoryInfoImpl(p) {}
  MemoryInfo(const char* name, OrtAllocatorType type, int id, OrtMemType mem_type) {
    ThrowOnError(GetApi().CreateMemoryInfo(name, type, id, mem_type, &p_));
  }
  MemoryInfo(const char* name, OrtMemoryInfoDeviceType device_type, uint32_t vendor_id,
             uint32_t device_id, OrtDeviceMemoryType mem_type, size_t alignment,
             OrtAllocatorType allocator_type) {
    ThrowOnError(GetApi().CreateMemoryInfo_V2(name, device_type, vendor_id,
                                              static_cast<int32_t>(device_id), mem_type, alignment,
                                              allocator_type, &p_));
  }
  ConstMemoryInfo GetConst() const { return ConstMemoryInfo(p_); }
};

/** A block that goes back to its allocator at the end of its scope. */
struct MemoryAllocation {
  MemoryAllocation(OrtAllocator* allocator, void* p, size_t size)
      : allocator_(allocator), p_(p), size_(size) {}
  ~MemoryAllocation() { Reset(); }
  MemoryAllocation(const MemoryAllocation&) = delete;
  MemoryAllocation& operator=(const MemoryAllocation&) = delete;
  MemoryAllocation(MemoryAllocation&& o) noexcept
      : allocator_(o.allocator_), p_(std::exchange(o.p_, nullptr)), size_(o.size_) {}
  MemoryAllocation& operator=(MemoryAllocation&& o) noexcept {
    if (this != &o) {
      Reset();
      allocator_ = o.allocator_;
      p_ = std::exchange(o.p_, nullptr);
      size_ = o.size_;
    }
    return *this;
  }
  void* get() { return p_; }
  size_t size() const { return size_; }

 private:
  void Reset() {
    if (p_ != nullptr) Status(GetApi().AllocatorFree(allocator_, p_));
    p_ = nullptr;
  }
  OrtAllocator* allocator_;
  void* p_;
  size_t size_;
};

namespace detail {

template <typename T>
struct AllocatorImpl : Base<T> {
  using Base<T>::Base;
  void* Alloc(size_t size) {
    void* out = nullptr;
    ThrowOnError(GetApi().AllocatorAlloc(this->p_, size, &out));
    return out;
  }
  MemoryAllocation GetAllocation(size_t size) {
    return MemoryAllocation(this->p_, Alloc(size), size);
  }
  void Free(void* p) { ThrowOnError(GetApi().AllocatorFree(this->p_, p)); }
  ConstMemoryInfo GetInfo() const {
    const OrtMemoryInfo* out = nullptr;
    ThrowOnError(GetApi().AllocatorGetInfo(this->p_, &out));
    return ConstMemoryInfo(out);
  }
  KeyValuePairs GetStats() const {
    OrtKeyValuePairs* out = nullptr;
    ThrowOnError(GetApi().AllocatorGetStats(this->p_, &out));
    return KeyValuePairs(out);
  }
};

}  // namespace detail

using UnownedAllocator = detail::AllocatorImpl<detail::Unowned<OrtAllocator>>;

/** The default CPU allocator, which nobody owns. */
struct AllocatorWithDefaultOptions : detail::AllocatorImpl<detail::Unowned<OrtAllocator>> {
  explicit AllocatorWithDefaultOptions(std::nullptr_t) {}
  AllocatorWithDefaultOptions() { ThrowOnError(GetApi().GetAllocatorWithDefaultOptions(&p_)); }
};

struct Session;

/** An allocator of a session. */
struct Allocator : detail::AllocatorImpl<OrtAllocator> {
  explicit Allocator(std::nullptr_t) {}
  explicit Allocator(OrtAllocator* p) : AllocatorImpl(p) {}
  Allocator(const Session& session, const OrtMemoryInfo* mem_info);
};

/** Settings of the thread pools that sessions share. */
struct ThreadingOptions : detail::Base<OrtThreadingOptions> {
  ThreadingOptions() { ThrowOnError(GetApi().CreateThreadingOptions(&p_)); }
  ThreadingOptions& SetGlobalIntraOpNumThreads(int intra_op_num_threads) {
    ThrowOnError(GetApi().SetGlobalIntraOpNumThreads(p_, intra_op_num_threads));
    return *this;
  }
  ThreadingOptions& SetGlobalInterOpNumThreads(int inter_op_num_threads) {
    ThrowOnError(GetApi().SetGlobalInterOpNumThreads(p_, inter_op_num_threads));
    return *this;
  }
  ThreadingOptions& SetGlobalSpinControl(int allow_spinning) {
    ThrowOnError(GetApi().SetGlobalSpinControl(p_, allow_spinning));
    return *this;
  }
  ThreadingOptions& SetGlobalDenormalAsZero() {
    ThrowOnError(GetApi().SetGlobalDenormalAsZero(p_));
    return *this;
  }
  ThreadingOptions& SetGlobalCustomCreateThreadFn(OrtCustomCreateThreadFn fn) {
    ThrowOnError(GetApi().SetGlobalCustomCreateThreadFn(p_, fn));
    return *this;
  }
  ThreadingOptions& SetGlobalCustomThreadCreationOptions(void* options) {
    ThrowOnError(GetApi().SetGlobalCustomThreadCreationOptions(p_, options));
    return *this;
  }
  ThreadingOptions& SetGlobalCustomJoinThreadFn(OrtCustomJoinThreadFn fn) {
    ThrowOnError(GetApi().SetGlobalCustomJoinThreadFn(p_, fn));
    return *this;
  }
};

/** Options of the CUDA provider. */
struct CUDAProviderOptions : detail::Base<OrtCUDAProviderOptionsV2> {
  explicit CUDAProviderOptions(std::nullptr_t) {}
  CUDAProviderOptions() { ThrowOnError(GetApi().CreateCUDAProviderOptions(&p_)); }
  void Update(const std::unordered_map<std::string, std::string>& options) {
    const detail::KeyValueArrays entries(options);
    ThrowOnError(GetApi().UpdateCUDAProviderOptions(p_, entries.keys.data(), entries.values.data(),
                                                    entries.keys.size()));
  }
};

/** Options of the TensorRT provider. */
struct TensorRTProviderOptions : detail::Base<OrtTensorRTProviderOptionsV2> {
  explicit TensorRTProviderOptions(std::nullptr_t) {}
  TensorRTProviderOptions() { ThrowOnError(GetApi().CreateTensorRTProviderOptions(&p_)); }
  void Update(const std::unordered_map<std::string, std::string>& options) {
    const detail::KeyValueArrays entries(options);
    ThrowOnError(GetApi().UpdateTensorRTProviderOptions(
        p_, entries.keys.data(), entries.values.data(), entries.keys.size()));
  }
};

/** A store in which sessions share repacked weights. */
struct PrepackedWeightsContainer : detail::Base<OrtPrepackedWeightsContainer> {
  using Base = detail::Base<OrtPrepackedWeightsContainer>;
  explicit PrepackedWeightsContainer(std::nullptr_t) {}
  explicit PrepackedWeightsContainer(OrtPrepackedWeightsContainer* p) : Base(p) {}
  PrepackedWeightsContainer() { ThrowOnError(GetApi().CreatePrepackedWeightsContainer(&p_)); }
};

/** How an arena grows. */
struct ArenaCfg : detail::Base<OrtArenaCfg> {
  explicit ArenaCfg(std::nullptr_t) {}
  ArenaCfg(size_t max_mem, int arena_extend_strategy, int initial_chunk_size_bytes,
           int max_dead_bytes_per_chunk) {
    ThrowOnError(GetApi().CreateArenaCfg(max_mem, arena_extend_strategy, initial_chunk_size_bytes,
                                         max_dead_bytes_per_chunk, &p_));
  }
  explicit ArenaCfg(const std::unordered_map<std::string, size_t>& arena_config) {
    std::vector<const char*> keys;
    std::vector<size_t> values;
    for (const auto& entry : arena_config) {
      keys.push_back(entry.first.c_str());
      values.push_back(entry.second);
    }
    ThrowOnError(GetApi().CreateArenaCfgV2(keys.data(), values.data(), keys.size(), &p_));
  }
};

/** Custom operators under one domain name. */
struct CustomOpDomain : detail::Base<OrtCustomOpDomain> {
  explicit CustomOpDomain(std::nullptr_t) {}
  explicit CustomOpDomain(const char* domain) {
    ThrowOnError(GetApi().CreateCustomOpDomain(domain, &p_));
  }
  void Add(const OrtCustomOp* op) { ThrowOnError(GetApi().CustomOpDomain_Add(p_, op)); }
};

/** The process's environment; sessions need one. */
struct Env : detail::Base<OrtEnv> {
  using Base = detail::Base<OrtEnv>;
  explicit Env(std::nullptr_t) {}
  explicit Env(OrtEnv* p) : Base(p) {}
  Env(OrtLoggingLevel logging_level = ORT_LOGGING_LEVEL_WARNING,  // NOLINT: as `Env env;`
      const char* logid = "") {
    ThrowOnError(GetApi().CreateEnv(logging_level, logid, &p_));
    Announce();
  }
  Env(OrtLoggingLevel logging_level, const char* logid, OrtLoggingFunction logging_function,
      void* logger_param) {
    ThrowOnError(GetApi().CreateEnvWithCustomLogger(logging_function, logger_param, logging_level,
                                                    logid, &p_));
    Announce();
  }
  explicit Env(const OrtThreadingOptions* tp_options,
               OrtLoggingLevel logging_level = ORT_LOGGING_LEVEL_WARNING, const char* logid = "") {
    ThrowOnError(GetApi().CreateEnvWithGlobalThreadPools(logging_level, logid, tp_options, &p_));
    Announce();
  }
  Env(const OrtThreadingOptions* tp_options, OrtLoggingFunction logging_function,
      void* logger_param, OrtLoggingLevel logging_level = ORT_LOGGING_LEVEL_WARNING,
      const char* logid = "") {
    ThrowOnError(GetApi().CreateEnvWithCustomLoggerAndGlobalThreadPools(
        logging_function, logger_param, logging_level, logid, tp_options, &p_));
    Announce();
  }
  explicit Env(const OrtEnvCreationOptions* options) {
    ThrowOnError(GetApi().CreateEnvWithOptions(options, &p_));
    Announce();
  }
  Env& EnableTelemetryEvents() {
    ThrowOnError(GetApi().EnableTelemetryEvents(p_));
    return *this;
  }
  Env& DisableTelemetryEvents() {
    ThrowOnError(GetApi().DisableTelemetryEvents(p_));
    return *this;
  }
  Env& UpdateEnvWithCustomLogLevel(OrtLoggingLevel log_severity_level) {
    ThrowOnError(GetApi().UpdateEnvWithCustomLogLevel(p_, log_severity_level));
    return *this;
  }
  Env& CreateAndRegisterAllocator(const OrtMemoryInfo* mem_info, const OrtArenaCfg* arena_cfg) {
    ThrowOnError(GetApi().CreateAndRegisterAllocator(p_, mem_info, arena_cfg));
    return *this;
  }
  Env& RegisterAllocator(OrtAllocator* allocator) {
    ThrowOnError(GetApi().RegisterAllocator(p_, allocator));
    return *this;
  }
  Env& UnregisterAllocator(const OrtMemoryInfo* mem_info) {
    ThrowOnError(GetApi().UnregisterAllocator(p_, mem_info));
    return *this;
  }

 private:
  void Announce() { Status(GetApi().SetLanguageProjection(p_, ORT_PROJECTION_CPLUSPLUS)); }
};

/** A LoRA adapter. */
struct LoraAdapter : detail::Base<OrtLoraAdapter> {
  using Base = detail::Base<OrtLoraAdapter>;
  explicit LoraAdapter(std::nullptr_t) {}
  explicit LoraAdapter(OrtLoraAdapter* p) : Base(p) {}
  static LoraAdapter CreateLoraAdapter(const std::basic_string<ORTCHAR_T>& adapter_path,
                                       OrtAllocator* allocator) {
    OrtLoraAdapter* p = nullptr;
    ThrowOnError(GetApi().CreateLoraAdapter(adapter_path.c_str(), allocator, &p));
    return LoraAdapter(p);
  }
  static LoraAdapter CreateLoraAdapterFromArray(const void* bytes, size_t num_bytes,
                                                OrtAllocator* allocator) {
    OrtLoraAdapter* p = nullptr;
    ThrowOnError(GetApi().CreateLoraAdapterFromArray(bytes, num_bytes, allocator, &p));
    return LoraAdapter(p);
  }
};

/** Settings of a run. RunOptions{nullptr} stands for the defaults. */
struct RunOptions : detail::Base<OrtRunOptions> {
  explicit RunOptions(std::nullptr_t) {}
  RunOptions() { ThrowOnError(GetApi().CreateRunOptions(&p_)); }
  RunOptions& SetRunLogVerbosityLevel(int level) {
    ThrowOnError(GetApi().RunOptionsSetRunLogVerbosityLevel(p_, level));
    return *this;
  }
  int GetRunLogVerbosityLevel() const {
    int out = 0;
    ThrowOnError(GetApi().RunOptionsGetRunLogVerbosityLevel(p_, &out));
    return out;
  }
  RunOptions& SetRunLogSeverityLevel(int level) {
    ThrowOnError(GetApi().RunOptionsSetRunLogSeverityLevel(p_, level));
    return *this;
  }
  int GetRunLogSeverityLevel() const {
    int out = 0;
    ThrowOnError(GetApi().RunOptionsGetRunLogSeverityLevel(p_, &out));
    return out;
  }
  RunOptions& SetRunTag(const char* run_tag) {
    ThrowOnError(GetApi().RunOptionsSetRunTag(p_, run_tag));
    return *this;
  }
  const char* GetRunTag() const {
    const char* out = nullptr;
    ThrowOnError(GetApi().RunOptionsGetRunTag(p_, &out));
    return out;
  }
  RunOptions& AddConfigEntry(const char* config_key, const char* config_value) {
    ThrowOnError(GetApi().AddRunConfigEntry(p_, config_key, config_value));
    return *this;
  }
  /** Borrowed; NULL when missing. */
  const char* GetConfigEntry(const char* config_key) {
    return GetApi().GetRunConfigEntry(p_, config_key);
  }
  /** Runs with these options stop as soon as they can. */
  RunOptions& SetTerminate() {
    ThrowOnError(GetApi().RunOptionsSetTerminate(p_));
    return *this;
  }
  RunOptions& UnsetTerminate() {
    ThrowOnError(GetApi().RunOptionsUnsetTerminate(p_));
    return *this;
  }
  RunOptions& AddActiveLoraAdapter(const LoraAdapter& adapter) {
    ThrowOnError(GetApi().RunOptionsAddActiveLoraAdapter(p_, adapter));
    return *this;
  }
  RunOptions& SetSyncStream(OrtSyncStream* stream) {
    GetApi().RunOptionsSetSyncStream(p_, stream);
    return *this;
  }
  RunOptions& EnableProfiling(const ORTCHAR_T* profile_file_prefix) {
    ThrowOnError(GetApi().RunOptionsEnableProfiling(p_, profile_file_prefix));
    return *this;
  }
  RunOptions& DisableProfiling() {
    ThrowOnError(GetApi().RunOptionsDisableProfiling(p_));
    return *this;
  }
};

struct SessionOptions;
struct TypeInfo;
struct Value;
struct ModelMetadata;

namespace detail {

template <typename T>
struct ConstSessionOptionsImpl : Base<T> {
  using Base<T>::Base;
  SessionOptions Clone() const;
  std::string GetConfigEntry(const char* config_key) const {
    size_t size = 0;
    ThrowOnError(GetApi().GetSessionConfigEntry(this->p_, config_key, nullptr, &size));
    std::string out(size, '\0');
    ThrowOnError(GetApi().GetSessionConfigEntry(this->p_, config_key, &out[0], &size));
    out.resize(size - 1);
    return out;
  }
  bool HasConfigEntry(const char* config_key) const {
    int out = 0;
    ThrowOnError(GetApi().HasSessionConfigEntry(this->p_, config_key, &out));
    return out != 0;
  }
  std::string GetConfigEntryOrDefault(const char* config_key, const std::string& def) const {
    return HasConfigEntry(config_key) ? GetConfigEntry(config_key) : def;
  }
};

template <typename T>
struct SessionOptionsImpl : ConstSessionOptionsImpl<T> {
  using ConstSessionOptionsImpl<T>::ConstSessionOptionsImpl;

  SessionOptionsImpl& SetIntraOpNumThreads(int intra_op_num_threads) {
    ThrowOnError(GetApi().SetIntraOpNumThreads(this->p_, intra_op_num_threads));
    return *this;
  }
  SessionOptionsImpl& SetInterOpNumThreads(int inter_op_num_threads) {
    ThrowOnError(GetApi().SetInterOpNumThreads(this->p_, inter_op_num_threads));
    return *this;
  }
  SessionOptionsImpl& SetGraphOptimizationLevel(GraphOptimizationLevel graph_optimization_level) {
    ThrowOnError(GetApi().SetSessionGraphOptimizationLevel(this->p_, graph_optimization_level));
    return *this;
  }
  SessionOptionsImpl& SetDeterministicCompute(bool value) {
    ThrowOnError(GetApi().SetDeterministicCompute(this->p_, value));
    return *this;
  }
  SessionOptionsImpl& EnableCpuMemArena() {
    ThrowOnError(GetApi().EnableCpuMemArena(this->p_));
    return *this;
  }
  SessionOptionsImpl& DisableCpuMemArena() {
    ThrowOnError(GetApi().DisableCpuMemArena(this->p_));
    return *this;
  }
  SessionOptionsImpl& SetOptimizedModelFilePath(const ORTCHAR_T* optimized_model_file) {
    ThrowOnError(GetApi().SetOptimizedModelFilePath(this->p_, optimized_model_file));
    return *this;
  }
  SessionOptionsImpl& EnableProfiling(const ORTCHAR_T* profile_file_prefix) {
    ThrowOnError(GetApi().EnableProfiling(this->p_, profile_file_prefix));
    return *this;
  }
  SessionOptionsImpl& DisableProfiling() {
    ThrowOnError(GetApi().DisableProfiling(this->p_));
    return *this;
  }
  SessionOptionsImpl& EnableOrtCustomOps() {
    ThrowOnError(GetApi().EnableOrtCustomOps(this->p_));
    return *this;
  }
  SessionOptionsImpl& EnableMemPattern() {
    ThrowOnError(GetApi().EnableMemPattern(this->p_));
    return *this;
  }
  SessionOptionsImpl& DisableMemPattern() {
    ThrowOnError(GetApi().DisableMemPattern(this->p_));
    return *this;
  }
  SessionOptionsImpl& SetExecutionMode(ExecutionMode execution_mode) {
    ThrowOnError(GetApi().SetSessionExecutionMode(this->p_, execution_mode));
    return *this;
  }
  SessionOptionsImpl& SetLoadCancellationFlag(bool value) {
    ThrowOnError(GetApi().SessionOptionsSetLoadCancellationFlag(this->p_, value));
    return *this;
  }
  SessionOptionsImpl& SetLogId(const char* logid) {
    ThrowOnError(GetApi().SetSessionLogId(this->p_, logid));
    return *this;
  }
  SessionOptionsImpl& SetLogSeverityLevel(int level) {
    ThrowOnError(GetApi().SetSessionLogSeverityLevel(this->p_, level));
    return *this;
  }
  SessionOptionsImpl& Add(OrtCustomOpDomain* custom_op_domain) {
    ThrowOnError(GetApi().AddCustomOpDomain(this->p_, custom_op_domain));
    return *this;
  }
  SessionOptionsImpl& DisablePerSessionThreads() {
    ThrowOnError(GetApi().DisablePerSessionThreads(this->p_));
    return *this;
  }
  SessionOptionsImpl& AddConfigEntry(const char* config_key, const char* config_value) {
    ThrowOnError(GetApi().AddSessionConfigEntry(this->p_, config_key, config_value));
    return *this;
  }
  SessionOptionsImpl& AddInitializer(const char* name, const OrtValue* ort_val) {
    ThrowOnError(GetApi().AddInitializer(this->p_, name, ort_val));
    return *this;
  }
  SessionOptionsImpl& AddFreeDimensionOverride(const char* dim_denotation, int64_t dim_value) {
    ThrowOnError(GetApi().AddFreeDimensionOverride(this->p_, dim_denotation, dim_value));
    return *this;
  }
  SessionOptionsImpl& AddFreeDimensionOverrideByName(const char* dim_name, int64_t dim_value) {
    ThrowOnError(GetApi().AddFreeDimensionOverrideByName(this->p_, dim_name, dim_value));
    return *this;
  }
  SessionOptionsImpl& AppendExecutionProvider_CUDA(const OrtCUDAProviderOptions& provider_options) {
    ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_CUDA(this->p_, &provider_options));
    return *this;
  }
  SessionOptionsImpl& AppendExecutionProvider_CUDA_V2(
      const OrtCUDAProviderOptionsV2& provider_options) {
    ThrowOnError(
        GetApi().SessionOptionsAppendExecutionProvider_CUDA_V2(this->p_, &provider_options));
    return *this;
  }
  SessionOptionsImpl& AppendExecutionProvider_ROCM(const OrtROCMProviderOptions& provider_options) {
    ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_ROCM(this->p_, &provider_options));
    return *this;
  }
  SessionOptionsImpl& AppendExecutionProvider_OpenVINO(
      const OrtOpenVINOProviderOptions& provider_options) {
    ThrowOnError(
        GetApi().SessionOptionsAppendExecutionProvider_OpenVINO(this->p_, &provider_options));
    return *this;
  }
  SessionOptionsImpl& AppendExecutionProvider_TensorRT(
      const OrtTensorRTProviderOptions& provider_options) {
    ThrowOnError(
        GetApi().SessionOptionsAppendExecutionProvider_TensorRT(this->p_, &provider_options));
    return *this;
  }
  SessionOptionsImpl& AppendExecutionProvider_TensorRT_V2(
      const OrtTensorRTProviderOptionsV2& provider_options) {
    ThrowOnError(
        GetApi().SessionOptionsAppendExecutionProvider_TensorRT_V2(this->p_, &provider_options));
    return *this;
  }
  SessionOptionsImpl& AppendExecutionProvider_MIGraphX(
      const OrtMIGraphXProviderOptions& provider_options) {
    ThrowOnError(
        GetApi().SessionOptionsAppendExecutionProvider_MIGraphX(this->p_, &provider_options));
    return *this;
  }
  SessionOptionsImpl& AppendExecutionProvider_CANN(const OrtCANNProviderOptions& provider_options) {
    ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_CANN(this->p_, &provider_options));
    return *this;
  }
  SessionOptionsImpl& AppendExecutionProvider_Dnnl(const OrtDnnlProviderOptions& provider_options) {
    ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_Dnnl(this->p_, &provider_options));
    return *this;
  }
  SessionOptionsImpl& SetEpSelectionPolicy(OrtExecutionProviderDevicePolicy policy) {
    ThrowOnError(GetApi().SessionOptionsSetEpSelectionPolicy(this->p_, policy));
    return *this;
  }
  SessionOptionsImpl& SetEpSelectionPolicy(EpSelectionDelegate delegate, void* state = nullptr) {
    ThrowOnError(GetApi().SessionOptionsSetEpSelectionPolicyDelegate(this->p_, delegate, state));
    return *this;
  }
  SessionOptionsImpl& SetCustomCreateThreadFn(OrtCustomCreateThreadFn fn) {
    ThrowOnError(GetApi().SessionOptionsSetCustomCreateThreadFn(this->p_, fn));
    return *this;
  }
  SessionOptionsImpl& SetCustomThreadCreationOptions(void* options) {
    ThrowOnError(GetApi().SessionOptionsSetCustomThreadCreationOptions(this->p_, options));
    return *this;
  }
  SessionOptionsImpl& SetCustomJoinThreadFn(OrtCustomJoinThreadFn fn) {
    ThrowOnError(GetApi().SessionOptionsSetCustomJoinThreadFn(this->p_, fn));
    return *this;
  }
  SessionOptionsImpl& RegisterCustomOpsLibrary(const ORTCHAR_T* library_name) {
    ThrowOnError(GetApi().RegisterCustomOpsLibrary_V2(this->p_, library_name));
    return *this;
  }
  SessionOptionsImpl& RegisterCustomOpsUsingFunction(const char* function_name) {
    ThrowOnError(GetApi().RegisterCustomOpsUsingFunction(this->p_, function_name));
    return *this;
  }

  SessionOptionsImpl& AppendExecutionProvider_CPU(int use_arena) {
    ThrowOnError(OrtSessionOptionsAppendExecutionProvider_CPU(this->p_, use_arena));
    return *this;
  }
  SessionOptionsImpl& AppendExecutionProvider(
      const std::string& provider_name,
      const std::unordered_map<std::string, std::string>& provider_options = {}) {
    const KeyValueArrays entries(provider_options);
    ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider(
        this->p_, provider_name.c_str(), entries.keys.data(), entries.values.data(),
        entries.keys.size()));
    return *this;
  }
  SessionOptionsImpl& AppendExecutionProvider_OpenVINO_V2(
      const std::unordered_map<std::string, std::string>& provider_options = {}) {
    const KeyValueArrays entries(provider_options);
    ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_OpenVINO_V2(
        this->p_, entries.keys.data(), entries.values.data(), entries.keys.size()));
    return *this;
  }
  SessionOptionsImpl& AppendExecutionProvider_VitisAI(
      const std::unordered_map<std::string, std::string>& provider_options = {}) {
    const KeyValueArrays entries(provider_options);
    ThrowOnError(GetApi().SessionOptionsAppendExecutionProvider_VitisAI(
        this->p_, entries.keys.data(), entries.values.data(), entries.keys.size()));
    return *this;
  }
  /** Tensors that replace externally stored initializers by name. */
  SessionOptionsImpl& AddExternalInitializers(const std::vector<std::string>& names,
                                              const std::vector<Value>& ort_values);
  /** Whole external data files from memory, by file name. */
  SessionOptionsImpl& AddExternalInitializersFromFilesInMemory(
      const std::vector<std::basic_string<ORTCHAR_T>>& file_names,
      const std::vector<char*>& buffers, const std::vector<size_t>& lengths) {
    if (file_names.size() != buffers.size() || file_names.size() != lengths.size()) {
      ORT_CXX_API_THROW("names, buffers and lengths are not as many", ORT_INVALID_ARGUMENT);
    }
    std::vector<const ORTCHAR_T*> names;
    for (const auto& name : file_names) names.push_back(name.c_str());
    ThrowOnError(GetApi().AddExternalInitializersFromFilesInMemory(
        this->p_, names.data(), buffers.data(), lengths.data(), names.size()));
    return *this;
  }
};

}  // namespace detail

using UnownedSessionOptions = detail::SessionOptionsImpl<detail::Unowned<OrtSessionOptions>>;
using ConstSessionOptions =
    detail::ConstSessionOptionsImpl<detail::Unowned<const OrtSessionOptions>>;

/** Settings of a session; the setters return *this. */
struct SessionOptions : detail::SessionOptionsImpl<OrtSessionOptions> {
  explicit SessionOptions(std::nullptr_t) {}
  explicit SessionOptions(OrtSessionOptions* p) : SessionOptionsImpl(p) {}
  SessionOptions() { ThrowOnError(GetApi().CreateSessionOptions(&p_)); }
  UnownedSessionOptions GetUnowned() const { return UnownedSessionOptions(p_); }
  ConstSessionOptions GetConst() const { return ConstSessionOptions(p_); }
};

template <typename T>
SessionOptions detail::ConstSessionOptionsImpl<T>::Clone() const {
  OrtSessionOptions* out = nullptr;
  ThrowOnError(GetApi().CloneSessionOptions(this->p_, &out));
  return SessionOptions(out);
}

namespace detail {

template <typename T>
struct TensorTypeAndShapeInfoImpl : Base<T> {
  using Base<T>::Base;
  ONNXTensorElementDataType GetElementType() const {
    ONNXTensorElementDataType out;
    ThrowOnError(GetApi().GetTensorElementType(this->p_, &out));
    return out;
  }
  /** Product of the dimensions; throws when one is unknown. */
  size_t GetElementCount() const {
    size_t out = 0;
    ThrowOnError(GetApi().GetTensorShapeElementCount(this->p_, &out));
    return out;
  }
  size_t GetDimensionsCount() const {
    size_t out = 0;
    ThrowOnError(GetApi().GetDimensionsCount(this->p_, &out));
    return out;
  }
  void GetDimensions(int64_t* values, size_t values_count) const {
    ThrowOnError(GetApi().GetDimensions(this->p_, values, values_count));
  }
  /** Borrowed names; empty texts where a dimension has none. */
  void GetSymbolicDimensions(const char** values, size_t values_count) const {
    ThrowOnError(GetApi().GetSymbolicDimensions(this->p_, values, values_count));
  }
  std::vector<const char*> GetSymbolicDimensions() const {
    std::vector<const char*> out(GetDimensionsCount());
    GetSymbolicDimensions(out.data(), out.size());
    return out;
  }
  bool HasShape() const { return GetApi().TensorTypeAndShape_HasShape(this->p_); }
  /** The dimensions; -1 where unknown. */
  std::vector<int64_t> GetShape() const {
    std::vector<int64_t> out(GetDimensionsCount());
    GetDimensions(out.data(), out.size());
    return out;
  }
};

template <typename T>
struct SequenceTypeInfoImpl : Base<T> {
  using Base<T>::Base;
  TypeInfo GetSequenceElementType() const;
};

template <typename T>
struct OptionalTypeInfoImpl : Base<T> {
  using Base<T>::Base;
  TypeInfo GetOptionalElementType() const;
};

template <typename T>
struct MapTypeInfoImpl : Base<T> {
  using Base<T>::Base;
  ONNXTensorElementDataType GetMapKeyType() const {
    ONNXTensorElementDataType out;
    ThrowOnError(GetApi().GetMapKeyType(this->p_, &out));
    return out;
  }
  TypeInfo GetMapValueType() const;
};

}  // namespace detail

using ConstTensorTypeAndShapeInfo =
    detail::TensorTypeAndShapeInfoImpl<detail::Unowned<const OrtTensorTypeAndShapeInfo>>;
using ConstSequenceTypeInfo =
    detail::SequenceTypeInfoImpl<detail::Unowned<const OrtSequenceTypeInfo>>;
using ConstOptionalTypeInfo =
    detail::OptionalTypeInfoImpl<detail::Unowned<const OrtOptionalTypeInfo>>;
using ConstMapTypeInfo = detail::MapTypeInfoImpl<detail::Unowned<const OrtMapTypeInfo>>;

/** Element type and shape. */
struct TensorTypeAndShapeInfo : detail::TensorTypeAndShapeInfoImpl<OrtTensorTypeAndShapeInfo> {
  explicit TensorTypeAndShapeInfo(std::nullptr_t) {}
  explicit TensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo* p) : TensorTypeAndShapeInfoImpl(p) {}
  explicit TensorTypeAndShapeInfo(ONNXTensorElementDataType element_type,
                                  const std::vector<int64_t>& dims,
                                  const std::vector<std::string>* symbolic_dims = nullptr) {
    ThrowOnError(GetApi().CreateTensorTypeAndShapeInfo(&p_));
    ThrowOnError(GetApi().SetTensorElementType(p_, element_type));
    ThrowOnError(GetApi().SetDimensions(p_, dims.data(), dims.size()));
    if (symbolic_dims == nullptr) return;
    std::vector<const char*> names;
    for (const std::string& name : *symbolic_dims) names.push_back(name.c_str());
    ThrowOnError(GetApi().SetSymbolicDimensions(p_, names.data(), names.size()));
  }
  ConstTensorTypeAndShapeInfo GetConst() const { return ConstTensorTypeAndShapeInfo(p_); }
};

/** A sequence type that the holder owns. */
struct SequenceTypeInfo : detail::SequenceTypeInfoImpl<OrtSequenceTypeInfo> {
  explicit SequenceTypeInfo(std::nullptr_t) {}
  explicit SequenceTypeInfo(OrtSequenceTypeInfo* p) : SequenceTypeInfoImpl(p) {}
  ConstSequenceTypeInfo GetConst() const { return ConstSequenceTypeInfo(p_); }
};

/** A map type that the holder owns. */
struct MapTypeInfo : detail::MapTypeInfoImpl<OrtMapTypeInfo> {
  explicit MapTypeInfo(std::nullptr_t) {}
  explicit MapTypeInfo(OrtMapTypeInfo* p) : MapTypeInfoImpl(p) {}
  ConstMapTypeInfo GetConst() const { return ConstMapTypeInfo(p_); }
};

namespace detail {

/** The parts that are returned are views that are empty when the type is of another kind. */
template <typename T>
struct TypeInfoImpl : Base<T> {
  using Base<T>::Base;
  ConstTensorTypeAndShapeInfo GetTensorTypeAndShapeInfo() const {
    const OrtTensorTypeAndShapeInfo* out = nullptr;
    ThrowOnError(GetApi().CastTypeInfoToTensorInfo(this->p_, &out));
    return ConstTensorTypeAndShapeInfo(out);
  }
  ConstSequenceTypeInfo GetSequenceTypeInfo() const {
    const OrtSequenceTypeInfo* out = nullptr;
    ThrowOnError(GetApi().CastTypeInfoToSequenceTypeInfo(this->p_, &out));
    return ConstSequenceTypeInfo(out);
  }
  ConstMapTypeInfo GetMapTypeInfo() const {
    const OrtMapTypeInfo* out = nullptr;
    ThrowOnError(GetApi().CastTypeInfoToMapTypeInfo(this->p_, &out));
    return ConstMapTypeInfo(out);
  }
  ConstOptionalTypeInfo GetOptionalTypeInfo() const {
    const OrtOptionalTypeInfo* out = nullptr;
    ThrowOnError(GetApi().CastTypeInfoToOptionalTypeInfo(this->p_, &out));
    return ConstOptionalTypeInfo(out);
  }
  ONNXType GetONNXType() const {
    ONNXType out;
    ThrowOnError(GetApi().GetOnnxTypeFromTypeInfo(this->p_, &out));
    return out;
  }
};

}  // namespace detail

using ConstTypeInfo = detail::TypeInfoImpl<detail::Unowned<const OrtTypeInfo>>;

/** The type of a value of any kind. */
struct TypeInfo : detail::TypeInfoImpl<OrtTypeInfo> {
  explicit TypeInfo(std::nullptr_t) {}
  explicit TypeInfo(OrtTypeInfo* p) : TypeInfoImpl(p) {}
  ConstTypeInfo GetConst() const { return ConstTypeInfo(p_); }
};

template <typename T>
TypeInfo detail::SequenceTypeInfoImpl<T>::GetSequenceElementType() const {
  OrtTypeInfo* out = nullptr;
  ThrowOnError(GetApi().GetSequenceElementType(this->p_, &out));
  return TypeInfo(out);
}
template <typename T>
TypeInfo detail::OptionalTypeInfoImpl<T>::GetOptionalElementType() const {
  OrtTypeInfo* out = nullptr;
  ThrowOnError(GetApi().GetOptionalContainedTypeInfo(this->p_, &out));
  return TypeInfo(out);
}
template <typename T>
TypeInfo detail::MapTypeInfoImpl<T>::GetMapValueType() const {
  OrtTypeInfo* out = nullptr;
  ThrowOnError(GetApi().GetMapValueType(this->p_, &out));
  return TypeInfo(out);
}

namespace detail {

template <typename T>
struct ConstValueImpl : Base<T> {
  using Base<T>::Base;
  bool IsTensor() const {
    int out = 0;
    ThrowOnError(GetApi().IsTensor(this->p_, &out));
    return out != 0;
  }
  bool IsSparseTensor() const {
    int out = 0;
    ThrowOnError(GetApi().IsSparseTensor(this->p_, &out));
    return out != 0;
  }
  /** False for an optional that holds nothing. */
  bool HasValue() const {
    int out = 0;
    ThrowOnError(GetApi().HasValue(this->p_, &out));
    return out != 0;
  }
  /** Items of a sequence; 2 for a map. */
  size_t GetCount() const {
    size_t out = 0;
    ThrowOnError(GetApi().GetValueCount(this->p_, &out));
    return out;
  }
  /** One item of a sequence, or the keys (0) or values (1) of a map. */
  Value GetValue(int index, OrtAllocator* allocator) const;
  size_t GetStringTensorDataLength() const {
    size_t out = 0;
    ThrowOnError(GetApi().GetStringTensorDataLength(this->p_, &out));
    return out;
  }
  void GetStringTensorContent(void* buffer, size_t buffer_length, size_t* offsets,
                              size_t offsets_count) const {
    ThrowOnError(
        GetApi().GetStringTensorContent(this->p_, buffer, buffer_length, offsets, offsets_count));
  }
  size_t GetStringTensorElementLength(size_t element_index) const {
    size_t out = 0;
    ThrowOnError(GetApi().GetStringTensorElementLength(this->p_, element_index, &out));
    return out;
  }
  void GetStringTensorElement(size_t buffer_length, size_t element_index, void* buffer) const {
    ThrowOnError(GetApi().GetStringTensorElement(this->p_, buffer_length, element_index, buffer));
  }
  std::string GetStringTensorElement(size_t element_index) const {
    std::string out(GetStringTensorElementLength(element_index), '\0');
    GetStringTensorElement(out.size(), element_index, &out[0]);
    return out;
  }
  template <typename R>
  const R* GetTensorData() const {
    return static_cast<const R*>(GetTensorRawData());
  }
  const void* GetTensorRawData() const {
    const void* out = nullptr;
    ThrowOnError(GetApi().GetTensorData(this->p_, &out));
    return out;
  }
  size_t GetTensorSizeInBytes() const {
    size_t out = 0;
    ThrowOnError(GetApi().GetTensorSizeInBytes(this->p_, &out));
    return out;
  }
  TypeInfo GetTypeInfo() const {
    OrtTypeInfo* out = nullptr;
    ThrowOnError(GetApi().GetTypeInfo(this->p_, &out));
    return TypeInfo(out);
  }
  TensorTypeAndShapeInfo GetTensorTypeAndShapeInfo() const {
    OrtTensorTypeAndShapeInfo* out = nullptr;
    ThrowOnError(GetApi().GetTensorTypeAndShape(this->p_, &out));
    return TensorTypeAndShapeInfo(out);
  }
  ConstMemoryInfo GetTensorMemoryInfo() const {
    const OrtMemoryInfo* out = nullptr;
    ThrowOnError(GetApi().GetTensorMemoryInfo(this->p_, &out));
    return ConstMemoryInfo(out);
  }
};

template <typename T>
struct ValueImpl : ConstValueImpl<T> {
  using ConstValueImpl<T>::ConstValueImpl;
  template <typename R>
  R* GetTensorMutableData() {
    return static_cast<R*>(GetTensorMutableRawData());
  }
  void* GetTensorMutableRawData() {
    void* out = nullptr;
    ThrowOnError(GetApi().GetTensorMutableData(this->p_, &out));
    return out;
  }
  /** One element of a tensor of R. */
  template <typename R>
  R& At(const std::vector<int64_t>& location) {
    static_assert(!std::is_same<R, std::string>::value, "not for tensors of strings");
    void* out = nullptr;
    ThrowOnError(GetApi().TensorAt(this->p_, location.data(), location.size(), &out));
    return *static_cast<R*>(out);
  }
  void FillStringTensor(const char* const* s, size_t s_len) {
    ThrowOnError(GetApi().FillStringTensor(this->p_, s, s_len));
  }
  void FillStringTensorElement(const char* s, size_t index) {
    ThrowOnError(GetApi().FillStringTensorElement(this->p_, s, index));
  }
  char* GetResizedStringTensorElementBuffer(size_t index, size_t buffer_length) {
    char* out = nullptr;
    ThrowOnError(
        GetApi().GetResizedStringTensorElementBuffer(this->p_, index, buffer_length, &out));
    return out;
  }
};

}  // namespace detail

using ConstValue = detail::ConstValueImpl<detail::Unowned<const OrtValue>>;
using UnownedValue = detail::ValueImpl<detail::Unowned<OrtValue>>;

/** A tensor, sequence, map or optional. */
struct Value : detail::ValueImpl<OrtValue> {
  using Base = detail::ValueImpl<OrtValue>;
  Value(std::nullptr_t) {}  // NOLINT: as an empty value
  explicit Value(OrtValue* p) : Base(p) {}
  Value() = default;
  Value(Value&&) = default;
  Value& operator=(Value&&) = default;
  ConstValue GetConst() const { return ConstValue(p_); }
  UnownedValue GetUnowned() const { return UnownedValue(p_); }

  /** Over the caller's elements, which must outlive the value. Nothing is copied. */
  template <typename T>
  static Value CreateTensor(const OrtMemoryInfo* info, T* p_data, size_t p_data_element_count,
                            const int64_t* shape, size_t shape_len) {
    return CreateTensor(info, p_data, p_data_element_count * sizeof(T), shape, shape_len,
                        TypeToTensorType<T>::type);
  }
  static Value CreateTensor(const OrtMemoryInfo* info, void* p_data, size_t p_data_byte_count,
                            const int64_t* shape, size_t shape_len,
                            ONNXTensorElementDataType type) {
    OrtValue* out = nullptr;
    ThrowOnError(GetApi().CreateTensorWithDataAsOrtValue(info, p_data, p_data_byte_count, shape,
                                                         shape_len, type, &out));
    return Value(out);
  }
  /** Over bytes that `deleter` frees with the value. */
  static Value CreateTensor(OrtAllocator* deleter, void* p_data, size_t p_data_byte_count,
                            const int64_t* shape, size_t shape_len,
                            ONNXTensorElementDataType type) {
    OrtValue* out = nullptr;
    ThrowOnError(GetApi().CreateTensorWithDataAndDeleterAsOrtValue(
        deleter, p_data, p_data_byte_count, shape, shape_len, type, &out));
    return Value(out);
  }
  /** With memory of its own. */
  template <typename T>
  static Value CreateTensor(OrtAllocator* allocator, const int64_t* shape, size_t shape_len) {
    return CreateTensor(allocator, shape, shape_len, TypeToTensorType<T>::type);
  }
  static Value CreateTensor(OrtAllocator* allocator, const int64_t* shape, size_t shape_len,
                            ONNXTensorElementDataType type) {
    OrtValue* out = nullptr;
    ThrowOnError(GetApi().CreateTensorAsOrtValue(allocator, shape, shape_len, type, &out));
    return Value(out);
  }
  static Value CreateMap(const Value& keys, const Value& values) {
    const OrtValue* const parts[] = {keys, values};
    OrtValue* out = nullptr;
    ThrowOnError(GetApi().CreateValue(parts, 2, ONNX_TYPE_MAP, &out));
    return Value(out);
  }
  static Value CreateSequence(const std::vector<Value>& values) {
    std::vector<const OrtValue*> items;
    for (const Value& value : values) items.push_back(value);
    OrtValue* out = nullptr;
    ThrowOnError(GetApi().CreateValue(items.data(), items.size(), ONNX_TYPE_SEQUENCE, &out));
    return Value(out);
  }
};

template <typename T>
Value detail::ConstValueImpl<T>::GetValue(int index, OrtAllocator* allocator) const {
  OrtValue* out = nullptr;
  ThrowOnError(GetApi().GetValue(this->p_, index, allocator, &out));
  return Value(out);
}

template <typename T>
detail::SessionOptionsImpl<T>& detail::SessionOptionsImpl<T>::AddExternalInitializers(
    const std::vector<std::string>& names, const std::vector<Value>& ort_values) {
  if (names.size() != ort_values.size()) {
    ORT_CXX_API_THROW("names and values are not as many", ORT_INVALID_ARGUMENT);
  }
  std::vector<const char*> keys;
  std::vector<const OrtValue*> values;
  for (const std::string& name : names) keys.push_back(name.c_str());
  for (const Value& value : ort_values) values.push_back(value);
  ThrowOnError(GetApi().AddExternalInitializers(this->p_, keys.data(), values.data(), keys.size()));
  return *this;
}

/** What a model says about itself. */
struct ModelMetadata : detail::Base<OrtModelMetadata> {
  using Base = detail::Base<OrtModelMetadata>;
  explicit ModelMetadata(std::nullptr_t) {}
  explicit ModelMetadata(OrtModelMetadata* p) : Base(p) {}
  AllocatedStringPtr GetProducerNameAllocated(OrtAllocator* allocator) const {
    return Text(allocator, GetApi().ModelMetadataGetProducerName);
  }
  AllocatedStringPtr GetGraphNameAllocated(OrtAllocator* allocator) const {
    return Text(allocator, GetApi().ModelMetadataGetGraphName);
  }
  AllocatedStringPtr GetDomainAllocated(OrtAllocator* allocator) const {
    return Text(allocator, GetApi().ModelMetadataGetDomain);
  }
  AllocatedStringPtr GetDescriptionAllocated(OrtAllocator* allocator) const {
    return Text(allocator, GetApi().ModelMetadataGetDescription);
  }
  AllocatedStringPtr GetGraphDescriptionAllocated(OrtAllocator* allocator) const {
    return Text(allocator, GetApi().ModelMetadataGetGraphDescription);
  }
  std::vector<AllocatedStringPtr> GetCustomMetadataMapKeysAllocated(OrtAllocator* allocator) const {
    const detail::AllocatedFree free(allocator);
    char** keys = nullptr;
    int64_t count = 0;
    ThrowOnError(GetApi().ModelMetadataGetCustomMetadataMapKeys(p_, allocator, &keys, &count));
    const std::unique_ptr<void, detail::AllocatedFree> array(keys, free);
    std::vector<AllocatedStringPtr> out;
    out.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) out.emplace_back(keys[i], free);
    return out;
  }
  /** NULL inside when the key is absent. */
  AllocatedStringPtr LookupCustomMetadataMapAllocated(const char* key,
                                                      OrtAllocator* allocator) const {
    char* out = nullptr;
    ThrowOnError(GetApi().ModelMetadataLookupCustomMetadataMap(p_, allocator, key, &out));
    return AllocatedStringPtr(out, detail::AllocatedFree(allocator));
  }
  int64_t GetVersion() const {
    int64_t out = 0;
    ThrowOnError(GetApi().ModelMetadataGetVersion(p_, &out));
    return out;
  }

 private:
  template <typename Getter>
  AllocatedStringPtr Text(OrtAllocator* allocator, Getter getter) const {
    char* out = nullptr;
    ThrowOnError(getter(p_, allocator, &out));
    return AllocatedStringPtr(out, detail::AllocatedFree(allocator));
  }
};

struct IoBinding;

namespace detail {

template <typename T>
struct ConstSessionImpl : Base<T> {
  using Base<T>::Base;
  size_t GetInputCount() const { return Count(GetApi().SessionGetInputCount); }
  size_t GetOutputCount() const { return Count(GetApi().SessionGetOutputCount); }
  size_t GetOverridableInitializerCount() const {
    return Count(GetApi().SessionGetOverridableInitializerCount);
  }
  std::vector<std::string> GetInputNames() const {
    return Names(GetInputCount(), GetApi().SessionGetInputName);
  }
  std::vector<std::string> GetOutputNames() const {
    return Names(GetOutputCount(), GetApi().SessionGetOutputName);
  }
  std::vector<std::string> GetOverridableInitializerNames() const {
    return Names(GetOverridableInitializerCount(), GetApi().SessionGetOverridableInitializerName);
  }
  AllocatedStringPtr GetInputNameAllocated(size_t index, OrtAllocator* allocator) const {
    return Name(index, allocator, GetApi().SessionGetInputName);
  }
  AllocatedStringPtr GetOutputNameAllocated(size_t index, OrtAllocator* allocator) const {
    return Name(index, allocator, GetApi().SessionGetOutputName);
  }
  AllocatedStringPtr GetOverridableInitializerNameAllocated(size_t index,
                                                            OrtAllocator* allocator) const {
    return Name(index, allocator, GetApi().SessionGetOverridableInitializerName);
  }
  TypeInfo GetInputTypeInfo(size_t index) const {
    return Type(index, GetApi().SessionGetInputTypeInfo);
  }
  TypeInfo GetOutputTypeInfo(size_t index) const {
    return Type(index, GetApi().SessionGetOutputTypeInfo);
  }
  TypeInfo GetOverridableInitializerTypeInfo(size_t index) const {
    return Type(index, GetApi().SessionGetOverridableInitializerTypeInfo);
  }
  uint64_t GetProfilingStartTimeNs() const {
    uint64_t out = 0;
    ThrowOnError(GetApi().SessionGetProfilingStartTimeNs(this->p_, &out));
    return out;
  }
  ModelMetadata GetModelMetadata() const {
    OrtModelMetadata* out = nullptr;
    ThrowOnError(GetApi().SessionGetModelMetadata(this->p_, &out));
    return ModelMetadata(out);
  }

 private:
  template <typename Getter>
  size_t Count(Getter getter) const {
    size_t out = 0;
    ThrowOnError(getter(this->p_, &out));
    return out;
  }
  template <typename Getter>
  AllocatedStringPtr Name(size_t index, OrtAllocator* allocator, Getter getter) const {
    char* out = nullptr;
    ThrowOnError(getter(this->p_, index, allocator, &out));
    return AllocatedStringPtr(out, AllocatedFree(allocator));
  }
  template <typename Getter>
  std::vector<std::string> Names(size_t count, Getter getter) const {
    AllocatorWithDefaultOptions allocator;
    std::vector<std::string> out;
    for (size_t i = 0; i < count; ++i) out.emplace_back(Name(i, allocator, getter).get());
    return out;
  }
  template <typename Getter>
  TypeInfo Type(size_t index, Getter getter) const {
    OrtTypeInfo* out = nullptr;
    ThrowOnError(getter(this->p_, index, &out));
    return TypeInfo(out);
  }
};

template <typename T>
struct SessionImpl : ConstSessionImpl<T> {
  using ConstSessionImpl<T>::ConstSessionImpl;
  /** Runs once and returns the outputs that are named. */
  std::vector<Value> Run(const RunOptions& run_options, const char* const* input_names,
                         const Value* input_values, size_t input_count,
                         const char* const* output_names, size_t output_count) {
    std::vector<Value> out;
    for (size_t i = 0; i < output_count; ++i) out.emplace_back(nullptr);
    Run(run_options, input_names, input_values, input_count, output_names, out.data(),
        output_count);
    return out;
  }
  /** The same into values of the caller: an empty one is made, another is written in place. */
  void Run(const RunOptions& run_options, const char* const* input_names, const Value* input_values,
           size_t input_count, const char* const* output_names, Value* output_values,
           size_t output_count) {
    static_assert(sizeof(Value) == sizeof(OrtValue*), "arrays of Value are arrays of OrtValue*");
    auto inputs = reinterpret_cast<const OrtValue* const*>(input_values);
    auto outputs = reinterpret_cast<OrtValue**>(output_values);
    ThrowOnError(GetApi().Run(this->p_, run_options, input_names, inputs, input_count, output_names,
                              output_count, outputs));
  }
  void Run(const RunOptions& run_options, const IoBinding& io_binding);
  void RunAsync(const RunOptions& run_options, const char* const* input_names,
                const Value* input_values, size_t input_count, const char* const* output_names,
                Value* output_values, size_t output_count, RunAsyncCallbackFn callback,
                void* user_data) {
    auto inputs = reinterpret_cast<const OrtValue* const*>(input_values);
    auto outputs = reinterpret_cast<OrtValue**>(output_values);
    ThrowOnError(GetApi().RunAsync(this->p_, run_options, input_names, inputs, input_count,
                                   output_names, output_count, outputs, callback, user_data));
  }
  AllocatedStringPtr EndProfilingAllocated(OrtAllocator* allocator) {
    char* out = nullptr;
    ThrowOnError(GetApi().SessionEndProfiling(this->p_, allocator, &out));
    return AllocatedStringPtr(out, AllocatedFree(allocator));
  }
  void SetEpDynamicOptions(const char* const* keys, const char* const* values, size_t kv_len) {
    ThrowOnError(GetApi().SetEpDynamicOptions(this->p_, keys, values, kv_len));
  }
};

}  // namespace detail

using ConstSession = detail::ConstSessionImpl<detail::Unowned<const OrtSession>>;
using UnownedSession = detail::SessionImpl<detail::Unowned<OrtSession>>;

/** A loaded model. */
struct Session : detail::SessionImpl<OrtSession> {
  explicit Session(std::nullptr_t) {}
  explicit Session(OrtSession* p) : SessionImpl(p) {}
  Session(const Env& env, const ORTCHAR_T* model_path, const SessionOptions& options) {
    ThrowOnError(GetApi().CreateSession(env, model_path, options, &p_));
  }
  Session(const Env& env, const ORTCHAR_T* model_path, const SessionOptions& options,
          OrtPrepackedWeightsContainer* prepacked_weights_container) {
    ThrowOnError(GetApi().CreateSessionWithPrepackedWeightsContainer(
        env, model_path, options, prepacked_weights_container, &p_));
  }
  Session(const Env& env, const void* model_data, size_t model_data_length,
          const SessionOptions& options) {
    ThrowOnError(GetApi().CreateSessionFromArray(env, model_data, model_data_length, options, &p_));
  }
  Session(const Env& env, const void* model_data, size_t model_data_length,
          const SessionOptions& options,
          OrtPrepackedWeightsContainer* prepacked_weights_container) {
    ThrowOnError(GetApi().CreateSessionFromArrayWithPrepackedWeightsContainer(
        env, model_data, model_data_length, options, prepacked_weights_container, &p_));
  }
  ConstSession GetConst() const { return ConstSession(p_); }
  UnownedSession GetUnowned() const { return UnownedSession(p_); }
};

inline Allocator::Allocator(const Session& session, const OrtMemoryInfo* mem_info) {
  ThrowOnError(GetApi().CreateAllocator(session, mem_info, &p_));
}

namespace detail {

template <typename T>
struct ConstIoBindingImpl : Base<T> {
  using Base<T>::Base;
  std::vector<std::string> GetOutputNames() const {
    AllocatorWithDefaultOptions allocator;
    return GetOutputNames(allocator);
  }
  std::vector<std::string> GetOutputNames(OrtAllocator* allocator) const {
    char* texts = nullptr;
    size_t* lengths = nullptr;
    size_t count = 0;
    ThrowOnError(GetApi().GetBoundOutputNames(this->p_, allocator, &texts, &lengths, &count));
    const AllocatedFree free(allocator);
    const std::unique_ptr<void, AllocatedFree> text_guard(texts, free), length_guard(lengths, free);
    std::vector<std::string> out;
    const char* at = texts;
    for (size_t i = 0; i < count; ++i) {
      out.emplace_back(at, lengths[i]);
      at += lengths[i];
    }
    return out;
  }
  std::vector<Value> GetOutputValues() const {
    AllocatorWithDefaultOptions allocator;
    return GetOutputValues(allocator);
  }
  std::vector<Value> GetOutputValues(OrtAllocator* allocator) const {
    OrtValue** values = nullptr;
    size_t count = 0;
    ThrowOnError(GetApi().GetBoundOutputValues(this->p_, allocator, &values, &count));
    const std::unique_ptr<void, AllocatedFree> guard(values, AllocatedFree(allocator));
    std::vector<Value> out;
    out.reserve(count);
    for (size_t i = 0; i < count; ++i) out.emplace_back(values[i]);
    return out;
  }
};

template <typename T>
struct IoBindingImpl : ConstIoBindingImpl<T> {
  using ConstIoBindingImpl<T>::ConstIoBindingImpl;
  void BindInput(const char* name, const Value& value) {
    ThrowOnError(GetApi().BindInput(this->p_, name, value));
  }
  void BindOutput(const char* name, const Value& value) {
    ThrowOnError(GetApi().BindOutput(this->p_, name, value));
  }
  void BindOutput(const char* name, const OrtMemoryInfo* mem_info) {
    ThrowOnError(GetApi().BindOutputToDevice(this->p_, name, mem_info));
  }
  void ClearBoundInputs() { GetApi().ClearBoundInputs(this->p_); }
  void ClearBoundOutputs() { GetApi().ClearBoundOutputs(this->p_); }
  void SynchronizeInputs() { ThrowOnError(GetApi().SynchronizeBoundInputs(this->p_)); }
  void SynchronizeOutputs() { ThrowOnError(GetApi().SynchronizeBoundOutputs(this->p_)); }
};

}  // namespace detail

using ConstIoBinding = detail::ConstIoBindingImpl<detail::Unowned<const OrtIoBinding>>;
using UnownedIoBinding = detail::IoBindingImpl<detail::Unowned<OrtIoBinding>>;

/** Inputs and outputs of a session, recorded ahead of runs. */
struct IoBinding : detail::IoBindingImpl<OrtIoBinding> {
  explicit IoBinding(std::nullptr_t) {}
  explicit IoBinding(Session& session) { ThrowOnError(GetApi().CreateIoBinding(session, &p_)); }
  ConstIoBinding GetConst() const { return ConstIoBinding(p_); }
  UnownedIoBinding GetUnowned() const { return UnownedIoBinding(p_); }
};

template <typename T>
void detail::SessionImpl<T>::Run(const RunOptions& run_options, const IoBinding& io_binding) {
  ThrowOnError(GetApi().RunWithBinding(this->p_, run_options, io_binding));
}

inline std::vector<std::string> GetAvailableProviders() {
  char** names = nullptr;
  int count = 0;
  ThrowOnError(GetApi().GetAvailableProviders(&names, &count));
  std::vector<std::string> out(names, names + count);
  ThrowOnError(GetApi().ReleaseAvailableProviders(names, count));
  return out;
}

}  // namespace Ort
