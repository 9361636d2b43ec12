// Random damage to a serialized protobuf message, decided by a number alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::fuzz {

// A copy of `files[which]` with one to eight changes: bits, bytes, cuts, insertions, lengths and
// other varints, tags, and pieces of the other files. Equal arguments give equal bytes, on every
// machine.
std::string Mutate(const std::vector<std::string>& files, size_t which, uint64_t seed);

}  // namespace waybill::fuzz
