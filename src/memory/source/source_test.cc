#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "base/file/page_bytes.h"
#include "base/math/checked.h"
#include "memory/buffer/buffer.h"
#include "memory/source/failing_source.h"
#include "memory/source/hub.h"

namespace waybill {
namespace {

constexpr auto kSlabTag = MemoryTag::kSlab;

Buffer MustAllocate(const std::shared_ptr<MemorySource>& source, size_t bytes,
                    size_t align = kBlockAlign, MemoryTag tag = kSlabTag) {
  auto buffer = Buffer::Allocate(source, bytes, align, tag);
  EXPECT_TRUE(buffer.ok()) << buffer.status().ToString();
  return buffer.ok() ? std::move(*buffer) : Buffer();
}

TEST(Sources, GiveAlignedUsableDistinctBlocks) {
  const auto ledger = std::make_shared<Ledger>();
  const auto page = ledger->ForDevice({});
  const std::shared_ptr<MemorySource> sources[] = {
      std::make_shared<SystemSource>(page), std::make_shared<PageSource>(page),
      std::make_shared<SlabPool>(std::make_shared<PageSource>(page))};
  for (const auto& source : sources) {
    for (const size_t align : {size_t{1}, size_t{64}, size_t{256}, size_t{4096}, size_t{65536}}) {
      std::vector<Buffer> kept;
      for (const size_t bytes : {0, 1, 63, 64, 65, 4096, 5000, 3 << 20}) {
        kept.push_back(MustAllocate(source, bytes, align));
        const BufferView view = kept.back().view();
        ASSERT_NE(view.data, nullptr);
        EXPECT_GE(view.bytes, bytes);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(view.data) % std::max(align, kBlockAlign), 0u);
        std::memset(view.data, 0xAB, bytes);
        for (size_t i = 0; i + 1 < kept.size(); ++i) EXPECT_NE(kept[i].view().data, view.data);
      }
    }
  }
}

TEST(Sources, RefuseWithNumbers) {
  const std::shared_ptr<MemorySource> sources[] = {
      std::make_shared<SystemSource>(), std::make_shared<PageSource>(),
      std::make_shared<SlabPool>(std::make_shared<PageSource>())};
  for (const auto& source : sources) {
    for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 4095, SIZE_MAX / 2 + 1}) {
      const auto refused = source->Take(bytes, 64, MemoryTag::kWeights);
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.status().code(), Code::kOutOfMemory);
      EXPECT_NE(refused.status().message().find("bytes"), std::string::npos);
    }
    EXPECT_EQ(source->Take(8, 24, kSlabTag).status().code(), Code::kInvalidArgument);
    EXPECT_EQ(source->Take(8, 0, kSlabTag).status().code(), Code::kInvalidArgument);
  }
}

TEST(Ledger, CountsByTagAndReturnsToZero) {
  MemoryHub hub;
  const size_t slab_bytes = AlignUp(10000, PageBytes());
  {
    const Buffer weights = MustAllocate(hub.system, 1000, 64, MemoryTag::kWeights);
    Buffer output = MustAllocate(hub.system, 64, 64, MemoryTag::kOutput);
    const Buffer slab = MustAllocate(hub.slabs, 10000);
    const DeviceUse use = hub.ledger->Snapshot().at(0);
    EXPECT_EQ(use.by_tag[static_cast<size_t>(MemoryTag::kWeights)].bytes_in_use, 1024u);
    EXPECT_EQ(use.by_tag[static_cast<size_t>(MemoryTag::kOutput)].bytes_in_use, 64u);
    EXPECT_EQ(use.by_tag[static_cast<size_t>(kSlabTag)].bytes_in_use, slab_bytes);
    EXPECT_EQ(use.total.bytes_in_use, 1024 + 64 + slab_bytes);
    output.Reset();
    output.Reset();
    EXPECT_EQ(hub.ledger->Snapshot()[0].total.gives, 1u);
  }
  EXPECT_EQ(hub.Trim(), slab_bytes);
  const DeviceUse use = hub.ledger->Snapshot()[0];
  EXPECT_EQ(use.total, (MemoryUse{0, 1024 + 64 + slab_bytes, 3, 3}));
  hub.ledger->ResetPeaks();
  EXPECT_EQ(hub.ledger->Snapshot()[0].total.peak_bytes, 0u);
}

