#include "session/load/model_use.h"

#include <algorithm>
#include <set>
#include <span>

#include "exec/program/program.h"
#include "memory/weights/weight_load.h"
#include "session/load/load.h"
#include "session/load/model_store.h"

namespace waybill::session {

namespace {

void CountProgram(const WeightLoad& weights, const exec::Program& program,
                  std::set<const std::byte*>& seen, Loaded& loaded) {
  for (const exec::PlacedConstant& constant : program.constants()) {
    const TensorView& view = constant.tensor.view();
    if (view.data == nullptr || !seen.insert(view.data).second) continue;
    const size_t bytes = view.bytes();
    switch (weights.OriginOf({view.data, bytes})) {
      case WeightOrigin::kMapped:
        loaded.bytes.mapped += bytes;
        break;
      case WeightOrigin::kRead:
        loaded.bytes.read += bytes;
        loaded.not_shared.emplace_back(program.value_of(constant.slot).name,
                                       "in a copy of the file or of the bytes that it was read of");
        break;
      case WeightOrigin::kCaller:
        loaded.bytes.caller += bytes;
        loaded.not_shared.emplace_back(program.value_of(constant.slot).name,
                                       "the caller's memory, used in place");
        break;
      case WeightOrigin::kOwn:
        loaded.bytes.placed += bytes;
        break;
    }
  }
  for (uint32_t i = 0; i < program.num_bodies(); ++i) {
    CountProgram(weights, program.body(i), seen, loaded);
  }
}

}  // namespace

void CountWeights(const WeightLoad& weights, Loaded& loaded) {
  std::set<const std::byte*> seen;
  CountProgram(weights, *loaded.program, seen, loaded);
  for (const std::string& constant : weights.CallerCopies()) {
    loaded.not_shared.emplace_back(constant,
                                   "the caller's memory, copied: it is not aligned for its type");
  }
  const WeightCounts counts = weights.Counts();
  loaded.bytes.mapped += counts.packed_in_file_bytes;
  loaded.bytes.packed = counts.packed_made_bytes + counts.packed_shared_bytes;
  loaded.bytes.shared = counts.packed_shared_bytes + counts.placed_shared_bytes;
  loaded.caller_packed = counts.caller_bytes;
}

std::vector<ModelUse> ModelUses(Env& env) {
  std::vector<ModelUse> out;
  for (const auto& loaded : env.models().Live()) {
    ModelUse use;
    use.model = loaded->name;
    use.sessions_live = loaded->sessions_live.load(std::memory_order_relaxed);
    use.sessions_created = loaded->sessions_created.load(std::memory_order_relaxed);
    use.bytes = loaded->bytes;
    const uint64_t held = use.bytes.read + use.bytes.placed + use.bytes.packed;
    use.first_added = held - std::min(held, use.bytes.shared);
    use.saved = use.bytes.shared;
    if (use.sessions_live > 1) use.saved += (use.sessions_live - 1) * held;
    use.caller_packed = loaded->caller_packed;
    use.why_alone = loaded->why_alone;
    use.not_shared = loaded->not_shared;
    out.push_back(std::move(use));
  }
  std::ranges::sort(out, {}, &ModelUse::model);
  return out;
}

}  // namespace waybill::session
