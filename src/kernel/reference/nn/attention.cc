#include <cmath>
#include <limits>
#include <optional>

#include "base/math/checked.h"
#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/attention_core.h"
#include "kernel/reference/support/planned_kernel.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

enum Input : size_t { kQ, kK, kV, kMask, kPastKey, kPastValue, kNonpad };
enum Output : size_t { kY, kPresentKey, kPresentValue, kScores };
constexpr size_t kInputs = 7;
constexpr double kMasked = -std::numeric_limits<double>::infinity();

struct AttentionParams {
  int64_t q_heads, kv_heads;
  std::optional<double> scale;
  double softcap;
  bool causal;
  int64_t left = -1, right = -1;  // window sizes; -1: no bound
  ScoreStage stage = ScoreStage::kProduct;
  DType softmax_type = DType::kUndefined;
};

Result<AttentionParams> ParseAttention(const graph::NodeRef& node) {
  const graph::Attributes& attrs = node.attrs();
  AttentionParams p{attrs.Int("q_num_heads"), attrs.Int("kv_num_heads"), std::nullopt,
                    static_cast<double>(attrs.Float("softcap")), attrs.Int("is_causal") != 0};
  if (const float* scale = attrs.Get<float>("scale")) p.scale = static_cast<double>(*scale);
  p.left = attrs.Int("left_window_size", -1);
  p.right = attrs.Int("right_window_size", -1);
  if (p.left < -1 || p.right < -1) {
    return Error(Code::kInvalidArgument, "window sizes are {} and {}", p.left, p.right);
  }
  if (p.scale && !(*p.scale >= 0)) return Error(Code::kInvalidArgument, "scale is {}", *p.scale);
  const int64_t mode = attrs.Int("qk_matmul_output_mode");
  if (mode < 0 || mode > 3) {
    return Error(Code::kInvalidArgument, "qk_matmul_output_mode is {}", mode);
  }
  p.stage = static_cast<ScoreStage>(mode);
  const int64_t precision = attrs.Int("softmax_precision");
  if (precision != 0) {
    p.softmax_type = static_cast<DType>(precision);
    const bool known = precision == 1 || precision == 10 || precision == 11 || precision == 16;
    if (!known) return Error(Code::kInvalidArgument, "softmax_precision is {}", precision);
  }
  return p;
}

// Layout and head size of an operand; `heads` is that of rank 3.
Status Place(const TensorView& t, int64_t heads, HeadOperand* operand, int64_t* count,
             int64_t* length, int64_t* size) {
  const Shape& s = t.shape;
  operand->tensor = &t;
  if (s.rank() == 4) {
    *count = s[1];
    *length = s[2];
    *size = s[3];
    operand->layout = HeadLayout::HeadsOutside(s[1], s[2], s[3]);
    return Status::Ok();
  }
  if (s.rank() != 3 || heads < 1 || s[2] % heads != 0) {
    return Error(Code::kInvalidArgument, "an operand has shape {} with {} heads", s, heads);
  }
  *count = heads;
  *length = s[1];
  *size = s[2] / heads;
  operand->layout = HeadLayout::HeadsInside(heads, s[1], *size);
  return Status::Ok();
}

Result<AttentionSpec> SpecOf(const AttentionParams& p, const TensorView* const* in) {
  AttentionSpec spec;
  int64_t k_size = 0, v_heads = 0, v_length = 0;
  WB_RETURN_IF_ERROR(Place(*in[kQ], p.q_heads, &spec.q, &spec.q_heads, &spec.q_length, &spec.size));
  WB_RETURN_IF_ERROR(Place(*in[kK], p.kv_heads, &spec.k, &spec.kv_heads, &spec.kv_length, &k_size));
  WB_RETURN_IF_ERROR(Place(*in[kV], p.kv_heads, &spec.v, &v_heads, &v_length, &spec.v_size));
  spec.batch = in[kQ]->shape[0];
  if (in[kK]->shape[0] != spec.batch || in[kV]->shape[0] != spec.batch || k_size != spec.size ||
      v_heads != spec.kv_heads || v_length != spec.kv_length || spec.kv_heads == 0 ||
      spec.q_heads % spec.kv_heads != 0) {
    return Error(Code::kInvalidArgument, "Q, K and V of shapes {}, {}, {} do not fit",
                 in[kQ]->shape, in[kK]->shape, in[kV]->shape);
  }
  if ((in[kPastKey] == nullptr) != (in[kPastValue] == nullptr)) {
    return Error(Code::kInvalidArgument, "past_key and past_value come together");
  }
  if (in[kPastKey] != nullptr) {
    const Shape &past_k = in[kPastKey]->shape, &past_v = in[kPastValue]->shape;
    const int64_t past = past_k.rank() == 4 ? past_k[2] : 0;
    if (past_k != Shape{spec.batch, spec.kv_heads, past, spec.size} ||
        past_v != Shape{spec.batch, spec.kv_heads, past, spec.v_size}) {
      return Error(Code::kInvalidArgument, "past has shapes {} and {}", past_k, past_v);
    }
    spec.k.past = in[kPastKey];
    spec.v.past = in[kPastValue];
    spec.k.past_length = spec.v.past_length = past;
    spec.k.past_layout = HeadLayout::HeadsOutside(spec.kv_heads, past, spec.size);
    spec.v.past_layout = HeadLayout::HeadsOutside(spec.kv_heads, past, spec.v_size);
    spec.kv_length += past;
  }
  spec.y_layout = in[kQ]->shape.rank() == 4
                      ? HeadLayout::HeadsOutside(spec.q_heads, spec.q_length, spec.v_size)
                      : HeadLayout::HeadsInside(spec.q_heads, spec.q_length, spec.v_size);
  spec.scale = p.scale.value_or(1 / std::sqrt(static_cast<double>(spec.size)));
  spec.split_scale = true;
  spec.softcap = p.softcap;
  spec.round_to = in[kQ]->dtype;
  spec.softmax_type = p.softmax_type == DType::kUndefined ? in[kQ]->dtype : p.softmax_type;
  return spec;
}

