#include "memory/source/value_source.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "memory/buffer/buffer.h"
#include "memory/source/hub.h"

namespace waybill {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

Buffer Output(const MemoryHub& hub, size_t bytes, MemoryTag tag = MemoryTag::kOutput) {
  return Buffer::Allocate(hub.system, bytes, 64, tag).value();
}

MemoryUse UseOf(const MemoryHub& hub, MemoryTag tag) {
  return hub.ledger->Snapshot()[0].by_tag[static_cast<size_t>(tag)];
}

TEST(ValueSource, LargeOutputsAreThereAgain) {
  MemoryHub hub;
  const void* first = Output(hub, kMiB).view().data;
  for (int i = 0; i < 10; ++i) {
    const Buffer again = Output(hub, kMiB, i % 2 == 0 ? MemoryTag::kOutput : MemoryTag::kDynamic);
    EXPECT_EQ(again.view().data, first);
  }
  const SlabPoolStats stats = hub.blocks->Stats();
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_EQ(stats.hits, 10u);
  EXPECT_EQ(stats.reused_bytes, 10 * kMiB);
  EXPECT_EQ(hub.slabs->Stats().requested_bytes(), 0u);
}

TEST(ValueSource, OtherBlocksAreTheHeaps) {
  MemoryHub hub;
  const size_t least = 32 * PageBytes();
  (void)Output(hub, least - 1);
  (void)Output(hub, 4 * kMiB, MemoryTag::kUser);
  (void)Output(hub, 4 * kMiB, MemoryTag::kWeights);
  EXPECT_EQ(hub.blocks->Stats().requested_bytes(), 0u);
  (void)Output(hub, least);
  EXPECT_EQ(hub.blocks->Stats().requested_bytes(), least);
}

// Who has the bytes is what their tag says, and all of them stay accounted for.
TEST(ValueSource, BlocksCountForWhatTheyAreUsed) {
  MemoryHub hub;
  const auto held = [&] { return hub.ledger->Snapshot()[0].total.bytes_in_use; };
  {
    const Buffer output = Output(hub, kMiB);
    EXPECT_EQ(UseOf(hub, MemoryTag::kOutput).bytes_in_use, kMiB);
    EXPECT_EQ(UseOf(hub, MemoryTag::kSlab).bytes_in_use, 0u);
    EXPECT_EQ(hub.ledger->Snapshot()[0].used_bytes, kMiB);
    EXPECT_EQ(held(), kMiB);
  }
  EXPECT_EQ(UseOf(hub, MemoryTag::kOutput).bytes_in_use, 0u);
  EXPECT_EQ(UseOf(hub, MemoryTag::kOutput).takes, 1u);
  EXPECT_EQ(UseOf(hub, MemoryTag::kOutput).gives, 1u);
  EXPECT_EQ(UseOf(hub, MemoryTag::kSlab).bytes_in_use, kMiB);
  EXPECT_EQ(hub.ledger->Snapshot()[0].used_bytes, 0u);
  EXPECT_EQ(held(), kMiB);
  EXPECT_EQ(hub.Trim(), kMiB);
  EXPECT_EQ(held(), 0u);
}

// A block that a caller keeps has at most a quarter too much, and sizes that change do not pile up.
TEST(ValueSource, WhatIsHeldFollowsWhatIsUsed) {
  MemoryHub hub;
  (void)Output(hub, 10 * kMiB);
  EXPECT_EQ(Output(hub, 8 * kMiB).view().bytes, 10 * kMiB);
  EXPECT_EQ(Output(hub, 7 * kMiB).view().bytes, 7 * kMiB);
  for (size_t mib = 64; mib > 0; mib /= 2) (void)Output(hub, mib * kMiB);
  for (size_t mib = 1; mib <= 64; mib *= 2) (void)Output(hub, mib * kMiB);
  for (size_t mib = 33; mib <= 64; ++mib) (void)Output(hub, mib * kMiB);
  EXPECT_LE(hub.blocks->Stats().peak_bytes_held, (64 + 16) * kMiB);
}

TEST(ValueSource, ASmallBlockDoesNotDriveALargeOneOut) {
  MemoryHub hub;
  for (int i = 0; i < 5; ++i) {
    (void)Output(hub, 16 * kMiB);
    (void)Output(hub, kMiB / 4);
  }
  EXPECT_EQ(hub.blocks->Stats().misses, 2u);
}

// What was asked for beforehand is what is taken, also where a larger block is idle.
TEST(ValueSource, WithinABudgetBlocksAreExact) {
  MemoryHub hub({}, {}, 4 * kMiB);
  (void)Output(hub, 5 * kMiB / 4);
  const Buffer output = Output(hub, kMiB);
  EXPECT_EQ(output.view().bytes, kMiB);
  EXPECT_TRUE(Buffer::Allocate(hub.slabs, 3 * kMiB, 64, MemoryTag::kSlab).ok());
}

TEST(ValueSource, PeaksCountEachBlockOnce) {
  MemoryHub hub;
  const Buffer first = Output(hub, kMiB);
  EXPECT_EQ(UseOf(hub, MemoryTag::kSlab).peak_bytes, 0u);
  EXPECT_EQ(UseOf(hub, MemoryTag::kOutput).peak_bytes, kMiB);
  EXPECT_EQ(hub.ledger->Snapshot()[0].total.takes, 1u);
  EXPECT_EQ(hub.ledger->Snapshot()[0].used_bytes, kMiB);
}

TEST(ValueSource, ThreadsShareOneBlock) {
  MemoryHub hub;
  for (int i = 0; i < 20; ++i) std::thread([&] { (void)Output(hub, kMiB); }).join();
  EXPECT_EQ(hub.blocks->Stats().peak_bytes_held, kMiB);
}

TEST(ValueSource, IdleBlocksGoBackInTime) {
  MemoryHub hub({.idle_trim_ms = 8});
  (void)Output(hub, kMiB);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (hub.blocks->Stats().bytes_held != 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(hub.blocks->Stats().bytes_held, 0u);
}

// Idle bytes of one pool are there for the other one, for the heap and for who waits to start.
TEST(ValueSource, IdleBlocksMakeRoom) {
  MemoryHub hub({}, {}, 4 * kMiB);
  const auto fill = [&] {
    (void)Output(hub, 3 * kMiB);
    EXPECT_EQ(hub.blocks->Stats().bytes_idle(), 3 * kMiB);
  };
  fill();
  EXPECT_TRUE(Buffer::Allocate(hub.slabs, 3 * kMiB, 64, MemoryTag::kSlab).ok());
  EXPECT_EQ(hub.blocks->Stats().bytes_held, 0u);
  fill();
  EXPECT_EQ(hub.slabs->Stats().bytes_held, 0u);
  EXPECT_TRUE(Buffer::Allocate(hub.system, 3 * kMiB, 64, MemoryTag::kUser).ok());
  fill();
  AdmissionRequest request;
  request.slab_bytes = 4 * kMiB;
  request.timeout_ms = 0;
  AdmissionTicket ticket;
  EXPECT_TRUE(hub.admission->Enter(request, ticket).ok());
  EXPECT_LE(hub.budget->peak(), 4 * kMiB);
}

TEST(ValueSource, DroppedOutputsLetWaitersIn) {
  MemoryHub hub({}, {}, 4 * kMiB);
  Buffer kept = Output(hub, 3 * kMiB);
  AdmissionRequest request;
  request.slab_bytes = 2 * kMiB;
  request.timeout_ms = 10'000;
  Status status;
  std::thread waiter([&] {
    AdmissionTicket ticket;
    status = hub.admission->Enter(request, ticket);
  });
  while (hub.admission->Stats().waiting == 0) std::this_thread::yield();
  kept = Buffer();
  waiter.join();
  EXPECT_TRUE(status.ok()) << status.message();
}

// Two pools and the heap take each other's idle bytes, all at the same time.
TEST(ValueSource, PoolsDoNotWaitForEachOther) {
  MemoryHub hub({}, {}, 6 * kMiB);
  std::vector<std::thread> threads;
  for (size_t id = 0; id < 4; ++id) {
    threads.emplace_back([&hub, id] {
      for (size_t i = 0; i < 400; ++i) {
        const size_t bytes = (1 + (i * 7 + id) % 3) * kMiB;
        const bool is_slab = (i + id) % 2 == 0;
        (void)Buffer::Allocate(is_slab ? std::shared_ptr<MemorySource>(hub.slabs) : hub.system,
                               bytes, 64, is_slab ? MemoryTag::kSlab : MemoryTag::kOutput);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(hub.budget->peak(), 6 * kMiB);
  hub.Trim();
  EXPECT_EQ(hub.budget->in_use(), 0u);
  EXPECT_EQ(hub.admission->FreeBytes(), 6 * kMiB);
}

// A caller may keep a value for longer than the environment lives.
TEST(ValueSource, OutputsOutliveTheHub) {
  Buffer kept;
  {
    MemoryHub hub;
    kept = Output(hub, kMiB);
  }
  kept.view().data[0] = std::byte{1};
  kept = Buffer();
}

}  // namespace
}  // namespace waybill
