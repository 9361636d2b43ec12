// Writes a model for the README's example: [1, 1, 28, 28] floats in, their sum out.
#include <cstdio>

#include "onnx/model/writer/model_writer.h"
#include "tests/support/temp_dir.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  namespace onnx = waybill::onnx;
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("pixels", onnx::kFloat, {1, 1, 28, 28});
  model.graph().Node("ReduceSum", {"pixels"}, {"sum"}).Int("keepdims", 0);
  model.graph().Output("sum", onnx::kFloat, {});
  waybill::test::WriteFile(argv[1], model.bytes());
  return 0;
}
