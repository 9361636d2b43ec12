#include "tests/fuzz/mutate.h"

#include <algorithm>

namespace waybill::fuzz {
namespace {

// SplitMix64: the standard's distributions differ between libraries.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, bound); 0 for bound 0.
  size_t Below(size_t bound) { return bound == 0 ? 0 : static_cast<size_t>(Next() % bound); }

 private:
  uint64_t state_;
};

constexpr uint64_t kInteresting[] = {0,
                                     1,
                                     0x7f,
                                     0x80,
                                     0xffff,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x100000000,
                                     0x100000001,
                                     0x4000000000000000,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0xffffffffffffffff};

std::string Varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}

// End of the varint that begins at `at`.
size_t VarintEnd(const std::string& bytes, size_t at) {
  while (at < bytes.size() && (bytes[at] & 0x80) != 0) ++at;
  return std::min(at + 1, bytes.size());
}

uint64_t ReadVarint(const std::string& bytes, size_t& at) {
  uint64_t value = 0;
  for (int shift = 0; at < bytes.size() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

// The start of some field, found by walking the message and entering sub-messages at random.
size_t SomeField(const std::string& bytes, Random& random) {
  size_t at = 0;
  size_t end = bytes.size();
  size_t steps = random.Below(64);
  while (at < end) {
    size_t next = at;
    const uint64_t wire = ReadVarint(bytes, next) & 7;
    if (wire == 0) {
      ReadVarint(bytes, next);
    } else if (wire == 1 || wire == 5) {
      next += wire == 1 ? 8 : 4;
    } else if (wire == 2) {
      const uint64_t length = ReadVarint(bytes, next);
      if (length > end - std::min(next, end)) return at;
      if (length > 1 && random.Below(3) == 0) {
        end = next + length;
      } else {
        next += length;
      }
    } else {
      return at;
    }
    if (steps-- == 0 || next >= end) return at;
    at = next;
  }
  return at;
}

void ReplaceVarint(std::string& bytes, size_t at, Random& random) {
  const size_t end = VarintEnd(bytes, at);
  const uint64_t value = random.Below(2) ? kInteresting[random.Below(std::size(kInteresting))]
                                         : random.Next() >> random.Below(64);
  bytes.replace(at, end - at, Varint(value));
}

// A change to the bytes between a field's tag and its end.
void ChangeField(std::string& bytes, Random& random) {
  const size_t tag = SomeField(bytes, random);
  if (tag >= bytes.size()) return;
  const size_t value = VarintEnd(bytes, tag);
  switch (random.Below(5)) {
    case 0:
      bytes[tag] = static_cast<char>((bytes[tag] & ~7) | static_cast<char>(random.Below(8)));
      break;
    case 1:
      bytes[tag] = static_cast<char>(bytes[tag] ^ static_cast<char>(random.Below(16) << 3));
      break;
    case 2:
      if (value < bytes.size()) ReplaceVarint(bytes, value, random);
      break;
    case 3:  // the same length, so that the messages around stay whole
      for (size_t i = value; i < VarintEnd(bytes, value); ++i) {
        bytes[i] = static_cast<char>((bytes[i] & 0x80) | static_cast<char>(random.Below(0x80)));
      }
      break;
    default: {
      const size_t size = std::min<size_t>(random.Below(40), bytes.size() - tag);
      bytes.insert(tag, bytes.substr(tag, size));
    }
  }
}

void ChangeBytes(std::string& bytes, const std::vector<std::string>& files, Random& random) {
  const size_t at = random.Below(bytes.size());
  switch (random.Below(7)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.Below(8)));
      break;
    case 1:
      bytes[at] = static_cast<char>(random.Next());
      break;
    case 2:
      bytes.insert(at, 1 + random.Below(16), static_cast<char>(random.Next()));
      break;
    case 3:
      bytes.erase(at, 1 + random.Below(32));
      break;
    case 4:
      bytes.resize(at);
      break;
    case 5:
      ReplaceVarint(bytes, at, random);
      break;
    default: {
      const std::string& other = files[random.Below(files.size())];
      const size_t from = random.Below(other.size());
      bytes.replace(at, random.Below(64), other.substr(from, random.Below(256)));
    }
  }
}

}  // namespace

std::string Mutate(const std::vector<std::string>& files, size_t which, uint64_t seed) {
  Random random(seed);
  std::string bytes = files[which];
  for (size_t changes = 1 + random.Below(8); changes > 0 && !bytes.empty(); --changes) {
    if (random.Below(2) == 0) {
      ChangeField(bytes, random);
    } else {
      ChangeBytes(bytes, files, random);
    }
  }
  return bytes;
}

}  // namespace waybill::fuzz
