// bench_templates: what a plan for new shapes takes, by a search and by a template.
//   bench_templates FOLDER
// FOLDER has one folder per model: model.onnx, test_data_set_0/input_N.pb. First the share of the
// placement in a cold plan of each, then new shapes one after another, with and without templates:
// of models whose inputs have free dimensions, and of a text encoder. All times are the least or
// the median of several, on one thread. Exit codes: 0, 1 a target is missed or a model fails, 2
// wrong arguments.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/guard.h"
#include "bench/memory/support/model.h"
#include "memory/plan/csv.h"
#include "memory/plan/place.h"
#include "memory/plan/template.h"
#include "onnx/model/testing/text_encoder.h"
#include "waybill.hpp"

namespace {

using waybill::ShapesByName;
namespace fs = std::filesystem;
namespace plan = waybill::plan;

constexpr int kRepeats = 9, kNewKeys = 24;

template <typename Work>
double Micros(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}
template <typename Work>
double LeastMicros(Work work) {
  double least = Micros(work);
  for (int i = 1; i < kRepeats; ++i) least = std::min(least, Micros(work));
  return least;
}
double Median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
  return all[all.size() / 2];
}

Ort::SessionOptions Options(bool templates) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(1);
  if (!templates) options.AddConfigEntry("waybill.plan_templates", "0");
  return options;
}

ShapesByName ShapesOf(Ort::Session& session, const fs::path& data) {
  ShapesByName shapes;
  const std::vector<std::string> names = session.GetInputNames();
  for (size_t i = 0; i < names.size(); ++i) {
    std::ifstream file(data / ("input_" + std::to_string(i) + ".pb"), std::ios::binary);
    if (!file) continue;
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const Ort::Value value = waybill::ValueFromPb(bytes, session.GetInputTypeInfo(i));
    shapes.emplace_back(names[i], value.GetTensorTypeAndShapeInfo().GetShape());
  }
  return shapes;
}

// Free dimensions of 8 and more grow with `i`; nothing when there are none.
ShapesByName Grown(Ort::Session& session, ShapesByName shapes, int i) {
  const std::vector<std::string> names = session.GetInputNames();
  bool any = false;
  for (auto& [name, dims] : shapes) {
    const size_t at = std::find(names.begin(), names.end(), name) - names.begin();
    const auto info = session.GetInputTypeInfo(at);
    const auto declared = info.GetTensorTypeAndShapeInfo().GetShape();
    for (size_t d = 0; d < dims.size(); ++d) {
      if (declared[d] >= 0 || dims[d] < 8) continue;
      dims[d] += i * (dims[d] % 32 == 0 ? 32 : 8);
      any = true;
    }
  }
  return any ? shapes : ShapesByName();
}

// Of one plan at the sizes that it was made for.
void PrintShare(Ort::Env& env, const std::string& folder) {
  Ort::Session session(env, (folder + "/model.onnx").c_str(), Options(true));
  const ShapesByName shapes = ShapesOf(session, fs::path(folder) / "test_data_set_0");
  std::vector<double> all;
  for (int i = 0; i < kRepeats; ++i) {
    waybill::Trim(env);
    all.push_back(Micros([&] { waybill::GetPlanReport(session, shapes); }));
  }
  const double hit = LeastMicros([&] { waybill::GetPlanReport(session, shapes); });
  const double cold = *std::min_element(all.begin(), all.end()) - hit;
  const auto lives = plan::ReadCsv(waybill::PlanCsv(session, shapes));
  const auto best = plan::PlaceBest(*lives);
  const double solve = LeastMicros([&] { (void)plan::PlaceBest(*lives); });
  const plan::Template made(*lives, *best);
  size_t slab = 0;
  const double evaluate = LeastMicros([&] {
    if (made.Fits(*lives)) slab = made.Place(*lives)->placement.slab_bytes;
  });
  std::printf("%-24s %8zu %10.1f %10.1f %6.1f %% %10.1f %9.4f\n",
              fs::path(folder).filename().c_str(), lives->size(), cold, solve, 100 * solve / cold,
              evaluate, static_cast<double>(slab) / static_cast<double>(best->bound_bytes));
}

