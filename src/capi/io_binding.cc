// Inputs and outputs recorded ahead of runs.
#include <cstring>

#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"
#include "capi/support/scratch.h"
#include "capi/support/text.h"
#include "memory/admission/budget_source.h"
#include "memory/source/hub.h"

namespace waybill::capi {
namespace {

// One call at a time has a binding: what a run reads and writes must stay as it is until it ends.
class Use {
 public:
  explicit Use(const OrtIoBinding& binding) : lock_(binding.in_use, std::try_to_lock) {}

  Status status() const {
    if (lock_.owns_lock()) return Status::Ok();
    return Error(Code::kFail, "the binding is in use by a run or another call");
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

// Enters what runs made for the binding into the account of memory.
void CountResults(OrtIoBinding& binding) {
  uint64_t values = 0, bytes = 0;
  for (const OrtIoBinding::Output& output : binding.outputs) {
    const Tensor* tensor = output.preallocated ? nullptr : output.value.tensor();
    if (tensor == nullptr) continue;
    ++values;
    bytes += BudgetSource::ChargedBytes(tensor->storage().view().bytes);
  }
  BoundResults& bound = binding.env->hub().bound;
  bound.values.fetch_add(values - binding.counted_values, std::memory_order_relaxed);
  bound.bytes.fetch_add(bytes - binding.counted_bytes, std::memory_order_relaxed);
  binding.counted_values = values;
  binding.counted_bytes = bytes;
}

OrtStatus* SetOutput(OrtIoBinding* binding_ptr, const char* name, Value value,
                     const OrtMemoryInfo* memory, bool preallocated) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(binding_ptr);
    WB_NOT_NULL(name);
    const Use use(*binding_ptr);
    WB_RETURN_IF_ERROR(use.status());
    OrtIoBinding::Output output{name, std::move(value), *memory, preallocated};
    for (OrtIoBinding::Output& known : binding_ptr->outputs) {
      if (known.name == name) {
        known = std::move(output);
        CountResults(*binding_ptr);
        return Status::Ok();
      }
    }
    binding_ptr->outputs.push_back(std::move(output));
    return Status::Ok();
  });
}

bool HasInput(const session::Session& session, std::string_view name) {
  for (const auto* infos : {&session.inputs(), &session.overridable_initializers()}) {
    for (const session::IoInfo& info : *infos) {
      if (info.name == name) return true;
    }
  }
  return false;
}

OrtStatus* Synchronize(OrtIoBinding* binding_ptr) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(binding_ptr);
    return Status::Ok();
  });
}

}  // namespace

OrtStatus* CreateIoBinding(OrtSession* session, OrtIoBinding** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(session);
    WB_NOT_NULL(out);
    auto binding = std::make_unique<OrtIoBinding>();
    binding->session = session->session;
    binding->env = session->env;
    *out = binding.release();
    return Status::Ok();
  });
}

// Waits for a run that uses it.
void ReleaseIoBinding(OrtIoBinding* input) {
  if (input == nullptr) return;
  {
    const std::lock_guard last(input->in_use);
    input->outputs.clear();
    CountResults(*input);
  }
  delete input;
}

OrtStatus* BindInput(OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(binding_ptr);
    WB_NOT_NULL(name);
    WB_NOT_NULL(val_ptr);
    if (!HasInput(*binding_ptr->session, name)) {
      return Error(Code::kFail, "Failed to find input name in the mapping: {}", name);
    }
    const Use use(*binding_ptr);
    WB_RETURN_IF_ERROR(use.status());
    for (auto& [known, value] : binding_ptr->inputs) {
      if (known == name) {
        value = val_ptr->value;
        return Status::Ok();
      }
    }
    binding_ptr->inputs.emplace_back(name, val_ptr->value);
    return Status::Ok();
  });
}

OrtStatus* BindOutput(OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr) {
  if (val_ptr == nullptr) return MakeStatus(ORT_INVALID_ARGUMENT, "argument 'val_ptr' is NULL");
  return SetOutput(binding_ptr, name, val_ptr->value, &val_ptr->memory, true);
}

OrtStatus* BindOutputToDevice(OrtIoBinding* binding_ptr, const char* name,
                              const OrtMemoryInfo* mem_info_ptr) {
  if (mem_info_ptr == nullptr) {
    return MakeStatus(ORT_INVALID_ARGUMENT, "argument 'mem_info_ptr' is NULL");
  }
  if (!mem_info_ptr->host_accessible()) {
    return MakeStatus(ORT_FAIL, "the device of the output is not in this build");
  }
  return SetOutput(binding_ptr, name, Value(), mem_info_ptr, false);
}

