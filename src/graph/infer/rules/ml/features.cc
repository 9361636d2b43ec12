#include "graph/infer/rules/ml/rules.h"

namespace waybill::graph::infer {

Status InferSameShapeAsFloat(InferContext& ctx) {
  ctx.SetTensor(0, DType::kF32, ctx.input_shape(0));
  return Status::Ok();
}

Status InferLabelEncoder(InferContext& ctx) {
  const Attributes& attrs = ctx.attrs();
  DType dtype = DType::kUndefined;
  if (ctx.since_version() < 2 || ctx.node().op_type == "CategoryMapper") {
    dtype = ctx.input_dtype(0) == DType::kString ? DType::kI64 : DType::kString;
  } else if (const Tensor* values = attrs.Get<Tensor>("values_tensor")) {
    dtype = values->dtype();
  } else if (!attrs.Strings("values_strings").empty()) {
    dtype = DType::kString;
  } else if (!attrs.Ints("values_int64s").empty()) {
    dtype = DType::kI64;
  } else if (!attrs.Floats("values_floats").empty()) {
    dtype = DType::kF32;
  } else {
    return Error(Code::kInvalidArgument, "there are no values");
  }
  ctx.SetTensor(0, dtype, ctx.input_shape(0));
  return Status::Ok();
}

Status InferArrayFeatureExtractor(InferContext& ctx) {
  const SymShape &x = ctx.input_shape(0), &indices = ctx.input_shape(1);
  if (!x.has_rank()) return Status::Ok();
  const auto elems = indices.Elems();
  const Dim count = elems ? Dim(*elems) : Dim();
  std::vector<Dim> dims = x.dims();
  if (dims.size() <= 1) {
    dims = {Dim(1), count};
  } else {
    dims.back() = count;
  }
  ctx.SetShape(0, SymShape(std::move(dims)));
  return Status::Ok();
}

Status InferFeatureVectorizer(InferContext& ctx) {
  int64_t width = 0;
  for (const int64_t w : ctx.attrs().Ints("inputdimensions")) {
    if (w < 0 || __builtin_add_overflow(width, w, &width)) {
      return Error(Code::kInvalidArgument, "inputdimensions contains {}", w);
    }
  }
  ctx.SetTensor(0, DType::kF32,
                SymShape(std::vector<Dim>{RowCount(ctx.input_shape(0)), Dim(width)}));
  return Status::Ok();
}

Status InferOneHotEncoder(InferContext& ctx) {
  const SymShape& x = ctx.input_shape(0);
  if (!x.has_rank()) {
    ctx.SetTensor(0, DType::kF32, SymShape());
    return Status::Ok();
  }
  std::vector<Dim> dims = x.dims();
  dims.emplace_back(static_cast<int64_t>(ctx.attrs().Ints("cats_int64s").size() +
                                         ctx.attrs().Strings("cats_strings").size()));
  ctx.SetTensor(0, DType::kF32, SymShape(std::move(dims)));
  return Status::Ok();
}

Status InferLinearRegressor(InferContext& ctx) {
  const int64_t targets = ctx.attrs().Int("targets", 1);
  if (targets < 1) return Error(Code::kInvalidArgument, "targets is {}", targets);
  ctx.SetTensor(0, DType::kF32, SymShape(std::vector<Dim>{RowCount(ctx.input_shape(0)), targets}));
  return Status::Ok();
}

Status InferSvmRegressor(InferContext& ctx) {
  ctx.SetTensor(0, DType::kF32, SymShape(std::vector<Dim>{RowCount(ctx.input_shape(0)), 1}));
  return Status::Ok();
}

Status InferDictVectorizer(InferContext& ctx) {
  const auto words = static_cast<int64_t>(ctx.attrs().Ints("int64_vocabulary").size() +
                                          ctx.attrs().Strings("string_vocabulary").size());
  DType dtype = DType::kUndefined;
  if (ctx.has_input(0) && ctx.input_type(0).kind == ValueKind::kMap && ctx.input_type(0).element) {
    dtype = ctx.input_type(0).element->dtype;
  }
  ctx.SetTensor(0, dtype, SymShape(std::vector<Dim>{1, words}));
  return Status::Ok();
}

Status InferCastMap(InferContext& ctx) {
  const std::string to = ctx.attrs().String("cast_to", "TO_FLOAT");
  const DType dtype = to == "TO_STRING"  ? DType::kString
                      : to == "TO_INT64" ? DType::kI64
                                         : DType::kF32;
  ctx.SetTensor(0, dtype, SymShape(std::vector<Dim>{1, Dim()}));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
