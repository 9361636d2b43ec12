// RNN, GRU and LSTM of f32 with their default activations.
#include <algorithm>
#include <array>

#include "base/math/checked.h"
#include "cpu/kernels/lists.h"
#include "cpu/rnn/recurrent_f32.h"
#include "kernel/reference/nn/rnn/recurrent.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

namespace reference = kernel::reference;

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::PlanState;
using kernel::PrepareContext;
using kernel::RunContext;
using reference::RecurrentParams;
using reference::RecurrentSizes;
using Kind = reference::RnnActivation::Kind;

// Node inputs and outputs; initial_c and P exist for LSTM only.
enum Input : size_t { kX, kW, kR, kB, kSequenceLens, kInitialH, kInitialC, kP };
enum Output : size_t { kY, kYh, kYc };

constexpr double kNsPerMultiplication = 0.03;

struct RecurrentPlan final : PlanState {
  RecurrentSizes sizes;
  RecurrentConfig config;
  RecurrentWeights weights;
  size_t work_floats = 0;                  // scratch of one direction
  size_t state_floats = 0;                 // of one direction and kind
  size_t state = 0, work = 0, packed = 0;  // bookings
};

std::optional<RecurrentCell> CellOf(const RecurrentParams& p) {
  const auto all = [&](std::initializer_list<Kind> kinds) {
    for (size_t i = 0; i < p.activations.size(); ++i) {
      if (p.activations[i].kind != kinds.begin()[i % kinds.size()]) return false;
    }
    return true;
  };
  switch (p.cell) {
    case reference::Cell::kRnn:
      if (all({Kind::kTanh})) return RecurrentCell::kRnnTanh;
      if (all({Kind::kRelu})) return RecurrentCell::kRnnRelu;
      return std::nullopt;
    case reference::Cell::kGru:
      if (all({Kind::kSigmoid, Kind::kTanh})) return RecurrentCell::kGru;
      return std::nullopt;
    case reference::Cell::kLstm:
      if (all({Kind::kSigmoid, Kind::kTanh, Kind::kTanh})) return RecurrentCell::kLstm;
      return std::nullopt;
  }
  return std::nullopt;
}

RecurrentConfig ConfigOf(const RecurrentParams& p, size_t inputs, size_t hidden) {
  RecurrentConfig config;
  config.cell = CellOf(p).value_or(RecurrentCell::kLstm);
  config.inputs = inputs;
  config.hidden = hidden;
  config.linear_before_reset = p.linear_before_reset;
  config.input_forget = p.input_forget;
  if (p.clip) config.clip = static_cast<float>(*p.clip);
  return config;
}

struct Weights {
  const std::byte* w;
  const std::byte* r;
  bool w_splat = false, r_splat = false;
};

// Weights of all directions, one after the other.
void PackAll(const RecurrentWeights& weights, const RecurrentConfig& config, size_t directions,
             const Weights& from, float* out) {
  const size_t w_bytes = from.w_splat ? 0 : config.rows() * config.inputs * sizeof(float);
  const size_t r_bytes = from.r_splat ? 0 : config.rows() * config.hidden * sizeof(float);
  for (size_t d = 0; d < directions; ++d) {
    weights.Pack(from.w + d * w_bytes, from.w_splat, from.r + d * r_bytes, from.r_splat,
                 out + d * weights.floats());
  }
}

Status TooLarge(size_t hidden) {
  return Error(Code::kInvalidArgument, "hidden size {} is too large", hidden);
}

class RecurrentKernel final : public Kernel {
 public:
  explicit RecurrentKernel(RecurrentParams params) : params_(std::move(params)) {}

