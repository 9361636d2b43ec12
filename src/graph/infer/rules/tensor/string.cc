// Strings and TfIdfVectorizer.
#include <algorithm>

#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

Status InferStringConcat(InferContext& ctx) {
  WB_RETURN_IF_ERROR(BroadcastAll(ctx));
  ctx.output(0) = ValueType::Tensor(DType::kString, ctx.output(0).shape);
  return Status::Ok();
}

Status InferStringSplit(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  SymShape parts;
  if (in.has_rank()) {
    std::vector<Dim> dims = in.dims();
    dims.emplace_back();
    parts = SymShape(std::move(dims));
  }
  ctx.SetTensor(0, DType::kString, std::move(parts));
  ctx.SetTensor(1, DType::kI64, in);
  return Status::Ok();
}

Status InferStringNormalizer(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  SymShape out;
  if (in.has_rank()) {
    const size_t rank = in.rank();
    if ((rank != 1 && rank != 2) || (rank == 2 && in[0].known() && in[0].value() != 1)) {
      return Error(Code::kInvalidArgument, "the input {} must be [n] or [1, n]", in);
    }
    out = in;
    // Stop words are removed, and an empty result becomes one empty string.
    if (ctx.attrs().Has("stopwords") && !ctx.attrs().Strings("stopwords").empty()) {
      out[rank - 1] = Dim();
    } else if (in[rank - 1].known()) {
      out[rank - 1] = Dim(std::max<int64_t>(1, in[rank - 1].value()));
    } else {
      out[rank - 1] = Dim();
    }
  }
  ctx.SetTensor(0, DType::kString, std::move(out));
  return Status::Ok();
}

Status InferRegexFullMatch(InferContext& ctx) {
  ctx.SetTensor(0, DType::kBool, ctx.input_shape(0));
  return Status::Ok();
}

Status InferTfIdfVectorizer(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  const std::vector<int64_t> slots = ctx.attrs().Ints("ngram_indexes");
  SymShape out;
  if (in.has_rank()) {
    if (in.rank() > 2) {
      return Error(Code::kInvalidArgument, "the input {} must have rank 1 or 2", in);
    }
    int64_t width = 0;
    for (const int64_t slot : slots) {
      if (slot < 0 || slot >= int64_t{1} << 40) {
        return Error(Code::kInvalidArgument, "ngram_indexes has the impossible position {}", slot);
      }
      width = std::max(width, slot + 1);
    }
    std::vector<Dim> dims;
    if (in.rank() == 2) dims.push_back(in[0]);
    dims.emplace_back(width);
    out = SymShape(std::move(dims));
  }
  ctx.SetTensor(0, DType::kF32, std::move(out));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
