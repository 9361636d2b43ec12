// Sessions: making them and asking for names and types.
#include <filesystem>

#include "capi/handles.h"
#include "capi/providers.h"
#include "capi/slots.h"
#include "capi/support/allocator.h"
#include "capi/support/error.h"
#include "capi/support/text.h"
#include "memory/source/hub.h"

namespace waybill::capi {
namespace {

// Where blocks of the session's allocators come from, and its outputs when it is to use the
// environment's allocator.
void UseAllocators(const OrtEnv& env, session::SessionOptions& options, OrtSession& handle) {
  const auto asks = options.config.find("session.use_env_allocators");
  if (asks != options.config.end() && asks->second == "1") {
    const std::lock_guard lock(env.allocator_mutex);
    if (env.allocator != nullptr) {
      if (IsOurs(env.allocator.get())) {
        handle.arena = static_cast<const OwnAllocator*>(env.allocator.get())->arena;
      } else {
        handle.registered = env.allocator_source;
      }
      options.output_source = env.allocator_source;
      return;
    }
  }
  if (options.cpu_mem_arena) handle.arena = env.env->hub().NewArena({});
}

Status CheckOptions(const OrtEnv& env, const OrtSessionOptions& options) {
  if (!options.per_session_threads && !env.has_global_pools) {
    return Error(Code::kFail,
                 "the session is to use the environment's thread pools, but the environment was "
                 "made without them");
  }
  const auto it = options.options.config.find("session.disable_cpu_ep_fallback");
  if (it != options.options.config.end() && it->second == "1") {
    return Error(Code::kFail,
                 "session.disable_cpu_ep_fallback is set, but the only provider is the CPU's");
  }
  return Status::Ok();
}

// `load` makes the session from finished options.
template <typename Load>
OrtStatus* Make(const OrtEnv* env, const OrtSessionOptions* options, OrtSession** out,
                Load&& load) {
  bool cancelled = false;
  OrtStatus* failed = Guard([&]() -> Status {
    WB_NOT_NULL(env);
    WB_NOT_NULL(out);
    const OrtSessionOptions defaults;
    if (options == nullptr) options = &defaults;
    WB_RETURN_IF_ERROR(CheckOptions(*env, *options));
    auto handle = std::make_unique<OrtSession>();
    handle->env = env->env;
    handle->cancel_load = options->cancel_load;
    session::SessionOptions copy = options->options;
    copy.cancel_load = handle->cancel_load.get();
    copy.denormals_as_zero = !options->per_session_threads && env->denormals_as_zero;
    if (copy.providers.empty()) copy.providers = DefaultProviders();
    UseAllocators(*env, copy, *handle);
    cancelled = handle->cancel_load->load();
    Result<std::shared_ptr<session::Session>> made =
        cancelled ? Error(Code::kCancelled, "the load was cancelled")
                  : load(handle->env, std::move(copy));
    cancelled = !made.ok() && made.status().code() == Code::kCancelled;
    if (!made.ok()) return std::move(made).status();
    handle->session = std::move(made).value();
    handle->running = waybill::ShareByThread<session::Session>(handle->session);
    *out = handle.release();
    return Status::Ok();
  });
  if (cancelled && failed != nullptr) {
    ReleaseStatus(failed);
    failed =
        MakeStatus(ORT_MODEL_LOAD_CANCELED, "Session initialization canceled due to user request.");
  }
  return failed;
}

// Whether something is at the path, or may be: a folder that cannot be searched does not tell.
bool Exists(const ORTCHAR_T* path) {
  std::error_code error;
  return std::filesystem::status(path, error).type() != std::filesystem::file_type::not_found;
}

using Infos = const std::vector<session::IoInfo>& (session::Session::*)() const;

OrtStatus* Count(const OrtSession* session, size_t* out, Infos infos) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(session);
    WB_NOT_NULL(out);
    *out = ((*session->session).*infos)().size();
    return Status::Ok();
  });
}

Result<const session::IoInfo*> InfoAt(const OrtSession* session, size_t index, Infos infos) {
  WB_NOT_NULL(session);
  const std::vector<session::IoInfo>& all = ((*session->session).*infos)();
  if (index >= all.size()) return Error(Code::kFail, "index out of range");
  return &all[index];
}

OrtStatus* TypeAt(const OrtSession* session, size_t index, OrtTypeInfo** type_info, Infos infos) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(type_info);
    WB_ASSIGN_OR_RETURN(const session::IoInfo* info, InfoAt(session, index, infos));
    *type_info = MakeTypeInfo(info->type).release();
    return Status::Ok();
  });
}

