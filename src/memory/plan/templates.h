// The templates of one program: few, bounded in number and bytes, the least recently used given up
// first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "memory/plan/place.h"
#include "memory/plan/template.h"

namespace waybill::plan {

struct TemplateStats {
  uint64_t accepts = 0;  // problems that a template placed
  uint64_t rejects = 0;  // problems with the lifetimes of some, which placed it too widely
  size_t templates = 0, bytes = 0;
};

// Thread-safe. Whoever places first decides which templates there are, so a placement may depend on
// what was placed before, within EnoughBytes.
class Templates {
 public:
  static constexpr size_t kMaxTemplates = 4;

  // `total` is counted up and down with the bytes kept; it may be that of others too.
  Templates(size_t max_bytes, std::shared_ptr<std::atomic<size_t>> total)
      : max_bytes_(max_bytes), total_(std::move(total)) {}
  ~Templates() { Clear(); }
  Templates(const Templates&) = delete;
  Templates& operator=(const Templates&) = delete;

  // By the first template that does it in EnoughBytes; nothing when none does.
  std::optional<Template::Answer> Place(std::span<const Lifetime> lives);
  // Makes a template of what was found for `lives`, when it is within EnoughBytes.
  void Keep(std::span<const Lifetime> lives, const BestPlacement& best);
  // Gives up all of them.
  void Clear() noexcept;
  TemplateStats Stats() const;

 private:
  using Kept = std::list<std::shared_ptr<const Template>>;
  void DropLast() noexcept;  // with mutex_ held

  const size_t max_bytes_;
  const std::shared_ptr<std::atomic<size_t>> total_;
  mutable std::mutex mutex_;
  Kept kept_;  // most recently used first
  TemplateStats stats_;
};

}  // namespace waybill::plan
