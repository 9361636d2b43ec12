#include "kernel/reference/nn/rotary.h"

#include "base/math/checked.h"
#include "kernel/reference/contrib/kernels.h"
#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"

namespace waybill::kernel::reference {

Result<RotaryParams> ParseRotary(const graph::NodeRef& node) {
  RotaryParams p;
  p.interleaved = node.attrs().Int("interleaved") != 0;
  p.heads = node.attrs().Int("num_heads");
  p.rotary_dim = node.attrs().Int("rotary_embedding_dim");
  if (p.heads < 0 || p.rotary_dim < 0 || p.rotary_dim % 2 != 0) {
    return Error(Code::kInvalidArgument, "num_heads is {}, rotary_embedding_dim is {}", p.heads,
                 p.rotary_dim);
  }
  return p;
}

Result<RotaryParams> ParseMsRotary(const graph::NodeRef& node) {
  WB_ASSIGN_OR_RETURN(RotaryParams p, ParseRotary(node));
  p.position_input = 1;
  p.cos_input = 2;
  p.sin_input = 3;
  return p;
}

Acceptance AcceptMsRotary(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.attrs().Int("is_packed_batching") != 0, "is_packed_batching");
  WB_REFUSE_IF(node.attrs().Float("scale", 1.0f) != 1.0f, "scale {}", node.attrs().Float("scale"));
  return Acceptance::Yes();
}

namespace {

Result<RotaryShape> ShapeOf(const RotaryParams& p, const Shape& x, const Shape& cos) {
  RotaryShape s{};
  s.heads_outside = x.rank() == 4;
  if (x.rank() != 3 && x.rank() != 4) {
    return Error(Code::kInvalidArgument, "X has shape {}, expected rank 3 or 4", x);
  }
  const int64_t cos_width = cos.rank() == 0 ? 0 : cos[cos.rank() - 1];
  s.batch = x[0];
  if (s.heads_outside) {
    s.heads = x[1];
    s.length = x[2];
    s.size = x[3];
  } else {
    s.length = x[1];
    // Without a number of heads the cache's width tells the size of one.
    const int64_t size = p.heads > 0 ? x[2] / p.heads : 2 * cos_width;
    if (size <= 0 || x[2] % size != 0 || (p.heads > 0 && x[2] % p.heads != 0)) {
      if (x[2] != 0) {
        return Error(Code::kInvalidArgument, "X of shape {} does not split into heads", x);
      }
    }
    s.size = size;
    s.heads = size > 0 ? x[2] / size : 0;
  }
  s.rotary = p.rotary_dim > 0 ? p.rotary_dim : s.size;
  if (s.rotary > s.size || s.rotary % 2 != 0 || cos_width != s.rotary / 2) {
    return Error(Code::kInvalidArgument,
                 "caches of width {} do not fit a rotation of {} of {} elements", cos_width,
                 s.rotary, s.size);
  }
  return s;
}

// Checks positions against the cache. `positions` [B, S], or [1]: an offset for all.
Status CheckPositions(const TensorView& positions, const TensorView& cos, const RotaryShape& s) {
  const int64_t count = positions.elems();
  if (cos.shape.rank() != 2 || (count != s.batch * s.length && count != 1)) {
    return Error(Code::kInvalidArgument, "position_ids of shape {} and caches of shape {}",
                 positions.shape, cos.shape);
  }
  const int64_t max = cos.shape[0];
  // A single id that is not simply [1, 1] of one token counts up along the sequence.
  const int64_t last = count == s.batch * s.length ? 0 : s.length - 1;
  for (const int64_t id : positions.span<const int64_t>()) {
    if (id < 0 || id >= max || id > max - 1 - last) {
      return Error(Code::kInvalidArgument, "position {} is outside the caches of {} rows",
                   id + last, max);
    }
  }
  return Status::Ok();
}

}  // namespace

Status CheckRotary(const RotaryParams& p, const RunContext& ctx, RotaryShape* shape,
                   RotaryRows* rows) {
  const TensorView& x = ctx.input(0);
  const TensorView &cos = ctx.input(p.cos_input), &sin = ctx.input(p.sin_input);
  WB_ASSIGN_OR_RETURN(const RotaryShape s, ShapeOf(p, x.shape, cos.shape));
  if (cos.shape != sin.shape) {
    return Error(Code::kInvalidArgument, "caches have shapes {} and {}", cos.shape, sin.shape);
  }
  *shape = s;
  if (x.elems() == 0) return Status::Ok();
  if (ctx.has_input(p.position_input)) {
    const TensorView& ids = ctx.input(p.position_input);
    WB_RETURN_IF_ERROR(CheckPositions(ids, cos, s));
    rows->positions = ids.as<const int64_t>();
    rows->offset_only = ids.elems() != s.batch * s.length;
  } else if (cos.elems() != s.batch * s.length * (s.rotary / 2)) {
    return Error(Code::kInvalidArgument, "without position_ids caches of shape {} do not fit X {}",
                 cos.shape, x.shape);
  }
  return Status::Ok();
}

namespace {

Status RunRotary(const RotaryParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &y = ctx.output(0);
  const TensorView &cos = ctx.input(p.cos_input), &sin = ctx.input(p.sin_input);
  RotaryShape s{};
  RotaryRows rows;
  WB_RETURN_IF_ERROR(CheckRotary(p, ctx, &s, &rows));
  if (x.elems() == 0) return Status::Ok();
  const int64_t half = s.rotary / 2;
  ForEachPiece(ctx, static_cast<size_t>(s.batch * s.heads * s.length), [&](size_t piece, size_t) {
    const auto index = static_cast<int64_t>(piece);  // (b, h, t) or (b, t, h), as X lies
    const int64_t b = index / (s.heads * s.length);
    const int64_t t = s.heads_outside ? index % s.length : index / s.heads % s.length;
    const int64_t row = rows.Row(s, b, t);
    const int64_t base = index * s.size;
    for (int64_t i = 0; i < half; ++i) {
      const int64_t first = base + (p.interleaved ? 2 * i : i);
      const int64_t second = base + (p.interleaved ? 2 * i + 1 : half + i);
      const double c = ReadFloat(cos, row * half + i), sn = ReadFloat(sin, row * half + i);
      const double u = ReadFloat(x, first), v = ReadFloat(x, second);
      WriteFloat(y, first, u * c - v * sn);
      WriteFloat(y, second, u * sn + v * c);
    }
    for (int64_t i = s.rotary; i < s.size; ++i) WriteFloat(y, base + i, ReadFloat(x, base + i));
  });
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kRotaryEmbedding[1] = {
    FunctionImpl<RotaryParams, ParseRotary, RunRotary>("rotary_embedding.reference")};
constinit const KernelImpl kMsRotaryEmbedding[1] = {
    FunctionImpl<RotaryParams, ParseMsRotary, RunRotary>("ms_rotary_embedding.reference",
                                                         AcceptMsRotary)};

}  // namespace waybill::kernel::reference
