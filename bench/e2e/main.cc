// bench_e2e: whole models with two libraries that speak ONNX Runtime's C interface, turn by turn.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fstream>

#include "bench/e2e/compare.h"
#include "bench/e2e/report.h"

namespace waybill::bench {
namespace {

constexpr const char* kFooter = R"(
Examples:
  bench_e2e lib/libonnxruntime.so.1 /opt/peer/libonnxruntime.so.1 --data data/models
  bench_e2e A.so B.so --data data/models --models mnist,yolox-nano --threads 2 --json new.json
  bench_e2e A.so A.so --data data/models --threads 2 --threads-b 1     what a second thread gives
  bench_e2e A.so B.so --one-node          cost of a run beside its work, CPU time at rest
  bench_e2e --compare old.json new.json   what changed

A model is a folder with model.onnx and test_data_set_0/input_N.pb. "difference" is the largest
|A - B| over the largest |B| of an output. Exit codes: 0 done, 1 a model failed, 2 wrong arguments.)";

struct Args {
  std::vector<std::string> libraries, compare, models;
  std::string data, json;
  MeasureOptions measure;
  bool one_node = false;
  double idle_seconds = 10;
};

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw BenchError("can not write " + path);
}

// Before the libraries are loaded: each child loads one of them on its own.
void MeasureAllMemory(const Args& args, const std::vector<ModelFolder>& models,
                      std::vector<std::array<MemoryGrowth, 2>>& out) {
  for (const ModelFolder& model : models) {
    out.push_back({MeasureModelMemory(args.libraries[0], model, args.measure.threads[0]),
                   MeasureModelMemory(args.libraries[1], model, args.measure.threads[1])});
  }
}

int Run(const Args& args) {
  std::vector<ModelFolder> models;
  if (!args.data.empty()) models = FindModels(args.data, args.models);
  std::vector<std::array<MemoryGrowth, 2>> memory;
  if (args.measure.memory) MeasureAllMemory(args, models, memory);
  const Library a("A", args.libraries[0]), b("B", args.libraries[1]);
  RunInfo info;
  info.names = {"A", "B"};
  info.versions = {a.version(), b.version()};
  info.paths = {a.path(), b.path()};
  info.threads = args.measure.threads;

  std::array<OneNodeFigures, 2> one_node;
  if (args.one_node) {
    one_node = {MeasureOneNode(a, args.idle_seconds), MeasureOneNode(b, args.idle_seconds)};
    PrintOneNode("A", one_node[0]);
    PrintOneNode("B", one_node[1]);
  }
  std::vector<ModelResult> results;
  if (!models.empty()) PrintHeader(info);
  for (size_t i = 0; i < models.size(); ++i) {
    results.push_back(MeasureModel({&a, &b}, models[i], args.measure));
    for (size_t side = 0; side < 2 && i < memory.size(); ++side) {
      results.back().figures[side].memory = memory[i][side];
    }
    PrintModel(results.back());
  }
  if (!models.empty()) PrintSummary(results);
  if (!args.json.empty()) {
    WriteFile(args.json, ToJson(info, results, args.one_node ? &one_node : nullptr));
  }
  for (const ModelResult& result : results) {
    if (!result.error.empty()) return 1;
  }
  return 0;
}

int Main(int argc, char** argv) {
  CLI::App app("Measures models with two libraries side by side.", "bench_e2e");
  app.footer(kFooter);
  Args args;
  app.add_option("LIBRARIES", args.libraries, "two libonnxruntime files: ours, the peer");
  app.add_option("--data", args.data, "folder of model folders");
  app.add_option("--models", args.models, "only these, by name")->delimiter(',');
  app.add_option("--threads", args.measure.threads[0], "intra-op threads")->capture_default_str();
  int threads_b = -1;
  app.add_option("--threads-b", threads_b, "of the second library, where they differ");
  app.add_option("--min-time", args.measure.min_seconds, "seconds of runs for each library")
      ->capture_default_str();
  app.add_option("--runs", args.measure.runs, "at most that many runs; 0: as many as fit");
  app.add_option("--loads", args.measure.loads, "sessions to make")->capture_default_str();
  app.add_flag("!--no-memory", args.measure.memory, "do not measure memory");
  app.add_flag("--one-node", args.one_node, "also a one-node model and an idle process");
  app.add_option("--idle-seconds", args.idle_seconds, "how long to idle")->capture_default_str();
  app.add_option("--json", args.json, "write the results to this file");
  app.add_option("--compare", args.compare, "two files written by --json: old, new")->expected(2);
  try {
    app.parse(argc, argv);
    args.measure.threads[1] = threads_b >= 0 ? threads_b : args.measure.threads[0];
    if (!args.compare.empty()) {
      CompareFiles(args.compare[0], args.compare[1]);
      return 0;
    }
    if (args.libraries.size() != 2 || (args.data.empty() && !args.one_node)) {
      std::fprintf(stderr, "bench_e2e: two libraries and --data or --one-node are needed\n");
      return 2;
    }
    return Run(args);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_e2e: %s\n", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace waybill::bench

int main(int argc, char** argv) { return waybill::bench::Main(argc, argv); }
