#include "bench/e2e/session.h"

namespace waybill::bench {

BenchSession::BenchSession(const Library& library, const std::string& model_path, int threads)
    : library_(library) {
  OrtSessionOptions* options = MakeOptions(threads);
  OrtStatus* status =
      library.api().CreateSession(library.env(), model_path.c_str(), options, &session_);
  library.api().ReleaseSessionOptions(options);
  library.Check(status);
  ReadNames();
}

BenchSession::BenchSession(const Library& library, const std::string& model_bytes, int threads,
                           bool /*in_memory*/)
    : library_(library) {
  OrtSessionOptions* options = MakeOptions(threads);
  OrtStatus* status = library.api().CreateSessionFromArray(library.env(), model_bytes.data(),
                                                           model_bytes.size(), options, &session_);
  library.api().ReleaseSessionOptions(options);
  library.Check(status);
  ReadNames();
}

BenchSession::~BenchSession() {
  ReleaseOutputs();
  for (OrtValue* value : inputs_) library_.api().ReleaseValue(value);
  library_.api().ReleaseSession(session_);
}

OrtSessionOptions* BenchSession::MakeOptions(int threads) const {
  OrtSessionOptions* options = nullptr;
  library_.Check(library_.api().CreateSessionOptions(&options));
  library_.Check(library_.api().SetIntraOpNumThreads(options, threads));
  return options;
}

void BenchSession::ReadNames() {
  const OrtApi& api = library_.api();
  size_t inputs = 0, outputs = 0;
  library_.Check(api.SessionGetInputCount(session_, &inputs));
  library_.Check(api.SessionGetOutputCount(session_, &outputs));
  const auto take = [&](char* text) {
    std::string name = text;
    library_.Check(api.AllocatorFree(library_.allocator(), text));
    return name;
  };
  char* text = nullptr;
  for (size_t i = 0; i < inputs; ++i) {
    library_.Check(api.SessionGetInputName(session_, i, library_.allocator(), &text));
    input_names_.push_back(take(text));
  }
  for (size_t i = 0; i < outputs; ++i) {
    library_.Check(api.SessionGetOutputName(session_, i, library_.allocator(), &text));
    output_names_.push_back(take(text));
  }
  for (const std::string& name : output_names_) fetched_names_.push_back(name.c_str());
  outputs_.resize(outputs, nullptr);
}

OrtValue* BenchSession::MakeInput(const Tensor& tensor) const {
  const OrtApi& api = library_.api();
  std::vector<int64_t> dims;
  for (size_t i = 0; i < tensor.shape().rank(); ++i) dims.push_back(tensor.shape()[i]);
  // TensorProto's codes, which the C interface shares for all types that files hold.
  const auto type = static_cast<ONNXTensorElementDataType>(tensor.dtype());
  OrtValue* value = nullptr;
  if (tensor.dtype() == DType::kString) {
    library_.Check(
        api.CreateTensorAsOrtValue(library_.allocator(), dims.data(), dims.size(), type, &value));
    std::vector<const char*> texts;
    for (const std::string& text : tensor.span<std::string>()) texts.push_back(text.c_str());
    library_.Check(api.FillStringTensor(value, texts.data(), texts.size()));
    return value;
  }
  OrtMemoryInfo* info = nullptr;
  library_.Check(api.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info));
  OrtStatus* status = api.CreateTensorWithDataAsOrtValue(
      info, tensor.view().data, tensor.view().bytes(), dims.data(), dims.size(), type, &value);
  api.ReleaseMemoryInfo(info);
  library_.Check(status);
  return value;
}

void BenchSession::SetInputs(const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) continue;
    fed_names_.push_back(input_names_[i].c_str());
    inputs_.push_back(MakeInput(inputs[i]));
  }
}

void BenchSession::ReleaseOutputs() {
  for (OrtValue*& value : outputs_) {
    library_.api().ReleaseValue(value);
    value = nullptr;
  }
}

void BenchSession::Run() {
  ReleaseOutputs();
  RunInPlace();
}

void BenchSession::RunInPlace() {
  OrtStatus* status =
      library_.api().Run(session_, nullptr, fed_names_.data(), inputs_.data(), inputs_.size(),
                         fetched_names_.data(), fetched_names_.size(), outputs_.data());
  if (status != nullptr) library_.Check(status);
}

}  // namespace waybill::bench
