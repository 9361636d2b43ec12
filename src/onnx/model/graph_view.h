// GraphView, NodeView, AttributeView and FunctionView: what a model computes, as the file says it.
//
// All strings and lists borrow the bytes of the file. Checked: each message on its own. Not checked
// here: what takes several messages (names that exist, order, operators and their attributes).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "onnx/model/attribute_type.h"
#include "onnx/model/device_view.h"
#include "onnx/model/tensor_view.h"
#include "onnx/model/type_view.h"

namespace waybill::onnx {

struct GraphView;

struct OpsetImport {
  std::string_view domain;  // "" and "ai.onnx" are the same domain
  int64_t version = 0;
};

// The rare attributes that are lists of messages.
struct AttributeLists {
  std::vector<TensorProtoView> tensors;
  std::vector<GraphView> graphs;
  std::vector<TypeView> types;
  std::vector<SparseTensorView> sparse_tensors;
};

// `type` says which member holds the value. A scalar or list that the file leaves out is 0 or
// empty.
struct AttributeView {
  std::string_view name;
  AttributeType type = kAttrUndefined;  // guessed from the value where the file does not say it
  std::string_view ref_attr_name;       // not empty: the value comes from the function's caller
  std::string_view doc_string;
  float f = 0;
  int64_t i = 0;
  std::string_view s;
  FieldList<float> floats;
  FieldList<int64_t> ints;
  FieldList<std::string_view> strings;
  // Not null where `type` says so and ref_attr_name is empty.
  std::shared_ptr<TensorProtoView> t;
  std::shared_ptr<GraphView> g;
  std::shared_ptr<TypeView> tp;
  std::shared_ptr<SparseTensorView> sparse_tensor;

  std::span<const TensorProtoView> tensors() const;
  std::span<const GraphView> graphs() const;
  std::span<const TypeView> types() const;
  std::span<const SparseTensorView> sparse_tensors() const;

  std::shared_ptr<AttributeLists> lists;  // null: all four are empty
  uint32_t present = 0;                   // bit N: the file sets the member of AttributeType N
};

struct NodeView {
  std::string_view op_type;
  std::string_view domain;
  std::string_view overload;
  std::string_view name;
  std::vector<std::string_view> inputs;   // "": an omitted optional input
  std::vector<std::string_view> outputs;  // "": an unused output
  std::vector<AttributeView> attributes;
  std::string_view doc_string;
  std::vector<StringEntry> metadata_props;
  std::vector<NodeDeviceConfigurationView> device_configurations;
};

struct QuantizationAnnotationView {
  std::string_view tensor_name;
  std::vector<StringEntry> parameters;  // e.g. SCALE_TENSOR, ZERO_POINT_TENSOR
};

struct GraphView {
  std::string_view name;
  std::vector<NodeView> nodes;
  std::vector<ValueInfoView> inputs;
  std::vector<ValueInfoView> outputs;
  std::vector<ValueInfoView> value_infos;
  std::vector<TensorProtoView> initializers;          // each has a name
  std::vector<SparseTensorView> sparse_initializers;  // the name is that of `values`
  std::vector<QuantizationAnnotationView> quantization_annotations;
  std::string_view doc_string;
  std::vector<StringEntry> metadata_props;
};

struct FunctionView {
  std::string_view domain;
  std::string_view name;
  std::string_view overload;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<std::string_view> attributes;       // without a default
  std::vector<AttributeView> attribute_defaults;  // with one
  std::vector<NodeView> nodes;
  std::vector<OpsetImport> opset_imports;
  std::vector<ValueInfoView> value_infos;
  std::string_view doc_string;
  std::vector<StringEntry> metadata_props;
};

Status ReadOpsetImport(Cursor& in, OpsetImport& out);
Status ReadAttribute(Cursor& in, AttributeView& out);
Status ReadNode(Cursor& in, NodeView& out);
Status ReadGraph(Cursor& in, GraphView& out);
Status ReadFunction(Cursor& in, FunctionView& out);

}  // namespace waybill::onnx
