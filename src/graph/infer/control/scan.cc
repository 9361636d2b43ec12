#include <algorithm>

#include "graph/infer/control/carried.h"
#include "graph/infer/types.h"

namespace waybill::graph::infer {

namespace {

// How a version of Scan lays out its values.
struct Layout {
  size_t first_input = 0;  // version 8: behind sequence_lens
  size_t batch = 0;        // version 8: 1, leading batch dimensions of outer values
  size_t states = 0, scans = 0;
  std::vector<int64_t> input_axes, output_axes;  // version 9 on; empty: all 0

  // Axis of scanned value `i` in outer values of `rank` dimensions.
  Result<size_t> AxisOf(const std::vector<int64_t>& axes, size_t i, size_t rank) const {
    if (batch != 0) {
      if (rank < 2) return Error(Code::kInvalidArgument, "scanned value {} has no axis 1", i);
      return size_t{1};
    }
    return Axis(i < axes.size() ? axes[i] : 0, rank);
  }
};

Result<Layout> LayoutOf(const Node& node) {
  Layout out;
  const int64_t scans = node.attrs.Int("num_scan_inputs");
  if (node.since_version < 9) {
    out.first_input = 1;
    out.batch = 1;
  }
  const size_t values = node.inputs.size() - std::min(node.inputs.size(), out.first_input);
  if (scans < 1 || static_cast<size_t>(scans) > values) {
    return Error(Code::kInvalidGraph, "node {}: num_scan_inputs is {}, but it has {} inputs",
                 node.Describe(), scans, values);
  }
  out.scans = static_cast<size_t>(scans);
  out.states = values - out.scans;
  out.input_axes = node.attrs.Ints("scan_input_axes");
  out.output_axes = node.attrs.Ints("scan_output_axes");
  return out;
}

SymShape WithoutFront(const SymShape& shape, size_t count) {
  if (!shape.has_rank() || shape.rank() < count) return {};
  return SymShape(
      std::vector<Dim>(shape.dims().begin() + static_cast<ptrdiff_t>(count), shape.dims().end()));
}

struct Slices {
  std::vector<ValueType> inputs;  // of the body
  Dim batch, length;
};

Status AddSlice(const Layout& layout, size_t i, const ValueType& type, Slices& out) {
  ValueType slice = type;
  if (type.shape.has_rank()) {
    WB_ASSIGN_OR_RETURN(const size_t axis, layout.AxisOf(layout.input_axes, i, type.shape.rank()));
    if (!out.length.known() && !type.shape[axis].unknown()) out.length = type.shape[axis];
    if (layout.batch != 0 && !out.batch.known()) out.batch = type.shape[0];
    std::vector<Dim> dims = type.shape.dims();
    dims.erase(dims.begin() + static_cast<ptrdiff_t>(axis));
    if (layout.batch != 0) dims.erase(dims.begin());
    slice.shape = SymShape(std::move(dims));
  }
  out.inputs.push_back(std::move(slice));
  return Status::Ok();
}

Result<Slices> SlicesOf(const Graph& graph, const Node& node, const Layout& layout) {
  Slices out;
  for (size_t i = 0; i < layout.states + layout.scans; ++i) {
    const size_t input = layout.first_input + i;
    const ValueType type =
        node.HasInput(input) ? graph.value(node.inputs[input]).type : ValueType();
    if (i >= layout.states) {
      WB_RETURN_IF_ERROR(AddSlice(layout, i - layout.states, type, out), "node {}",
                         node.Describe());
      continue;
    }
    ValueType state = type;
    if (layout.batch != 0) {
      if (type.shape.has_rank() && type.shape.rank() > 0) out.batch = type.shape[0];
      state.shape = WithoutFront(type.shape, 1);
    }
    out.inputs.push_back(std::move(state));
  }
  return out;
}

}  // namespace

// Scan(states..., scanned...) -> (states..., scanned...), the body has the same without the scanned
// axis (and in version 8 without the batch axis).
Status InferScan(Driver& driver, const Graph& graph, const Node& node,
                 std::vector<ValueType>& outputs) {
  Graph& body = *node.attrs.Subgraph("body");
  WB_ASSIGN_OR_RETURN(const Layout layout, LayoutOf(node));
  WB_ASSIGN_OR_RETURN(Slices slices, SlicesOf(graph, node, layout));
  WB_RETURN_IF_ERROR(InferCarried(driver, graph, node, body, slices.inputs, 0, layout.states, 0));
  if (body.outputs.size() < outputs.size()) {
    return Error(Code::kInvalidGraph, "node {} has {} outputs, but its body '{}' has {}",
                 node.Describe(), outputs.size(), body.name, body.outputs.size());
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool state = i < layout.states;
    outputs[i] = state ? slices.inputs[i] : body.value(body.outputs[i]).type;
    if (!outputs[i].shape.has_rank()) continue;
    std::vector<Dim> dims = outputs[i].shape.dims();
    if (layout.batch != 0) dims.insert(dims.begin(), slices.batch);
    if (!state) {
      WB_ASSIGN_OR_RETURN(const size_t axis,
                          layout.AxisOf(layout.output_axes, i - layout.states, dims.size() + 1),
                          "node {}", node.Describe());
      dims.insert(dims.begin() + static_cast<ptrdiff_t>(axis), slices.length);
    }
    outputs[i].shape = SymShape(std::move(dims));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::infer