  Status Prepare(PrepareContext& ctx) override {
    const graph::Constant *w = ctx.constant(kW), *r = ctx.constant(kR);
    if (w == nullptr || r == nullptr || !WeightsFit(w->shape(), r->shape())) return Status::Ok();
    const RecurrentConfig config =
        ConfigOf(params_, static_cast<size_t>(w->shape()[2]), static_cast<size_t>(r->shape()[2]));
    const auto weights = RecurrentWeights::Make(BestTarget(), config);
    if (!weights) return TooLarge(config.hidden);
    const size_t floats = weights->floats() * params_.directions;
    const std::string maker =
        Format("recurrent/1 {} cell {} inputs {} hidden {} linear before reset {} directions {}",
               SimdTargetName(BestTarget()), static_cast<int>(config.cell), config.inputs,
               config.hidden, config.linear_before_reset, params_.directions);
    const Weights from{w->tensor().view().data, r->tensor().view().data, w->is_splat(),
                       r->is_splat()};
    const auto fill = [&](std::byte* out) {
      PackAll(*weights, config, params_.directions, from, reinterpret_cast<float*>(out));
      return Status::Ok();
    };
    WB_ASSIGN_OR_RETURN(packed_weights_, ctx.Pack(maker, {kW, kR}, floats * sizeof(float), fill));
    packed_ = true;
    ctx.ReplaceInput(kW);
    ctx.ReplaceInput(kR);
    return Status::Ok();
  }

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    auto plan = std::make_shared<RecurrentPlan>();
    WB_ASSIGN_OR_RETURN(plan->sizes, reference::CheckRecurrent(params_, ctx));
    const RecurrentSizes& s = plan->sizes;
    const auto hidden = static_cast<size_t>(s.hidden), batch = static_cast<size_t>(s.batch);
    plan->config = ConfigOf(params_, static_cast<size_t>(s.inputs), hidden);
    const auto weights = RecurrentWeights::Make(BestTarget(), plan->config);
    const auto work = RecurrentScratchFloats(plan->config, static_cast<size_t>(s.steps), batch);
    const auto state = CheckedMul(batch, hidden);
    const auto states = state ? CheckedMul<size_t>(*state, 4 * sizeof(float)) : std::nullopt;
    const auto works = work ? CheckedMul<size_t>(*work, 2 * sizeof(float)) : std::nullopt;
    if (!weights || !states || !works) return TooLarge(hidden);
    plan->weights = *weights;
    plan->work_floats = *work;
    plan->state_floats = *state;
    plan->state = ctx.BookScratch(2 * params_.directions * *state * sizeof(float));
    plan->work = ctx.BookScratch(params_.directions * *work * sizeof(float));
    if (!packed_) {
      plan->packed = ctx.BookScratch(params_.directions * weights->floats() * sizeof(float));
    }
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const RecurrentPlan& plan = *ctx.state<RecurrentPlan>();
    const int32_t* lengths = Data<int32_t>(ctx, kSequenceLens);
    WB_RETURN_IF_ERROR(reference::CheckLengths(lengths, plan.sizes));
    const float* packed = reinterpret_cast<const float*>(packed_weights_.data());
    if (!packed_) {
      float* to = ctx.scratch<float>(plan.packed);
      PackAll(plan.weights, plan.config, params_.directions,
              {ctx.input(kW).data, ctx.input(kR).data}, to);
      packed = to;
    }
    const size_t work = static_cast<size_t>(plan.sizes.steps * plan.sizes.batch) *
                        plan.config.rows() * (plan.config.inputs + plan.config.hidden);
    const bool apart =
        params_.directions == 2 && ThreadsFor(2 * work, kNsPerMultiplication, ctx.width()) > 1;
    ParallelFor(ctx.pool(), params_.directions, apart ? 2 : 1, [&](size_t begin, size_t end) {
      for (size_t d = begin; d < end; ++d) {
        RunDirection(ctx, plan, d, packed + d * plan.weights.floats(), lengths,
                     apart ? nullptr : ctx.pool());
      }
    });
    return Status::Ok();
  }

 private:
  template <typename T>
  static const T* Data(const RunContext& ctx, size_t input) {
    return ctx.has_input(input) ? ctx.input(input).as<const T>() : nullptr;
  }
  static float* Wanted(const RunContext& ctx, size_t output) {
    return ctx.wants_output(output) ? ctx.output(output).as<float>() : nullptr;
  }

  bool WeightsFit(const Shape& w, const Shape& r) const {
    const auto d = static_cast<int64_t>(params_.directions);
    if (w.rank() != 3 || r.rank() != 3 || w[0] != d || r[0] != d || w[1] != r[1]) return false;
    const auto rows = CheckedMul(static_cast<int64_t>(params_.gates()), r[2]);
    return rows && *rows == r[1];
  }

  // Copies states between an input or output of the node and scratch, where samples are dense.
  // Layout 0 has [directions][batch][hidden], layout 1 [batch][directions][hidden].
  struct StateRows {
    size_t offset, stride;  // in floats
  };
  StateRows RowsOf(const RecurrentPlan& plan, size_t d) const {
    const size_t n = plan.config.hidden;
    if (params_.batch_first) return {d * n, params_.directions * n};
    return {d * plan.state_floats, n};
  }
  void LoadState(const RecurrentPlan& plan, size_t d, const float* from, float* to) const {
    const StateRows rows = RowsOf(plan, d);
    const size_t n = plan.config.hidden;
    for (size_t i = 0; i < static_cast<size_t>(plan.sizes.batch); ++i) {
      if (from == nullptr) {
        std::fill_n(to + i * n, n, 0.0f);
      } else {
        std::copy_n(from + rows.offset + i * rows.stride, n, to + i * n);
      }
    }
  }
  void StoreState(const RecurrentPlan& plan, size_t d, const float* from, float* to) const {
    if (to == nullptr) return;
    const StateRows rows = RowsOf(plan, d);
    const size_t n = plan.config.hidden;
    for (size_t i = 0; i < static_cast<size_t>(plan.sizes.batch); ++i) {
      std::copy_n(from + i * n, n, to + rows.offset + i * rows.stride);
    }
  }

  void RunDirection(const RunContext& ctx, const RecurrentPlan& plan, size_t d, const float* packed,
                    const int32_t* lengths, ThreadPool* pool) const {
    const size_t n = plan.config.hidden, rows = plan.config.rows();
    const auto steps = static_cast<size_t>(plan.sizes.steps);
    const auto batch = static_cast<size_t>(plan.sizes.batch);
    const size_t directions = params_.directions;
    RecurrentArgs args;
    args.x = Data<float>(ctx, kX);
    args.x_step = params_.batch_first ? 1 : batch;
    args.x_sample = params_.batch_first ? steps : 1;
    args.packed = packed;
    if (const float* bias = Data<float>(ctx, kB)) args.bias = bias + d * 2 * rows;
    if (const float* peephole = Data<float>(ctx, kP)) args.peephole = peephole + d * 3 * n;
    if (float* y = Wanted(ctx, kY)) {
      args.y = y + (params_.batch_first ? d * n : d * batch * n);
      args.y_step = params_.batch_first ? directions * n : directions * batch * n;
      args.y_sample = params_.batch_first ? steps * directions * n : n;
    }
    args.h = ctx.scratch<float>(plan.state) + 2 * d * plan.state_floats;
    args.c = args.h + plan.state_floats;
    args.state_stride = n;
    LoadState(plan, d, Data<float>(ctx, kInitialH), args.h);
    LoadState(plan, d, Data<float>(ctx, kInitialC), args.c);
    args.lengths = lengths;
    args.steps = steps;
    args.batch = batch;
    args.reverse = params_.reverse || d == 1;
    args.scratch = ctx.scratch<float>(plan.work) + d * plan.work_floats;
    RunRecurrent(BestTarget(), plan.config, plan.weights, args, pool, ctx.width());
    StoreState(plan, d, args.h, Wanted(ctx, kYh));
    StoreState(plan, d, args.c, Wanted(ctx, kYc));
  }

  RecurrentParams params_;
  bool packed_ = false;
  SharedView packed_weights_;
};

