#include "graph/infer/rules/ml/rules.h"

namespace waybill::graph::infer {

Dim RowCount(const SymShape& x) {
  if (!x.has_rank()) return {};
  return x.rank() <= 1 ? Dim(1) : x[0];
}

Status InferClassifier(InferContext& ctx) {
  const Attributes& attrs = ctx.attrs();
  size_t classes = 0;
  DType label = DType::kI64;
  for (const char* name : {"classlabels_int64s", "classlabels_ints"}) {
    classes += attrs.Ints(name).size();
  }
  if (const size_t strings = attrs.Strings("classlabels_strings").size(); strings != 0) {
    classes = strings;
    label = DType::kString;
  }
  const Dim rows = RowCount(ctx.input_shape(0));
  ctx.SetTensor(0, label, SymShape(std::vector<Dim>{rows}));
  ctx.SetTensor(1, DType::kF32,
                SymShape(std::vector<Dim>{rows, Dim(static_cast<int64_t>(classes))}));
  return Status::Ok();
}

Status InferTreeRegressor(InferContext& ctx) {
  const int64_t targets = ctx.attrs().Int("n_targets", 1);
  if (targets < 1) return Error(Code::kInvalidArgument, "n_targets is {}", targets);
  const bool typed = ctx.node().op_type == "TreeEnsemble";
  ctx.SetTensor(0, typed ? ctx.input_dtype(0) : DType::kF32,
                SymShape(std::vector<Dim>{RowCount(ctx.input_shape(0)), targets}));
  return Status::Ok();
}

Status InferZipMap(InferContext& ctx) {
  const bool strings = !ctx.attrs().Strings("classlabels_strings").empty();
  if (ctx.num_outputs() > 0) {
    ctx.output(0) = ValueType::Sequence(
        ValueType::Map(strings ? DType::kString : DType::kI64, ValueType::Tensor(DType::kF32)));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::infer