TEST(HostSource, LargeWeightsAreInHugePages) {
  Ledger ledger;
  HostSource source(ledger.ForDevice({}));
  constexpr size_t kHuge = PageSource::kHugePageBytes;
  for (const MemoryTag tag : {MemoryTag::kWeights, MemoryTag::kPackedWeights, MemoryTag::kOutput}) {
    for (const size_t bytes : {size_t{0}, size_t{1000}, kHuge - 1, kHuge, 2 * kHuge + 5}) {
      const auto block = source.Take(bytes, kBlockAlign, tag);
      ASSERT_TRUE(block.ok());
      if (bytes != 0) block->data[0] = block->data[bytes - 1] = std::byte{1};
      if (bytes >= kHuge && tag != MemoryTag::kOutput) {
        EXPECT_EQ(reinterpret_cast<uintptr_t>(block->data) % kHuge, 0u);
      }
      EXPECT_GE(ledger.Snapshot()[0].total.bytes_in_use, bytes);
      source.Give(*block, tag);
      EXPECT_EQ(ledger.Snapshot()[0].total.bytes_in_use, 0u);
    }
  }
}

TEST(Ledger, KeepsDevicesApart) {
  Ledger ledger;
  const Device strict{DeviceKind::kStrict, 1};
  ledger.ForDevice(strict)->OnTake(10, MemoryTag::kUser);
  EXPECT_EQ(ledger.ForDevice(strict).get(), ledger.ForDevice(strict).get());
  ledger.ForDevice({})->OnTake(20, MemoryTag::kUser);
  const auto uses = ledger.Snapshot();
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].device, strict);
  EXPECT_EQ(uses[0].total.bytes_in_use, 10u);
  EXPECT_EQ(uses[1].total.bytes_in_use, 20u);
}

TEST(Buffer, MovesAndOutlivesItsHub) {
  Buffer kept;
  std::shared_ptr<Ledger> ledger;
  {
    MemoryHub hub;
    ledger = hub.ledger;
    kept = MustAllocate(hub.slabs, 100);
    Buffer other = MustAllocate(hub.system, 100);
    other = std::move(kept);
    EXPECT_FALSE(kept);  // NOLINT: moved from
    kept = std::move(other);
  }
  std::memset(kept.view().data, 1, 100);
  const SharedView shared = Buffer::Share(std::move(kept));
  const auto part = shared.Slice(10, 20);
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part->data(), shared.data() + 10);
  EXPECT_FALSE(shared.Slice(shared.bytes(), 1).ok());
  EXPECT_FALSE(shared.Slice(1, SIZE_MAX).ok());
  EXPECT_TRUE(shared.Slice(shared.bytes(), 0).ok());
  EXPECT_EQ(ledger->Snapshot()[0].total.bytes_in_use, PageBytes());
}

TEST(SlabPool, WarmTakesNeedNoUpstream) {
  auto failing = std::make_shared<FailingSource>(std::make_shared<PageSource>());
  const auto pool = std::make_shared<SlabPool>(failing);
  std::byte* first = MustAllocate(pool, 5 << 20).view().data;
  failing->FailAt(1, true);
  for (int run = 0; run < 10; ++run) EXPECT_EQ(MustAllocate(pool, 5 << 20).view().data, first);
  EXPECT_EQ(failing->takes(), 0u);
  const SlabPoolStats stats = pool->Stats();
  EXPECT_EQ(stats.hits, 10u);
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_EQ(stats.bytes_leased, 0u);
  EXPECT_EQ(stats.bytes_held, size_t{5} << 20);
}

