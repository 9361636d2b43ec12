// Detacher: sequences, maps, optionals and sparse tensors leave a run without sharing bytes with
// what went in or with each other.
#pragma once

#include <memory>
#include <span>
#include <unordered_set>

#include "base/status/result.h"
#include "memory/source/source.h"
#include "tensor/value/value.h"

namespace waybill::exec {

// For the outputs of one run.
class Detacher {
 public:
  // `inputs` are the values of the run's callers: whoever has such a container can write to the
  // tensors in it, whatever their use counts say.
  Detacher(std::span<const Value* const> inputs, std::shared_ptr<MemorySource> source,
           MemoryTag tag = MemoryTag::kOutput);

  // `value` itself when nobody else holds the bytes of its tensors, else its like with copies of
  // those tensors that somebody holds. Errors: kOutOfMemory.
  Result<Value> Take(const Value& value);

 private:
  void NoteHeld(const Value& value);
  bool IsHeld(const Value& value, bool held) const;
  Result<Tensor> CopyTensor(const Tensor& tensor, bool held) const;
  Result<Value> Copy(const Value& value, bool held) const;
  Result<Value> CopySequence(const SequenceValue& from, bool held) const;

  std::unordered_set<const void*> held_;  // containers that callers have
  std::shared_ptr<MemorySource> source_;
  MemoryTag tag_;  // of copies
};

}  // namespace waybill::exec
