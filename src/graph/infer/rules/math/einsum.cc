#include <map>
#include <vector>

#include "graph/infer/rules/math/einsum_equation.h"
#include "graph/infer/rules/math/rules.h"

namespace waybill::graph::infer {

namespace {

// Dims of one label seen in several places: equal, or 1 beside another.
Status Merge(Dim& into, const Dim& other, int label) {
  if (into.known() && other.known() && into.value() != other.value() && into.value() != 1 &&
      other.value() != 1) {
    return Error(Code::kInvalidArgument, "dimensions {} and {} have the same label {}",
                 into.value(), other.value(),
                 label < kEllipsisLabel ? std::string(1, static_cast<char>(label)) : "...");
  }
  const bool into_one = into.known() && into.value() == 1;
  const bool other_one = other.known() && other.value() == 1;
  if (into_one || (!into.known() && other.known() && !other_one)) {
    into = other;
  } else if (!into.known() && !other.known() && !into.SameAs(other)) {
    into = Dim();
  }
  return Status::Ok();
}

}  // namespace

Status InferEinsum(InferContext& ctx) {
  WB_ASSIGN_OR_RETURN(const EinsumEquation equation,
                      EinsumEquation::Parse(ctx.attrs().String("equation")));
  std::vector<size_t> ranks;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.input_shape(i).has_rank()) return Status::Ok();
    ranks.push_back(ctx.input_shape(i).rank());
  }
  WB_ASSIGN_OR_RETURN(const EinsumBinding binding, BindEinsum(equation, ranks));
  std::map<int, Dim> dims;
  for (size_t i = 0; i < ranks.size(); ++i) {
    for (size_t axis = 0; axis < ranks[i]; ++axis) {
      const int label = binding.inputs[i][axis];
      const Dim& dim = ctx.input_shape(i)[axis];
      const auto [at, fresh] = dims.emplace(label, dim);
      if (!fresh) WB_RETURN_IF_ERROR(Merge(at->second, dim, label));
    }
  }
  std::vector<Dim> out;
  for (const int label : binding.output) out.push_back(dims[label]);
  ctx.SetShape(0, SymShape(std::move(out)));
  return Status::Ok();
}

Status InferDet(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  if (!in.has_rank()) return Status::Ok();
  const size_t rank = in.rank();
  const bool square = rank >= 2 && (!in[rank - 1].known() || !in[rank - 2].known() ||
                                    in[rank - 1].value() == in[rank - 2].value());
  if (!square) return Error(Code::kInvalidArgument, "shape {} does not end in a square", in);
  ctx.SetShape(0, SymShape(std::vector<Dim>(in.dims().begin(), in.dims().end() - 2)));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
