#include "onnx/model/writer/model_writer.h"

#include <gtest/gtest.h>

namespace waybill::onnx {
namespace {

TEST(ModelWriter, WritesTheBytesOfTheFormat) {
  ModelWriter model(8);
  model.Opset("", 17);
  model.graph().Node("Relu", {"x"}, {"y"});
  const std::string expected = std::string("\x08\x08", 2) +                  // ir_version
                               std::string("\x42\x04\x0a\x00\x10\x11", 6) +  // opset_import
                               std::string("\x3a\x15", 2) +                  // graph
                               std::string("\x0a\x0c\x0a\x01x\x12\x01y\x22\x04Relu", 14) +  // node
                               std::string("\x12\x05graph", 7);
  EXPECT_EQ(model.bytes(), expected);
}

TEST(ModelWriter, NegativeNumbersTakeTenBytes) {
  Encoder encoder;
  encoder.Int(3, -1);
  EXPECT_EQ(encoder.bytes(), "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

}  // namespace
}  // namespace waybill::onnx
