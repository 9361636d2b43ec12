#include "graph/infer/context.h"

#include <cstring>

namespace waybill::graph::infer {

namespace {

// Larger integer tensors are data, not shapes.
constexpr int64_t kMaxContents = 4096;

template <typename T>
void ReadInts(const TensorView& view, std::vector<int64_t>& out) {
  for (size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, view.data + i * sizeof(T), sizeof(T));
    out[i] = value;
  }
}

// The common dim of aligned dims: a known number other than 1 wins, equal symbols stay.
// Errors: two known numbers differ and neither is 1.
Status MergeDim(Dim& into, const Dim& other) {
  if (into.known() && into.value() == 1) {
    into = other;
  } else if (other.known() && other.value() == 1) {
    // keeps `into`
  } else if (into.known() && other.known()) {
    if (into.value() != other.value()) {
      return Error(Code::kInvalidArgument, "dimensions {} and {} do not broadcast", into.value(),
                   other.value());
    }
  } else if (into.known()) {
    // the other must be 1 or equal: keeps `into`
  } else if (other.known()) {
    into = other;
  } else if (!into.SameAs(other)) {
    into = Dim();
  }
  return Status::Ok();
}

}  // namespace

const SymShape& InferContext::input_shape(size_t i) const {
  static const SymShape unknown;
  return has_input(i) ? inputs_[i].type->shape : unknown;
}

std::optional<std::vector<int64_t>> InferContext::IntValues(size_t i) const {
  if (!has_input(i)) return std::nullopt;
  if (const TensorView* view = inputs_[i].values) {
    if (view->elems() > kMaxContents) return std::nullopt;
    std::vector<int64_t> out(static_cast<size_t>(view->elems()));
    switch (view->dtype) {
      case DType::kI64:
        ReadInts<int64_t>(*view, out);
        return out;
      case DType::kI32:
        ReadInts<int32_t>(*view, out);
        return out;
      default:
        return std::nullopt;
    }
  }
  if (const auto* contents = inputs_[i].contents) {
    std::vector<int64_t> out;
    for (const Dim& dim : *contents) {
      if (!dim.known()) return std::nullopt;
      out.push_back(dim.value());
    }
    return out;
  }
  return std::nullopt;
}

std::optional<std::vector<Dim>> InferContext::SymbolicValues(size_t i) const {
  if (!has_input(i)) return std::nullopt;
  if (inputs_[i].contents != nullptr) return *inputs_[i].contents;
  const auto ints = IntValues(i);
  if (!ints) return std::nullopt;
  std::vector<Dim> dims;
  for (const int64_t value : *ints) {
    if (value < 0) return std::nullopt;
    dims.emplace_back(value);
  }
  return dims;
}

Result<SymShape> BroadcastSym(std::span<const SymShape* const> shapes) {
  size_t rank = 0;
  for (const SymShape* shape : shapes) {
    if (!shape->has_rank()) return SymShape();
    rank = std::max(rank, shape->rank());
  }
  std::vector<Dim> dims(rank, Dim(1));
  for (const SymShape* shape : shapes) {
    const size_t offset = rank - shape->rank();
    for (size_t i = 0; i < shape->rank(); ++i) {
      WB_RETURN_IF_ERROR(MergeDim(dims[offset + i], (*shape)[i]), "axis {} of shape {}", i, *shape);
    }
  }
  return SymShape(std::move(dims));
}

Status SameShapeAsFirst(InferContext& ctx) {
  ctx.SetShape(0, ctx.input_shape(0));
  return Status::Ok();
}

Status BroadcastAll(InferContext& ctx) {
  std::vector<const SymShape*> shapes;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (ctx.has_input(i)) shapes.push_back(&ctx.input_shape(i));
  }
  WB_ASSIGN_OR_RETURN(SymShape out, BroadcastSym(shapes));
  ctx.SetShape(0, std::move(out));
  return Status::Ok();
}

Result<size_t> Axis(int64_t axis, size_t rank) {
  if (const auto index = NormalizeAxis(axis, rank)) return *index;
  return Error(Code::kInvalidArgument, "axis {} is out of range for rank {}", axis, rank);
}

}  // namespace waybill::graph::infer
