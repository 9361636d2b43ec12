#include "exec/plan/demand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace waybill::exec {
namespace {

PlannedBuffer At(uint32_t first, uint32_t last, size_t offset, size_t bytes, size_t values = 1) {
  PlannedBuffer buffer;
  buffer.life.first_step = first;
  buffer.life.last_step = last;
  buffer.life.bytes = bytes;
  buffer.offset = offset;
  buffer.values = values;
  buffer.own_bytes = values * bytes;
  return buffer;
}

PlanFigures Count(const std::vector<PlannedBuffer>& buffers) {
  PlanFigures figures;
  CountDemand(buffers, figures);
  return figures;
}

TEST(Demand, CountsRequestsAndThoseThatNeedNewBytes) {
  EXPECT_EQ(Count({}).requests, 0u);
  const PlanFigures figures = Count({
      At(2, 3, 0, 50),       // where the first one was
      At(0, 1, 0, 100),      // new
      At(0, 2, 100, 100),    // new
      At(3, 4, 150, 100),    // half of it new
      At(4, 5, 0, 250),      // over all of them
      At(4, 4, 999, 0),      // nothing
      At(5, 6, 250, 10, 3),  // new once, then taken over in place twice
  });
  EXPECT_EQ(figures.requests, 8u);
  EXPECT_EQ(figures.fresh_requests, 4u);
  EXPECT_EQ(figures.no_reuse_bytes, 50u + 100 + 100 + 100 + 250 + 30);
}

// Against a table of bytes.
TEST(Demand, AgreesWithATableOfBytes) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<PlannedBuffer> buffers;
    for (uint32_t i = 0; i < 1 + random() % 30; ++i) {
      buffers.push_back(At(i, i + random() % 5, random() % 60, random() % 40));
    }
    std::vector<bool> touched(100);
    size_t fresh = 0;
    for (const PlannedBuffer& buffer : buffers) {
      const auto begin = touched.begin() + static_cast<ptrdiff_t>(buffer.offset);
      const auto end = begin + static_cast<ptrdiff_t>(buffer.life.bytes);
      fresh += std::find(begin, end, false) != end ? 1 : 0;
      std::fill(begin, end, true);
    }
    std::shuffle(buffers.begin(), buffers.end(), random);
    ASSERT_EQ(Count(buffers).fresh_requests, fresh) << "round " << round;
  }
}

}  // namespace
}  // namespace waybill::exec
