// RotaryEmbedding of ai.onnx and com.microsoft: parameters and shapes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status/result.h"
#include "kernel/api/kernel.h"

namespace waybill::kernel::reference {

struct RotaryParams {
  bool interleaved = false;
  int64_t heads = 0;       // 0: not given
  int64_t rotary_dim = 0;  // 0: the whole head
  // Order of the inputs behind X.
  size_t cos_input = 1, sin_input = 2, position_input = 3;
};

Result<RotaryParams> ParseRotary(const graph::NodeRef& node);
Result<RotaryParams> ParseMsRotary(const graph::NodeRef& node);
Acceptance AcceptMsRotary(const graph::NodeRef& node);

struct RotaryShape {
  int64_t batch, heads, length, size, rotary;  // size: of a head
  bool heads_outside;                          // [B, H, S, D] rather than [B, S, H * D]
};

// Which row of the caches a token takes.
struct RotaryRows {
  const int64_t* positions = nullptr;  // null: the caches have a row for each token
  bool offset_only = false;            // one number, counted up along the sequence

  int64_t Row(const RotaryShape& s, int64_t b, int64_t t) const {
    if (positions == nullptr) return b * s.length + t;
    return offset_only ? positions[0] + t : positions[b * s.length + t];
  }
};

// Checks a run's inputs. Errors: kInvalidArgument for shapes that do not fit and positions outside
// the caches. `rows` borrows from the input.
Status CheckRotary(const RotaryParams& p, const RunContext& ctx, RotaryShape* shape,
                   RotaryRows* rows);

}  // namespace waybill::kernel::reference
