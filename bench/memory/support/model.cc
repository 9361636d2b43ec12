#include "bench/memory/support/model.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

#include "waybill.hpp"

namespace waybill::bench {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + " can not be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

size_t BytesOf(const Ort::Value& value) {
  if (!value.IsTensor()) return 0;
  const auto info = value.GetTensorTypeAndShapeInfo();
  if (info.GetElementType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) return 0;
  return value.GetTensorSizeInBytes();
}

template <typename T>
void Shuffle(Ort::Value& value, size_t count, std::mt19937& random) {
  auto* data = static_cast<T*>(value.GetTensorMutableRawData());
  std::shuffle(data, data + count, random);
}

void RandomizeTensor(Ort::Value& value, std::mt19937& random) {
  const auto info = value.GetTensorTypeAndShapeInfo();
  const size_t count = info.GetElementCount(), bytes = BytesOf(value);
  if (bytes == 0) return;
  if (info.GetElementType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) {
    std::uniform_real_distribution<float> numbers(0, 1);
    for (float& x : std::span(value.GetTensorMutableData<float>(), count)) x = numbers(random);
    return;
  }
  switch (bytes / count) {
    case 1:
      return Shuffle<uint8_t>(value, count, random);
    case 2:
      return Shuffle<uint16_t>(value, count, random);
    case 4:
      return Shuffle<uint32_t>(value, count, random);
    case 8:
      return Shuffle<uint64_t>(value, count, random);
  }
}

}  // namespace

std::vector<std::string> FindModels(const std::string& root,
                                    const std::vector<std::string>& wanted) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    if (fs::exists(entry.path() / "model.onnx")) out.push_back(entry.path().string());
  }
  if (!wanted.empty() && out.size() != wanted.size()) {
    throw std::runtime_error("not all of the models that were named are in " + root);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Model::Model(Ort::Env& env, const std::string& folder, const Ort::SessionOptions& options)
    : session_(env, (folder + "/model.onnx").c_str(), options),
      input_names_(session_.GetInputNames()),
      output_names_(session_.GetOutputNames()) {
  for (size_t i = 0; i < input_names_.size(); ++i) {
    const fs::path path =
        fs::path(folder) / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb");
    if (!fs::exists(path)) continue;
    inputs_.push_back(ValueFromPb(ReadFile(path), session_.GetInputTypeInfo(i)));
    fed_.push_back(input_names_[i].c_str());
  }
  for (const std::string& name : output_names_) fetched_.push_back(name.c_str());
}

void Model::Run() {
  outputs_.clear();
  outputs_ = session_.Run(Ort::RunOptions{nullptr}, fed_.data(), inputs_.data(), inputs_.size(),
                          fetched_.data(), fetched_.size());
}

void Model::RunInPlace() {
  session_.Run(Ort::RunOptions{nullptr}, fed_.data(), inputs_.data(), inputs_.size(),
               fetched_.data(), outputs_.data(), fetched_.size());
}

size_t Model::OutputBytes() const {
  size_t bytes = 0;
  for (const Ort::Value& output : outputs_) bytes += BytesOf(output);
  return bytes;
}

void Model::Randomize(std::mt19937& random) {
  for (Ort::Value& input : inputs_) {
    if (input.IsTensor()) RandomizeTensor(input, random);
  }
}

}  // namespace waybill::bench
