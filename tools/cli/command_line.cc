// The one file that knows CLI11, which takes longer to compile than all commands together.
#include "tools/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <memory>

#include "tools/cli/commands.h"
#include "tools/cli/help.h"
#include "tools/files/bytes.h"
#include "tools/values/printable.h"
#include "waybill.hpp"

namespace waybill::tools {
namespace {

void AddSession(CLI::App& app, SessionArgs& args, bool with_dims) {
  app.add_option("--level", args.level, "graph optimisation: 0 none, 1 basic, 2 extended, 3 all")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  app.add_option("--threads", args.threads, "threads a run may use; 0: as many as the process may")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_option(
      "--config", args.config,
      "session config entry KEY=VALUE (repeatable); docs/guide/settings.md lists the keys, "
      "those of this library begin with waybill.");
  if (with_dims) {
    app.add_option("--dim", args.dims, "size of a named dimension, NAME=N (repeatable)");
  }
}

void AddInputs(CLI::App& app, InputArgs& args) {
  app.add_option(
      "-i,--input", args.files,
      "NAME=FILE for one input (.npy, .pb, or a .npz with an array of that name), a .npz "
      "with arrays named like the inputs, or a folder with input_0.pb, ... (repeatable); other "
      "inputs are generated");
  app.add_option("--shape", args.shapes, "shape of a generated input, INPUT=AxBxC (repeatable)");
  app.add_option("--seed", args.seed, "seed of generated inputs")->capture_default_str();
}

void AddRun(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("run", "run a model once and print or save its outputs");
  command->footer(kRunExamples);
  auto args = std::make_shared<RunArgs>();
  command->add_option("MODEL", args->model, "the .onnx file")->required();
  AddInputs(*command, args->inputs);
  AddSession(*command, args->session, true);
  command->add_option("--outputs", args->outputs, "outputs to ask for; default: all")
      ->delimiter(',');
  command->add_option("--save", args->save, "write the outputs to a .npz file or into a folder");
  command->add_option("--print", args->print, "elements of each output to print")
      ->capture_default_str();
  command->add_flag("--json", args->json, "print JSON");
  command->callback([args, &exit_code] { exit_code = Run(*args); });
}

void AddInspect(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("inspect", "show what a model is and how it would run");
  command->footer(kInspectExamples);
  auto args = std::make_shared<InspectArgs>();
  command->add_option("MODEL", args->model, "the .onnx file")->required();
  command->add_flag("--kernels", args->kernels, "the kernel chosen for each node");
  command->add_flag("--patches", args->patches, "the rewrites applied to the graph");
  command->add_flag("--plan", args->plan, "the memory plan: planned, bound and no-reuse bytes");
  command->add_option("--shape", args->inputs.shapes,
                      "shape of an input for the plan, INPUT=AxBxC (repeatable)");
  AddSession(*command, args->session, true);
  command->add_flag("--json", args->json, "print JSON");
  command->callback([args, &exit_code] { exit_code = Inspect(*args); });
}

void AddBench(CLI::App& app, int& exit_code, size_t (*allocations)()) {
  CLI::App* command = app.add_subcommand("bench", "measure load, latency and memory of a model");
  command->footer(kBenchExamples);
  auto args = std::make_shared<BenchArgs>();
  args->allocations = allocations;
  command->add_option("MODEL", args->model, "the .onnx file")->required();
  AddInputs(*command, args->inputs);
  AddSession(*command, args->session, true);
  command->add_option("--runs", args->runs, "measured runs; 0: as many as fit in --seconds");
  command->add_option("--seconds", args->seconds, "time to measure for")->capture_default_str();
  command->add_option("--warmup", args->warmup, "runs before measuring")->capture_default_str();
  command->add_flag("--ops", args->ops, "also time by node and by operator");
  command->add_option("--top", args->top, "nodes to print with --ops; 0: all")
      ->capture_default_str();
  command->add_flag("--json", args->json, "print JSON");
  command->callback([args, &exit_code] { exit_code = Bench(*args); });
}

void AddMemory(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("memory", "show what a model needs of memory, why, and who holds it");
  command->footer(kMemoryExamples);
  auto args = std::make_shared<MemoryArgs>();
  command->add_option("MODEL", args->model, "the .onnx file")->required();
  AddInputs(*command, args->inputs);
  AddSession(*command, args->session, true);
  command->add_option("--runs", args->runs, "runs before the closing balance; 0: the plan alone")
      ->capture_default_str();
  CLI::Option* csv = command->add_flag("--csv", args->csv, "print the plan as a planning problem");
  CLI::Option* trace = command->add_flag("--trace", args->trace, "print a Chrome trace");
  CLI::Option* json = command->add_flag("--json", args->json, "print JSON");
  csv->excludes(trace)->excludes(json);
  trace->excludes(json);
  command->callback([args, &exit_code] { exit_code = Memory(*args); });
}

void AddVerify(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("verify", "compare a model's outputs with expected ones");
  command->footer(kVerifyExamples);
  auto args = std::make_shared<VerifyArgs>();
  command->add_option("CASE_DIR", args->cases, "folders with model.onnx and test_data_set_*")
      ->required();
  AddSession(*command, args->session, false);
  command->add_option("--rtol", args->rtol, "relative tolerance, instead of the default rule");
  command->add_option("--atol", args->atol, "absolute tolerance, instead of the default rule");
  command->add_flag("--top1", args->top1, "the largest element of each row must be the same one");
  command->add_option("--runs", args->runs, "run N times; the last must give the bits of the first")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--compare-threads", args->compare_threads,
                      "also run with this many threads; the bits must be the same");
  command->add_flag("-q,--quiet", args->quiet, "print only what does not pass");
  command->add_flag("--json", args->json, "print JSON");
  command->callback([args, &exit_code] { exit_code = Verify(*args); });
}

// Tells which commands there are when `word` should be one; CLI11 would say that one is missing.
bool IsUnknownCommand(const CLI::App& app, const std::string& word) {
  if (word.starts_with('-')) return false;
  std::string known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return false;
    known += " " + command->get_name();
  }
  std::fprintf(stderr, "waybill: unknown command '%s'; there is:%s\n", word.c_str(), known.c_str());
  return true;
}

}  // namespace

