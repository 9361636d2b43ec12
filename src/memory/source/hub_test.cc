#include "memory/source/hub.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "memory/buffer/buffer.h"

namespace waybill {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// With a budget of 4 MiB, of which an arena holds 2 or more that nobody uses.
class IdleArena : public testing::Test {
 protected:
  IdleArena() {
    EXPECT_TRUE(Take(arena_, 2 * kMiB - 4096).ok());
    EXPECT_EQ(arena_->Stats().bytes_in_use, 0u);
    EXPECT_GE(hub_.budget->in_use(), 2 * kMiB - 4096);
  }

  static Result<Buffer> Take(const std::shared_ptr<Arena>& arena, size_t bytes) {
    return Buffer::Allocate(arena, bytes, 64, MemoryTag::kUser);
  }

  MemoryHub hub_{{}, {}, 4 * kMiB};
  std::shared_ptr<Arena> arena_ = hub_.NewArena({});
};

TEST_F(IdleArena, MakesRoomForWeights) {
  EXPECT_TRUE(Buffer::Allocate(hub_.system, 3 * kMiB, 64, MemoryTag::kWeights).ok());
  EXPECT_EQ(arena_->Stats().bytes_held, 0u);
}

TEST_F(IdleArena, MakesRoomForSlabs) {
  EXPECT_TRUE(Buffer::Allocate(hub_.slabs, 3 * kMiB, 64, MemoryTag::kSlab).ok());
  EXPECT_EQ(arena_->Stats().bytes_held, 0u);
}

TEST_F(IdleArena, MakesRoomForItself) {
  EXPECT_TRUE(Take(arena_, 3 * kMiB).ok());
  EXPECT_EQ(arena_->Stats().shrinkages, 1u);
}

TEST_F(IdleArena, MakesRoomForAnotherOne) {
  EXPECT_TRUE(Take(hub_.NewArena({}), 3 * kMiB).ok());
  EXPECT_EQ(arena_->Stats().bytes_held, 0u);
}

TEST_F(IdleArena, KeepsNobodyWaiting) {
  AdmissionRequest request;
  request.slab_bytes = 3 * kMiB;
  request.timeout_ms = 0;
  AdmissionTicket ticket;
  EXPECT_TRUE(hub_.admission->Enter(request, ticket).ok());
  ticket.Release();
  const Buffer used = Take(arena_, 100).value();
  EXPECT_FALSE(hub_.admission->Enter(request, ticket).ok());
}

TEST_F(IdleArena, IsNotCountedAfterItsEnd) {
  EXPECT_GE(hub_.admission->FreeBytes(), 4 * kMiB);
  arena_ = nullptr;
  EXPECT_EQ(hub_.budget->in_use(), 0u);
  EXPECT_EQ(hub_.admission->FreeBytes(), 4 * kMiB);
}

// Arenas and the pool take each other's idle memory, all at the same time.
TEST_F(IdleArena, ThreadsTakeEachOthersIdleMemory) {
  std::vector<std::thread> threads;
  for (size_t id = 0; id < 4; ++id) {
    threads.emplace_back([this, id] {
      const auto arena = hub_.NewArena({});
      for (size_t i = 0; i < 300; ++i) {
        const size_t bytes = (1 + (i * 7 + id) % 3) * kMiB;
        if ((i + id) % 2 == 0) {
          (void)Buffer::Allocate(hub_.slabs, bytes, 64, MemoryTag::kSlab);
        } else {
          (void)Take(i % 3 == 0 ? arena_ : arena, bytes);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(hub_.budget->peak(), 4 * kMiB);
  hub_.Trim();
  EXPECT_EQ(hub_.budget->in_use(), 0u);
  EXPECT_EQ(hub_.admission->FreeBytes(), 4 * kMiB);
}

TEST(Hub, SlabsOfThePoolAreUsedWhileRunsHaveThem) {
  MemoryHub hub;
  const auto use = [&] { return hub.ledger->Snapshot()[0]; };
  {
    const Buffer slab = Buffer::Allocate(hub.slabs, kMiB, 64, MemoryTag::kSlab).value();
    EXPECT_EQ(use().used_bytes, kMiB);
  }
  EXPECT_EQ(use().used_bytes, 0u);
  {
    const Buffer block = Buffer::Allocate(hub.system, 8000, 64, MemoryTag::kOutput).value();
    EXPECT_EQ(use().used_bytes, 8000u);
    EXPECT_EQ(use().total.bytes_in_use, kMiB + 8000);
    EXPECT_EQ(use().peak_used_bytes, kMiB);
    hub.ledger->ResetPeaks();
    EXPECT_EQ(use().peak_used_bytes, 8000u);
    (void)Buffer::Allocate(hub.slabs, kMiB, 64, MemoryTag::kSlab);
    EXPECT_EQ(use().peak_used_bytes, kMiB + 8000);
  }
  hub.Trim();
  EXPECT_EQ(use().used_bytes, 0u);
}

}  // namespace
}  // namespace waybill