TEST(SlabPool, PrefersTheExactSize) {
  const auto pool = std::make_shared<SlabPool>(std::make_shared<PageSource>());
  std::byte *small = nullptr, *large = nullptr;
  {
    const Buffer a = MustAllocate(pool, 1 << 20);
    const Buffer b = MustAllocate(pool, 4 << 20);
    small = a.view().data;
    large = b.view().data;
  }
  EXPECT_EQ(MustAllocate(pool, 1 << 20).view().data, small);
  EXPECT_EQ(MustAllocate(pool, 4 << 20).view().data, large);
  const Buffer a = MustAllocate(pool, 1 << 20);
  EXPECT_EQ(MustAllocate(pool, 1 << 20).view().data, large);  // better than more memory
}

TEST(SlabPool, HoldsTheLargestPlanNotTheHistory) {
  const auto pool = std::make_shared<SlabPool>(std::make_shared<PageSource>());
  std::mt19937 random(11);
  size_t largest = 0;
  for (int run = 0; run < 300; ++run) {
    const size_t bytes = 1 + random() % (1 << 20);
    largest = std::max(largest, bytes);
    MustAllocate(pool, bytes);
    EXPECT_LE(pool->Stats().bytes_held, AlignUp(largest, SlabPool::GranuleBytes()));
  }
}

TEST(SlabPool, BoundedIdleBytesAndTrim) {
  const size_t page = PageBytes();
  const auto ledger = std::make_shared<DeviceLedger>(Device{});
  const auto pool = std::make_shared<SlabPool>(std::make_shared<PageSource>(ledger),
                                               SlabPoolOptions{.max_idle_bytes = 10 * page});
  {
    std::vector<Buffer> leases;
    for (int i = 0; i < 8; ++i) leases.push_back(MustAllocate(pool, 4 * page));
    EXPECT_EQ(pool->Stats().bytes_leased, 32 * page);
  }
  EXPECT_EQ(pool->Stats().bytes_held, 8 * page);
  EXPECT_EQ(pool->Stats().trims, 6u);
  EXPECT_EQ(pool->Trim(5 * page), 4 * page);
  EXPECT_EQ(ledger->Snapshot().total.bytes_in_use, 4 * page);
  EXPECT_EQ(pool->Trim(0), 4 * page);
  EXPECT_EQ(ledger->Snapshot().total.bytes_in_use, 0u);
}

TEST(SlabPool, GivesIdleSlabsBackBeforeItFails) {
  auto failing = std::make_shared<FailingSource>(std::make_shared<PageSource>());
  const auto pool = std::make_shared<SlabPool>(failing);
  {
    const Buffer a = MustAllocate(pool, 2 << 20);
    const Buffer b = MustAllocate(pool, 1 << 20);
    const Buffer c = MustAllocate(pool, 1 << 20);
  }
  failing->FailAt(1);
  const Buffer held = MustAllocate(pool, 5 << 19);  // two of the three idle slabs make room for it
  EXPECT_EQ(failing->takes(), 2u);
  EXPECT_EQ(pool->Stats().idle_slabs, 0u);
  failing->FailAt(1, true);
  const auto refused = pool->Take(1 << 20, 64, kSlabTag);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("all leased"), std::string::npos);
}

TEST(SlabPool, ManyThreadsNeverShareALease) {
  const auto ledger = std::make_shared<DeviceLedger>(Device{});
  const auto pool = std::make_shared<SlabPool>(std::make_shared<PageSource>(ledger));
  std::vector<std::thread> threads;
  std::atomic<int> clashes{0};
  for (int id = 1; id <= 4; ++id) {
    threads.emplace_back([&, id] {
      for (int run = 0; run < 200; ++run) {
        const size_t bytes = static_cast<size_t>(1 + (run * id) % 7) * 3000;
        const Buffer lease = MustAllocate(pool, bytes);
        std::memset(lease.view().data, id, bytes);
        for (size_t i = 0; i < bytes; i += 97) {
          if (lease.view().data[i] != static_cast<std::byte>(id)) ++clashes;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clashes, 0);
  EXPECT_EQ(pool->Stats().bytes_leased, 0u);
  EXPECT_EQ(pool->Stats().bytes_held, ledger->Snapshot().total.bytes_in_use);
  pool->Trim(0);
  EXPECT_EQ(ledger->Snapshot().total.bytes_in_use, 0u);
}

}  // namespace
}  // namespace waybill
