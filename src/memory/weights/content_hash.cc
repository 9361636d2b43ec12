#include "memory/weights/content_hash.h"

#include <unistd.h>

#include <chrono>
#include <cstring>

namespace waybill {
namespace {

constexpr size_t kLanes = 4;
constexpr size_t kWordsPerLane = 2;
constexpr size_t kStripe = kLanes * kWordsPerLane * sizeof(uint64_t);

// Both halves of the product, one laid over the other.
uint64_t Fold(uint64_t a, uint64_t b) {
  __extension__ typedef unsigned __int128 Wide;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

constexpr uint64_t kMultiplier = 0xE9846AF9B1A615DULL;

using SecretWords = std::array<uint64_t, 2 * kLanes>;

SecretWords WordsFrom(uint64_t state) {
  SecretWords words = {};
  for (uint64_t& word : words) word = state = Fold(state ^ 0x9E3779B97F4A7C15ULL, kMultiplier);
  return words;
}

SecretWords RandomWords() {
  SecretWords words = {};
  if (getentropy(words.data(), sizeof(words)) == 0) return words;
  // An old kernel: the time and where the program lies are better than nothing.
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return WordsFrom(static_cast<uint64_t>(now) ^ reinterpret_cast<uintptr_t>(&words));
}

struct Secrets {
  std::array<uint64_t, kLanes> first, second;

  explicit Secrets(const SecretWords& words) {
    for (size_t i = 0; i < kLanes; ++i) {
      first[i] = words[i] | 1;
      second[i] = words[kLanes + i] | 1;
    }
  }
};

struct Lane {
  uint64_t low, high;
};

void Take(const std::byte* stripe, const Secrets& secrets, std::array<Lane, kLanes>& lanes) {
  for (size_t i = 0; i < kLanes; ++i) {
    uint64_t words[kWordsPerLane];
    std::memcpy(words, stripe + i * sizeof(words), sizeof(words));
    lanes[i].low = Fold(words[0] ^ secrets.first[i], words[1] ^ lanes[i].low);
    lanes[i].high = Fold(words[1] ^ secrets.second[i], words[0] ^ lanes[i].high);
  }
}

ContentHash Hash(std::span<const std::byte> bytes, const Secrets& secrets) {
  std::array<Lane, kLanes> lanes;
  for (size_t i = 0; i < kLanes; ++i) lanes[i] = {secrets.second[i], secrets.first[i]};
  size_t at = 0;
  for (; bytes.size() - at >= kStripe; at += kStripe) Take(bytes.data() + at, secrets, lanes);
  if (at < bytes.size()) {
    std::byte rest[kStripe] = {};
    std::memcpy(rest, bytes.data() + at, bytes.size() - at);
    Take(rest, secrets, lanes);
  }
  uint64_t low = bytes.size() ^ secrets.first[0], high = bytes.size() ^ secrets.second[0];
  for (size_t i = 0; i < kLanes; ++i) {
    low = Fold(low ^ lanes[i].low, secrets.first[i] ^ lanes[i].high);
    high = Fold(high ^ lanes[i].high, secrets.second[i] ^ lanes[i].low);
  }
  return {{low, high}};
}

}  // namespace

ContentHash HashContent(std::span<const std::byte> bytes) {
  static const Secrets secrets(RandomWords());
  return Hash(bytes, secrets);
}

ContentHash StableHash(std::span<const std::byte> bytes) {
  static const Secrets secrets(WordsFrom(0x5157E0B1A9C3D24FULL));
  return Hash(bytes, secrets);
}

}  // namespace waybill
