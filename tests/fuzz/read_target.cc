#include <cstdlib>
#include <vector>

#include "onnx/external/location.h"
#include "onnx/model/model_view.h"
#include "onnx/model/value_view.h"
#include "tests/fuzz/target.h"

namespace waybill::fuzz {
namespace {

using namespace waybill::onnx;  // NOLINT: a walk over most names of it

// Sums what it meets, so that every byte that a view promises is touched.
class Walker {
 public:
  void Visit(const ModelView& model) {
    Touch(model.producer_name);
    for (const StringEntry& entry : model.metadata_props) Touch(entry.value);
    Visit(model.graph);
    for (const FunctionView& function : model.functions) {
      Visit(function.nodes);
      for (const AttributeView& attribute : function.attribute_defaults) Visit(attribute);
    }
    for (const TrainingInfoView& training : model.training_infos) {
      Visit(training.initialization);
      Visit(training.algorithm);
    }
  }

  void Visit(const SequenceView& sequence) {
    for (const TensorProtoView& tensor : sequence.tensors) Visit(tensor);
    for (const SparseTensorView& tensor : sequence.sparse_tensors) Visit(tensor);
    for (const SequenceView& inner : sequence.sequences) Visit(inner);
    for (const MapView& map : sequence.maps) Visit(map);
    for (const OptionalView& optional : sequence.optionals) Visit(optional);
  }

  void Visit(const MapView& map) {
    Walk(map.keys);
    for (const std::string_view key : map.string_keys) Touch(key);
    Visit(map.values);
  }

  void Visit(const OptionalView& optional) {
    if (optional.tensor) Visit(*optional.tensor);
    if (optional.sparse_tensor) Visit(*optional.sparse_tensor);
    if (optional.sequence) Visit(*optional.sequence);
    if (optional.map) Visit(*optional.map);
    if (optional.optional) Visit(*optional.optional);
  }

  void Visit(const TensorProtoView& tensor) {
    using Payload = TensorProtoView::Payload;
    Touch(tensor.name);
    if (tensor.payload == Payload::kExternal) {
      const auto location = ParseExternalLocation(tensor);
      if (location.ok() && CheckLocationText(location->location).ok()) Touch(location->location);
    } else if (tensor.data_type == kString) {
      for (const std::string_view text : tensor.string_data) Touch(text);
    } else {
      std::vector<std::byte> bytes(tensor.bytes);
      if (!tensor.DecodeInto(bytes).ok()) std::abort();
      for (const std::byte b : bytes) sum_ += std::to_integer<size_t>(b);
    }
  }

  size_t sum() const { return sum_; }

 private:
  void Touch(std::string_view text) {
    for (const char c : text) sum_ += static_cast<unsigned char>(c);
  }

  template <typename T>
  void Walk(const FieldList<T>& list) {
    size_t count = 0;
    for ([[maybe_unused]] const T& value : list) ++count;
    if (count != list.size()) std::abort();
  }

  void Visit(const GraphView& graph) {
    Touch(graph.name);
    for (const TensorProtoView& tensor : graph.initializers) Visit(tensor);
    for (const SparseTensorView& tensor : graph.sparse_initializers) Visit(tensor);
    for (const ValueInfoView& input : graph.inputs) Visit(input.type);
    for (const ValueInfoView& output : graph.outputs) Visit(output.type);
    Visit(graph.nodes);
  }

  void Visit(const std::vector<NodeView>& nodes) {
    for (const NodeView& node : nodes) {
      Touch(node.op_type);
      for (const std::string_view input : node.inputs) Touch(input);
      for (const AttributeView& attribute : node.attributes) Visit(attribute);
    }
  }

  void Visit(const AttributeView& attribute) {
    Touch(attribute.s);
    Walk(attribute.floats);
    Walk(attribute.ints);
    for (const std::string_view text : attribute.strings) Touch(text);
    if (attribute.t) Visit(*attribute.t);
    if (attribute.g) Visit(*attribute.g);
    if (attribute.tp) Visit(*attribute.tp);
    if (attribute.sparse_tensor) Visit(*attribute.sparse_tensor);
    for (const TensorProtoView& tensor : attribute.tensors()) Visit(tensor);
    for (const GraphView& graph : attribute.graphs()) Visit(graph);
    for (const TypeView& type : attribute.types()) Visit(type);
    for (const SparseTensorView& tensor : attribute.sparse_tensors()) Visit(tensor);
  }

  void Visit(const TypeView& type) {
    for (const DimView& dim : type.dims) Touch(dim.param);
    if (type.element) Visit(*type.element);
  }

  void Visit(const SparseTensorView& tensor) {
    Visit(tensor.values);
    Visit(tensor.indices);
  }

  size_t sum_ = 0;
};

template <typename View>
void WalkIfRead(const Result<View>& view) {
  if (!view.ok()) return;
  Walker walker;
  walker.Visit(*view);
  [[maybe_unused]] volatile size_t sink = walker.sum();
}

}  // namespace

void ReadTarget(std::span<const std::byte> input) { WalkIfRead(ReadModel(input)); }

void ValueTarget(std::span<const std::byte> input) {
  WalkIfRead(ReadTensorProto(input));
  WalkIfRead(ReadSequenceProto(input));
  WalkIfRead(ReadMapProto(input));
  WalkIfRead(ReadOptionalProto(input));
}

}  // namespace waybill::fuzz
