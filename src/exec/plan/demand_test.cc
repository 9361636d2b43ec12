#include "exec/plan/demand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "exec/plan/control_plan.h"

namespace waybill::exec {
namespace {

PlannedBuffer At(uint32_t first, uint32_t last, size_t offset, size_t bytes) {
  PlannedBuffer buffer;
  buffer.life.first_step = first;
  buffer.life.last_step = last;
  buffer.life.bytes = bytes;
  buffer.offset = offset;
  return buffer;
}

TEST(Demand, CountsRequestsThatNeedNewBytes) {
  EXPECT_EQ(FreshRequests({}), 0u);
  const PlannedBuffer buffers[] = {
      At(2, 3, 0, 50),     // where the first one was
      At(0, 1, 0, 100),    // new
      At(0, 2, 100, 100),  // new
      At(3, 4, 150, 100),  // half of it new
      At(4, 5, 0, 250),    // over all of them
      At(4, 4, 999, 0),    // nothing
      At(5, 6, 250, 10),   // new
  };
  EXPECT_EQ(FreshRequests(buffers), 4u);
}

// In the slab of bodies those of the widest one count, where they are.
TEST(Demand, LooksIntoBodies) {
  auto narrow = std::make_shared<Plan>(), wide = std::make_shared<Plan>();
  narrow->figures.no_reuse_bytes = 30;
  narrow->buffers = {At(0, 0, 0, 30)};
  wide->figures.no_reuse_bytes = 40;
  wide->buffers = {At(0, 1, 0, 10), At(1, 2, 10, 10), At(2, 3, 0, 20)};
  ControlPlan control;
  control.bodies = {narrow, nullptr, wide};
  PlannedBuffer slab = At(1, 1, 90, 30);
  slab.bodies = &control;
  const PlannedBuffer buffers[] = {slab, At(0, 0, 0, 100), At(0, 0, 105, 1)};
  EXPECT_EQ(FreshRequests(buffers), 3u);  // two, and the second of the body
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
    ASSERT_EQ(FreshRequests(buffers), fresh) << "round " << round;
  }
}

}  // namespace
}  // namespace waybill::exec
