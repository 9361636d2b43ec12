#include "memory/plan/template.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/math/checked.h"

namespace waybill::plan {
namespace {

using Relation = std::pair<uint32_t, uint32_t>;  // the upper one, the lower one

// Goes through time with the buffers alive now ordered by offset. A new one lies on its lower
// neighbour, its upper neighbour on it. When one ends, its neighbours are joined through it, so
// that all alive at a step are on one path. `by_start` are buffers with bytes.
std::vector<Relation> RelationsOf(std::span<const Lifetime> lives, std::span<const size_t> offsets,
                                  std::span<const uint32_t> by_start) {
  std::vector<Relation> relations;
  std::vector<uint32_t> alive;
  for (const uint32_t now : by_start) {
    std::erase_if(alive, [&](uint32_t i) { return lives[i].last_step < lives[now].first_step; });
    const auto at = std::lower_bound(alive.begin(), alive.end(), now, [&](uint32_t a, uint32_t b) {
      return offsets[a] < offsets[b];
    });
    if (at != alive.begin()) relations.emplace_back(now, *std::prev(at));
    if (at != alive.end()) relations.emplace_back(*at, now);
    alive.insert(at, now);
  }
  return relations;
}

}  // namespace

Template::Template(std::span<const Lifetime> lives, const Placement& placement) {
  std::vector<uint32_t> order;
  std::vector<uint32_t> starts;
  for (uint32_t i = 0; i < lives.size(); ++i) {
    const Lifetime& life = lives[i];
    forms_.push_back({life.first_step, life.last_step, life.align, life.bytes == 0});
    if (life.bytes == 0) continue;
    order.push_back(i);
    starts.push_back(life.first_step);
  }
  const auto sort_by = [&](auto key) {
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  };
  sort_by([&](uint32_t i) { return lives[i].first_step; });
  std::vector<Relation> relations = RelationsOf(lives, placement.offsets, order);
  sort_by([&](uint32_t i) { return placement.offsets[i]; });

  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  num_steps_ = starts.size();
  const auto renumber = [&starts](uint32_t step) {
    return static_cast<uint32_t>(std::upper_bound(starts.begin(), starts.end(), step) -
                                 starts.begin() - 1);
  };
  std::sort(relations.begin(), relations.end());
  for (const uint32_t i : order) {
    nodes_.push_back({i, renumber(lives[i].first_step), renumber(lives[i].last_step),
                      static_cast<uint32_t>(below_.size())});
    auto next = std::lower_bound(relations.begin(), relations.end(), Relation{i, 0});
    for (; next != relations.end() && next->first == i; ++next) below_.push_back(next->second);
  }
}

bool Template::Fits(std::span<const Lifetime> lives) const {
  return std::equal(lives.begin(), lives.end(), forms_.begin(), forms_.end(),
                    [](const Lifetime& life, const Form& form) {
                      return life.first_step == form.first && life.last_step == form.last &&
                             life.align == form.align && (life.bytes == 0 || !form.empty);
                    });
}

std::optional<Template::Answer> Template::Place(std::span<const Lifetime> lives) const {
  Answer answer;
  std::vector<size_t>& offsets = answer.placement.offsets;
  offsets.assign(lives.size(), 0);
  std::vector<size_t> ends(lives.size());
  // Adding at the start and subtracting after the end wraps around zero harmlessly.
  std::vector<size_t> step_bytes(num_steps_ + 1);
  size_t room = 0;
  for (size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    const Lifetime& life = lives[node.index];
    const auto bytes = CheckedAlignUp(life.bytes, life.align);
    const auto padded = bytes ? CheckedAdd(*bytes, life.align) : std::nullopt;
    const auto sum = padded ? CheckedAdd(room, *padded) : std::nullopt;
    if (!sum || *sum > static_cast<size_t>(PTRDIFF_MAX)) return std::nullopt;
    room = *sum;
    const size_t end_below = k + 1 < nodes_.size() ? nodes_[k + 1].begin_below : below_.size();
    size_t floor = 0;
    for (size_t i = node.begin_below; i < end_below; ++i) floor = std::max(floor, ends[below_[i]]);
    if (*bytes == 0) {  // in nobody's way, but what lies on it lies on those below it
      ends[node.index] = floor;
      continue;
    }
    offsets[node.index] = AlignUp(floor, life.align);
    ends[node.index] = offsets[node.index] + *bytes;
    answer.placement.slab_bytes = std::max(answer.placement.slab_bytes, ends[node.index]);
    step_bytes[node.first] += *bytes;
    step_bytes[node.last + 1] -= *bytes;
  }
  std::partial_sum(step_bytes.begin(), step_bytes.end(), step_bytes.begin());
  answer.bound_bytes = *std::max_element(step_bytes.begin(), step_bytes.end());
  return answer;
}

size_t Template::HeapBytes() const {
  return sizeof(Template) + forms_.capacity() * sizeof(Form) + nodes_.capacity() * sizeof(Node) +
         below_.capacity() * sizeof(uint32_t);
}

}  // namespace waybill::plan