struct NewKeys {
  double micros = 0;  // of one plan
  int accepts = 0, rejects = 0, keys = 0;
  double worst_ratio = 1;
};

template <typename ShapesAt>
NewKeys PlanNewKeys(Ort::Session& session, ShapesAt shapes_at) {
  NewKeys out;
  std::vector<double> all;
  for (int i = 0; i < kNewKeys; ++i) {
    const ShapesByName shapes = shapes_at(i);
    if (shapes.empty()) return {};
    waybill::PlanReport report;
    try {
      const double cold = Micros([&] { report = waybill::GetPlanReport(session, shapes); });
      const double hit = Micros([&] { waybill::GetPlanReport(session, shapes); });
      if (i > 0) all.push_back(cold - hit);
    } catch (const Ort::Exception&) {
      continue;  // sizes that the model does not take
    }
    ++out.keys;
    if (report.bound_bytes == 0) continue;
    out.worst_ratio = std::max(out.worst_ratio, static_cast<double>(report.planned_bytes) /
                                                    static_cast<double>(report.bound_bytes));
  }
  if (all.empty()) return {};
  out.micros = Median(all);
  const auto cache = nlohmann::json::parse(waybill::PlanJson(session))["plan_cache"]["templates"];
  out.accepts = cache["accepts"];
  out.rejects = cache["rejects"];
  return out;
}

// False when templates are not faster where they place all.
template <typename Open, typename ShapesAt>
bool PrintNewKeys(const std::string& name, Open open, ShapesAt shapes_at) {
  NewKeys figures[2];
  for (const bool templates : {false, true}) {
    Ort::Session session = open(Options(templates));
    figures[templates] = PlanNewKeys(session, [&](int i) { return shapes_at(session, i); });
  }
  const auto& [without, with] = figures;
  if (with.keys == 0) return true;
  std::printf("%-24s %6d %10.1f %10.1f %8.2f %8d %8d %9.4f\n", name.c_str(), with.keys,
              without.micros, with.micros, without.micros / with.micros, with.accepts, with.rejects,
              with.worst_ratio);
  return with.rejects > 0 || with.micros <= 1.05 * without.micros;
}

int Run(const std::string& folder) {
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "bench");
  const std::vector<std::string> models = waybill::bench::FindModels(folder, {});
  std::printf("%-24s %8s %10s %10s %8s %10s %9s\n", "a cold plan of", "buffers", "plan us",
              "search us", "share", "template us", "of bound");
  for (const std::string& model : models) PrintShare(env, model);
  std::printf("\n%-24s %6s %10s %10s %8s %8s %8s %9s\n", "new shapes of", "keys", "us without",
              "us with", "times", "accepts", "rejects", "worst");
  bool good = true;
  for (const std::string& model : models) {
    ShapesByName shapes;
    const auto open = [&](const Ort::SessionOptions& options) {
      Ort::Session session(env, (model + "/model.onnx").c_str(), options);
      shapes = ShapesOf(session, fs::path(model) / "test_data_set_0");
      return session;
    };
    good &= PrintNewKeys(fs::path(model).filename(), open,
                         [&](Ort::Session& session, int i) { return Grown(session, shapes, i); });
  }
  for (const int layers : {2, 12}) {
    const std::string bytes = waybill::onnx::TextEncoder(layers).bytes();
    const auto open = [&](const Ort::SessionOptions& options) {
      return Ort::Session(env, bytes.data(), bytes.size(), options);
    };
    good &= PrintNewKeys("encoder of " + std::to_string(layers), open, [](Ort::Session&, int i) {
      const int64_t length = 8 + 6 * (i * 17 % 40);
      return ShapesByName{{"ids", {1, length}}, {"mask", {1, length}}};
    });
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: bench_templates FOLDER\n");
    return 2;
  }
  return waybill::bench::Guarded("bench_templates", 1, [&] { return Run(argv[1]); });
}
