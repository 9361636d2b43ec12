#include "exec/plan/demand.h"

#include <algorithm>
#include <map>
#include <vector>

#include "exec/plan/control_plan.h"

namespace waybill::exec {

namespace {

// Bytes of the slab that some buffer had already, as disjoint ranges.
class Touched {
 public:
  // Adds [begin, end); false when all of it was there before.
  bool Add(size_t begin, size_t end) {
    auto at = ends_.upper_bound(begin);
    if (at != ends_.begin()) --at;
    if (at != ends_.end() && at->first <= begin && end <= at->second) return false;
    while (at != ends_.end() && at->first <= end) {
      if (at->second < begin) {
        ++at;
        continue;
      }
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = ends_.erase(at);
    }
    ends_[begin] = end;
    return true;
  }

 private:
  std::map<size_t, size_t> ends_;  // by begin
};

// Of buffers whose offsets are from `base` on, in the order in which they are asked for.
size_t CountFresh(std::span<const PlannedBuffer> buffers, size_t base, Touched& touched) {
  std::vector<const PlannedBuffer*> order;
  for (const PlannedBuffer& buffer : buffers) {
    if (buffer.life.bytes != 0) order.push_back(&buffer);
  }
  std::stable_sort(order.begin(), order.end(), [](const PlannedBuffer* a, const PlannedBuffer* b) {
    return a->life.first_step < b->life.first_step;
  });
  size_t fresh = 0;
  for (const PlannedBuffer* buffer : order) {
    const size_t begin = base + buffer->offset;
    if (buffer->bodies != nullptr) {
      fresh += CountFresh(buffer->bodies->Widest()->buffers, begin, touched);
    } else {
      fresh += touched.Add(begin, begin + buffer->life.bytes) ? 1 : 0;
    }
  }
  return fresh;
}

}  // namespace

size_t FreshRequests(std::span<const PlannedBuffer> buffers) {
  Touched touched;
  return CountFresh(buffers, 0, touched);
}

void CountBodies(std::span<const StepPlan> steps, PlanFigures& figures) {
  for (const StepPlan& step : steps) {
    if (step.control == nullptr) continue;
    size_t no_reuse = 0, copied = 0;  // without reuse, and with a copy instead of every view
    for (const auto& body : step.control->bodies) {
      if (body == nullptr) continue;
      const PlanFigures& more = body->figures;
      figures.planned_values += more.planned_values;
      figures.constant_values += more.constant_values;
      figures.views += more.views;
      figures.in_place += more.in_place;
      figures.parts += more.parts;
      figures.part_bytes += more.part_bytes;
      no_reuse = std::max(no_reuse, more.no_reuse_bytes);
      copied = std::max(copied, more.no_reuse_bytes + more.view_bytes);
    }
    figures.view_bytes += copied - no_reuse;
  }
}

}  // namespace waybill::exec
