// Running a session.
#include <algorithm>
#include <cstring>

#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"
#include "capi/support/scratch.h"

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

// What the session is given for a value of the caller: optionals are wrapped where the model
// declares one, and bytes at an address that the type cannot be read from are copied.
Status PrepareInput(const session::IoInfo& info, Value& value) {
  if (const Tensor* tensor = value.tensor(); tensor != nullptr && !Aligned(*tensor)) {
    WB_ASSIGN_OR_RETURN(Tensor copy, CopyTensor(tensor->view(), CpuSource(), MemoryTag::kStaging));
    value = Value(std::move(copy));
  }
  if (info.type.kind == ValueKind::kOptional && value.kind() != ValueKind::kOptional) {
    OptionalValue optional;
    optional.element = value.type();
    optional.value = std::make_shared<const Value>(std::move(value));
    value = Value(std::move(optional));
  }
  return Status::Ok();
}

// Outputs as the session sees them: each name once, and a fresh value where the caller's bytes are
// misaligned.
struct OutputPlan {
  Scratch<std::string_view> names;
  Scratch<Value> values;
  Scratch<size_t> slot;  // caller's output -> entry above
  size_t count = 0;

  OutputPlan(std::span<const std::string_view> asked, std::span<const Value> given)
      : names(asked.size()), values(asked.size()), slot(asked.size()) {
    for (size_t i = 0; i < asked.size(); ++i) {
      const auto known = names.first(count);
      slot[i] =
          static_cast<size_t>(std::find(known.begin(), known.end(), asked[i]) - known.begin());
      if (slot[i] != count) continue;
      const Tensor* tensor = given[i].tensor();
      names[count] = asked[i];
      if (tensor != nullptr && Aligned(*tensor)) values[count] = given[i];
      ++count;
    }
  }
};

// Copies a result to where the caller wants it, or gives it to them.
Status Deliver(const Value& made, Value& wanted) {
  const Tensor* from = made.tensor();
  const Tensor* to = wanted.tensor();
  if (to == nullptr) {
    wanted = made;  // asked for twice: both share the bytes
    return Status::Ok();
  }
  if (from != nullptr && from->view().data == to->view().data) return Status::Ok();
  if (from == nullptr || from->dtype() != to->dtype() || !(from->shape() == to->shape())) {
    return Error(Code::kInvalidArgument, "the output is {}, the value given for it {}",
                 made.type().ToString(), wanted.type().ToString());
  }
  if (from->dtype() == DType::kString) {
    std::copy(from->span<std::string>().begin(), from->span<std::string>().end(),
              to->span<std::string>().begin());
  } else if (from->view().bytes() != 0) {
    std::memcpy(to->view().data, from->view().data, from->view().bytes());
  }
  return Status::Ok();
}

// Entries that are about devices that are not there mean nothing; unknown ones are accepted.
Status ReadConfig(const std::map<std::string, std::string>& entries, session::RunOptions& options) {
  if (entries.empty()) return Status::Ok();
  const auto shrink = entries.find("memory.enable_memory_arena_shrinkage");
  if (shrink == entries.end()) return Status::Ok();
  std::string_view left = shrink->second;
  while (!left.empty()) {
    const size_t end = std::min(left.find(';'), left.size());
    if (left.substr(0, end) != "cpu:0") {
      return Error(Code::kInvalidArgument, "{} = \"{}\": there is no memory of device {}",
                   shrink->first, shrink->second, left.substr(0, end));
    }
    options.trim = true;
    left.remove_prefix(std::min(end + 1, left.size()));
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
  for (const std::string_view name : output_names) {
    const auto& infos = session.outputs();
    if (std::none_of(infos.begin(), infos.end(), [&](const auto& i) { return i.name == name; })) {
      return Error(Code::kInvalidArgument, "Invalid output name: {}", name);
    }
  }
  session::RunOptions options;
  if (run_options != nullptr) {
    options.terminate = &run_options->terminate;
    WB_RETURN_IF_ERROR(ReadConfig(run_options->config, options));
  }
  OutputPlan plan(output_names, outputs);
  Status status = session.Run(options, input_names, inputs, plan.names.first(plan.count),
                              plan.values.first(plan.count));
  if (status.code() == Code::kCancelled) {
    return Error(Code::kCancelled, "Exiting due to terminate flag being set to true.");
  }
  WB_RETURN_IF_ERROR(std::move(status));
  for (size_t i = 0; i < outputs.size(); ++i) {
    WB_RETURN_IF_ERROR(Deliver(plan.values[plan.slot[i]], outputs[i]), "output '{}'",
                       output_names[i]);
  }
  return Status::Ok();
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
    WB_RETURN_IF_ERROR(RunSession(*session->session, run_options, in_names.span(), in_values.span(),
                                  out_names.span(), out_values.span()));
    Scratch<std::unique_ptr<OrtValue>> made(output_names_len);
    for (size_t i = 0; i < output_names_len; ++i) {
      if (outputs[i] == nullptr) {
        made[i] = MakeValue(std::move(out_values[i]));
      } else if (outputs[i]->value.tensor() == nullptr) {
        outputs[i]->value = std::move(MakeValue(std::move(out_values[i]))->value);
      }
    }
    for (size_t i = 0; i < output_names_len; ++i) {
      if (made[i] != nullptr) outputs[i] = made[i].release();
    }
    return Status::Ok();
  });
}

}  // namespace waybill::capi
