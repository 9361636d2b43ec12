#include "memory/weights/content_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace waybill {
namespace {

ContentHash Of(const std::string& text) { return HashContent(std::as_bytes(std::span(text))); }

TEST(ContentHash, EqualBytesAtAnyAddressHaveEqualHashes) {
  const std::string text(1000, 'x');
  const std::string shifted = "y" + text;
  EXPECT_EQ(Of(text), HashContent(std::as_bytes(std::span(shifted)).subspan(1)));
}

TEST(ContentHash, LengthEveryByteAndEveryBitCount) {
  std::set<std::pair<uint64_t, uint64_t>> seen;
  size_t hashed = 0;
  const auto add = [&](const std::string& text) {
    const ContentHash hash = Of(text);
    seen.insert({hash.words[0], hash.words[1]});
    ++hashed;
  };
  for (size_t size = 0; size < 200; ++size) add(std::string(size, '\0'));
  for (size_t at = 0; at < 200; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string text(200, 'a');
      text[at] = static_cast<char>(text[at] ^ (1 << bit));
      add(text);
    }
  }
  EXPECT_EQ(seen.size(), hashed);
}

TEST(ContentHash, OrderCounts) {
  const std::string a(64, 'a'), b(64, 'b');
  EXPECT_NE(Of(a + b), Of(b + a));
  EXPECT_NE(Of("ab" + a), Of("ba" + a));
}

}  // namespace
}  // namespace waybill
