#include "graph/infer/rules/nn/rules.h"

namespace waybill::graph::infer {

Status InferRecurrent(InferContext& ctx) {
  const SymShape &x = ctx.input_shape(0), &w = ctx.input_shape(1), &r = ctx.input_shape(2);
  for (const SymShape* s : {&x, &w, &r}) {
    if (s->has_rank() && s->rank() != 3) {
      return Error(Code::kInvalidArgument, "X, W and R have shapes {}, {}, {}, expected rank 3", x,
                   w, r);
    }
  }
  const int64_t directions = ctx.attrs().String("direction", "forward") == "bidirectional" ? 2 : 1;
  const bool batch_first = ctx.attrs().Int("layout") != 0;
  Dim steps, batch, hidden;
  if (x.has_rank()) {
    steps = x[batch_first ? 1 : 0];
    batch = x[batch_first ? 0 : 1];
  }
  if (r.has_rank()) hidden = r[2];
  if (!hidden.known() && ctx.attrs().Int("hidden_size") > 0) {
    hidden = ctx.attrs().Int("hidden_size");
  }
  const Dim count(directions);
  ctx.SetShape(0, SymShape(batch_first ? std::vector<Dim>{batch, steps, count, hidden}
                                       : std::vector<Dim>{steps, count, batch, hidden}));
  const SymShape last(batch_first ? std::vector<Dim>{batch, count, hidden}
                                  : std::vector<Dim>{count, batch, hidden});
  for (size_t i = 1; i < ctx.num_outputs(); ++i) ctx.SetShape(i, last);
  return Status::Ok();
}

}  // namespace waybill::graph::infer
