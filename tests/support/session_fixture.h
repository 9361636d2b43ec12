// For tests of sessions: an Env without noise, models from writers, tensors from lists.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/reference/reference.h"
#include "memory/source/system_source.h"
#include "onnx/model/writer/model_writer.h"
#include "session/session.h"

namespace waybill::session {

template <typename T>
Tensor MakeTensor(DType dtype, Shape shape, const std::vector<T>& values) {
  Tensor tensor = *Tensor::Allocate(dtype, std::move(shape), std::make_shared<SystemSource>(),
                                    MemoryTag::kUser);
  for (size_t i = 0; i < values.size(); ++i) tensor.span<T>()[i] = values[i];
  return tensor;
}
inline Value Floats(Shape shape, const std::vector<float>& values) {
  return MakeTensor(DType::kF32, std::move(shape), values);
}
inline Value Ints(Shape shape, const std::vector<int64_t>& values) {
  return MakeTensor(DType::kI64, std::move(shape), values);
}
inline std::vector<float> AsFloats(const Value& value) {
  const auto span = value.tensor()->span<float>();
  return {span.begin(), span.end()};
}

inline SessionOptions ReferenceOptions() {
  SessionOptions options;
  options.providers = {{"CPUExecutionProvider", kernel::reference::AllTables()}};
  return options;
}

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() {
    EnvOptions options;
    options.sink = [this](Severity, std::string_view, std::string_view, std::string_view,
                          std::string_view message) { log_ += std::string(message) + "\n"; };
    env_ = *Env::Create(std::move(options));
  }

  Result<std::shared_ptr<Session>> Load(const onnx::ModelWriter& model,
                                        SessionOptions options = ReferenceOptions()) {
    const std::string bytes = model.bytes();
    return Session::LoadBytes(env_, std::as_bytes(std::span(bytes)), false, std::move(options));
  }
  // Fails the test when the model does not load.
  std::shared_ptr<Session> MustLoad(const onnx::ModelWriter& model,
                                    SessionOptions options = ReferenceOptions()) {
    auto session = Load(model, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    return session.ok() ? *session : nullptr;
  }
  static Status Run(Session& session, const std::vector<std::string_view>& names,
                    const std::vector<Value>& inputs,
                    const std::vector<std::string_view>& output_names,
                    std::vector<Value>& outputs) {
    outputs.resize(output_names.size());
    return session.Run(RunOptions(), names, inputs, output_names, outputs);
  }

  std::string log_;
  std::shared_ptr<Env> env_;
};

}  // namespace waybill::session
