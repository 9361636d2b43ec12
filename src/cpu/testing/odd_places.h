// How tests meet a kernel: on every instruction set, and with tensors at addresses that suit their
// element type but no vector.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cpu/simd/target_limit.h"
#include "memory/source/system_source.h"
#include "tensor/value/value.h"

namespace waybill::cpu {

// Calls fn() once per SIMD target that the CPU has, with no better one for kernels made in it.
template <typename Fn>
void OnEveryTarget(const Fn& fn) {
  for (const SimdTarget target : AvailableTargets()) {
    const TargetLimit limit(target);
    SCOPED_TRACE(std::string(SimdTargetName(target)));
    fn();
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Blocks tagged kOutput begin `offset` bytes behind a cache line, others where they do always.
class OddSource final : public SystemSource {
 public:
  explicit OddSource(size_t offset) : offset_(offset) {}

  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override {
    if (tag != MemoryTag::kOutput) return SystemSource::Take(bytes, align, tag);
    WB_ASSIGN_OR_RETURN(BufferView block, SystemSource::Take(bytes + offset_, align, tag));
    block.data += offset_;
    block.bytes = bytes;
    return block;
  }
  void Give(BufferView block, MemoryTag tag) noexcept override {
    if (tag == MemoryTag::kOutput) {
      block.data -= offset_;
      block.bytes += offset_;
    }
    SystemSource::Give(block, tag);
  }

 private:
  size_t offset_;
};

// Where a node's outputs go: memory that is one element off, for elements of any of the types.
inline std::shared_ptr<MemorySource> OddSourceFor(const std::vector<DType>& types) {
  size_t offset = 1;
  for (const DType type : types) {
    if (type != DType::kUndefined) offset = std::max(offset, DTypeAlign(type));
  }
  return std::make_shared<OddSource>(offset);
}

// A copy one element off. What is no tensor stays as it is.
inline Tensor OddCopy(const Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  auto copy = CopyTensor(tensor.view(), OddSourceFor({tensor.dtype()}), MemoryTag::kOutput);
  EXPECT_TRUE(copy.ok());
  return copy.ok() ? *copy : tensor;
}
inline Value OddCopy(const Value& value) {
  return value.tensor() == nullptr ? value : Value(OddCopy(*value.tensor()));
}

// Floats that begin `offset` elements behind a cache line; NaN at first.
class OddFloats {
 public:
  explicit OddFloats(size_t count, size_t offset = 0) : offset_(offset), count_(count) {
    const size_t bytes = ((offset + count) / 16 + 1) * 64;
    data_.reset(static_cast<float*>(std::aligned_alloc(64, bytes)));
    std::fill_n(data_.get(), bytes / sizeof(float), std::nanf(""));
  }
  OddFloats(const std::vector<float>& from, size_t offset) : OddFloats(from.size(), offset) {
    std::copy(from.begin(), from.end(), data());
  }
  float* data() const { return data_.get() + offset_; }
  std::vector<float> Copy() const { return {data(), data() + count_}; }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  size_t offset_, count_;
  std::unique_ptr<float, Free> data_;
};

inline bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

}  // namespace waybill::cpu
