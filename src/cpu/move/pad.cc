#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "cpu/move/copy_plan.h"
#include "cpu/move/kernels.h"
#include "cpu/move/pad_pieces.h"
#include "graph/infer/rules/tensor/pads.h"
#include "kernel/reference/support/indices.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::cpu {
namespace {

using graph::infer::PadAmounts;
using graph::infer::SpreadPads;
using kernel::PlanContext;
using kernel::reference::IntList;
using kernel::reference::ReadInts;

struct PadParams {
  PadMode mode = PadMode::kConstant;
  bool by_attribute = false;  // before version 11
  std::vector<int64_t> pads;
  float value = 0.0f;
};

Result<PadParams> ParsePad(const graph::NodeRef& node) {
  PadParams params;
  const std::string mode = node.attrs().String("mode", "constant");
  if (mode == "reflect") {
    params.mode = PadMode::kReflect;
  } else if (mode == "edge") {
    params.mode = PadMode::kEdge;
  } else if (mode == "wrap") {
    params.mode = PadMode::kWrap;
  } else if (mode != "constant") {
    return Error(Code::kInvalidArgument, "Pad has no mode \"{}\"", mode);
  }
  const char* name = node.attrs().Has("paddings") ? "paddings" : "pads";
  params.by_attribute = node.attrs().Has(name);
  params.pads = node.attrs().Ints(name);
  params.value = node.attrs().Float("value", 0.0f);
  return params;
}

// What is left of the input after negative amounts, and what is added to that.
struct PadGeometry {
  Shape skipped, kept, before, after;
  Shape in_strides, out_strides;
};

Result<PadAmounts> ReadAmounts(const PadParams& params, PlanContext& ctx) {
  const size_t rank = ctx.input_shape(0).rank();
  if (params.by_attribute) return SpreadPads(rank, params.pads, std::nullopt);
  WB_ASSIGN_OR_RETURN(const IntList pads, ReadInts(*ctx.values(1), "pads"));
  std::optional<IntList> axis_list;
  std::optional<std::span<const int64_t>> axes;
  if (ctx.has_input(3)) {
    WB_ASSIGN_OR_RETURN(axis_list, ReadInts(*ctx.values(3), "axes"));
    axes = axis_list->values();
  }
  return SpreadPads(rank, pads.values(), axes);
}

Result<PadGeometry> MakeGeometry(PadMode mode, const PadAmounts& amounts, const Shape& in,
                                 const Shape& out) {
  const size_t rank = in.rank();
  PadGeometry g{Shape::Filled(rank, 0), in,
                Shape::Filled(rank, 0), Shape::Filled(rank, 0),
                RowStrides(in),         RowStrides(out)};
  for (size_t i = 0; i < rank; ++i) {
    g.skipped[i] = std::max<int64_t>(0, -amounts.before[i]);
    g.kept[i] = in[i] - g.skipped[i] + std::min<int64_t>(0, amounts.after[i]);
    g.before[i] = std::max<int64_t>(0, amounts.before[i]);
    g.after[i] = std::max<int64_t>(0, amounts.after[i]);
    if (g.kept[i] < 0 || (g.kept[i] == 0 && mode != PadMode::kConstant && out.elems() != 0)) {
      return Error(Code::kInvalidArgument, "axis {} of {} has nothing left to pad with", i, in);
    }
  }
  return g;
}

// The element to fill with: input 2, else the value attribute of old versions, else zero.
Result<std::array<std::byte, 16>> ConstantElement(const PadParams& params, PlanContext& ctx) {
  std::array<std::byte, 16> element{};
  const DType dtype = ctx.input_dtype(0);
  if (ctx.has_input(2)) {
    const TensorView& value = *ctx.values(2);
    if (value.elems() != 1 || value.dtype != dtype) {
      return Error(Code::kInvalidArgument, "constant_value must be one {}, not {}",
                   DTypeName(dtype), value.Describe());
    }
    std::memcpy(element.data(), value.data, value.bytes());
  } else if (params.value != 0.0f) {
    WB_RETURN_IF_ERROR(DispatchDType(dtype, FloatTypes{}, [&]<typename T>() {
      const T number = static_cast<T>(params.value);
      std::memcpy(element.data(), &number, sizeof(number));
      return Status::Ok();
    }));
  }
  return element;
}

// The kept box, and around it slabs: those of axis i are as long as the kept box in the axes before
// i and as the output in the axes behind it.
void AddConstantBoxes(const PadGeometry& g, const Shape& out, const std::byte* element,
                      CopyPlan& plan) {
  CopyPlan::Box box{g.kept, 0, g.out_strides, 0, g.in_strides};
  for (size_t i = 0; i < out.rank(); ++i) {
    box.src_first += g.skipped[i] * g.in_strides[i];
    box.dst_first += g.before[i] * g.out_strides[i];
  }
  if (g.kept.elems() != 0) plan.Add(0, 0, box);
  int64_t first = 0;
  Shape dims = out;
  for (size_t i = 0; i < out.rank(); ++i) {
    dims[i] = g.before[i];
    plan.AddFill(0, dims, first, g.out_strides, element);
    dims[i] = g.after[i];
    plan.AddFill(0, dims, first + (g.before[i] + g.kept[i]) * g.out_strides[i], g.out_strides,
                 element);
    dims[i] = g.kept[i];
    first += g.before[i] * g.out_strides[i];
  }
}

// Where the input, whole and one element behind the other, begins in the output.
std::optional<int64_t> RunInOutput(const PadGeometry& g, const Shape& in) {
  if (g.kept != in || in.elems() == 0) return std::nullopt;
  int64_t first = 0;
  for (size_t i = 0; i < in.rank(); ++i) {
    if (in[i] > 1 && g.in_strides[i] != g.out_strides[i]) return std::nullopt;
    first += g.before[i] * g.out_strides[i];
  }
  return first;
}

// Every combination of one piece for each axis.
void AddRepeatedBoxes(PadMode mode, const PadGeometry& g, CopyPlan& plan) {
  const size_t rank = g.kept.rank();
  std::vector<std::vector<PadPiece>> pieces(rank);
  for (size_t i = 0; i < rank; ++i) {
    pieces[i] = PadPieces(mode, g.before[i], g.kept[i], g.after[i]);
  }
  std::vector<size_t> at(rank, 0);
  while (true) {
    CopyPlan::Box box;
    for (size_t i = 0; i < rank; ++i) {
      const PadPiece& piece = pieces[i][at[i]];
      box.dst_first += piece.dst * g.out_strides[i];
      box.src_first += (g.skipped[i] + piece.src) * g.in_strides[i];
      box.dims.PushBack(piece.repeats);
      box.dst_strides.PushBack(piece.period * g.out_strides[i]);
      box.src_strides.PushBack(0);
      box.dims.PushBack(piece.count);
      box.dst_strides.PushBack(g.out_strides[i]);
      box.src_strides.PushBack(piece.step * g.in_strides[i]);
    }
    plan.Add(0, 0, box);
    size_t axis = rank;
    while (axis > 0 && ++at[axis - 1] == pieces[axis - 1].size()) at[--axis] = 0;
    if (axis == 0) return;
  }
}

// Negative amounts remove elements first; what is left is padded.
Status PlanPad(const PadParams& params, PlanContext& ctx) {
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    if (ctx.has_input(i) && ctx.values(i) == nullptr) return Status::Ok();
  }
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape& in = ctx.input_shape(0);
  const Shape& out = *ctx.output_shape(0);
  WB_ASSIGN_OR_RETURN(const PadAmounts amounts, ReadAmounts(params, ctx));
  WB_ASSIGN_OR_RETURN(const PadGeometry g, MakeGeometry(params.mode, amounts, in, out));
  if (in == out && g.kept == out) {
    ctx.MakeView(0, 0);
    return Status::Ok();
  }
  auto plan = std::make_shared<CopyPlan>(ctx.input_dtype(0));
  if (out.elems() != 0) {
    if (params.mode == PadMode::kConstant) {
      WB_ASSIGN_OR_RETURN(const auto element, ConstantElement(params, ctx));
      AddConstantBoxes(g, out, element.data(), *plan);
      if (const auto first = RunInOutput(g, in)) ctx.AllowPiece(0, 0, plan->BytesOf(*first));
    } else {
      AddRepeatedBoxes(params.mode, g, *plan);
    }
  }
  ctx.SetState(std::move(plan));
  return Status::Ok();
}

// The pieces of axes multiply, so many axes are left to the reference.
kernel::Acceptance AcceptsPad(const graph::NodeRef& node) {
  const kernel::Acceptance movable = AcceptsMove(node);
  if (!movable.ok()) return movable;
  if (node.attrs().String("mode", "constant") == "constant") return kernel::Acceptance::Yes();
  const SymShape& shape = node.input_type(0).shape;
  WB_REFUSE_IF(!shape.has_rank(), "the rank is not known");
  WB_REFUSE_IF(shape.rank() > 5, "rank {} is more than 5", shape.rank());
  return kernel::Acceptance::Yes();
}

}  // namespace

const kernel::KernelImpl kPadMove[1] = {
    CopyImpl<PadParams, ParsePad, PlanPad>("pad.move", AcceptsPad)};

}  // namespace waybill::cpu
