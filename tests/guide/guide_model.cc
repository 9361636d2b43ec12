// Writes the model of docs/guide/memory.md: six tensors of 1 MiB in a chain, three of them alive at
// a time: elements of one by the numbers in another, which needs no scratch and overwrites no
// input.
#include <cstdio>

#include "onnx/model/writer/model_writer.h"
#include "tests/support/temp_dir.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: guide_model FILE\n");
    return 2;
  }
  namespace onnx = waybill::onnx;
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kInt32, {262144});
  graph.Output("y", onnx::kInt32, {262144});
  graph.Node("Gather", {"x", "x"}, {"t1"});
  graph.Node("Gather", {"t1", "x"}, {"t2"});
  graph.Node("Gather", {"t2", "t1"}, {"t3"});
  graph.Node("Gather", {"t3", "t2"}, {"t4"});
  graph.Node("Gather", {"t4", "t3"}, {"t5"});
  graph.Node("Gather", {"t5", "t4"}, {"t6"});
  graph.Node("Gather", {"t6", "t5"}, {"y"});
  waybill::test::WriteFile(argv[1], model.bytes());
  return 0;
}
