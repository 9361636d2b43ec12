#include "kernel/reference/nn/rnn/recurrent.h"

#include <algorithm>

#include "base/math/checked.h"
#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/nn/rnn/cells.h"
#include "kernel/reference/support/for_each.h"
#include "kernel/reference/support/planned_kernel.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

// Node inputs and outputs; initial_c and P exist for LSTM only.
enum Input : size_t { kX, kW, kR, kB, kSequenceLens, kInitialH, kInitialC, kP };
enum Output : size_t { kY, kYh, kYc };

Result<RecurrentParams> ParseCommon(const graph::NodeRef& node, Cell cell,
                                    std::vector<std::string> default_activations) {
  const graph::Attributes& attrs = node.attrs();
  RecurrentParams p;
  p.cell = cell;
  const std::string direction = attrs.String("direction", "forward");
  if (direction == "bidirectional") {
    p.directions = 2;
  } else if (direction == "reverse") {
    p.reverse = true;
  } else if (direction != "forward" && direction != "foward") {  // GRU-1's default is misspelt
    return Error(Code::kInvalidArgument, "direction is '{}'", direction);
  }
  if (const float* clip = attrs.Get<float>("clip")) {
    if (!(*clip >= 0)) return Error(Code::kInvalidArgument, "clip is {}", *clip);
    if (*clip > 0) p.clip = static_cast<double>(*clip);
  }
  p.batch_first = attrs.Int("layout") != 0;
  p.linear_before_reset = attrs.Int("linear_before_reset") != 0;
  p.input_forget = attrs.Int("input_forget") != 0;
  WB_ASSIGN_OR_RETURN(p.activations,
                      ParseRnnActivations(attrs, p.directions, std::move(default_activations)));
  return p;
}

using Sizes = RecurrentSizes;

Sizes SizesOf(const RecurrentParams& p, const Shape& x, const Shape& r) {
  return {x[p.batch_first ? 1 : 0], x[p.batch_first ? 0 : 1], x[2], r[2],
          static_cast<int64_t>(p.directions)};
}

Status CheckShape(const Shape& shape, const Shape& expected, const char* name) {
  if (shape == expected) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} has shape {}, expected {}", name, shape, expected);
}

Status CheckInputs(const RecurrentParams& p, const PlanContext& ctx, const Sizes& s) {
  const auto gates = static_cast<int64_t>(p.gates());
  const auto rows = CheckedMul(gates * 2, s.hidden);
  if (!rows) return Error(Code::kInvalidArgument, "hidden size {} is too large", s.hidden);
  const int64_t gate_rows = *rows / 2;
  WB_RETURN_IF_ERROR(CheckShape(ctx.input_shape(kW), {s.directions, gate_rows, s.inputs}, "W"));
  WB_RETURN_IF_ERROR(CheckShape(ctx.input_shape(kR), {s.directions, gate_rows, s.hidden}, "R"));
  if (ctx.has_input(kB)) {
    WB_RETURN_IF_ERROR(CheckShape(ctx.input_shape(kB), {s.directions, *rows}, "B"));
  }
  if (ctx.has_input(kSequenceLens)) {
    WB_RETURN_IF_ERROR(CheckShape(ctx.input_shape(kSequenceLens), {s.batch}, "sequence_lens"));
  }
  const Shape state = p.batch_first ? Shape{s.batch, s.directions, s.hidden}
                                    : Shape{s.directions, s.batch, s.hidden};
  for (const size_t i : {kInitialH, kInitialC}) {
    if (!ctx.has_input(i)) continue;
    WB_RETURN_IF_ERROR(
        CheckShape(ctx.input_shape(i), state, i == kInitialH ? "initial_h" : "initial_c"));
  }
  if (ctx.has_input(kP)) {
    WB_RETURN_IF_ERROR(CheckShape(ctx.input_shape(kP), {s.directions, 3 * s.hidden}, "P"));
  }
  return Status::Ok();
}

template <typename T>
const T* DataOf(RunContext& ctx, size_t input) {
  return ctx.has_input(input) ? ctx.input(input).as<T>() : nullptr;
}

template <typename T>
T* OutputOf(RunContext& ctx, size_t output) {
  return ctx.wants_output(output) ? ctx.output(output).as<T>() : nullptr;
}

// One sample through one direction.
template <typename T>
class Walk {
 public:
  Walk(const RecurrentParams& p, RunContext& ctx, const Sizes& s) : p_(p), ctx_(ctx), s_(s) {}

  void Run(int64_t direction, int64_t sample, int64_t length, double* scratch) {
    const int64_t n = s_.hidden, rows = static_cast<int64_t>(p_.gates()) * n;
    CellWeights<T> weights{};
    weights.w = ctx_.input(kW).as<T>() + direction * rows * s_.inputs;
    weights.r = ctx_.input(kR).as<T>() + direction * rows * n;
    if (const T* b = DataOf<T>(ctx_, kB)) weights.b = b + direction * 2 * rows;
    if (const T* peep = DataOf<T>(ctx_, kP)) weights.p = peep + direction * 3 * n;
    weights.inputs = s_.inputs;
    weights.hidden = n;
    weights.activations =
        p_.activations.data() + static_cast<size_t>(direction) * p_.activations_per_direction();
    CellState state{scratch, scratch + n, scratch + 3 * n, scratch + 2 * n};

    const int64_t state_at = p_.batch_first ? (sample * s_.directions + direction) * n
                                            : (direction * s_.batch + sample) * n;
    Load(DataOf<T>(ctx_, kInitialH), state_at, state.h);
    Load(DataOf<T>(ctx_, kInitialC), state_at, state.c);
    T* const y = OutputOf<T>(ctx_, kY);
    const bool reverse = p_.reverse || direction == 1;
    for (int64_t t = 0; t < length; ++t) {
      const int64_t step = reverse ? length - 1 - t : t;
      const int64_t x_at = p_.batch_first ? sample * s_.steps + step : step * s_.batch + sample;
      Step(weights, ctx_.input(kX).as<T>() + x_at * s_.inputs, state);
      if (y != nullptr) Store(state.h, y + OutputAt(step, direction, sample));
    }
    for (int64_t step = length; y != nullptr && step < s_.steps; ++step) {
      std::fill_n(y + OutputAt(step, direction, sample), n, T{});
    }
    if (T* last = OutputOf<T>(ctx_, kYh)) Store(state.h, last + state_at);
    if (T* last = OutputOf<T>(ctx_, kYc)) Store(state.c, last + state_at);
  }

