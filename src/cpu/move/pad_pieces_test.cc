#include "cpu/move/pad_pieces.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace waybill::cpu {
namespace {

int64_t Source(PadMode mode, int64_t at, int64_t dim) {
  if (mode == PadMode::kEdge) return at < 0 ? 0 : std::min(at, dim - 1);
  const int64_t period = mode == PadMode::kWrap ? dim : std::max<int64_t>(1, 2 * (dim - 1));
  at = ((at % period) + period) % period;
  return at < dim ? at : period - at;
}

TEST(PadPieces, CoverTheAxisOnce) {
  for (const PadMode mode : {PadMode::kReflect, PadMode::kEdge, PadMode::kWrap}) {
    for (int64_t dim = 1; dim < 7; ++dim) {
      for (int64_t before = 0; before < 25; ++before) {
        for (int64_t after = 0; after < 25; ++after) {
          std::vector<int64_t> sources(static_cast<size_t>(before + dim + after), -1);
          const auto pieces = PadPieces(mode, before, dim, after);
          EXPECT_LE(pieces.size(), 6u);
          for (const PadPiece& piece : pieces) {
            EXPECT_GT(piece.count, 0);
            for (int64_t r = 0; r < piece.repeats; ++r) {
              for (int64_t i = 0; i < piece.count; ++i) {
                int64_t& source = sources.at(static_cast<size_t>(piece.dst + r * piece.period + i));
                EXPECT_EQ(source, -1);
                source = piece.src + i * piece.step;
              }
            }
          }
          for (size_t i = 0; i < sources.size(); ++i) {
            ASSERT_EQ(sources[i], Source(mode, static_cast<int64_t>(i) - before, dim))
                << static_cast<int>(mode) << " " << before << " " << dim << " " << after;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
