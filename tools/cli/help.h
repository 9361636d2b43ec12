// The texts below the options of each help page.
#pragma once

namespace waybill::tools {

inline constexpr const char* kFooter = R"(
Start here:
  waybill inspect model.onnx                  what the model is: inputs, operators, bytes
  waybill run model.onnx --dim batch=1        run it on generated inputs, print the outputs
  waybill bench model.onnx                    what loading and running costs
  waybill memory model.onnx                   what a run needs of memory, why, and who holds it
  waybill verify case/                        compare with the expected outputs beside a model

`waybill COMMAND --help` explains a command. Exit codes: 0 done, 1 it failed or outputs differ,
2 the command line is wrong.)";

inline constexpr const char* kRunExamples = R"(
Examples:
  waybill run model.onnx                               generated inputs, open dimensions are 1
  waybill run model.onnx --dim batch=4 --seed 7        other sizes, other numbers
  waybill run model.onnx -i image=cat.npy              one input from a file
  waybill run model.onnx -i inputs.npz --json          all of them, output for programs
  waybill run model.onnx --save outputs/               outputs/NAME.npy (.pb for what is no tensor)
  waybill run model.onnx --save all.npz --outputs y    one output, in one file)";

inline constexpr const char* kInspectExamples = R"(
Examples:
  waybill inspect model.onnx                            inputs, outputs, operators, parameters
  waybill inspect model.onnx --kernels                  the kernel of each node, and why no faster one
  waybill inspect model.onnx --patches --level 2        what the graph rewrites did
  waybill inspect model.onnx --plan --dim batch=8       bytes a run takes: planned, bound, no reuse
  waybill inspect model.onnx --plan --json              everything, for programs)";

inline constexpr const char* kBenchExamples = R"(
Examples:
  waybill bench model.onnx                        about two seconds of runs
  waybill bench model.onnx --runs 1000 --threads 1
  waybill bench model.onnx --dim batch=8 --json   for programs; times in microseconds
  waybill bench model.onnx --ops                  and where the time goes: by node, by operator

Load is given by phase: read the file, import the graph, rewrite it, select kernels, pack weights,
order the steps.
"allocations" are calls of operator new in one warm run, outputs and this program included.)";

inline constexpr const char* kMemoryExamples = R"(
Examples:
  waybill memory model.onnx --dim batch=8             the plan, its fullest step, the balance
  waybill memory model.onnx --shape x=8x3x640x640     for other shapes
  waybill memory model.onnx --runs 0                  the plan alone, without running
  waybill memory model.onnx --csv >plan.csv           for other solvers: id,lower,upper,size,...
  waybill memory model.onnx --trace >trace.json       for chrome://tracing or ui.perfetto.dev
  waybill memory model.onnx --json                    everything, for programs

A plan has four sizes: "no reuse" gives every value a place of its own, no placement needs less than
"bound", "planned" is what a run leases, "held" is what the pool has from the system.)";

inline constexpr const char* kVerifyExamples = R"(
A case is a folder with model.onnx and folders test_data_set_0, test_data_set_1, ... that hold
input_0.pb, ... and output_0.pb, ...: serialized values in the model's order. Every output that has a
file is compared: tensors, sequences, maps and optionals; there must be one at least.

A float passes when |got - expected| <= rtol |expected| + max(atol, a share of the largest
expected value of its tensor). The share is 1e-5 for float and double and 4e-3 for float16. Where
case.json has "reference_noise" for the output, ten times that is allowed instead if it is more.
With --rtol or --atol given, exactly these are used. Everything else must be equal.

Examples:
  waybill verify cases/*/                              many at once
  waybill verify case/ --level 0 --threads 1
  waybill verify case/ --runs 3 --compare-threads 2    and the same bits in run 3 and with 2 threads
  waybill verify case/ --rtol 0 --atol 0.46 --top1     scores near, and the best one the same)";

}  // namespace waybill::tools
