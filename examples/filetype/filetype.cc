// Tells the type of files with a published model: load once, feed a batch, read the scores.
//   filetype [--model DIR] FILE...
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "onnxruntime_cxx_api.h"
#include "waybill.hpp"

namespace {

constexpr size_t kBlock = 4096;  // bytes looked at from each end
constexpr size_t kPart = 1024;   // values taken from each of them
constexpr int32_t kPadding = 256;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// What the model wants to know of a file; empty when the file cannot be read.
std::vector<int32_t> Features(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string bytes = text.str();
  if (bytes.empty()) return {};
  std::string first = bytes.substr(0, kBlock);
  std::string last = bytes.size() > kBlock ? bytes.substr(bytes.size() - kBlock) : bytes;
  first.erase(first.begin(), std::find_if_not(first.begin(), first.end(), IsSpace));
  last.erase(std::find_if_not(last.rbegin(), last.rend(), IsSpace).base(), last.end());
  std::vector<int32_t> features(2 * kPart, kPadding);
  const size_t head = std::min(first.size(), kPart), tail = std::min(last.size(), kPart);
  for (size_t i = 0; i < head; ++i) features[i] = static_cast<uint8_t>(first[i]);
  for (size_t i = 0; i < tail; ++i) {
    features[2 * kPart - tail + i] = static_cast<uint8_t>(last[last.size() - tail + i]);
  }
  return features;
}

std::vector<std::string> Lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

int Run(const std::string& model, const std::vector<std::string>& paths) {
  std::vector<std::string> readable;
  std::vector<int32_t> batch;
  for (const std::string& path : paths) {
    const std::vector<int32_t> features = Features(path);
    if (features.empty()) std::fprintf(stderr, "%s: cannot be read, or is empty\n", path.c_str());
    if (features.empty()) continue;
    readable.push_back(path);
    batch.insert(batch.end(), features.begin(), features.end());
  }
  if (readable.empty()) return 1;

  const double before_load = Now();
  Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "filetype");
  Ort::Session session(env, (model + "/model.onnx").c_str(), Ort::SessionOptions());
  const double before_run = Now();

  const int64_t shape[] = {static_cast<int64_t>(readable.size()), 2 * kPart};
  Ort::Value input = Ort::Value::CreateTensor<int32_t>(
      Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault), batch.data(), batch.size(),
      shape, 2);
  const char* input_names[] = {"bytes"};
  const char* output_names[] = {"target_label"};
  std::vector<Ort::Value> outputs =
      session.Run(Ort::RunOptions{nullptr}, input_names, &input, 1, output_names, 1);
  const double after_run = Now();

  const std::vector<std::string> labels = Lines(model + "/labels.txt");
  const float* scores = outputs[0].GetTensorData<float>();
  for (size_t i = 0; i < readable.size(); ++i, scores += labels.size()) {
    const float* best = std::max_element(scores, scores + labels.size());
    std::printf("%-40s %-12s %5.1f %%\n", readable[i].c_str(), labels[best - scores].c_str(),
                100.0 * *best);
  }
  const waybill::PlanReport plan = waybill::GetPlanReport(session);
  std::printf(
      "load %.1f ms, run %.0f us for %zu files; activations %zu bytes planned, "
      "bound %zu, without reuse %zu\n",
      1e3 * (before_run - before_load), 1e6 * (after_run - before_run), readable.size(),
      plan.planned_bytes, plan.bound_bytes, plan.no_reuse_bytes);
  return readable.size() == paths.size() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string model = FILETYPE_MODEL_DIR;
  std::vector<std::string> paths(argv + 1, argv + argc);
  if (paths.size() >= 2 && paths[0] == "--model") {
    model = paths[1];
    paths.erase(paths.begin(), paths.begin() + 2);
  }
  if (paths.empty() || paths[0] == "--help") {
    std::printf("usage: filetype [--model DIR] FILE...\nTells what each file is.\n");
    return paths.empty() ? 2 : 0;
  }
  try {
    return Run(model, paths);
  } catch (const Ort::Exception& error) {
    std::fprintf(stderr, "filetype: %s\n", error.what());
    return 2;
  }
}
