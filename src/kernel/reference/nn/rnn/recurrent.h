// What RNN, GRU and LSTM share: attributes, shapes, the walk over directions, samples and steps.
#pragma once

#include <optional>
#include <vector>

#include "base/status/result.h"
#include "kernel/api/plan_context.h"
#include "kernel/api/run_context.h"
#include "kernel/reference/nn/rnn/activation.h"

namespace waybill::kernel::reference {

enum class Cell { kRnn, kGru, kLstm };

struct RecurrentParams {
  Cell cell = Cell::kRnn;
  std::vector<RnnActivation> activations;  // of all directions in turn
  std::optional<double> clip;              // of the input of every activation
  size_t directions = 1;
  bool reverse = false;  // of the first direction
  bool batch_first = false;
  bool linear_before_reset = false;  // GRU
  bool input_forget = false;         // LSTM: the forget gate is 1 - input gate

  size_t gates() const { return cell == Cell::kRnn ? 1 : cell == Cell::kGru ? 3 : 4; }
  size_t activations_per_direction() const { return activations.size() / directions; }
};

Result<RecurrentParams> ParseRnn(const graph::NodeRef& node);
Result<RecurrentParams> ParseGru(const graph::NodeRef& node);
Result<RecurrentParams> ParseLstm(const graph::NodeRef& node);

struct RecurrentSizes {
  int64_t steps, batch, inputs, hidden, directions;
};
// After InferOutputs. Errors: kInvalidArgument for an input whose shape does not fit the others.
Result<RecurrentSizes> CheckRecurrent(const RecurrentParams& p, const PlanContext& ctx);
// Errors: kInvalidArgument for a length outside [0, steps]. `lengths` may be null.
Status CheckLengths(const int32_t* lengths, const RecurrentSizes& sizes);

Status PlanRecurrent(const RecurrentParams& p, PlanContext& ctx);
Status RunRecurrent(const RecurrentParams& p, RunContext& ctx);

}  // namespace waybill::kernel::reference