Status PlanAttention(const AttentionParams& p, PlanContext& ctx) {
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

// attn_mask, causality, windows and padding as one number per score.
class Mask {
 public:
  Mask(const AttentionParams& p, const AttentionSpec& spec, const TensorView* mask,
       const TensorView* nonpad)
      : p_(p), spec_(spec), mask_(mask), nonpad_(nonpad) {}

  Status Check() {
    if (nonpad_ != nullptr) {
      if (nonpad_->elems() != spec_.batch || spec_.k.past != nullptr) {
        return Error(Code::kInvalidArgument, "nonpad_kv_seqlen has shape {}, the batch is {}",
                     nonpad_->shape, spec_.batch);
      }
      for (const int64_t length : nonpad_->span<const int64_t>()) {
        if (length < 0 || length > spec_.kv_length) {
          return Error(Code::kInvalidArgument, "nonpad_kv_seqlen contains {}, there are {} keys",
                       length, spec_.kv_length);
        }
      }
    }
    if (mask_ == nullptr) return Status::Ok();
    const Shape& s = mask_->shape;
    const int64_t full[] = {spec_.batch, spec_.q_heads, spec_.q_length, spec_.kv_length};
    bool fits = s.rank() >= 1 && s.rank() <= 4;
    int64_t stride = 1;
    for (size_t i = s.rank(); fits && i-- > 0;) {
      const size_t axis = 4 - s.rank() + i;
      fits = s[i] == 1 || s[i] == full[axis] || (axis == 3 && s[i] < full[axis]);
      strides_[axis] = s[i] == 1 && (axis != 3 || full[axis] == 1) ? 0 : stride;
      stride *= s[i];
    }
    if (!fits) {
      return Error(Code::kInvalidArgument, "attn_mask has shape {}, scores have {}", s,
                   std::span<const int64_t>(full));
    }
    width_ = s[s.rank() - 1];
    // One column for many keys broadcasts; only a wider mask is cut short.
    if (width_ == 1 && spec_.kv_length > 1) {
      strides_[3] = 0;
      width_ = spec_.kv_length;
    }
    return DispatchDType(mask_->dtype, NumericTypes::With<bool>{}, [&]<typename T>() {
      read_ = [](const TensorView& t, int64_t i) {
        if constexpr (std::is_same_v<T, bool>)
          return t.as<const bool>()[i] ? 0.0 : kMasked;
        else
          return static_cast<double>(t.as<const T>()[i]);
      };
      return Status::Ok();
    });
  }

  double operator()(int64_t b, int64_t h, int64_t i, int64_t j) const {
    double sum = 0;
    if (mask_ != nullptr) {
      if (j >= width_) return kMasked;
      sum = read_(*mask_, b * strides_[0] + h * strides_[1] + i * strides_[2] + j * strides_[3]);
    }
    int64_t offset = spec_.k.past_length;
    if (nonpad_ != nullptr) {
      const int64_t valid = nonpad_->as<const int64_t>()[b];
      if (j >= valid) return kMasked;
      offset = valid - spec_.q_length;
    }
    const int64_t ahead = j - (i + offset);
    if (p_.causal && ahead > 0) return kMasked;
    if (p_.left >= 0 && -ahead > p_.left) return kMasked;
    if (p_.right >= 0 && ahead > p_.right) return kMasked;
    return sum;
  }

 private:
  const AttentionParams& p_;
  const AttentionSpec& spec_;
  const TensorView* mask_;
  const TensorView* nonpad_;
  int64_t strides_[4] = {0, 0, 0, 0};
  int64_t width_ = 0;
  double (*read_)(const TensorView&, int64_t) = nullptr;
};

Status RunAttentionNode(const AttentionParams& p, RunContext& ctx) {
  const TensorView* in[kInputs] = {};
  for (size_t i = 0; i < kInputs; ++i) in[i] = ctx.has_input(i) ? &ctx.input(i) : nullptr;
  WB_ASSIGN_OR_RETURN(AttentionSpec spec, SpecOf(p, in));
  Mask mask(p, spec, in[kMask], in[kNonpad]);
  WB_RETURN_IF_ERROR(mask.Check());
  spec.y = ctx.wants_output(kY) ? &ctx.output(kY) : nullptr;
  const TensorView* const scores = ctx.wants_output(kScores) ? &ctx.output(kScores) : nullptr;
  RunAttention(ctx, spec, ctx.scratch<double>(0), mask,
               [&](ScoreStage stage, int64_t b, int64_t h, int64_t i, int64_t j, double score) {
                 if (scores == nullptr || stage != p.stage) return;
                 const int64_t row = (b * spec.q_heads + h) * spec.q_length + i;
                 WriteFloat(*scores, row * spec.kv_length + j, score);
               });
  if (ctx.wants_output(kPresentKey)) WritePresent(spec.k, ctx.output(kPresentKey));
  if (ctx.wants_output(kPresentValue)) WritePresent(spec.v, ctx.output(kPresentValue));
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kAttention[1] = {
    PlannedImpl<AttentionParams, ParseAttention, PlanAttention, RunAttentionNode>(
        "attention.reference")};

}  // namespace waybill::kernel::reference
