#include <cmath>

#include "base/math/checked.h"
#include "kernel/reference/contrib/kernels.h"
#include "kernel/reference/support/attention_core.h"
#include "kernel/reference/support/planned_kernel.h"

namespace waybill::kernel::reference {

namespace {

enum Input : size_t {
  kQuery,
  kKey,
  kValue,
  kBias,
  kKeyPadding,
  kAttentionBias,
  kPastKey,
  kPastValue,
  kPastLength,
  kCacheIndirection
};
enum Output : size_t { kY, kPresentKey, kPresentValue, kQk };

struct MhaParams {
  int64_t heads;
  double scale;  // 0: one over the root of the head size
  double mask_filter;
  bool causal;
};

Result<MhaParams> ParseMha(const graph::NodeRef& node) {
  const graph::Attributes& attrs = node.attrs();
  MhaParams p{attrs.Int("num_heads"), static_cast<double>(attrs.Float("scale")),
              static_cast<double>(attrs.Float("mask_filter_value", -10000.0f)),
              attrs.Int("unidirectional") != 0};
  if (p.heads < 1) return Error(Code::kInvalidArgument, "num_heads is {}", p.heads);
  return p;
}

Acceptance AcceptMha(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.has_input(kPastLength), "past_sequence_length (a shared key-value buffer)");
  WB_REFUSE_IF(node.has_input(kCacheIndirection), "cache_indirection (beam search)");
  return Acceptance::Yes();
}

// Sizes and operands from the input shapes, which the inference rule has checked for rank.
Status MakeSpec(const MhaParams& p, const TensorView* const* in, AttentionSpec* spec) {
  const Shape& query = in[kQuery]->shape;
  const TensorView *key = in[kKey], *value = in[kValue];
  spec->batch = query[0];
  spec->q_heads = spec->kv_heads = p.heads;
  spec->q_length = query[1];
  spec->q.tensor = in[kQuery];
  const auto mismatch = [&](const TensorView& t) {
    return Error(Code::kInvalidArgument,
                 "query of shape {} and key or value of shape {} do not fit", query, t.shape);
  };
  if (query.rank() == 5) {  // [B, S, heads, 3, size]
    if (query[2] != p.heads || query[3] != 3 || key != nullptr || value != nullptr) {
      return Error(Code::kInvalidArgument, "packed query has shape {} with {} heads", query,
                   p.heads);
    }
    spec->size = spec->v_size = query[4];
    spec->kv_length = query[1];
    spec->q.layout = {query[1] * p.heads * 3 * query[4], 3 * query[4], p.heads * 3 * query[4]};
    spec->k = spec->v = spec->q;
    spec->k.first = query[4];
    spec->v.first = 2 * query[4];
  } else {
    if (query.rank() != 3 || query[2] % p.heads != 0 || key == nullptr) {
      return Error(Code::kInvalidArgument, "query has shape {} with {} heads", query, p.heads);
    }
    spec->size = query[2] / p.heads;
    spec->q.layout = HeadLayout::HeadsInside(p.heads, query[1], spec->size);
    const Shape& k = key->shape;
    spec->k.tensor = key;
    if (k[0] != query[0]) return mismatch(*key);
    if (k.rank() == 5) {  // [B, L, heads, 2, size]
      if (k[2] != p.heads || k[3] != 2 || k[4] != spec->size || value != nullptr) {
        return mismatch(*key);
      }
      spec->v_size = k[4];
      spec->kv_length = k[1];
      spec->k.layout = {k[1] * p.heads * 2 * k[4], 2 * k[4], p.heads * 2 * k[4]};
      spec->v = spec->k;
      spec->v.first = k[4];
    } else {
      if (value == nullptr || value->shape.rank() != k.rank() || value->shape[0] != k[0]) {
        return mismatch(*key);
      }
      const Shape& v = value->shape;
      spec->v.tensor = value;
      if (k.rank() == 4) {  // [B, heads, L, size]
        spec->kv_length = k[2];
        spec->v_size = v[3];
        if (k[1] != p.heads || v[1] != p.heads || k[3] != spec->size || v[2] != k[2]) {
          return mismatch(*key);
        }
        spec->k.layout = HeadLayout::HeadsOutside(p.heads, k[2], spec->size);
        spec->v.layout = HeadLayout::HeadsOutside(p.heads, k[2], spec->v_size);
      } else if (k.rank() == 3) {
        spec->kv_length = k[1];
        if (k[2] != query[2] || v[2] % p.heads != 0 || v[1] != k[1]) return mismatch(*key);
        spec->v_size = v[2] / p.heads;
        spec->k.layout = HeadLayout::HeadsInside(p.heads, k[1], spec->size);
        spec->v.layout = HeadLayout::HeadsInside(p.heads, k[1], spec->v_size);
      } else {
        return mismatch(*key);
      }
    }
  }
  spec->scale = p.scale != 0 ? p.scale : 1 / std::sqrt(static_cast<double>(spec->size));
  spec->y_layout = HeadLayout::HeadsInside(p.heads, spec->q_length, spec->v_size);
  return Status::Ok();
}

Status AddBiasAndPast(const MhaParams& p, const TensorView* const* in, AttentionSpec* spec) {
  if (const TensorView* bias = in[kBias]) {
    const int64_t hidden = p.heads * spec->size, v_hidden = p.heads * spec->v_size;
    if (bias->elems() != 2 * hidden + v_hidden) {
      return Error(Code::kInvalidArgument, "bias has shape {}, expected [{}]", bias->shape,
                   2 * hidden + v_hidden);
    }
    spec->q.bias = bias;
    // Keys and values that come with heads outside are a cache that has its bias already.
    if (in[kKey] == nullptr || in[kKey]->shape.rank() != 4) {
      spec->k.bias = spec->v.bias = bias;
      spec->k.bias_first = hidden;
      spec->v.bias_first = 2 * hidden;
    }
  }
  const TensorView *past_k = in[kPastKey], *past_v = in[kPastValue];
  if ((past_k == nullptr) != (past_v == nullptr)) {
    return Error(Code::kInvalidArgument, "past_key and past_value come together");
  }
  if (past_k == nullptr) return Status::Ok();
  const int64_t past = past_k->shape.rank() == 4 ? past_k->shape[2] : 0;
  if (past_k->shape != Shape{spec->batch, p.heads, past, spec->size} ||
      past_v->shape != Shape{spec->batch, p.heads, past, spec->v_size}) {
    return Error(Code::kInvalidArgument, "past has shapes {} and {}", past_k->shape, past_v->shape);
  }
  spec->k.past = past_k;
  spec->v.past = past_v;
  spec->k.past_length = spec->v.past_length = past;
  spec->k.past_layout = HeadLayout::HeadsOutside(p.heads, past, spec->size);
  spec->v.past_layout = HeadLayout::HeadsOutside(p.heads, past, spec->v_size);
  spec->kv_length += past;
  return Status::Ok();
}

constexpr size_t kInputs = 10;

Result<AttentionSpec> SpecOf(const MhaParams& p, const TensorView* const* in) {
  AttentionSpec spec;
  WB_RETURN_IF_ERROR(MakeSpec(p, in, &spec));
  WB_RETURN_IF_ERROR(AddBiasAndPast(p, in, &spec));
  return spec;
}

Status PlanMha(const MhaParams& p, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  TensorView shapes[kInputs];
  const TensorView* in[kInputs] = {};
  for (size_t i = 0; i < kInputs; ++i) {
    if (!ctx.has_input(i)) continue;
    shapes[i].dtype = ctx.input_dtype(i);
    shapes[i].shape = ctx.input_shape(i);
    in[i] = &shapes[i];
  }
  WB_ASSIGN_OR_RETURN(const AttentionSpec spec, SpecOf(p, in));
  auto bytes = CheckedMul(AttentionRowElems(spec.kv_length), sizeof(double));
  if (bytes) bytes = CheckedMul(*bytes, std::max<size_t>(1, ctx.width()));
  if (!bytes) return Error(Code::kInvalidArgument, "{} keys are too many", spec.kv_length);
  ctx.BookScratch(*bytes);
  return Status::Ok();
}

// What the two masks and causality add to a score.
struct MhaBias {
  const AttentionSpec& spec;
  const MhaParams& p;
  const TensorView* padding;
  const TensorView* added;

