#include "memory/source/weight_survey.h"

#include "memory/admission/budget_source.h"

namespace waybill {

std::string WeightSurvey::KeyOf(std::span<const std::byte> bytes, const WeightLoad* weights) {
  if (weights == nullptr) {
    return Format("{} {}", reinterpret_cast<uintptr_t>(bytes.data()), bytes.size());
  }
  const SourceId id = weights->IdOf(bytes);
  return Format("{} {} {} {} {}", id.file ? id.file->ToString() : "", id.offset, id.bytes,
                id.content.words[0], id.content.words[1]);
}

void WeightSurvey::Note(std::string key, size_t bytes) {
  if (keys_.insert(std::move(key)).second) noted_ += BudgetSource::ChargedBytes(bytes);
}

Result<BufferView> WeightSurvey::Take(size_t bytes, size_t align, MemoryTag tag) {
  auto block = upstream_->Take(bytes, align, tag);
  if (block.ok()) taken_ += BudgetSource::ChargedBytes(bytes);
  return block;
}

void WeightSurvey::Give(BufferView block, MemoryTag tag) noexcept {
  taken_ -= BudgetSource::ChargedBytes(block.bytes);
  upstream_->Give(block, tag);
}

}  // namespace waybill
