#include "memory/source/arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "memory/buffer/buffer.h"
#include "memory/ledger/ledger.h"
#include "memory/source/failing_source.h"
#include "memory/source/system_source.h"

namespace waybill {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr auto kTag = MemoryTag::kUser;

struct TestArena {
  explicit TestArena(ArenaOptions options = {})
      : arena(std::make_shared<Arena>(upstream, kTag, options)) {}

  Buffer Take(size_t bytes, size_t align = kBlockAlign) const {
    auto block = Buffer::Allocate(arena, bytes, align, kTag);
    EXPECT_TRUE(block.ok()) << block.status().ToString();
    return block.ok() ? std::move(*block) : Buffer();
  }

  std::shared_ptr<DeviceLedger> page = std::make_shared<DeviceLedger>(Device{});
  std::shared_ptr<FailingSource> upstream =
      std::make_shared<FailingSource>(std::make_shared<SystemSource>(page));
  std::shared_ptr<Arena> arena;
};

TEST(Arena, GivesAlignedDistinctBlocks) {
  const TestArena test;
  std::vector<Buffer> kept;
  for (const size_t align : {size_t{1}, size_t{64}, size_t{256}, size_t{4096}}) {
    for (const size_t bytes : {0, 1, 64, 191, 192, 193, 5000, 3 << 20}) {
      kept.push_back(test.Take(bytes, align));
      const BufferView view = kept.back().view();
      EXPECT_EQ(view.bytes, bytes);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(view.data) % std::max(align, kBlockAlign), 0u);
      std::memset(view.data, static_cast<int>(kept.size()), bytes);
    }
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    const BufferView view = kept[i].view();
    for (size_t at = 0; at < view.bytes; ++at) {
      ASSERT_EQ(view.data[at], static_cast<std::byte>(i + 1));
    }
  }
  EXPECT_EQ(test.arena->Take(8, 24, kTag).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(test.arena->Take(SIZE_MAX - 100, 64, kTag).status().code(), Code::kOutOfMemory);
  EXPECT_EQ(test.arena->Take(SIZE_MAX / 2, 64, kTag).status().code(), Code::kOutOfMemory);
}

TEST(Arena, PowersOfTwo) {
  const TestArena test;
  const Buffer a = test.Take(100);
  EXPECT_EQ(test.arena->Stats().bytes_held, kMiB);
  const Buffer b = test.Take(kMiB);
  EXPECT_EQ(test.arena->Stats().bytes_held, kMiB + 2 * kMiB);
  const Buffer c = test.Take(9 * kMiB);
  EXPECT_EQ(test.arena->Stats().bytes_held, 3 * kMiB + 16 * kMiB);
  EXPECT_EQ(test.arena->Stats().extensions, 3u);
  const TestArena capped({.max_power_of_two_bytes = 2 * kMiB});
  const Buffer d = capped.Take(5 * kMiB);
  EXPECT_LT(capped.arena->Stats().bytes_held, 5 * kMiB + 4096);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(test.Take(kMiB));
}

TEST(Arena, SameAsRequested) {
  const TestArena test({.extend = ArenaExtend::kSameAsRequested});
  const Buffer a = test.Take(100'000);
  EXPECT_LT(test.arena->Stats().bytes_held, 101'000u);
  const Buffer b = test.Take(kMiB);
  EXPECT_LT(test.arena->Stats().bytes_held, kMiB + 102'000);
}

// The smallest chunk that fits is split, and what is given back becomes one chunk again.
TEST(Arena, BestFitSplitsAndJoins) {
  const TestArena test;
  std::vector<Buffer> blocks;
  for (const size_t bytes : {1000, 20'000, 1000, 4000, 1000}) blocks.push_back(test.Take(bytes));
  std::byte* const large = blocks[1].view().data;
  std::byte* const small = blocks[3].view().data;
  blocks[1].Reset();
  blocks[3].Reset();
  blocks[3] = test.Take(3000);
  EXPECT_EQ(blocks[3].view().data, small);
  blocks[1] = test.Take(9000);
  EXPECT_EQ(blocks[1].view().data, large);
  blocks.clear();
  EXPECT_EQ(test.arena->Stats().bytes_in_use, 0u);
  EXPECT_TRUE(test.Take(kMiB - 1024)) << "all of the region in one piece";
  EXPECT_EQ(test.arena->Stats().extensions, 1u);
}

TEST(Arena, HardLimit) {
  const TestArena test({.max_bytes = 3 * kMiB});
  const Buffer a = test.Take(kMiB / 2);
  const Buffer b = test.Take(kMiB + kMiB / 2);
  EXPECT_EQ(test.arena->Stats().bytes_held, 3 * kMiB);
  const auto refused = test.arena->Take(kMiB, 64, kTag);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), Code::kOutOfMemory);
  EXPECT_NE(refused.status().message().find("3145728"), std::string::npos);
  EXPECT_FALSE(test.arena->Reserve(1, 64).ok());
  // The last region is as large as the limit allows, not as the strategy would have it.
  const TestArena tight({.max_bytes = kMiB / 2});
  EXPECT_TRUE(tight.Take(1000));
  EXPECT_EQ(tight.arena->Stats().bytes_held, kMiB / 2);
}

TEST(Arena, TakesWhatIsNeededWhereMoreIsRefused) {
  const TestArena test;
  test.upstream->FailAt(1);
  EXPECT_TRUE(test.Take(1000));
  EXPECT_LT(test.arena->Stats().bytes_held, 2000u);
  test.arena->Shrink();
  test.upstream->FailAt(1, true);
  EXPECT_EQ(test.arena->Take(1000, 64, kTag).status().code(), Code::kOutOfMemory);
  EXPECT_EQ(test.arena->Stats().bytes_held, 0u);
}

TEST(Arena, ShrinksToWhatIsInUse) {
  const TestArena test;
  Buffer a = test.Take(100);
  { const Buffer b = test.Take(5 * kMiB); }
  EXPECT_EQ(test.arena->Shrink(), 8 * kMiB);
  EXPECT_EQ(test.page->Snapshot().total.bytes_in_use, kMiB);
  EXPECT_EQ(test.arena->Stats().shrinkages, 1u);
  a.Reset();
  EXPECT_EQ(test.arena->Shrink(), kMiB);
  EXPECT_EQ(test.page->Snapshot().total.bytes_in_use, 0u);
  const Buffer after = test.Take(100);
  EXPECT_EQ(test.arena->Stats().bytes_held, 2 * kMiB);
}

TEST(Arena, ReservedBlocksStandAlone) {
  const TestArena test;
  const auto block = test.arena->Reserve(10'000, 64);
  ASSERT_TRUE(block.ok());
  std::memset(block->data, 1, block->bytes);
  ArenaStats stats = test.arena->Stats();
  EXPECT_EQ(stats.reserves, 1u);
  EXPECT_EQ(stats.extensions, 0u);
  EXPECT_EQ(stats.requested_bytes_in_use, 10'000u);
  EXPECT_EQ(stats.bytes_held, stats.bytes_in_use);
  test.arena->Give(*block, kTag);
  EXPECT_EQ(test.page->Snapshot().total.bytes_in_use, 0u);
}

TEST(Arena, RandomUseFromThreads) {
  const TestArena test;
  std::atomic<int> clashes{0};
  std::vector<std::thread> threads;
  for (uint32_t id = 1; id <= 4; ++id) {
    threads.emplace_back([&, id] {
      std::mt19937 random(id);
      std::vector<Buffer> kept(32);
      for (int i = 0; i < 5000; ++i) {
        Buffer& block = kept[random() % kept.size()];
        for (size_t at = 0; at < block.view().bytes; at += 61) {
          clashes += block.view().data[at] != static_cast<std::byte>(id);
        }
        block.Reset();
        block = test.Take(random() % (size_t{1} << (random() % 18)));
        if (block.view().bytes != 0) {
          std::memset(block.view().data, static_cast<int>(id), block.view().bytes);
        }
        if (i % 1000 == 0) test.arena->Shrink();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clashes, 0);
  const ArenaStats stats = test.arena->Stats();
  EXPECT_EQ(stats.takes, 4u * 5000);
  EXPECT_EQ(stats.bytes_in_use, 0u);
  EXPECT_EQ(stats.requested_bytes_in_use, 0u);
  EXPECT_EQ(stats.bytes_held, test.page->Snapshot().total.bytes_in_use);
  test.arena->Shrink();
  EXPECT_EQ(test.page->Snapshot().total.bytes_in_use, 0u);
}

// Blocks keep the arena, and with it its upstream source.
TEST(Arena, BlocksOutliveTheirOwner) {
  const auto page = std::make_shared<DeviceLedger>(Device{});
  Buffer block;
  {
    const auto arena = std::make_shared<Arena>(std::make_shared<SystemSource>(page), kTag);
    block = Buffer::Allocate(arena, 1000, 64, kTag).value();
  }
  std::memset(block.view().data, 1, 1000);
  block.Reset();
  EXPECT_EQ(page->Snapshot().total.bytes_in_use, 0u);
}

}  // namespace
}  // namespace waybill
