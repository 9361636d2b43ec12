#include "exec/program/evaluator.h"

#include <cstring>

#include "exec/program/builder.h"
#include "exec/program/pure.h"
#include "exec/program/sliced_rows.h"
#include "kernel/api/invoke.h"

namespace waybill::exec {

namespace {

Result<Shape> ShapeFrom(const Tensor& dims) {
  if (dims.dtype() != DType::kI64) {
    return Error(Code::kInvalidArgument, "a shape must be int64, not {}", DTypeName(dims.dtype()));
  }
  Shape shape = Shape::Filled(static_cast<size_t>(dims.shape().elems()), 0);
  for (size_t i = 0; i < shape.rank(); ++i) {
    std::memcpy(&shape[i], dims.view().data + i * sizeof(int64_t), sizeof(int64_t));
    if (shape[i] < 0) {
      return Error(Code::kInvalidArgument, "dimension {} of a shape is {}", i, shape[i]);
    }
  }
  return shape;
}

}  // namespace

Result<graph::Constant> KernelEvaluator::EvaluateSplat(const graph::NodeRef& node) const {
  WB_ASSIGN_OR_RETURN(Tensor dims, node.constant(0)->Materialize(source_, MemoryTag::kFolded));
  WB_ASSIGN_OR_RETURN(Shape shape, ShapeFrom(dims));
  Tensor element;
  if (const Tensor* given = node.attrs().Get<Tensor>("value")) {
    WB_ASSIGN_OR_RETURN(element, CopyTensor(given->view(), source_, MemoryTag::kFolded));
  } else {
    WB_ASSIGN_OR_RETURN(element,
                        Tensor::Allocate(DType::kF32, Shape{1}, source_, MemoryTag::kFolded));
    element.span<float>()[0] = 0.0f;
  }
  WB_RETURN_IF_ERROR(Tensor::BytesFor(element.dtype(), shape).status());
  return graph::Constant::Splat(std::move(element), std::move(shape));
}

Result<std::vector<graph::Constant>> KernelEvaluator::Evaluate(const graph::Graph& graph,
                                                               const graph::Node& node,
                                                               size_t max_bytes) {
  bool has_subgraph = false;
  ForEachSubgraph(node, [&](const graph::GraphPtr&) { has_subgraph = true; });
  if (!IsPure(node) || has_subgraph) {
    return Error(Code::kNotImplemented, "{} is not computed at load", node.Describe());
  }
  const graph::NodeRef ref(graph, node);
  if (node.Is("ConstantOfShape") && DTypeBits(ref.output_dtype(0)) >= 8) {
    WB_ASSIGN_OR_RETURN(graph::Constant splat, EvaluateSplat(ref));
    return std::vector<graph::Constant>{std::move(splat)};
  }
  std::vector<Value> inputs(node.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!ref.has_input(i)) continue;
    if (ref.constant(i) == nullptr) {
      return Error(Code::kInvalidArgument, "input {} of {} is no constant", i, node.Describe());
    }
    WB_ASSIGN_OR_RETURN(Tensor tensor, ref.constant(i)->Materialize(source_, MemoryTag::kFolded));
    inputs[i] = Value(std::move(tensor));
  }
  WB_ASSIGN_OR_RETURN(kernel::Selection selection, kernel::Select(ref, providers_));
  kernel::PrepareContext prepare(ref, source_);
  WB_RETURN_IF_ERROR(selection.kernel->Prepare(prepare));
  kernel::InvokeOptions options;
  options.source = source_;
  options.tag = MemoryTag::kFolded;
  options.max_output_bytes = max_bytes;
  WB_ASSIGN_OR_RETURN(std::vector<Value> values,
                      kernel::Invoke(*selection.kernel, ref, inputs, options));
  std::vector<graph::Constant> constants(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].defined()) continue;
    if (values[i].tensor() == nullptr) {
      return Error(Code::kNotImplemented, "output {} of {} is no tensor", i, node.Describe());
    }
    if (values[i].tensor()->view().bytes() > max_bytes) {
      return Error(Code::kInvalidArgument, "output {} of {} takes more than {} bytes", i,
                   node.Describe(), max_bytes);
    }
    constants[i] = graph::Constant(*values[i].tensor());
  }
  return constants;
}

Result<graph::Constant> KernelEvaluator::Defer(const graph::Graph& graph, const graph::Node& node,
                                               size_t block_bytes) {
  WB_ASSIGN_OR_RETURN(graph::Constant rows,
                      DeferRows(graph::NodeRef(graph, node), providers_, block_bytes));
  if (!rows.defined()) return rows;
  // What can not be computed fails when it runs, not in the middle of packing.
  const Status status = rows.rows()->Rows(0, rows.rows()->row_multiple(), source_).status();
  return status.ok() ? std::move(rows) : graph::Constant();
}

}  // namespace waybill::exec
