// What a byte is for. Every tensor byte carries one tag from the moment it is taken from a source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace waybill {

enum class MemoryTag : uint8_t {
  kWeights = 0,    // constants that had to be copied (misaligned, unpacked, decompressed)
  kPackedWeights,  // constants in a kernel's own layout
  kFolded,         // results of constant folding
  kSlab,           // planned activations and scratch of runs
  kOutput,         // outputs handed to the caller
  kDynamic,        // values whose size is known only while running
  kUser,           // values that callers made through an allocator of ours
  kStaging,        // transfers between devices
};
inline constexpr size_t kMemoryTagCount = 8;

// "weights", "packed weights", ...
std::string_view MemoryTagName(MemoryTag tag);

}  // namespace waybill
