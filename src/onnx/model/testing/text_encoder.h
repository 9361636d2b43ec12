// A text encoder like BERT with random-looking weights, for tests and benchmarks of lengths.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnx/model/writer/model_writer.h"

namespace waybill::onnx {

// From ids and mask, both [1, s], to hidden states y [1, s, kHidden].
class TextEncoder {
 public:
  static constexpr int64_t kWords = 64, kHidden = 64, kHeads = 4;

  explicit TextEncoder(int64_t layers = 2) {
    model_.Opset("", 17);
    graph().Input("ids", kInt64, {1, "s"});
    graph().Input("mask", kFloat, {1, "s"});
    graph().Output("y", kFloat, {1, "s", kHidden});
    Weight("words", {kWords, kHidden});
    Weight("ones", {kHidden});
    Numbers("heads", {0, 0, kHeads, kHidden / kHeads});
    Numbers("hidden", {0, 0, kHidden});
    Numbers("axes", {1, 2});
    graph().Node("Unsqueeze", {"mask", "axes"}, {"far"});
    graph().Node("Gather", {"words", "ids"}, {"h0"});
    for (int64_t i = 0; i < layers; ++i) Layer(i);
    graph().Node("Identity", {"h" + std::to_string(layers)}, {"y"});
  }
  std::string bytes() const { return model_.bytes(); }

 private:
  static std::vector<float> Weights(int64_t count) {
    std::vector<float> out(static_cast<size_t>(count));
    for (size_t i = 0; i < out.size(); ++i) out[i] = 0.01f * static_cast<float>(i * 7 % 23) - 0.1f;
    return out;
  }
  GraphWriter& graph() { return model_.graph(); }
  void Weight(const std::string& name, const std::vector<int64_t>& dims) {
    int64_t count = 1;
    for (const int64_t dim : dims) count *= dim;
    graph().Initializer(TensorWriter::Of<float>(name, dims, Weights(count)));
  }
  void Numbers(const std::string& name, const std::vector<int64_t>& values) {
    const auto count = static_cast<int64_t>(values.size());
    graph().Initializer(TensorWriter::Of<int64_t>(name, {count}, values));
  }
  std::string Op(const std::string& op, const std::vector<std::string>& inputs) {
    const std::string out = "v" + std::to_string(next_++);
    graph().Node(op, inputs, {out});
    return out;
  }
  std::string Dense(const std::string& x, int64_t from, int64_t to) {
    const std::string w = "w" + std::to_string(next_), bias = "b" + std::to_string(next_);
    ++next_;
    Weight(w, {from, to});
    Weight(bias, {to});
    return Op("Add", {Op("MatMul", {x, w}), bias});
  }
  std::string Head(const std::string& x, std::vector<int64_t> perm) {
    const std::string split = Op("Reshape", {x, "heads"});
    const std::string out = "v" + std::to_string(next_++);
    graph().Node("Transpose", {split}, {out}).Ints("perm", perm);
    return out;
  }
  void Layer(int64_t i) {
    const std::string h = "h" + std::to_string(i);
    const std::string q = Head(Dense(h, kHidden, kHidden), {0, 2, 1, 3});
    const std::string k = Head(Dense(h, kHidden, kHidden), {0, 2, 3, 1});
    const std::string v = Head(Dense(h, kHidden, kHidden), {0, 2, 1, 3});
    const std::string score = Op("Softmax", {Op("Add", {Op("MatMul", {q, k}), "far"})});
    const std::string mixed = "v" + std::to_string(next_++);
    graph().Node("Transpose", {Op("MatMul", {score, v})}, {mixed}).Ints("perm", {0, 2, 1, 3});
    const std::string joined = Op("Reshape", {mixed, "hidden"});
    const std::string a = Op("Add", {Dense(joined, kHidden, kHidden), h});
    const std::string n = Op("LayerNormalization", {a, "ones"});
    const std::string wide = Op("Relu", {Dense(n, kHidden, 4 * kHidden)});
    const std::string sum = Op("Add", {Dense(wide, 4 * kHidden, kHidden), n});
    graph().Node("LayerNormalization", {sum, "ones"}, {"h" + std::to_string(i + 1)});
  }

  ModelWriter model_;
  int next_ = 0;
};

}  // namespace waybill::onnx
