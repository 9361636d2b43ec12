// Scaled dot product attention of one query row at a time, for every attention operator.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"

namespace waybill::kernel::reference {

// Where element (b, h, s, d) of an operand lies: b * batch + h * head + s * seq + d, in elements.
struct HeadLayout {
  int64_t batch = 0, head = 0, seq = 0;

  static HeadLayout HeadsOutside(int64_t heads, int64_t length, int64_t size) {  // [B, H, S, D]
    return {heads * length * size, length * size, size};
  }
  static HeadLayout HeadsInside(int64_t heads, int64_t length, int64_t size) {  // [B, S, H * D]
    return {length * heads * size, size, heads * size};
  }
  int64_t at(int64_t b, int64_t h, int64_t s) const { return b * batch + h * head + s * seq; }
};

// One operand: keys and values may continue an older part, and may get a bias per head and element.
struct HeadOperand {
  const TensorView* tensor = nullptr;
  HeadLayout layout;
  int64_t first = 0;  // offset of element (0, 0, 0, 0)
  const TensorView* past = nullptr;
  HeadLayout past_layout;
  int64_t past_length = 0;
  const TensorView* bias = nullptr;  // [.., heads * size], from element bias_first on
  int64_t bias_first = 0;

  double Read(int64_t b, int64_t h, int64_t s, int64_t d, int64_t size) const {
    if (s < past_length) return ReadFloat(*past, past_layout.at(b, h, s) + d);
    const double v = ReadFloat(*tensor, first + layout.at(b, h, s - past_length) + d);
    return bias == nullptr ? v : v + ReadFloat(*bias, bias_first + h * size + d);
  }
};

struct AttentionSpec {
  int64_t batch = 0, q_heads = 0, kv_heads = 1;
  int64_t q_length = 0, kv_length = 0;  // kv_length with the past
  int64_t size = 0, v_size = 0;         // of a head
  HeadOperand q, k, v;
  const TensorView* y = nullptr;
  HeadLayout y_layout;
  double scale = 1;
  bool split_scale = false;                // the root of the scale goes to queries and keys each
  double softcap = 0;                      // 0: none
  DType round_to = DType::kUndefined;      // type that intermediate results are rounded to
  DType softmax_type = DType::kUndefined;  // the same for the softmax
};

// Stages whose scores a caller may want to keep.
enum class ScoreStage { kProduct, kSoftcap, kBias, kSoftmax };

inline double RoundTo(DType dtype, double v) {
  switch (dtype) {
    case DType::kF32:
      return static_cast<double>(static_cast<float>(v));
    case DType::kF16:
      return static_cast<double>(Half(v));
    case DType::kBF16:
      return static_cast<double>(BFloat16(v));
    default:
      return v;
  }
}

// Bytes of scratch for RunAttention in the row form: kv_length doubles a thread.
inline size_t AttentionRowElems(int64_t kv_length) { return static_cast<size_t>(kv_length); }

namespace attention_internal {

// Softmax of `row` in place; a row without any allowed key becomes zeros.
inline void Softmax(const AttentionSpec& spec, double* row, bool all_masked) {
  double top = -std::numeric_limits<double>::infinity();
  for (int64_t j = 0; j < spec.kv_length; ++j) {
    row[j] = RoundTo(spec.softmax_type, row[j]);
    top = std::max(top, row[j]);
  }
  if (all_masked || top == -std::numeric_limits<double>::infinity()) {
    std::fill(row, row + spec.kv_length, 0.0);
    return;
  }
  double sum = 0;
  for (int64_t j = 0; j < spec.kv_length; ++j) {
    row[j] = RoundTo(spec.softmax_type, std::exp(RoundTo(spec.softmax_type, row[j] - top)));
    sum += row[j];
  }
  sum = RoundTo(spec.softmax_type, sum);
  for (int64_t j = 0; j < spec.kv_length; ++j) {
    row[j] = RoundTo(spec.round_to, RoundTo(spec.softmax_type, row[j] / sum));
  }
}

inline double Score(const AttentionSpec& spec, int64_t b, int64_t h, int64_t i, int64_t j) {
  const int64_t kv_head = h / (spec.q_heads / spec.kv_heads);
  const double root = spec.split_scale ? RoundTo(spec.round_to, std::sqrt(spec.scale)) : 1;
  double sum = 0;
  for (int64_t d = 0; d < spec.size; ++d) {
    const double q = spec.q.Read(b, h, i, d, spec.size),
                 k = spec.k.Read(b, kv_head, j, d, spec.size);
    sum += RoundTo(spec.round_to, q * root) * RoundTo(spec.round_to, k * root);
  }
  return RoundTo(spec.round_to, spec.split_scale ? sum : sum * spec.scale);
}

}  // namespace attention_internal

// bias(b, h, i, j) is added to the score of key j for query i (minus infinity: not allowed);
// keep(stage, b, h, i, j, score) sees the scores of every stage. `scratch` has
// AttentionRowElems(kv_length) doubles for each thread.
template <typename Bias, typename Keep>
void RunAttention(RunContext& ctx, const AttentionSpec& spec, double* scratch, const Bias& bias,
                  const Keep& keep) {
  const int64_t rows = spec.batch * spec.q_heads * spec.q_length;
  ForEachPiece(ctx, static_cast<size_t>(rows), [&](size_t piece, size_t worker) {
    const auto index = static_cast<int64_t>(piece);
    const int64_t i = index % spec.q_length, bh = index / spec.q_length;
    const int64_t h = bh % spec.q_heads, b = bh / spec.q_heads;
    double* const row = scratch + worker * AttentionRowElems(spec.kv_length);
    bool all_masked = true;
    for (int64_t j = 0; j < spec.kv_length; ++j) {
      double score = attention_internal::Score(spec, b, h, i, j);
      keep(ScoreStage::kProduct, b, h, i, j, score);
      if (spec.softcap > 0) {
        score = RoundTo(spec.round_to, std::tanh(score / spec.softcap) * spec.softcap);
      }
      keep(ScoreStage::kSoftcap, b, h, i, j, score);
      const double added = bias(b, h, i, j);
      all_masked = all_masked && added == -std::numeric_limits<double>::infinity();
      row[j] = RoundTo(spec.round_to, score + added);
      keep(ScoreStage::kBias, b, h, i, j, row[j]);
    }
    attention_internal::Softmax(spec, row, all_masked);
    for (int64_t j = 0; j < spec.kv_length; ++j) keep(ScoreStage::kSoftmax, b, h, i, j, row[j]);
    if (spec.y == nullptr) return;
    const int64_t kv_head = h / (spec.q_heads / spec.kv_heads);
    for (int64_t d = 0; d < spec.v_size; ++d) {
      double sum = 0;
      for (int64_t j = 0; j < spec.kv_length; ++j) {
        if (row[j] != 0) sum += row[j] * spec.v.Read(b, kv_head, j, d, spec.v_size);
      }
      WriteFloat(*spec.y, spec.y_layout.at(b, h, i) + d, sum);
    }
  });
}

// Writes past and new part of `operand` one after the other: present [B, heads, length, size].
inline void WritePresent(const HeadOperand& operand, const TensorView& present) {
  const int64_t heads = present.shape[1], length = present.shape[2], size = present.shape[3];
  int64_t at = 0;
  for (int64_t b = 0; b < present.shape[0]; ++b) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t s = 0; s < length; ++s) {
        for (int64_t d = 0; d < size; ++d)
          WriteFloat(present, at++, operand.Read(b, h, s, d, size));
      }
    }
  }
}

}  // namespace waybill::kernel::reference
