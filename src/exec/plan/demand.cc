#include "exec/plan/demand.h"

#include <algorithm>
#include <map>
#include <vector>

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

}  // namespace

void CountDemand(std::span<const PlannedBuffer> buffers, PlanFigures& figures) {
  std::vector<const PlannedBuffer*> order;
  for (const PlannedBuffer& buffer : buffers) {
    if (buffer.life.bytes == 0) continue;
    order.push_back(&buffer);
    figures.no_reuse_bytes += buffer.own_bytes;
    figures.requests += buffer.values;
  }
  std::stable_sort(order.begin(), order.end(), [](const PlannedBuffer* a, const PlannedBuffer* b) {
    return a->life.first_step < b->life.first_step;
  });
  Touched touched;
  for (const PlannedBuffer* buffer : order) {
    const size_t end = buffer->offset + buffer->life.bytes;
    figures.fresh_requests += touched.Add(buffer->offset, end) ? 1 : 0;
  }
}

}  // namespace waybill::exec
