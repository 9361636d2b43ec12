#include "exec/runner/frame.h"

#include <gtest/gtest.h>

#include <thread>

#include "exec/plan/plan.h"

namespace waybill::exec {
namespace {

TEST(FramePoolTest, GivesEachFrameToOneCaller) {
  FramePool pool;
  EXPECT_EQ(pool.Take(), nullptr);
  auto first = std::make_unique<Frame>(), second = std::make_unique<Frame>();
  Frame* const frames[] = {first.get(), second.get()};
  pool.Give(std::move(first));
  pool.Give(std::move(second));
  EXPECT_EQ(pool.free(), 2u);
  first = pool.Take();
  second = pool.Take();
  EXPECT_EQ(first.get(), frames[0]);
  EXPECT_EQ(second.get(), frames[1]);
  EXPECT_EQ(pool.Take(), nullptr);
}

TEST(FramePoolTest, KeepsSoManyAndNoMore) {
  FramePool pool;
  for (size_t i = 0; i < 2 * FramePool::kMaxFree; ++i) pool.Give(std::make_unique<Frame>());
  EXPECT_EQ(pool.free(), FramePool::kMaxFree + 1);
}

TEST(FramePoolTest, ClearedFramesGiveTheirPlansUp) {
  FramePool pool;
  const auto plan = std::make_shared<const Plan>();
  for (int i = 0; i < 3; ++i) {
    auto frame = std::make_unique<Frame>();
    frame->plan = plan;
    pool.Give(std::move(frame));
  }
  const std::unique_ptr<Frame> used = pool.Take();
  pool.Clear();
  EXPECT_EQ(pool.free(), 0u);
  EXPECT_EQ(used->plan, plan);
  EXPECT_EQ(plan.use_count(), 2);
}

TEST(FramePoolTest, ManyThreadsTakeGiveAndClear) {
  FramePool pool;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (int i = 0; i < 2000; ++i) {
        std::unique_ptr<Frame> frame = pool.Take();
        if (frame == nullptr) frame = std::make_unique<Frame>();
        EXPECT_TRUE(frame->key.empty());  // else somebody else has it too
        frame->key.push_back(t);
        frame->key.clear();
        pool.Give(std::move(frame));
        if (i % 100 == t) pool.Clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(pool.free(), 4u);
}

}  // namespace
}  // namespace waybill::exec