template <Result<RecurrentParams> (*kParse)(const graph::NodeRef&)>
Acceptance Accepts(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  const auto params = kParse(node);
  WB_REFUSE_IF(!params.ok(), "{}", params.status().message());
  WB_REFUSE_IF(!CellOf(*params), "the activations are not the default ones");
  return Acceptance::Yes();
}

template <Result<RecurrentParams> (*kParse)(const graph::NodeRef&)>
Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  WB_ASSIGN_OR_RETURN(RecurrentParams params, kParse(node));
  return std::unique_ptr<Kernel>(std::make_unique<RecurrentKernel>(std::move(params)));
}

constexpr KernelImpl kRnn[] = {
    {"rnn.packed", Accepts<reference::ParseRnn>, Create<reference::ParseRnn>}};
constexpr KernelImpl kGru[] = {
    {"gru.packed", Accepts<reference::ParseGru>, Create<reference::ParseGru>}};
constexpr KernelImpl kLstm[] = {
    {"lstm.packed", Accepts<reference::ParseLstm>, Create<reference::ParseLstm>}};
constexpr OpKernels kRecurrentOps[] = {
    {"", "RNN", 1, 1 << 30, kRnn}, {"", "GRU", 1, 1 << 30, kGru}, {"", "LSTM", 1, 1 << 30, kLstm}};

}  // namespace

std::span<const OpKernels> RecurrentKernels() { return kRecurrentOps; }

}  // namespace waybill::cpu
