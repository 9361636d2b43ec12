// For tests: a model as text, and written and read again.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "graph/export/export.h"
#include "graph/import/testing.h"

namespace waybill::graph {

inline ByteSink AppendTo(std::string& out) {
  return [&out](std::span<const std::byte> bytes) {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Status::Ok();
  };
}

// The model as an ONNX file. Errors: those of ExportModel.
inline Result<std::string> ExportBytes(const Model& model) {
  std::string out;
  ExportOptions options;
  options.model = AppendTo(out);
  WB_RETURN_IF_ERROR(ExportModel(model, options));
  return out;
}

namespace exporting {

inline std::string TextOf(const Constant& constant) {
  std::string out = Format("{} {}{} ", DTypeName(constant.dtype()), constant.shape(),
                           constant.is_splat() ? " splat" : "");
  const TensorView& view = constant.tensor().view();
  if (view.dtype == DType::kString) {
    for (const auto& text : view.span<const std::string>()) out += Format("'{}'", text);
    return out;
  }
  if (constant.rows() != nullptr) return out + constant.rows()->maker();
  for (size_t i = 0; i < view.bytes(); ++i) {
    out += Format("{},", std::to_integer<int>(view.data[i]));
  }
  return out;
}

std::string TextOf(const Graph& graph);

struct AttributeText {
  std::string operator()(int64_t v) const { return Format("{}", v); }
  std::string operator()(float v) const { return Format("{}f", v); }
  std::string operator()(const std::string& v) const { return "'" + v + "'"; }
  std::string operator()(const Tensor& v) const { return TextOf(Constant(v)); }
  std::string operator()(const GraphPtr& v) const { return TextOf(*v); }
  std::string operator()(const ValueType& v) const { return v.ToString(); }
  std::string operator()(const SparseValue& v) const {
    return Format("{} of {} at {}", v.dense_shape, TextOf(Constant(v.values)),
                  TextOf(Constant(v.indices)));
  }
  template <typename T>
  std::string operator()(const std::vector<T>& list) const {
    std::string out = "[";
    for (const T& item : list) out += (*this)(item) + ";";
    return out + "]";
  }
};

// Inputs, constants in use, nodes with all they have, outputs; everything by its name.
inline std::string TextOf(const Graph& graph) {
  std::string out = Format("graph {}\n", graph.name);
  const auto name = [&](ValueId id) { return id == kNoValue ? "" : graph.value(id).name; };
  const auto typed = [&](ValueId id) {
    return id == kNoValue ? std::string("-") : name(id) + ":" + graph.value(id).type.ToString();
  };
  for (const ValueId id : graph.inputs) out += Format("input {}\n", typed(id));
  for (const InputDefault& given : graph.defaults) {
    out += Format("default {} = {}\n", name(given.input), TextOf(given.value));
  }
  for (const Capture& capture : graph.captures) out += Format("capture {}\n", name(capture.inner));
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    out += Format("{} opset {}:", node.Describe(), node.opset);
    for (const ValueId input : node.inputs) {
      out += " " + typed(input);
      if (input != kNoValue && graph.value(input).constant.defined()) {
        out += "=" + TextOf(graph.value(input).constant);
      }
    }
    out += " ->";
    for (const ValueId output : node.outputs) out += " " + typed(output);
    std::vector<std::string> attributes;
    for (const Attribute& attribute : node.attrs.all()) {
      attributes.push_back(
          Format("  {} = {}\n", attribute.name, std::visit(AttributeText(), attribute.value)));
    }
    std::sort(attributes.begin(), attributes.end());
    out += "\n";
    for (const std::string& text : attributes) out += text;
  }
  for (const ValueId id : graph.outputs) {
    out += Format("output {}", typed(id));
    if (graph.value(id).constant.defined()) out += " = " + TextOf(graph.value(id).constant);
    out += "\n";
  }
  return out;
}

inline std::string TextOf(const Model& model) {
  std::string out =
      Format("{} {} {} {} {} {}\n", model.producer_name, model.producer_version, model.domain,
             model.model_version.value_or(-1), model.doc_string, model.graph_doc_string);
  for (const auto& [key, value] : model.metadata) out += Format("{} = {}\n", key, value);
  for (const auto& [domain, version] : model.opset_imports) {
    out += Format("import '{}' {}\n", domain, version);
  }
  return out + TextOf(model.main);
}

}  // namespace exporting
}  // namespace waybill::graph
