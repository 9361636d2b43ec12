#include <algorithm>
#include <set>

#include "graph/import/state.h"

namespace waybill::graph::importing {

namespace {

using schema::AttrType;

AttrType TypeOf(const onnx::AttributeView& view) { return static_cast<AttrType>(view.type); }

template <typename T, typename List>
std::vector<T> Copy(const List& list) {
  std::vector<T> out;
  out.reserve(list.size());
  for (const auto& item : list) out.emplace_back(item);
  return out;
}

Result<Tensor> ReadTensor(ImportState& state, const Scope& scope,
                          const onnx::TensorProtoView& view) {
  if (scope.frame == nullptr) return state.tensors.ImportAligned(view);
  const auto known = state.body_tensors.find(&view);
  if (known != state.body_tensors.end()) return known->second;
  WB_ASSIGN_OR_RETURN(Tensor tensor, state.tensors.ImportAligned(view));
  state.body_tensors.emplace(&view, tensor);
  return tensor;
}

// `scope` is the node's own; a graph given by the caller of a function is read in the caller's.
Result<GraphPtr> ReadGraph(ImportState& state, Scope& scope, Scope& written_in,
                           const onnx::GraphView& view) {
  if (&written_in == &scope) return BuildSubgraph(state, scope, view);
  // Subgraphs of the function around the node must capture what the given graph reads.
  Scope between;
  between.graph = scope.graph;
  between.parent = &scope;
  between.written_in = &written_in;
  between.frame = written_in.frame;
  between.repeated = true;
  between.prefix = written_in.prefix;
  between.depth = scope.depth;
  return BuildSubgraph(state, between, view);
}

Result<AttributeValue> ReadList(ImportState& state, Scope& scope, const BoundAttribute& bound,
                                AttrType type) {
  const onnx::AttributeView& view = *bound.view;
  switch (type) {
    case AttrType::kTensors: {
      std::vector<Tensor> out;
      for (const onnx::TensorProtoView& item : view.tensors()) {
        WB_ASSIGN_OR_RETURN(Tensor tensor, ReadTensor(state, scope, item));
        out.push_back(std::move(tensor));
      }
      return AttributeValue(std::move(out));
    }
    case AttrType::kGraphs: {
      std::vector<GraphPtr> out;
      for (const onnx::GraphView& item : view.graphs()) {
        WB_ASSIGN_OR_RETURN(GraphPtr graph, ReadGraph(state, scope, *bound.scope, item));
        out.push_back(std::move(graph));
      }
      return AttributeValue(std::move(out));
    }
    case AttrType::kTypeProtos: {
      std::vector<ValueType> out;
      for (const onnx::TypeView& item : view.types()) out.push_back(ImportType(item));
      return AttributeValue(std::move(out));
    }
    default: {
      std::vector<SparseValue> out;
      for (const onnx::SparseTensorView& item : view.sparse_tensors()) {
        WB_ASSIGN_OR_RETURN(SparseValue sparse, state.tensors.ImportSparse(item));
        out.push_back(std::move(sparse));
      }
      return AttributeValue(std::move(out));
    }
  }
}

Result<AttributeValue> ReadValue(ImportState& state, Scope& scope, const BoundAttribute& bound,
                                 AttrType type) {
  const onnx::AttributeView& view = *bound.view;
  switch (type) {
    case AttrType::kFloat:
      return AttributeValue(view.f);
    case AttrType::kInt:
      return AttributeValue(view.i);
    case AttrType::kString:
      return AttributeValue(std::string(view.s));
    case AttrType::kFloats:
      return AttributeValue(view.floats.ToVector());
    case AttrType::kInts:
      return AttributeValue(view.ints.ToVector());
    case AttrType::kStrings:
      return AttributeValue(Copy<std::string>(view.strings));
    case AttrType::kTensor: {
      if (!view.t) return Error(Code::kInvalidGraph, "it holds no tensor");
      WB_ASSIGN_OR_RETURN(Tensor tensor, ReadTensor(state, scope, *view.t));
      return AttributeValue(std::move(tensor));
    }
    case AttrType::kGraph: {
      if (!view.g) return Error(Code::kInvalidGraph, "it holds no graph");
      WB_ASSIGN_OR_RETURN(GraphPtr graph, ReadGraph(state, scope, *bound.scope, *view.g));
      return AttributeValue(std::move(graph));
    }
    case AttrType::kTypeProto:
      if (!view.tp) return Error(Code::kInvalidGraph, "it holds no type");
      return AttributeValue(ImportType(*view.tp));
    case AttrType::kSparseTensor: {
      if (!view.sparse_tensor) return Error(Code::kInvalidGraph, "it holds no sparse tensor");
      WB_ASSIGN_OR_RETURN(SparseValue sparse, state.tensors.ImportSparse(*view.sparse_tensor));
      return AttributeValue(std::move(sparse));
    }
    default:
      return ReadList(state, scope, bound, type);
  }
}

AttributeValue DefaultValue(const schema::Attr& attr) {
  const schema::AttrDefault& fallback = *attr.fallback;
  switch (attr.type) {
    case AttrType::kFloat:
      return fallback.f;
    case AttrType::kString:
      return std::string(fallback.s);
    case AttrType::kInts:
      return Copy<int64_t>(fallback.ints);
    case AttrType::kStrings:
      return Copy<std::string>(fallback.strings);
    default:
      return fallback.i;
  }
}

// The schema's entry for a written attribute; null for one that old files carry and nobody needs.
Result<const schema::Attr*> CheckWritten(const Node& node, const WrittenAttribute& written) {
  const schema::Attr* attr = node.schema->FindAttr(written.name);
  if (attr == nullptr) {
    // Files of opset 1 to 5 say which inputs an operator overwrites.
    if (written.name == "consumed_inputs" && node.opset < 6) return attr;
    return Error(Code::kInvalidGraph, "node {} (opset {}): unknown attribute '{}'", node.Describe(),
                 node.opset, written.name);
  }
  const AttrType type = TypeOf(*written.bound.view);
  if (type != attr->type && type != AttrType::kUndefined) {
    return Error(Code::kInvalidGraph,
                 "node {} (opset {}): attribute '{}' is of type {}, it must be of type {}",
                 node.Describe(), node.opset, written.name, schema::AttrTypeName(type),
                 schema::AttrTypeName(attr->type));
  }
  return attr;
}

// The tensor that one of Constant's attributes stands for.
Result<Tensor> ConstantOf(ImportState& state, const onnx::AttributeView& view, AttrType type) {
  const auto make = [&](DType dtype, Shape shape) {
    return Tensor::Allocate(dtype, std::move(shape), state.options.source, MemoryTag::kWeights);
  };
  const auto fill = [](Tensor tensor, const auto& list) {
    using T = std::decay_t<decltype(*list.begin())>;
    std::copy(list.begin(), list.end(), tensor.span<T>().begin());
    return tensor;
  };
  const auto length = [](const auto& list) { return Shape{static_cast<int64_t>(list.size())}; };
  switch (type) {
    case AttrType::kTensor:
      return state.tensors.Import(*view.t);
    case AttrType::kSparseTensor:
      return state.tensors.Densify(*view.sparse_tensor);
    case AttrType::kFloat: {
      WB_ASSIGN_OR_RETURN(Tensor out, make(DType::kF32, Shape{}));
      return fill(out, std::initializer_list<float>{view.f});
    }
    case AttrType::kInt: {
      WB_ASSIGN_OR_RETURN(Tensor out, make(DType::kI64, Shape{}));
      return fill(out, std::initializer_list<int64_t>{view.i});
    }
    case AttrType::kString: {
      WB_ASSIGN_OR_RETURN(Tensor out, make(DType::kString, Shape{}));
      return fill(out, std::initializer_list<std::string>{std::string(view.s)});
    }
    case AttrType::kFloats: {
      WB_ASSIGN_OR_RETURN(Tensor out, make(DType::kF32, length(view.floats)));
      return fill(out, view.floats.ToVector());
    }
    case AttrType::kInts: {
      WB_ASSIGN_OR_RETURN(Tensor out, make(DType::kI64, length(view.ints)));
      return fill(out, view.ints.ToVector());
    }
    case AttrType::kStrings: {
      WB_ASSIGN_OR_RETURN(Tensor out, make(DType::kString, length(view.strings)));
      return fill(out, Copy<std::string>(view.strings));
    }
    default:
      return Error(Code::kInvalidGraph, "a constant can not be of type {}",
                   schema::AttrTypeName(type));
  }
}

}  // namespace

Result<std::vector<WrittenAttribute>> WrittenAttributes(const onnx::NodeView& node, Scope& scope) {
  std::vector<WrittenAttribute> out;
  std::set<std::string_view> names;
  for (const onnx::AttributeView& view : node.attributes) {
    if (!names.insert(view.name).second) {
      return Error(Code::kInvalidGraph, "{}: attribute '{}' is given twice", DescribeNode(node),
                   view.name);
    }
    if (view.ref_attr_name.empty()) {
      out.push_back({view.name, {&view, &scope}});
      continue;
    }
    if (scope.frame == nullptr) {
      return Error(Code::kInvalidGraph,
                   "{}: attribute '{}' refers to attribute '{}' of a function, but the node is in "
                   "none",
                   DescribeNode(node), view.name, view.ref_attr_name);
    }
    const auto bound = scope.frame->attributes.find(view.ref_attr_name);
    if (bound != scope.frame->attributes.end()) out.push_back({view.name, bound->second});
  }
  return out;
}

Status ImportAttributes(ImportState& state, Scope& scope, std::span<const WrittenAttribute> written,
                        Node& node) {
  for (const WrittenAttribute& item : written) {
    WB_ASSIGN_OR_RETURN(const schema::Attr* attr, CheckWritten(node, item));
    if (attr == nullptr) continue;
    WB_ASSIGN_OR_RETURN(AttributeValue value, ReadValue(state, scope, item.bound, attr->type),
                        "attribute '{}' of node {}", item.name, node.Describe());
    node.attrs.all().push_back({std::string(item.name), std::move(value)});
  }
  for (const schema::Attr& attr : node.schema->attrs) {
    if (node.attrs.Has(attr.name)) continue;
    if (attr.required) {
      return Error(Code::kInvalidGraph, "node {} (opset {}): required attribute '{}' is missing",
                   node.Describe(), node.opset, attr.name);
    }
    if (attr.fallback != nullptr) {
      node.attrs.all().push_back({std::string(attr.name), DefaultValue(attr)});
    }
  }
  return Status::Ok();
}

Result<Tensor> ImportConstant(ImportState& state, std::span<const WrittenAttribute> written,
                              const Node& node) {
  if (written.size() != 1) {
    return Error(Code::kInvalidGraph, "node {} (opset {}) has {} attributes, it needs one value",
                 node.Describe(), node.opset, written.size());
  }
  WB_ASSIGN_OR_RETURN(const schema::Attr* attr, CheckWritten(node, written[0]));
  if (attr == nullptr) return Error(Code::kInvalidGraph, "{} has no value", node.Describe());
  const onnx::AttributeView& view = *written[0].bound.view;
  const bool shared = view.t && !view.t->Direct();
  if (shared) {
    const auto known = state.body_tensors.find(view.t.get());
    if (known != state.body_tensors.end()) return known->second;
  }
  WB_ASSIGN_OR_RETURN(Tensor out, ConstantOf(state, view, attr->type), "node {}", node.Describe());
  if (shared) state.body_tensors.emplace(view.t.get(), out);
  return out;
}

}  // namespace waybill::graph::importing
