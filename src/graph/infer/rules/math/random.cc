// Random operators and generated tensors: shapes from attributes and scalars.
#include <vector>

#include "graph/infer/rules/math/rules.h"

namespace waybill::graph::infer {

namespace {

// The type that an attribute names; `fallback` where it is absent.
Result<DType> DTypeAttr(const InferContext& ctx, std::string_view name, DType fallback) {
  if (!ctx.attrs().Has(name)) return fallback;
  const int64_t code = ctx.attrs().Int(name);
  if (!IsKnownDType(code)) {
    return Error(Code::kInvalidArgument, "{} is no element type: {}", name, code);
  }
  return static_cast<DType>(code);
}

// A non-negative scalar input as a Dim; unknown when it is not known.
Result<Dim> SizeInput(const InferContext& ctx, size_t i, std::string_view name) {
  if (const auto values = ctx.IntValues(i)) {
    if (values->size() != 1 || (*values)[0] < 0) {
      return Error(Code::kInvalidArgument, "{} must be one number of at least 0", name);
    }
    return Dim((*values)[0]);
  }
  if (const auto dims = ctx.SymbolicValues(i); dims && dims->size() == 1) return (*dims)[0];
  return Dim();
}

}  // namespace

Status InferRandom(InferContext& ctx) {
  WB_ASSIGN_OR_RETURN(const DType dtype, DTypeAttr(ctx, "dtype", DType::kF32));
  std::vector<Dim> dims;
  for (const int64_t dim : ctx.attrs().Ints("shape")) {
    if (dim < 0) return Error(Code::kInvalidArgument, "shape has the dimension {}", dim);
    dims.emplace_back(dim);
  }
  ctx.SetTensor(0, dtype, SymShape(std::move(dims)));
  return Status::Ok();
}

Status InferRandomLike(InferContext& ctx) {
  WB_ASSIGN_OR_RETURN(const DType dtype, DTypeAttr(ctx, "dtype", ctx.input_dtype(0)));
  ctx.SetTensor(0, dtype, ctx.input_shape(0));
  return Status::Ok();
}

Status InferMultinomial(InferContext& ctx) {
  WB_ASSIGN_OR_RETURN(const DType dtype, DTypeAttr(ctx, "dtype", DType::kI32));
  const int64_t count = ctx.attrs().Int("sample_size", 1);
  if (count < 0) return Error(Code::kInvalidArgument, "sample_size is {}", count);
  const SymShape& in = ctx.input_shape(0);
  if (in.has_rank() && in.rank() != 2) {
    return Error(Code::kInvalidArgument, "input has shape {}, not [batch, classes]", in);
  }
  ctx.SetTensor(0, dtype, SymShape({in.has_rank() ? in[0] : Dim(), Dim(count)}));
  return Status::Ok();
}

Status InferWindow(InferContext& ctx) {
  WB_ASSIGN_OR_RETURN(const DType dtype, DTypeAttr(ctx, "output_datatype", DType::kF32));
  WB_ASSIGN_OR_RETURN(const Dim size, SizeInput(ctx, 0, "size"));
  ctx.SetTensor(0, dtype, SymShape({size}));
  return Status::Ok();
}

Status InferMelWeightMatrix(InferContext& ctx) {
  WB_ASSIGN_OR_RETURN(const DType dtype, DTypeAttr(ctx, "output_datatype", DType::kF32));
  WB_ASSIGN_OR_RETURN(const Dim bins, SizeInput(ctx, 0, "num_mel_bins"));
  WB_ASSIGN_OR_RETURN(const Dim length, SizeInput(ctx, 1, "dft_length"));
  ctx.SetTensor(0, dtype, SymShape({length.known() ? Dim(length.value() / 2 + 1) : Dim(), bins}));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
