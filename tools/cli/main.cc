// waybill: run, look into, measure and verify ONNX models.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "tools/cli/allocation_count.h"
#include "tools/cli/commands.h"
#include "tools/files/bytes.h"
#include "waybill.hpp"

namespace {

constexpr const char* kFooter = R"(
Start here:
  waybill inspect model.onnx                  what the model is: inputs, operators, bytes
  waybill run model.onnx --dim batch=1        run it on generated inputs, print the outputs
  waybill bench model.onnx                    what loading and running costs
  waybill verify case/                        compare with the expected outputs beside a model

`waybill COMMAND --help` explains a command. Exit codes: 0 done, 1 it failed or outputs differ,
2 the command line is wrong.)";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs ONNX models and shows what they cost.", "waybill");
  app.set_version_flag("--version", "waybill " + waybill::GetVersion() + ", ONNX Runtime API " +
                                        Ort::GetVersionString());
  app.footer(kFooter);
  app.require_subcommand(1);
  int exit_code = 0;
  waybill::tools::AddRun(app, exit_code);
  waybill::tools::AddInspect(app, exit_code);
  waybill::tools::AddBench(app, exit_code, waybill::tools::AllocationCount);
  waybill::tools::AddVerify(app, exit_code);
  try {
    app.parse(argc, argv);
    return exit_code;
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? 0 : 2;
  } catch (const waybill::tools::ToolError& error) {
    std::fprintf(stderr, "waybill: %s\n", error.what());
    return error.usage() ? 2 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "waybill: %s\n", error.what());
    return 1;
  }
}
