#include "onnx/model/graph_view.h"

namespace waybill::onnx {
namespace {

constexpr const char* kEntry = "StringStringEntryProto";

Status ReadAnnotation(Cursor& in, QuantizationAnnotationView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("tensor_name", out.tensor_name);
        break;
      case 2:
        in.Message("quant_parameter_tensor_names", kEntry, ReadStringEntry,
                   out.parameters.emplace_back());
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status CheckNode(const NodeView& node) {
  if (node.op_type.empty()) {
    return Error(Code::kInvalidGraph, "node '{}' has no op_type", node.name);
  }
  if (node.inputs.empty() && node.outputs.empty()) {
    return Error(Code::kInvalidGraph, "node '{}' ({}) has neither inputs nor outputs", node.name,
                 node.op_type);
  }
  return Status::Ok();
}

// An initializer of a graph: a whole message, so it can be checked as soon as it is read.
Status ReadInitializer(Cursor& in, TensorProtoView& out) {
  WB_RETURN_IF_ERROR(ReadTensor(in, out), "tensor '{}'", out.name);
  if (out.name.empty()) return Error(Code::kInvalidGraph, "an initializer has no name");
  return CheckTensor(out);
}

Status ReadSparseInitializer(Cursor& in, SparseTensorView& out) {
  WB_RETURN_IF_ERROR(ReadSparseTensor(in, out), "sparse tensor '{}'", out.values.name);
  if (out.values.name.empty()) {
    return Error(Code::kInvalidGraph, "a sparse initializer has no name");
  }
  return CheckSparseTensor(out);
}

}  // namespace

Status ReadOpsetImport(Cursor& in, OpsetImport& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("domain", out.domain);
        break;
      case 2:
        in.Int("version", out.version);
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status ReadNode(Cursor& in, NodeView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("input", out.inputs);
        break;
      case 2:
        in.String("output", out.outputs);
        break;
      case 3:
        in.String("name", out.name);
        break;
      case 4:
        in.String("op_type", out.op_type);
        break;
      case 5:
        in.Message("attribute", "AttributeProto", ReadAttribute, out.attributes.emplace_back());
        break;
      case 6:
        in.String("doc_string", out.doc_string);
        break;
      case 7:
        in.String("domain", out.domain);
        break;
      case 8:
        in.String("overload", out.overload);
        break;
      case 9:
        in.Message("metadata_props", kEntry, ReadStringEntry, out.metadata_props.emplace_back());
        break;
      case 10:
        in.Message("device_configurations", "NodeDeviceConfigurationProto",
                   ReadNodeDeviceConfiguration, out.device_configurations.emplace_back());
        break;
      default:
        in.Skip();
    }
  }
  WB_RETURN_IF_ERROR(in.TakeStatus(), "node '{}' ({})", out.name, out.op_type);
  return CheckNode(out);
}

Status ReadGraph(Cursor& in, GraphView& out) {
  constexpr const char* kValueInfo = "ValueInfoProto";
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Message("node", "NodeProto", ReadNode, out.nodes.emplace_back());
        break;
      case 2:
        in.String("name", out.name);
        break;
      case 5:
        in.Message("initializer", "TensorProto", ReadInitializer, out.initializers.emplace_back());
        break;
      case 10:
        in.String("doc_string", out.doc_string);
        break;
      case 11:
        in.Message("input", kValueInfo, ReadValueInfo, out.inputs.emplace_back());
        break;
      case 12:
        in.Message("output", kValueInfo, ReadValueInfo, out.outputs.emplace_back());
        break;
      case 13:
        in.Message("value_info", kValueInfo, ReadValueInfo, out.value_infos.emplace_back());
        break;
      case 14:
        in.Message("quantization_annotation", "TensorAnnotation", ReadAnnotation,
                   out.quantization_annotations.emplace_back());
        break;
      case 15:
        in.Message("sparse_initializer", "SparseTensorProto", ReadSparseInitializer,
                   out.sparse_initializers.emplace_back());
        break;
      case 16:
        in.Message("metadata_props", kEntry, ReadStringEntry, out.metadata_props.emplace_back());
        break;
      default:
        in.Skip();
    }
  }
  WB_RETURN_IF_ERROR(in.TakeStatus(), "graph '{}'", out.name);
  return Status::Ok();
}

Status ReadFunction(Cursor& in, FunctionView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.String("name", out.name);
        break;
      case 4:
        in.String("input", out.inputs);
        break;
      case 5:
        in.String("output", out.outputs);
        break;
      case 6:
        in.String("attribute", out.attributes);
        break;
      case 7:
        in.Message("node", "NodeProto", ReadNode, out.nodes.emplace_back());
        break;
      case 8:
        in.String("doc_string", out.doc_string);
        break;
      case 9:
        in.Message("opset_import", "OperatorSetIdProto", ReadOpsetImport,
                   out.opset_imports.emplace_back());
        break;
      case 10:
        in.String("domain", out.domain);
        break;
      case 11:
        in.Message("attribute_proto", "AttributeProto", ReadAttribute,
                   out.attribute_defaults.emplace_back());
        break;
      case 12:
        in.Message("value_info", "ValueInfoProto", ReadValueInfo, out.value_infos.emplace_back());
        break;
      case 13:
        in.String("overload", out.overload);
        break;
      case 14:
        in.Message("metadata_props", kEntry, ReadStringEntry, out.metadata_props.emplace_back());
        break;
      default:
        in.Skip();
    }
  }
  WB_RETURN_IF_ERROR(in.TakeStatus(), "function '{}'", out.name);
  if (out.name.empty()) return Error(Code::kInvalidGraph, "a function has no name");
  return Status::Ok();
}

}  // namespace waybill::onnx
