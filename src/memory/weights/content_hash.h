// 128 bits that stand for the contents of a range of bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace waybill {

struct ContentHash {
  std::array<uint64_t, 2> words = {};
  bool operator==(const ContentHash&) const = default;
};

// Equal bytes have equal hashes within one process; its seed is drawn when it starts, so that no
// file can be made to have the hash of another. About as fast as memory is read.
ContentHash HashContent(std::span<const std::byte> bytes);

// The same in every process on machines of one byte order: for files that outlive a process. Shows
// damage and change; whoever chooses the bytes could choose some with the hash of others.
ContentHash StableHash(std::span<const std::byte> bytes);

}  // namespace waybill