 private:
  void Step(const CellWeights<T>& weights, const T* x, CellState& state) {
    switch (p_.cell) {
      case Cell::kRnn:
        return RnnStep(p_, weights, x, state);
      case Cell::kGru:
        return GruStep(p_, weights, x, state);
      case Cell::kLstm:
        return LstmStep(p_, weights, x, state);
    }
  }
  int64_t OutputAt(int64_t step, int64_t direction, int64_t sample) const {
    return (p_.batch_first ? (sample * s_.steps + step) * s_.directions + direction
                           : (step * s_.directions + direction) * s_.batch + sample) *
           s_.hidden;
  }
  void Load(const T* from, int64_t at, double* to) const {
    for (int64_t i = 0; i < s_.hidden; ++i) {
      to[i] = from == nullptr ? 0.0 : static_cast<double>(from[at + i]);
    }
  }
  void Store(const double* from, T* to) const {
    for (int64_t i = 0; i < s_.hidden; ++i) to[i] = static_cast<T>(from[i]);
  }

  const RecurrentParams& p_;
  RunContext& ctx_;
  Sizes s_;
};

// Doubles of working space for one thread: h, c, next and the gates.
int64_t ScratchElems(const RecurrentParams& p, const Sizes& s) {
  return (3 + static_cast<int64_t>(p.gates())) * s.hidden;
}

}  // namespace

Result<RecurrentParams> ParseRnn(const graph::NodeRef& node) {
  return ParseCommon(node, Cell::kRnn, {"Tanh"});
}

Result<RecurrentParams> ParseGru(const graph::NodeRef& node) {
  return ParseCommon(node, Cell::kGru, {"Sigmoid", "Tanh"});
}

Result<RecurrentParams> ParseLstm(const graph::NodeRef& node) {
  return ParseCommon(node, Cell::kLstm, {"Sigmoid", "Tanh", "Tanh"});
}

Result<RecurrentSizes> CheckRecurrent(const RecurrentParams& p, const PlanContext& ctx) {
  const Sizes s = SizesOf(p, ctx.input_shape(kX), ctx.input_shape(kR));
  WB_RETURN_IF_ERROR(CheckInputs(p, ctx, s));
  return s;
}

Status CheckLengths(const int32_t* lengths, const RecurrentSizes& sizes) {
  for (int64_t i = 0; lengths != nullptr && i < sizes.batch; ++i) {
    if (lengths[i] < 0 || lengths[i] > sizes.steps) {
      return Error(Code::kInvalidArgument, "sequence_lens[{}] is {}, X has {} steps", i, lengths[i],
                   sizes.steps);
    }
  }
  return Status::Ok();
}

Status PlanRecurrent(const RecurrentParams& p, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  WB_ASSIGN_OR_RETURN(const Sizes s, CheckRecurrent(p, ctx));
  auto bytes = CheckedMul(static_cast<size_t>(ScratchElems(p, s)), sizeof(double));
  if (bytes) bytes = CheckedMul(*bytes, std::max<size_t>(ctx.width(), 1));
  if (!bytes) return Error(Code::kInvalidArgument, "hidden size {} is too large", s.hidden);
  ctx.BookScratch(*bytes);
  return Status::Ok();
}

Status RunRecurrent(const RecurrentParams& p, RunContext& ctx) {
  const Sizes s = SizesOf(p, ctx.input(kX).shape, ctx.input(kR).shape);
  const int32_t* const lengths = DataOf<int32_t>(ctx, kSequenceLens);
  WB_RETURN_IF_ERROR(CheckLengths(lengths, s));
  return DispatchDType(ctx.input(kX).dtype, FloatTypes{}, [&]<typename T>() {
    Walk<T> walk(p, ctx, s);
    ForEachPiece(ctx, static_cast<size_t>(s.directions * s.batch), [&](size_t piece, size_t w) {
      const auto index = static_cast<int64_t>(piece);
      const int64_t sample = index % s.batch;
      walk.Run(index / s.batch, sample, lengths == nullptr ? s.steps : lengths[sample],
               ctx.scratch<double>(0) + static_cast<int64_t>(w) * ScratchElems(p, s));
    });
    return Status::Ok();
  });
}

constinit const KernelImpl kRnn[1] = {
    PlannedImpl<RecurrentParams, ParseRnn, PlanRecurrent, RunRecurrent>("rnn.reference")};
constinit const KernelImpl kGru[1] = {
    PlannedImpl<RecurrentParams, ParseGru, PlanRecurrent, RunRecurrent>("gru.reference")};
constinit const KernelImpl kLstm[1] = {
    PlannedImpl<RecurrentParams, ParseLstm, PlanRecurrent, RunRecurrent>("lstm.reference")};

}  // namespace waybill::kernel::reference
