// Running a session.
#include <algorithm>

#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"
#include "capi/support/scratch.h"
#include "session/load/config.h"
#include "session/load/each_part.h"
#include "session/load/memory_keys.h"
#include "waybill.h"

namespace waybill::capi {
namespace {

const session::IoInfo* Find(const session::Session& session, std::string_view name) {
  for (const auto* infos : {&session.inputs(), &session.overridable_initializers()}) {
    for (const session::IoInfo& info : *infos) {
      if (info.name == name) return &info;
    }
  }
  return nullptr;
}

bool Aligned(const Tensor& tensor) {
  return tensor.dtype() == DType::kString ||
         reinterpret_cast<uintptr_t>(tensor.view().data) % DTypeAlign(tensor.dtype()) == 0;
}

// What the session is given for a value of the caller where the model declares an optional: the
// value as one. Runs look at the address of plain tensors only.
Status PrepareInput(const session::IoInfo& info, Value& value) {
  if (info.type.kind != ValueKind::kOptional || value.kind() == ValueKind::kOptional) {
    return Status::Ok();
  }
  if (const Tensor* tensor = value.tensor(); tensor != nullptr && !Aligned(*tensor)) {
    WB_ASSIGN_OR_RETURN(Tensor copy, CopyTensor(tensor->view(), CpuSource(), MemoryTag::kStaging));
    value = Value(std::move(copy));
  }
  OptionalValue optional;
  optional.element = value.type();
  optional.value = std::make_shared<const Value>(std::move(value));
  value = Value(std::move(optional));
  return Status::Ok();
}

// Makes a given output tell what was written to it: a tensor where a tensor was given, since runs
// refuse the rest. One that tells it already is not touched: then callers of several threads may
// look at it.
void Report(Value written, OrtValue& given) {
  const Tensor* tensor = given.value.tensor();
  if (tensor != nullptr && tensor->shape() == written.tensor()->shape()) return;
  given.value = Unwrap(std::move(written));
}

Status ReadShrinkage(const std::string& key, std::string_view devices, bool& trim) {
  for (std::string_view left = devices; !left.empty();) {
    const size_t end = std::min(left.find(';'), left.size());
    if (left.substr(0, end) != "cpu:0") {
      return Error(Code::kInvalidArgument, "{} = \"{}\": there is no memory of device {}", key,
                   devices, left.substr(0, end));
    }
    trim = true;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return Status::Ok();
}

// Entries that are about devices that are not there mean nothing; unknown ones are accepted unless
// they are about memory.
Status ReadConfig(const std::map<std::string, std::string>& entries, session::RunOptions& options) {
  for (const auto& [key, value] : entries) {
    if (key == "memory.enable_memory_arena_shrinkage") {
      WB_RETURN_IF_ERROR(ReadShrinkage(key, value, options.trim));
    } else if (key == kWaybillRunAdmissionTimeoutMs) {
      WB_ASSIGN_OR_RETURN(options.admission_timeout_ms,
                          session::ParseTimeoutMs(Format("run config entry {}", key), value));
    } else if (key == kWaybillRunDonateInputs) {
      if (value.empty()) continue;
      session::EachPart(value, ';', [&](std::string_view name) {
        options.donated_inputs.emplace_back(name);
        return true;
      });
    } else if (key.starts_with("waybill.")) {
      return Error(Code::kInvalidArgument, "unknown run config entry {}", key);
    } else {
      WB_RETURN_IF_ERROR(session::CheckMemoryKey("run config entry", key));
    }
  }
  return Status::Ok();
}

}  // namespace

Status RunSession(session::Session& session, const OrtRunOptions* run_options,
                  std::span<const std::string_view> input_names, std::span<Value> inputs,
                  std::span<const std::string_view> output_names, std::span<Value> outputs) {
  if (output_names.empty()) {
    return Error(Code::kInvalidArgument, "At least one output should be requested.");
  }
  for (size_t i = 0; i < input_names.size(); ++i) {
    const session::IoInfo* info = Find(session, input_names[i]);
    if (info == nullptr) {
      return Error(Code::kInvalidArgument, "Invalid input name: {}", input_names[i]);
    }
    WB_RETURN_IF_ERROR(PrepareInput(*info, inputs[i]));
  }
  session::RunOptions options;
  options.reshape_outputs = true;
  if (run_options != nullptr) {
    options.terminate = &run_options->terminate;
    WB_RETURN_IF_ERROR(ReadConfig(run_options->config, options));
  }
  Status status = session.Run(options, input_names, inputs, output_names, outputs);
  if (status.code() == Code::kCancelled) {
    return Error(Code::kCancelled, "Exiting due to terminate flag being set to true.");
  }
  return status;
}

OrtStatus* Run(OrtSession* session, const OrtRunOptions* run_options,
               const char* const* input_names, const OrtValue* const* inputs, size_t input_len,
               const char* const* output_names, size_t output_names_len, OrtValue** outputs) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(session);
    if (input_len != 0) {
      WB_NOT_NULL(input_names);
      WB_NOT_NULL(inputs);
    }
    if (output_names_len == 0) {
      return Error(Code::kInvalidArgument, "At least one output should be requested.");
    }
    WB_NOT_NULL(output_names);
    WB_NOT_NULL(outputs);
    Scratch<std::string_view> in_names(input_len), out_names(output_names_len);
    Scratch<Value> in_values(input_len), out_values(output_names_len);
    for (size_t i = 0; i < input_len; ++i) {
      if (input_names[i] == nullptr || *input_names[i] == '\0') {
        return Error(Code::kInvalidArgument, "input name cannot be empty");
      }
      if (inputs[i] == nullptr) {
        return Error(Code::kInvalidArgument, "NULL input supplied for input {}", input_names[i]);
      }
      in_names[i] = input_names[i];
      in_values[i] = inputs[i]->value;
    }
    for (size_t i = 0; i < output_names_len; ++i) {
      if (output_names[i] == nullptr || *output_names[i] == '\0') {
        return Error(Code::kInvalidArgument, "output name cannot be empty");
      }
      out_names[i] = output_names[i];
      if (outputs[i] != nullptr) out_values[i] = outputs[i]->value;
    }
    // The handle may be released while the run is under way.
    const std::shared_ptr<session::Session> running = session->running.Take();
    WB_RETURN_IF_ERROR(RunSession(*running, run_options, in_names.span(), in_values.span(),
                                  out_names.span(), out_values.span()));
    Scratch<std::unique_ptr<OrtValue>> made(output_names_len);
    for (size_t i = 0; i < output_names_len; ++i) {
      if (outputs[i] == nullptr) made[i] = MakeValue(std::move(out_values[i]));
    }
    for (size_t i = 0; i < output_names_len; ++i) {
      if (outputs[i] != nullptr) Report(std::move(out_values[i]), *outputs[i]);
    }
    for (size_t i = 0; i < output_names_len; ++i) {
      if (made[i] != nullptr) outputs[i] = made[i].release();
    }
    return Status::Ok();
  });
}

}  // namespace waybill::capi