int CommandLine(int argc, char** argv, size_t (*allocations)()) {
  CLI::App app("Runs ONNX models and shows what they cost.", "waybill");
  app.set_version_flag("--version",
                       "waybill " + GetVersion() + ", ONNX Runtime API " + Ort::GetVersionString());
  app.footer(kFooter);
  app.require_subcommand(1);
  int exit_code = 0;
  AddRun(app, exit_code);
  AddInspect(app, exit_code);
  AddBench(app, exit_code, allocations);
  AddVerify(app, exit_code);
  AddMemory(app, exit_code);
  if (argc > 1 && IsUnknownCommand(app, argv[1])) return 2;
  try {
    app.parse(argc, argv);
    return exit_code;
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? 0 : 2;
  } catch (const ToolError& error) {
    std::fprintf(stderr, "waybill: %s\n", Printable(error.what()).c_str());
    return error.usage() ? 2 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "waybill: %s\n", Printable(error.what()).c_str());
    return 1;
  }
}

std::optional<int> ParseModels(int argc, char** argv, const std::string& about, ModelsArgs& args,
                               const std::vector<NumberOption>& numbers) {
  CLI::App app(about);
  app.add_option("MODEL", args.models, "ONNX files")->required();
  for (const NumberOption& number : numbers) {
    std::visit([&](auto* value) { app.add_option(number.name, *value, number.help); },
               number.value);
  }
  AddSession(app, args.session, true);
  AddInputs(app, args.inputs);
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
}

}  // namespace waybill::tools
