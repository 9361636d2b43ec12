#include "cpu/rnn/recurrent_f32.h"

#include <algorithm>

#include "base/math/checked.h"
#include "cpu/gemm/gemm_f32.h"
#include "cpu/rnn/gates.h"

namespace waybill::cpu {
namespace {

constexpr size_t kAlignFloats = 16;

std::optional<size_t> Product(std::optional<size_t> a, std::optional<size_t> b) {
  return a && b ? CheckedMul(*a, *b) : std::nullopt;
}
std::optional<size_t> Aligned(std::optional<size_t> floats) {
  return floats && CheckedMul(*floats, sizeof(float)) ? CheckedAlignUp(*floats, kAlignFloats)
                                                      : std::nullopt;
}

// GRU whose reset gate multiplies the state, so that the last gate's product comes after it.
bool ResetsState(const RecurrentConfig& c) {
  return c.cell == RecurrentCell::kGru && !c.linear_before_reset;
}
// GRU whose reset gate multiplies the product, which so stays apart from that of the input.
bool ResetsProduct(const RecurrentConfig& c) {
  return c.cell == RecurrentCell::kGru && c.linear_before_reset;
}
size_t FirstRecurrentRows(const RecurrentConfig& c) {
  return ResetsState(c) ? 2 * c.hidden : c.rows();
}

// Where the parts of the scratch begin.
struct Scratch {
  float* bias;       // [rows] for the product with x
  float* gates;      // [steps * batch][rows]
  float* recurrent;  // [batch][rows], GRU that resets the product
  float* reset;      // [batch][hidden], GRU that resets the state
};

class Walk {
 public:
  Walk(SimdTarget target, const RecurrentConfig& config, const RecurrentWeights& weights,
       const RecurrentArgs& args, const Scratch& scratch)
      : table_(GemmF32(target)),
        functions_(RnnFunctions(target)),
        config_(config),
        weights_(weights),
        args_(args),
        scratch_(scratch) {}

  void InputProduct(ThreadPool* pool, size_t width) const {
    const size_t rows = config_.rows();
    GemmArgs gemm;
    if (args_.bias != nullptr) {
      // The reset gate multiplies R's bias of the last gate, so that one stays with the product.
      const size_t both = ResetsProduct(config_) ? 2 * config_.hidden : rows;
      for (size_t i = 0; i < rows; ++i) {
        scratch_.bias[i] = i < both ? args_.bias[i] + args_.bias[rows + i] : args_.bias[i];
      }
      gemm.column_bias = scratch_.bias;
    }
    gemm.a = args_.x;
    gemm.lda = config_.inputs;
    gemm.m = args_.steps * args_.batch;
    gemm.packed_b = args_.packed;
    gemm.c = scratch_.gates;
    gemm.ldc = rows;
    RunGemm(table_, weights_.w(), gemm, pool, width);
  }

  // One step of samples [first, first + count), which are all at step t.
  void Step(size_t t, size_t first, size_t count) const {
    const size_t rows = config_.rows();
    float* gates = scratch_.gates + (t * args_.x_step + first * args_.x_sample) * rows;
    const size_t gates_stride = args_.x_sample * rows;
    RecurrentProduct(gates, gates_stride, first, count);
    for (size_t i = 0; i < count; ++i) {
      const size_t sample = first + i;
      Activate(gates + i * gates_stride, sample);
    }
    if (ResetsState(config_)) LastProduct(gates, gates_stride, first, count);
    if (args_.y == nullptr) return;
    for (size_t i = first; i < first + count; ++i) {
      std::copy_n(args_.h + i * args_.state_stride, config_.hidden,
                  args_.y + t * args_.y_step + i * args_.y_sample);
    }
  }

 private:
  void RecurrentProduct(float* gates, size_t gates_stride, size_t first, size_t count) const {
    const size_t rows = config_.rows();
    GemmArgs gemm;
    gemm.a = args_.h + first * args_.state_stride;
    gemm.lda = args_.state_stride;
    gemm.m = count;
    gemm.packed_b = args_.packed + weights_.r_offset();
    gemm.c = gates;
    gemm.ldc = gates_stride;
    gemm.accumulate = true;
    if (ResetsProduct(config_)) {
      gemm.c = scratch_.recurrent + first * rows;
      gemm.ldc = rows;
      gemm.accumulate = false;
    }
    RunGemm(table_, weights_.r(), gemm, nullptr, 1);
    if (!ResetsProduct(config_) || args_.bias == nullptr) return;
    const size_t n = config_.hidden;
    const float* bias = args_.bias + rows + 2 * n;
    for (size_t i = 0; i < count; ++i) {
      float* last = gemm.c + i * rows + 2 * n;
      for (size_t j = 0; j < n; ++j) last[j] += bias[j];
    }
  }

  GruGates Gru(float* gates, size_t sample) const {
    GruGates gru;
    gru.gates = gates;
    gru.h = args_.h + sample * args_.state_stride;
    if (ResetsProduct(config_)) gru.recurrent = scratch_.recurrent + sample * config_.rows();
    gru.limited = config_.clip.has_value();
    gru.clip = config_.clip.value_or(0);
    gru.hidden = config_.hidden;
    return gru;
  }

