#include "base/math/checked.h"
#include "memory/plan/lifetime.h"
#include "memory/plan/problem.h"

namespace waybill::plan {

Result<size_t> LowerBound(std::span<const Lifetime> lives) {
  WB_ASSIGN_OR_RETURN(const Problem problem, MakeProblem(lives));
  return problem.bound;
}

Result<Placement> PlaceWithoutReuse(std::span<const Lifetime> lives) {
  WB_ASSIGN_OR_RETURN(const Problem problem, MakeProblem(lives));
  Placement placement;
  placement.offsets.assign(lives.size(), 0);
  for (const Item& item : problem.items) {
    const size_t offset = AlignUp(placement.slab_bytes, item.align);
    placement.offsets[item.index] = offset;
    placement.slab_bytes = offset + item.bytes;
  }
  return placement;
}

}  // namespace waybill::plan
