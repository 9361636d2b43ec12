#include "tests/models/random_weights.h"

#include <cmath>
#include <cstring>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <vector>

#include "onnx/model/writer/tensor_writer.h"
#include "tests/fuzz/choices.h"

namespace waybill::test {
namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;
using Dims = std::vector<int64_t>;

// Field numbers of ModelProto, GraphProto, NodeProto and TensorProto.
enum : uint32_t { kModelGraph = 7, kGraphNode = 1, kGraphInitializer = 5 };
enum : uint32_t { kNodeInput = 1, kNodeOutput = 2, kNodeOpType = 4 };
enum : uint32_t { kTensorType = 2, kTensorInt64 = 7, kTensorName = 8, kTensorRaw = 9 };

struct Node {
  std::string op_type, input, output;
};

Node ReadNode(pbf_reader reader) {
  Node node;
  while (reader.next()) {
    switch (reader.tag()) {
      case kNodeInput:
        node.input = reader.get_string();
        break;
      case kNodeOutput:
        node.output = reader.get_string();
        break;
      case kNodeOpType:
        node.op_type = reader.get_string();
        break;
      default:
        reader.skip();
    }
  }
  return node;
}

// Name and contents of an int64 initializer; other types give no contents.
std::pair<std::string, Dims> ReadShape(pbf_reader reader) {
  std::string name;
  Dims values;
  while (reader.next()) {
    switch (reader.tag()) {
      case kTensorName:
        name = reader.get_string();
        break;
      case kTensorInt64:
        for (const int64_t value : reader.get_packed_int64()) values.push_back(value);
        break;
      case kTensorRaw: {
        const auto raw = reader.get_view();
        values.resize(raw.size() / sizeof(int64_t));
        std::memcpy(values.data(), raw.data(), values.size() * sizeof(int64_t));
        break;
      }
      default:
        reader.skip();
    }
  }
  return {name, values};
}

std::string RandomTensor(const std::string& name, const Dims& dims, fuzz::Choices& choices) {
  int64_t elems = 1, fan_in = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    elems *= dims[i];
    if (i > 0) fan_in *= dims[i];
  }
  const float spread = std::sqrt(6.0f / static_cast<float>(fan_in));
  std::vector<float> values(static_cast<size_t>(elems));
  for (float& value : values) {
    value = dims.size() < 2 ? 1.0f + 0.5f * choices.Unit() : spread * choices.Unit();
  }
  return onnx::TensorWriter::Of<float>(name, dims, values).bytes();
}

void CopyField(pbf_reader& reader, pbf_writer& writer) {
  switch (reader.wire_type()) {
    case protozero::pbf_wire_type::varint:
      writer.add_uint64(reader.tag(), reader.get_uint64());
      break;
    case protozero::pbf_wire_type::fixed32:
      writer.add_fixed32(reader.tag(), reader.get_fixed32());
      break;
    case protozero::pbf_wire_type::fixed64:
      writer.add_fixed64(reader.tag(), reader.get_fixed64());
      break;
    default:
      writer.add_bytes(reader.tag(), reader.get_view());
  }
}

std::string RewriteGraph(pbf_reader graph, fuzz::Choices& choices) {
  std::map<std::string, Dims> shapes;
  for (pbf_reader scan = graph; scan.next();) {
    if (scan.tag() == kGraphInitializer) {
      shapes.insert(ReadShape(scan.get_message()));
    } else {
      scan.skip();
    }
  }
  std::string out;
  pbf_writer writer(out);
  while (graph.next()) {
    if (graph.tag() != kGraphNode) {
      CopyField(graph, writer);
      continue;
    }
    const auto bytes = graph.get_view();
    const Node node = ReadNode(pbf_reader(bytes));
    const auto shape = shapes.find(node.input);
    if (node.op_type == "ConstantOfShape" && shape != shapes.end()) {
      writer.add_message(kGraphInitializer, RandomTensor(node.output, shape->second, choices));
    } else {
      writer.add_message(kGraphNode, bytes);
    }
  }
  return out;
}

}  // namespace

std::string WithRandomWeights(std::string_view model, uint64_t seed) {
  fuzz::Choices choices(seed);
  std::string out;
  pbf_writer writer(out);
  pbf_reader reader(model.data(), model.size());
  while (reader.next()) {
    if (reader.tag() == kModelGraph) {
      writer.add_message(kModelGraph, RewriteGraph(reader.get_message(), choices));
    } else {
      CopyField(reader, writer);
    }
  }
  return out;
}

}  // namespace waybill::test
