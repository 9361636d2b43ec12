// WeightSurvey: a source for finding out what packed weights come to before any is made.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "memory/source/source.h"
#include "memory/weights/weight_load.h"

namespace waybill {

// Packers that know it tell it of a block and make none; what others take comes from `upstream` and
// is counted. Not thread-safe.
class WeightSurvey final : public MemorySource {
 public:
  explicit WeightSurvey(std::shared_ptr<MemorySource> upstream) : upstream_(std::move(upstream)) {}

  // What a key says of the bytes that a block is made of: which they are, where `weights` is given
  // to tell them by, else where they are.
  static std::string KeyOf(std::span<const std::byte> bytes, const WeightLoad* weights);

  // A block of `bytes` would be made and kept. The same `key` is the same block: it counts once.
  void Note(std::string key, size_t bytes);
  // What is taken at this moment would be kept; it goes back now.
  void NoteTaken() { noted_ += taken_; }
  // What all that was noted would count in a budget.
  size_t bytes() const { return noted_; }

  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override;
  void Give(BufferView block, MemoryTag tag) noexcept override;
  Device device() const override { return upstream_->device(); }

 private:
  const std::shared_ptr<MemorySource> upstream_;
  std::set<std::string> keys_;
  size_t noted_ = 0, taken_ = 0;
};

}  // namespace waybill
