// How many bytes plans may take: by default no more than a small part of what the session holds
// anyway, so that a thousand plans do not outgrow a small model.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>

namespace waybill::exec {

// Bytes of the plans of a program and its bodies, which share one limit. Thread-safe.
class PlanBytes {
 public:
  static constexpr size_t kMost = size_t{32} << 20;
  static constexpr size_t kLeast = size_t{256} << 10;
  static constexpr size_t kPart = 20;   // of weights and slab: one of so many
  static constexpr size_t kPlans = 48;  // that there is room for up to kMost

  // `asked`: the limit, whatever the session holds.
  explicit PlanBytes(std::optional<size_t> asked = std::nullopt) : asked_(asked) {}

  // What plans may take.
  size_t Limit() const;
  // What no limit is above.
  size_t most() const { return asked_.value_or(kMost); }

  void AddWeights(size_t bytes) { weights_ += bytes; }
  // A plan takes so many bytes and has a slab; of both the largest count, whichever program's.
  void Note(size_t plan_bytes, size_t slab_bytes);
  void Forget() { largest_plan_ = largest_slab_ = 0; }

  // What plans take now. Counted by those who keep them.
  static std::shared_ptr<std::atomic<size_t>> UsedOf(const std::shared_ptr<PlanBytes>& bytes) {
    return {bytes, &bytes->used};
  }
  std::atomic<size_t> used{0};

 private:
  const std::optional<size_t> asked_;
  std::atomic<size_t> weights_{0}, largest_plan_{0}, largest_slab_{0};
};

}  // namespace waybill::exec