  Status Check() const {
    const Shape full{spec.batch, spec.q_heads, spec.q_length, spec.kv_length};
    if (padding != nullptr) {
      const Shape& s = padding->shape;
      if (s != Shape{spec.batch} && s != Shape{spec.batch, spec.kv_length} &&
          s != Shape{spec.batch, spec.q_length, spec.kv_length}) {
        return Error(Code::kNotImplemented, "key_padding_mask has shape {}", s);
      }
    }
    if (added == nullptr) return Status::Ok();
    const Shape& s = added->shape;
    const bool fits = s.rank() == 4 && (s[0] == 1 || s[0] == full[0]) &&
                      (s[1] == 1 || s[1] == full[1]) && s[2] == full[2] && s[3] == full[3];
    if (fits) return Status::Ok();
    return Error(Code::kInvalidArgument, "attention_bias has shape {}, expected {}", s, full);
  }

  bool Padded(int64_t b, int64_t i, int64_t j) const {
    const int32_t* const m = padding->as<const int32_t>();
    switch (padding->shape.rank()) {
      case 1:
        return j >= m[b];
      case 2:
        return m[b * spec.kv_length + j] == 0;
      default:
        return m[(b * spec.q_length + i) * spec.kv_length + j] == 0;
    }
  }

  double operator()(int64_t b, int64_t h, int64_t i, int64_t j) const {
    double sum = 0;
    if (p.causal && j > i + spec.k.past_length) sum += p.mask_filter;
    if (padding != nullptr && Padded(b, i, j)) sum += p.mask_filter;
    if (added != nullptr) {
      const Shape& s = added->shape;
      const int64_t row = (s[0] == 1 ? 0 : b) * s[1] + (s[1] == 1 ? 0 : h);
      sum += ReadFloat(*added, (row * spec.q_length + i) * spec.kv_length + j);
    }
    return sum;
  }
};

Status RunMha(const MhaParams& p, RunContext& ctx) {
  const TensorView* in[kInputs] = {};
  for (size_t i = 0; i < kInputs; ++i) in[i] = ctx.has_input(i) ? &ctx.input(i) : nullptr;
  WB_ASSIGN_OR_RETURN(AttentionSpec spec, SpecOf(p, in));
  const MhaBias bias{spec, p, in[kKeyPadding], in[kAttentionBias]};
  WB_RETURN_IF_ERROR(bias.Check());
  spec.y = ctx.wants_output(kY) ? &ctx.output(kY) : nullptr;
  const TensorView* const qk = ctx.wants_output(kQk) ? &ctx.output(kQk) : nullptr;
  RunAttention(ctx, spec, ctx.scratch<double>(0), bias,
               [&](ScoreStage stage, int64_t b, int64_t h, int64_t i, int64_t j, double score) {
                 if (qk == nullptr || stage != ScoreStage::kProduct) return;
                 const int64_t row = (b * spec.q_heads + h) * spec.q_length + i;
                 WriteFloat(*qk, row * spec.kv_length + j, score);
               });
  if (ctx.wants_output(kPresentKey)) WritePresent(spec.k, ctx.output(kPresentKey));
  if (ctx.wants_output(kPresentValue)) WritePresent(spec.v, ctx.output(kPresentValue));
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kMsMultiHeadAttention[1] = {
    PlannedImpl<MhaParams, ParseMha, PlanMha, RunMha>("multi_head_attention.reference", AcceptMha)};

}  // namespace waybill::kernel::reference
