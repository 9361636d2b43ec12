#include "memory/admission/budget.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "memory/admission/budget_source.h"
#include "memory/admission/cgroup_memory.h"
#include "memory/buffer/buffer.h"
#include "memory/source/failing_source.h"
#include "memory/source/hub.h"
#include "tests/support/temp_dir.h"

namespace waybill {
namespace {

TEST(Budget, IsNeverExceeded) {
  MemoryBudget budget(1000);
  EXPECT_TRUE(budget.Charge(600, MemoryTag::kWeights));
  EXPECT_FALSE(budget.Charge(401, MemoryTag::kOutput));
  EXPECT_FALSE(budget.Charge(SIZE_MAX, MemoryTag::kOutput));
  EXPECT_TRUE(budget.Charge(400, MemoryTag::kOutput));
  EXPECT_EQ(budget.in_use(), 1000u);
  EXPECT_EQ(budget.lasting(), 600u);
  EXPECT_EQ(budget.refusals(), 2u);
  budget.SetLimit(500);
  EXPECT_FALSE(budget.Charge(1, MemoryTag::kOutput));
  budget.Refund(600, MemoryTag::kWeights);
  EXPECT_TRUE(budget.Charge(100, MemoryTag::kOutput));
  EXPECT_EQ(budget.lasting(), 0u);
  EXPECT_EQ(budget.peak(), 1000u);
}

TEST(Budget, IsNeverExceededByThreads) {
  MemoryBudget budget(5000);
  std::vector<std::thread> threads;
  for (size_t id = 1; id <= 4; ++id) {
    threads.emplace_back([&, id] {
      for (int i = 0; i < 5000; ++i) {
        const size_t bytes = 700 * id;
        if (budget.Charge(bytes, MemoryTag::kSlab)) budget.Refund(bytes, MemoryTag::kSlab);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(budget.peak(), 5000u);
  EXPECT_EQ(budget.in_use(), 0u);
}

TEST(BudgetSource, RefusesWithTheNumbers) {
  MemoryHub hub({}, {}, 100'000);
  const auto weights = Buffer::Allocate(hub.system, 64'000, 64, MemoryTag::kWeights);
  ASSERT_TRUE(weights.ok());
  const auto refused = hub.system->Take(40'000, 64, MemoryTag::kOutput);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), Code::kOutOfMemory);
  const std::string& text = refused.status().message();
  for (const char* part : {"40000 bytes for output", "100000 bytes", "64000 are in use"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_FALSE(hub.slabs->Take(40'000, 64, MemoryTag::kSlab).ok());
}

TEST(BudgetSource, IdleMemoryMakesRoom) {
  MemoryHub hub({}, {}, 1 << 20);
  ASSERT_TRUE(Buffer::Allocate(hub.slabs, 1 << 20, 64, MemoryTag::kSlab).ok());
  EXPECT_EQ(hub.budget->in_use(), size_t{1} << 20);
  EXPECT_TRUE(Buffer::Allocate(hub.system, 1000, 64, MemoryTag::kOutput).ok());
  EXPECT_EQ(hub.slabs->Stats().bytes_held, 0u);
  EXPECT_EQ(hub.budget->in_use(), 0u);
}

// Pressure of the system is answered like that of the budget, and what it refuses is not charged.
TEST(BudgetSource, FailuresOfTheSystem) {
  std::vector<std::shared_ptr<FailingSource>> sources;
  MemoryHub hub({}, [&](std::shared_ptr<MemorySource> source) {
    return sources.emplace_back(std::make_shared<FailingSource>(std::move(source)));
  });
  ASSERT_TRUE(Buffer::Allocate(hub.slabs, 1 << 20, 64, MemoryTag::kSlab).ok());
  sources[0]->FailAt(1);
  EXPECT_TRUE(Buffer::Allocate(hub.system, 1000, 64, MemoryTag::kOutput).ok());
  EXPECT_EQ(hub.slabs->Stats().bytes_held, 0u);
  sources[0]->FailAt(1);
  EXPECT_FALSE(Buffer::Allocate(hub.system, 1000, 64, MemoryTag::kOutput).ok());
  EXPECT_EQ(hub.budget->in_use(), 0u);
}

TEST(BudgetSource, CountsNoLessThanTheLedger) {
  MemoryHub hub;
  std::vector<Buffer> kept;
  for (const size_t bytes :
       {0, 1, 64, 4097, (128 << 10) - 1, 200'001, (2 << 20) - 1, (2 << 20) + 1, 5'000'000}) {
    for (const MemoryTag tag : {MemoryTag::kWeights, MemoryTag::kOutput}) {
      kept.push_back(Buffer::Allocate(hub.system, bytes, 64, tag).value());
    }
    kept.push_back(Buffer::Allocate(hub.slabs, bytes, 64, MemoryTag::kSlab).value());
    EXPECT_GE(hub.budget->in_use(), hub.ledger->Snapshot()[0].total.bytes_in_use);
  }
  kept.clear();
  hub.Trim();
  EXPECT_EQ(hub.budget->in_use(), 0u);
}

TEST(Hub, ALowerBudgetTrims) {
  MemoryHub hub;
  ASSERT_TRUE(Buffer::Allocate(hub.slabs, 1 << 20, 64, MemoryTag::kSlab).ok());
  hub.SetBudget(2 << 20);
  EXPECT_EQ(hub.slabs->Stats().bytes_held, size_t{1} << 20);
  hub.SetBudget(1000);
  EXPECT_EQ(hub.slabs->Stats().bytes_held, 0u);
}

class CgroupMemory : public testing::Test {
 protected:
  std::optional<size_t> Left() const { return CgroupMemoryLeft(root_.path().string()); }

  test::TempDir root_;
};

TEST_F(CgroupMemory, Version2LeastOnTheWayUp) {
  EXPECT_EQ(Left(), std::nullopt);
  root_.Write("proc/self/cgroup", "0::/a.slice/b.scope\n");
  root_.Write("sys/fs/cgroup/a.slice/b.scope/memory.max", "max\n");
  root_.Write("sys/fs/cgroup/a.slice/b.scope/memory.current", "500\n");
  EXPECT_EQ(Left(), std::nullopt);
  root_.Write("sys/fs/cgroup/a.slice/memory.max", "1000\n");
  root_.Write("sys/fs/cgroup/a.slice/memory.current", "700\n");
  EXPECT_EQ(Left(), 300u);
  root_.Write("sys/fs/cgroup/a.slice/memory.stat",
              "anon 500\nfile 220\nshmem 20\ninactive_file 150\nactive_file 50\nunevictable 20\n");
  EXPECT_EQ(Left(), 500u);
  root_.Write("sys/fs/cgroup/a.slice/memory.stat",
              "file_dirty 30\nfile_writeback 20\ninactive_file 150\nactive_file 50\n");
  EXPECT_EQ(Left(), 450u);
  root_.Write("sys/fs/cgroup/a.slice/b.scope/memory.max", "600\n");
  EXPECT_EQ(Left(), 100u);
  root_.Write("sys/fs/cgroup/a.slice/b.scope/memory.max", "400\n");
  EXPECT_EQ(Left(), 0u);
}

TEST_F(CgroupMemory, Version1) {
  root_.Write("proc/self/cgroup", "4:memory:/docker/abc\n3:cpu:/other\n");
  root_.Write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
  root_.Write("sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "300\n");
  EXPECT_EQ(Left(), std::nullopt);
  root_.Write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "1000\n");
  root_.Write("sys/fs/cgroup/memory/docker/abc/memory.stat",
              "inactive_file 1\ndirty 5\ntotal_inactive_file 69\ntotal_active_file 40\n"
              "total_dirty 7\ntotal_writeback 3\n");
  EXPECT_EQ(Left(), 799u);
}

TEST_F(CgroupMemory, BrokenFilesAreNoLimit) {
  root_.Write("proc/self/cgroup", "0::/a\n");
  for (const char* text : {"", "max", "abc", "-"}) {
    root_.Write("sys/fs/cgroup/a/memory.max", text);
    root_.Write("sys/fs/cgroup/a/memory.current", "5");
    EXPECT_EQ(Left(), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace waybill
