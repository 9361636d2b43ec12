#include "memory/plan/templates.h"

#include <algorithm>
#include <utility>

namespace waybill::plan {

std::optional<Template::Answer> Templates::Place(std::span<const Lifetime> lives) {
  Kept candidates;
  {
    const std::lock_guard lock(mutex_);
    candidates = kept_;
  }
  bool fitted = false;
  for (const auto& candidate : candidates) {
    if (!candidate->Fits(lives)) continue;
    auto answer = candidate->Place(lives);
    if (!answer) break;  // no placement is possible
    fitted = true;
    if (answer->placement.slab_bytes > EnoughBytes(answer->bound_bytes)) continue;
    const std::lock_guard lock(mutex_);
    ++stats_.accepts;
    const auto used = std::find(kept_.begin(), kept_.end(), candidate);
    if (used != kept_.end()) kept_.splice(kept_.begin(), kept_, used);
    return answer;
  }
  if (fitted) {
    const std::lock_guard lock(mutex_);
    ++stats_.rejects;
  }
  return std::nullopt;
}

void Templates::Keep(std::span<const Lifetime> lives, const BestPlacement& best) {
  if (best.slab_bytes > EnoughBytes(best.bound_bytes)) return;
  Kept fresh;
  fresh.push_back(std::make_shared<const Template>(lives, best));
  const size_t bytes = fresh.front()->HeapBytes();
  if (bytes > max_bytes_) return;
  const std::lock_guard lock(mutex_);
  while (kept_.size() >= kMaxTemplates || stats_.bytes > max_bytes_ - bytes) DropLast();
  kept_.splice(kept_.begin(), fresh);
  stats_.bytes += bytes;
  *total_ += bytes;
}

void Templates::DropLast() noexcept {
  const size_t bytes = kept_.back()->HeapBytes();
  stats_.bytes -= bytes;
  *total_ -= bytes;
  kept_.pop_back();
}

void Templates::Clear() noexcept {
  const std::lock_guard lock(mutex_);
  while (!kept_.empty()) DropLast();
}

TemplateStats Templates::Stats() const {
  const std::lock_guard lock(mutex_);
  TemplateStats stats = stats_;
  stats.templates = kept_.size();
  return stats;
}

}  // namespace waybill::plan