OrtStatus* NameAt(const OrtSession* session, size_t index, OrtAllocator* allocator, char** value,
                  Infos infos) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(allocator);
    WB_NOT_NULL(value);
    WB_ASSIGN_OR_RETURN(const session::IoInfo* info, InfoAt(session, index, infos));
    WB_ASSIGN_OR_RETURN(*value, CopyText(allocator, info->name));
    return Status::Ok();
  });
}

constexpr Infos kInputs = &session::Session::inputs;
constexpr Infos kOutputs = &session::Session::outputs;
constexpr Infos kInitializers = &session::Session::overridable_initializers;

}  // namespace

OrtStatus* CreateSession(const OrtEnv* env, const ORTCHAR_T* model_path,
                         const OrtSessionOptions* options, OrtSession** out) {
  return Make(
      env, options, out,
      [&](const auto& owner,
          session::SessionOptions copy) -> Result<std::shared_ptr<session::Session>> {
        WB_NOT_NULL(model_path);
        auto made = session::Session::LoadFile(owner, model_path, std::move(copy));
        // Other files may be missing too, and files that exist may not open: those errors
        // name the file and the reason.
        if (!made.ok() && made.status().code() == Code::kNoSuchFile && !Exists(model_path)) {
          return Error(Code::kNoSuchFile,
                       "Load model from {} failed:Load model {} failed. File doesn't exist",
                       model_path, model_path);
        }
        return made;
      });
}

OrtStatus* CreateSessionFromArray(const OrtEnv* env, const void* model_data,
                                  size_t model_data_length, const OrtSessionOptions* options,
                                  OrtSession** out) {
  return Make(env, options, out,
              [&](const auto& owner,
                  session::SessionOptions copy) -> Result<std::shared_ptr<session::Session>> {
                if (model_data_length == 0) {
                  return Error(Code::kInvalidArgument, "No graph was found in the protobuf.");
                }
                WB_NOT_NULL(model_data);
                const std::span bytes(static_cast<const std::byte*>(model_data), model_data_length);
                return session::Session::LoadBytes(owner, bytes, false, std::move(copy));
              });
}

void ReleaseSession(OrtSession* input) { delete input; }

OrtStatus* SessionGetInputCount(const OrtSession* session, size_t* out) {
  return Count(session, out, kInputs);
}
OrtStatus* SessionGetOutputCount(const OrtSession* session, size_t* out) {
  return Count(session, out, kOutputs);
}
OrtStatus* SessionGetOverridableInitializerCount(const OrtSession* session, size_t* out) {
  return Count(session, out, kInitializers);
}

OrtStatus* SessionGetInputTypeInfo(const OrtSession* session, size_t index,
                                   OrtTypeInfo** type_info) {
  return TypeAt(session, index, type_info, kInputs);
}
OrtStatus* SessionGetOutputTypeInfo(const OrtSession* session, size_t index,
                                    OrtTypeInfo** type_info) {
  return TypeAt(session, index, type_info, kOutputs);
}
OrtStatus* SessionGetOverridableInitializerTypeInfo(const OrtSession* session, size_t index,
                                                    OrtTypeInfo** type_info) {
  return TypeAt(session, index, type_info, kInitializers);
}

OrtStatus* SessionGetInputName(const OrtSession* session, size_t index, OrtAllocator* allocator,
                               char** value) {
  return NameAt(session, index, allocator, value, kInputs);
}
OrtStatus* SessionGetOutputName(const OrtSession* session, size_t index, OrtAllocator* allocator,
                                char** value) {
  return NameAt(session, index, allocator, value, kOutputs);
}
OrtStatus* SessionGetOverridableInitializerName(const OrtSession* session, size_t index,
                                                OrtAllocator* allocator, char** value) {
  return NameAt(session, index, allocator, value, kInitializers);
}

// Profiling is always off: no file, no start time.
OrtStatus* SessionEndProfiling(OrtSession* session, OrtAllocator* allocator, char** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(session);
    WB_NOT_NULL(allocator);
    WB_NOT_NULL(out);
    WB_ASSIGN_OR_RETURN(*out, CopyText(allocator, ""));
    return Status::Ok();
  });
}

OrtStatus* SessionGetProfilingStartTimeNs(const OrtSession* session, uint64_t* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(session);
    WB_NOT_NULL(out);
    *out = 0;
    return Status::Ok();
  });
}

}  // namespace waybill::capi
