#include "kernel/reference/math/random/generator.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <random>

namespace waybill::kernel::reference {

namespace {

// The finalizer of SplitMix64: every input bit changes half of the output bits.
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

constexpr uint64_t kStep = 0x9E3779B97F4A7C15u;

}  // namespace

uint64_t RandomStream::Bits(uint64_t i) const { return Mix(Mix(key_) + (i + 1) * kStep); }

double RandomStream::Uniform(uint64_t i) const {
  return static_cast<double>(Bits(i) >> 11) * 0x1p-53;
}

double RandomStream::Normal(uint64_t i) const {
  const double radius = std::sqrt(-2 * std::log1p(-Uniform(2 * i)));
  return radius * std::cos(2 * std::numbers::pi * Uniform(2 * i + 1));
}

RandomSource RandomSource::Of(const graph::NodeRef& node) {
  RandomSource source;
  if (const float* seed = node.attrs().Get<float>("seed")) {
    source.key_ = std::bit_cast<uint32_t>(*seed);
  } else {
    std::random_device device;
    source.key_ = uint64_t{device()} << 32 | device();
    source.runs_ = std::make_shared<std::atomic<uint64_t>>(0);
  }
  return source;
}

RandomStream RandomSource::Next() const {
  if (runs_ == nullptr) return RandomStream(key_);
  return RandomStream(Mix(key_ + runs_->fetch_add(1, std::memory_order_relaxed) * kStep));
}

}  // namespace waybill::kernel::reference