OrtStatus* GetBoundOutputNames(const OrtIoBinding* binding_ptr, OrtAllocator* allocator,
                               char** buffer, size_t** lengths, size_t* count) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(binding_ptr);
    WB_NOT_NULL(allocator);
    WB_NOT_NULL(buffer);
    WB_NOT_NULL(lengths);
    WB_NOT_NULL(count);
    const Use use(*binding_ptr);
    WB_RETURN_IF_ERROR(use.status());
    *buffer = nullptr;
    *lengths = nullptr;
    *count = 0;
    const auto& outputs = binding_ptr->outputs;
    if (outputs.empty()) return Status::Ok();
    std::string text;
    for (const auto& output : outputs) text += output.name;
    WB_ASSIGN_OR_RETURN(void* sizes, AllocateFrom(allocator, outputs.size() * sizeof(size_t)));
    Result<char*> copy = CopyText(allocator, text);
    if (!copy.ok()) {
      allocator->Free(allocator, sizes);
      return std::move(copy).status();
    }
    *lengths = static_cast<size_t*>(sizes);
    for (size_t i = 0; i < outputs.size(); ++i) (*lengths)[i] = outputs[i].name.size();
    *buffer = *copy;
    *count = outputs.size();
    return Status::Ok();
  });
}

OrtStatus* GetBoundOutputValues(const OrtIoBinding* binding_ptr, OrtAllocator* allocator,
                                OrtValue*** output, size_t* output_count) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(binding_ptr);
    WB_NOT_NULL(allocator);
    WB_NOT_NULL(output);
    WB_NOT_NULL(output_count);
    const Use use(*binding_ptr);
    WB_RETURN_IF_ERROR(use.status());
    *output = nullptr;
    *output_count = 0;
    std::vector<std::unique_ptr<OrtValue>> made;
    for (const auto& bound : binding_ptr->outputs) {
      made.push_back(MakeValue(bound.value, bound.memory));
    }
    if (made.empty()) return Status::Ok();
    WB_ASSIGN_OR_RETURN(void* block, AllocateFrom(allocator, made.size() * sizeof(OrtValue*)));
    *output = static_cast<OrtValue**>(block);
    for (size_t i = 0; i < made.size(); ++i) (*output)[i] = made[i].release();
    *output_count = made.size();
    return Status::Ok();
  });
}

// These two can not say no, so they wait for a run that uses the binding.
void ClearBoundInputs(OrtIoBinding* binding_ptr) {
  if (binding_ptr == nullptr) return;
  const std::lock_guard lock(binding_ptr->in_use);
  binding_ptr->inputs.clear();
}

void ClearBoundOutputs(OrtIoBinding* binding_ptr) {
  if (binding_ptr == nullptr) return;
  const std::lock_guard lock(binding_ptr->in_use);
  binding_ptr->outputs.clear();
  CountResults(*binding_ptr);
}

// Everything is in CPU memory and done when a call returns.
OrtStatus* SynchronizeBoundInputs(OrtIoBinding* binding_ptr) { return Synchronize(binding_ptr); }
OrtStatus* SynchronizeBoundOutputs(OrtIoBinding* binding_ptr) { return Synchronize(binding_ptr); }

OrtStatus* RunWithBinding(OrtSession* session, const OrtRunOptions* run_options,
                          const OrtIoBinding* binding_ptr) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(session);
    WB_NOT_NULL(binding_ptr);
    if (binding_ptr->session != session->session) {
      return Error(Code::kInvalidArgument, "the binding belongs to another session");
    }
    const Use use(*binding_ptr);
    WB_RETURN_IF_ERROR(use.status());
    // Results are recorded in the binding, which the interface passes as const.
    auto* binding = const_cast<OrtIoBinding*>(binding_ptr);
    const std::shared_ptr<session::Session> running = session->running.Take();
    const auto& inputs = binding->inputs;
    auto& outputs = binding->outputs;
    Scratch<std::string_view> in_names(inputs.size()), out_names(outputs.size());
    Scratch<Value> in_values(inputs.size()), out_values(outputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      in_names[i] = inputs[i].first;
      in_values[i] = inputs[i].second;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      out_names[i] = outputs[i].name;
      if (outputs[i].preallocated) {
        out_values[i] = outputs[i].value;
      } else {
        outputs[i].value = Value();  // what the last run made is not held beside what this one does
      }
    }
    CountResults(*binding);
    WB_RETURN_IF_ERROR(RunSession(*running, run_options, in_names.span(), in_values.span(),
                                  out_names.span(), out_values.span()));
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i].value = std::move(out_values[i]);
    CountResults(*binding);
    return Status::Ok();
  });
}

}  // namespace waybill::capi
