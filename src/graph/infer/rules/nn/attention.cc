#include "graph/infer/dims.h"
#include "graph/infer/rules/nn/rules.h"

namespace waybill::graph::infer {

namespace {

struct Heads {
  Dim count, length, size;
};

// Heads of an operand [B, S, heads * size] or [B, heads, S, size].
Result<Heads> HeadsOf(const SymShape& s, int64_t count, const char* name) {
  Heads out;
  if (!s.has_rank()) return out;
  if (s.rank() == 4) return Heads{s[1], s[2], s[3]};
  if (s.rank() != 3) return Error(Code::kInvalidArgument, "{} has shape {}", name, s);
  if (count < 1) return Error(Code::kInvalidArgument, "{} needs a number of heads", name);
  out.count = count;
  out.length = s[1];
  if (!s[2].known()) return out;
  if (s[2].value() % count != 0) {
    return Error(Code::kInvalidArgument, "{} of shape {} does not split into {} heads", name, s,
                 count);
  }
  out.size = s[2].value() / count;
  return out;
}

}  // namespace

Status InferAttention(InferContext& ctx) {
  const SymShape &q_shape = ctx.input_shape(0), &k_shape = ctx.input_shape(1),
                 &v_shape = ctx.input_shape(2);
  const int64_t q_heads = ctx.attrs().Int("q_num_heads"),
                kv_heads = ctx.attrs().Int("kv_num_heads");
  WB_ASSIGN_OR_RETURN(const Heads q, HeadsOf(q_shape, q_heads, "Q"));
  WB_ASSIGN_OR_RETURN(const Heads k, HeadsOf(k_shape, kv_heads, "K"));
  WB_ASSIGN_OR_RETURN(const Heads v, HeadsOf(v_shape, kv_heads, "V"));
  if (!q_shape.has_rank()) return Status::Ok();
  Dim past(0);
  if (ctx.has_input(4)) {
    const SymShape& p = ctx.input_shape(4);
    if (p.has_rank() && p.rank() != 4) {
      return Error(Code::kInvalidArgument, "past_key has shape {}, expected rank 4", p);
    }
    past = p.has_rank() ? p[2] : Dim();
  }
  const Dim& batch = q_shape[0];
  WB_ASSIGN_OR_RETURN(const Dim keys, AddDims(past, k.length));
  if (q_shape.rank() == 3) {
    WB_ASSIGN_OR_RETURN(const Dim width, MulDims(v.size, q_heads));
    ctx.SetShape(0, SymShape(std::vector<Dim>{batch, q.length, width}));
  } else {
    ctx.SetShape(0, SymShape(std::vector<Dim>{batch, q.count, q.length, v.size}));
  }
  ctx.SetShape(1, SymShape(std::vector<Dim>{batch, k.count, keys, k.size}));
  ctx.SetShape(2, SymShape(std::vector<Dim>{batch, v.count, keys, v.size}));
  ctx.SetShape(3, SymShape(std::vector<Dim>{batch, q.count, q.length, keys}));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
