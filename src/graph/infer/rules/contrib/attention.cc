#include "graph/infer/dims.h"
#include "graph/infer/rules/contrib/rules.h"

namespace waybill::graph::infer {

namespace {

Dim Over(const Dim& a, int64_t b) { return a.known() ? Dim(a.value() / b) : Dim(); }

}  // namespace

Status InferMsMultiHeadAttention(InferContext& ctx) {
  const DType dtype = ctx.input_dtype(0);
  const int64_t heads = ctx.attrs().Int("num_heads");
  if (heads < 1) return Error(Code::kInvalidArgument, "num_heads is {}", heads);
  const SymShape &q = ctx.input_shape(0), &k = ctx.input_shape(1), &v = ctx.input_shape(2);
  for (size_t i = 0; i < ctx.num_outputs(); ++i) {
    if (ctx.has_output(i)) ctx.SetTensor(i, dtype, SymShape());
  }
  if (!q.has_rank()) return Status::Ok();
  if (q.rank() != 3 && q.rank() != 5) {
    return Error(Code::kInvalidArgument, "query has shape {}, expected rank 3 or 5", q);
  }
  Dim new_keys, size, v_size;
  if (q.rank() == 5) {
    new_keys = q[1];
    size = v_size = q[4];
  } else {
    size = Over(q[2], heads);
    if (k.has_rank() && (k.rank() < 3 || k.rank() > 5)) {
      return Error(Code::kInvalidArgument, "key has shape {}, expected rank 3, 4 or 5", k);
    }
    if (k.has_rank()) new_keys = k.rank() == 4 ? k[2] : k[1];
    if (k.has_rank() && k.rank() == 5) v_size = k[4];
    if (v.has_rank() && v.rank() == 3) v_size = Over(v[2], heads);
    if (v.has_rank() && v.rank() == 4) v_size = v[3];
  }
  Dim past(0);
  if (ctx.has_input(6)) {
    const SymShape& p = ctx.input_shape(6);
    if (p.has_rank() && p.rank() != 4) {
      return Error(Code::kInvalidArgument, "past_key has shape {}, expected rank 4", p);
    }
    past = p.has_rank() ? p[2] : Dim();
  }
  WB_ASSIGN_OR_RETURN(const Dim keys, AddDims(past, new_keys));
  WB_ASSIGN_OR_RETURN(const Dim width, MulDims(v_size, heads));
  ctx.SetTensor(0, dtype, SymShape(std::vector<Dim>{q[0], q[1], width}));
  const std::vector<Dim> shapes[] = {
      {q[0], heads, keys, size}, {q[0], heads, keys, v_size}, {q[0], heads, q[1], keys}};
  for (size_t i = 1; i < ctx.num_outputs() && i <= 3; ++i) {
    if (ctx.has_output(i)) ctx.SetTensor(i, dtype, SymShape(shapes[i - 1]));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::infer
