// The form of a file of packed weights: a head, the bytes of its entries, each at a page of its
// own, and an index of them. Numbers are in the byte order of the machine, which the first one
// shows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status/result.h"
#include "memory/weights/content_hash.h"
#include "memory/weights/weight_store.h"

namespace waybill {

// Bytes that a recipe made.
struct SidecarEntry {
  std::string maker;  // as WeightRecipe's
  // Each with its StableHash, and with its place in a file where that told its contents, too.
  std::vector<SourceId> sources;
  uint64_t offset = 0, bytes = 0;  // in the file
  ContentHash content;             // StableHash of these bytes
};

// The first bytes of the file; entries begin at the next page.
struct SidecarHead {
  uint64_t magic = 0;
  std::array<char, 40> made_by = {};  // library and version, form and version; ends with zeros
  uint64_t file_bytes = 0;
  uint64_t index_offset = 0, index_bytes = 0;  // between the entries and the end of the file
  ContentHash index, head;                     // StableHash of the index, and of what is before
};

// What SidecarHead::made_by says of files of this form. `library`: its name and version; what does
// not fit is cut off.
std::array<char, 40> SidecarMadeBy(std::string_view library);

// Where the first entry may begin, and what each offset is a multiple of at least.
constexpr size_t kSidecarAlign = 4096;

std::string EncodeSidecarIndex(const std::vector<SidecarEntry>& entries);
// Fills in the magic number and both hashes.
SidecarHead SealSidecarHead(SidecarHead head, std::string_view index);

// Believes nothing that the hashes do not cover, and nothing beyond the file's end.
// Errors: kFail saying what is wrong.
Result<SidecarHead> ReadSidecarHead(std::span<const std::byte> file);
// Each entry lies in the file; its bytes are not looked at. Errors: kFail saying what is wrong.
Result<std::vector<SidecarEntry>> ReadSidecarIndex(std::span<const std::byte> file,
                                                   const SidecarHead& head);

}  // namespace waybill