  void Activate(float* gates, size_t sample) const {
    float* h = args_.h + sample * args_.state_stride;
    const bool limited = config_.clip.has_value();
    const float clip = config_.clip.value_or(0);
    switch (config_.cell) {
      case RecurrentCell::kRnnTanh:
        return functions_.rnn_tanh({gates, h, limited, clip, config_.hidden});
      case RecurrentCell::kRnnRelu:
        return functions_.rnn_relu({gates, h, limited, clip, config_.hidden});
      case RecurrentCell::kGru:
        if (ResetsProduct(config_)) return functions_.gru_linear(Gru(gates, sample));
        return functions_.gru_reset(Gru(gates, sample), scratch_.reset + sample * config_.hidden);
      case RecurrentCell::kLstm:
        return functions_.lstm({gates, args_.c + sample * args_.state_stride, h, args_.peephole,
                                limited, clip, config_.input_forget, config_.hidden});
    }
  }

  void LastProduct(float* gates, size_t gates_stride, size_t first, size_t count) const {
    const size_t n = config_.hidden;
    GemmArgs gemm;
    gemm.a = scratch_.reset + first * n;
    gemm.lda = n;
    gemm.m = count;
    gemm.packed_b = args_.packed + weights_.last_offset();
    gemm.c = gates + 2 * n;
    gemm.ldc = gates_stride;
    gemm.accumulate = true;
    RunGemm(table_, weights_.last(), gemm, nullptr, 1);
    for (size_t i = 0; i < count; ++i) {
      functions_.gru_update(Gru(gates + i * gates_stride, first + i));
    }
  }

  const GemmF32Table& table_;
  const RnnTable& functions_;
  const RecurrentConfig& config_;
  const RecurrentWeights& weights_;
  const RecurrentArgs& args_;
  Scratch scratch_;
};

}  // namespace

size_t RecurrentConfig::gates() const {
  return cell == RecurrentCell::kLstm ? 4 : cell == RecurrentCell::kGru ? 3 : 1;
}

std::optional<RecurrentWeights> RecurrentWeights::Make(SimdTarget target,
                                                       const RecurrentConfig& config) {
  const GemmF32Table& table = GemmF32(target);
  // Rows are padded to whole vectors.
  const auto padded = Product(config.gates(), CheckedAdd(config.hidden, table.lanes));
  const auto w = Aligned(Product(padded, config.inputs));
  const auto r = Aligned(Product(padded, config.hidden));
  if (!w || !r || !CheckedMul<size_t>(*w, 8) || !CheckedMul<size_t>(*r, 8)) return std::nullopt;
  RecurrentWeights out;
  out.config_ = config;
  out.w_ = PackedLayout(table, config.inputs, config.rows());
  out.r_ = PackedLayout(table, config.hidden, FirstRecurrentRows(config));
  out.w_floats_ = AlignUp(out.w_.floats(), kAlignFloats);
  out.r_floats_ = AlignUp(out.r_.floats(), kAlignFloats);
  if (ResetsState(config)) {
    out.last_ = PackedLayout(table, config.hidden, config.hidden);
    out.last_floats_ = AlignUp(out.last_.floats(), kAlignFloats);
  }
  return out;
}

void RecurrentWeights::Pack(const void* w, bool w_splat, const void* r, bool r_splat,
                            float* out) const {
  UnpackedB b;
  b.data = w;
  b.row_stride = w_splat ? 0 : 1;
  b.column_stride = w_splat ? 0 : config_.inputs;
  PackB(w_, b, out);
  b.data = r;
  b.row_stride = r_splat ? 0 : 1;
  b.column_stride = r_splat ? 0 : config_.hidden;
  PackB(r_, b, out + r_offset());
  if (last_floats_ == 0) return;
  const size_t skip = 2 * config_.hidden * b.column_stride;
  b.data = static_cast<const std::byte*>(r) + skip * sizeof(float);
  PackB(last_, b, out + last_offset());
}

std::optional<size_t> RecurrentScratchFloats(const RecurrentConfig& config, size_t steps,
                                             size_t batch) {
  const auto rows = Product(config.gates(), config.hidden);
  const auto bias = Aligned(rows);
  const auto gates = Aligned(Product(Product(steps, batch), rows));
  const auto extra = ResetsProduct(config) ? Aligned(Product(batch, rows))
                     : ResetsState(config) ? Aligned(Product(batch, config.hidden))
                                           : std::optional<size_t>(0);
  if (!bias || !gates || !extra) return std::nullopt;
  const auto some = CheckedAdd(*bias, *gates);
  const auto all = some ? CheckedAdd(*some, *extra) : std::nullopt;
  return all && CheckedMul(*all, sizeof(float)) ? all : std::nullopt;
}

void RunRecurrent(SimdTarget target, const RecurrentConfig& config, const RecurrentWeights& weights,
                  const RecurrentArgs& args, ThreadPool* pool, size_t width) {
  if (args.batch == 0 || config.hidden == 0) return;
  Scratch scratch;
  scratch.bias = args.scratch;
  scratch.gates = scratch.bias + AlignUp(config.rows(), kAlignFloats);
  scratch.recurrent = scratch.reset =
      scratch.gates + AlignUp(args.steps * args.batch * config.rows(), kAlignFloats);
  const Walk walk(target, config, weights, args, scratch);
  if (args.steps != 0) walk.InputProduct(pool, width);
  if (args.lengths == nullptr) {
    for (size_t t = 0; t < args.steps; ++t) {
      walk.Step(args.reverse ? args.steps - 1 - t : t, 0, args.batch);
    }
    return;
  }
  for (size_t sample = 0; sample < args.batch; ++sample) {
    const auto length = static_cast<size_t>(args.lengths[sample]);
    for (size_t t = 0; t < length; ++t) {
      walk.Step(args.reverse ? length - 1 - t : t, sample, 1);
    }
    if (args.y == nullptr) continue;
    for (size_t t = length; t < args.steps; ++t) {
      std::fill_n(args.y + t * args.y_step + sample * args.y_sample, config.hidden, 0.0f);
    }
  }
}

}  // namespace waybill::cpu
