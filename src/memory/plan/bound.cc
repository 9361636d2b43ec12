#include "memory/plan/lifetime.h"
#include "memory/plan/problem.h"

namespace waybill::plan {

Result<size_t> LowerBound(std::span<const Lifetime> lives) {
  WB_ASSIGN_OR_RETURN(const Problem problem, MakeProblem(lives));
  return problem.bound;
}

Result<Placement> PlaceWithoutReuse(std::span<const Lifetime> lives) {
  WB_ASSIGN_OR_RETURN(const Problem problem, MakeProblem(lives));
  std::vector<size_t> offsets;
  const size_t slab = Stack(problem, offsets);
  return MakePlacement(problem, offsets, slab);
}

}  // namespace waybill::plan
