// The ledger's events and counters. What sources enter is tested with the sources.
#include "memory/ledger/ledger.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/file/page_bytes.h"
#include "base/math/checked.h"
#include "memory/buffer/buffer.h"
#include "memory/source/page_source.h"
#include "memory/source/system_source.h"

namespace waybill {
namespace {

BlockNote Note(size_t bytes, MemoryTag tag) { return {nullptr, bytes, 64, tag}; }

TEST(EventTrace, SaysAllOfABlock) {
  Ledger ledger;
  ledger.trace().Start();
  const auto page = ledger.ForDevice({});
  const auto heap = std::make_shared<SystemSource>(page);
  const void *small = nullptr, *large = nullptr;
  {
    const auto a = Buffer::Allocate(heap, 1000, 256, MemoryTag::kOutput);
    const auto b =
        Buffer::Allocate(std::make_shared<PageSource>(page), 5000, 64, MemoryTag::kWeights);
    ASSERT_TRUE(a.ok() && b.ok());
    small = a->view().data;
    large = b->view().data;
  }
  const Device strict{DeviceKind::kStrict, -3};
  const BlockNote lease{&ledger, 4096, 64, MemoryTag::kSlab, EventSource::kSlabs};
  ledger.ForDevice(strict)->OnServe(lease, true);
  ledger.ForDevice(strict)->OnReturn(lease);

  const auto [events, lost] = ledger.trace().Read();
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(events[0].kind, EventKind::kTake);
  EXPECT_EQ(events[0].source, EventSource::kHeap);
  EXPECT_EQ(events[0].tag, MemoryTag::kOutput);
  EXPECT_EQ(events[0].device, Device{});
  EXPECT_EQ(events[0].bytes, 1024u);
  EXPECT_EQ(events[0].align, 256u);
  EXPECT_EQ(events[0].block, reinterpret_cast<uintptr_t>(small));
  EXPECT_FALSE(events[0].reused);
  EXPECT_EQ(events[1].source, EventSource::kPages);
  EXPECT_EQ(events[1].tag, MemoryTag::kWeights);
  EXPECT_EQ(events[1].bytes, AlignUp(5000, PageBytes()));
  EXPECT_EQ(events[1].align, 64u);
  EXPECT_EQ(events[2].kind, EventKind::kGive);
  EXPECT_EQ(events[2].block, reinterpret_cast<uintptr_t>(large));
  EXPECT_EQ(events[2].align, 0u);
  EXPECT_EQ(events[4].device, strict);
  EXPECT_EQ(events[4].source, EventSource::kSlabs);
  EXPECT_TRUE(events[4].reused);
  EXPECT_EQ(events[5].kind, EventKind::kGive);
  EXPECT_FALSE(events[5].reused);
  for (size_t i = 1; i < events.size(); ++i) {
    EXPECT_GE(events[i].time_ns, events[i - 1].time_ns);
    EXPECT_EQ(events[i].thread, events[0].thread);
  }
  // Serving moves bytes that somebody entered before: nothing was taken for it.
  EXPECT_EQ(ledger.ForDevice(strict)->Snapshot().total, MemoryUse{});
}

TEST(EventTrace, RecordsBetweenStartAndStop) {
  EventTrace trace;
  MemoryEvent event;
  trace.Record(event);
  EXPECT_TRUE(trace.Read().events.empty());
  trace.Start();
  trace.Record(event);
  trace.Stop();
  trace.Record(event);
  EXPECT_EQ(trace.Read().events.size(), 1u);
  trace.Start();
  EXPECT_TRUE(trace.Read().events.empty());
  EXPECT_EQ(trace.Read().lost, 0u);
}

TEST(EventTrace, KeepsTheLastEvents) {
  EventTrace trace;
  trace.Start();
  MemoryEvent event;
  for (uint64_t i = 0; i < EventTrace::kCapacity + 10; ++i) {
    event.bytes = i;
    trace.Record(event);
  }
  const auto [events, lost] = trace.Read();
  ASSERT_EQ(events.size(), EventTrace::kCapacity);
  EXPECT_EQ(lost, 10u);
  EXPECT_EQ(events.front().bytes, 10u);
  EXPECT_EQ(events.back().bytes, EventTrace::kCapacity + 9);
}

// Counters are exact and events whole, however many threads write and while one reads.
TEST(Ledger, IsExactUnderThreads) {
  Ledger ledger;
  const auto page = ledger.ForDevice({});
  ledger.trace().Start();
  constexpr size_t kThreads = 4, kRounds = 10000;
  const auto work = [&](size_t id) {
    const auto tag = static_cast<MemoryTag>(id % kMemoryTagCount);
    for (size_t i = 0; i < kRounds; ++i) {
      page->OnTake(Note(64 * (id + 1), tag));
      page->OnGive(Note(64 * (id + 1), tag));
    }
  };
  std::vector<std::thread> threads;
  for (size_t id = 0; id < kThreads; ++id) threads.emplace_back(work, id);
  for (int look = 0; look < 20; ++look) {
    for (const MemoryEvent& event : ledger.trace().Read().events) {
      ASSERT_EQ(event.bytes, 64 * (static_cast<size_t>(event.tag) + 1));
    }
  }
  for (std::thread& thread : threads) thread.join();
  const auto [events, lost] = ledger.trace().Read();
  EXPECT_EQ(events.size() + lost, 2 * kThreads * kRounds);
  const DeviceUse use = page->Snapshot();
  EXPECT_EQ(use.total.bytes_in_use, 0u);
  EXPECT_EQ(use.total.takes, kThreads * kRounds);
  EXPECT_EQ(use.total.gives, kThreads * kRounds);
  EXPECT_LE(use.total.peak_bytes, 64u * (1 + 2 + 3 + 4));
  for (size_t id = 0; id < kThreads; ++id) {
    EXPECT_EQ(use.by_tag[id], (MemoryUse{0, 64 * (id + 1), kRounds, kRounds}));
    EXPECT_EQ(use.taken_bytes[id], 64 * (id + 1) * kRounds);
  }
}

TEST(Ledger, NamesAreTexts) {
  for (size_t i = 0; i < kEventKindCount; ++i) {
    EXPECT_NE(EventKindName(static_cast<EventKind>(i)), "unknown");
  }
  for (size_t i = 0; i < kEventSourceCount; ++i) {
    EXPECT_NE(EventSourceName(static_cast<EventSource>(i)), "unknown");
  }
  EXPECT_EQ(EventKindName(static_cast<EventKind>(200)), "unknown");
  EXPECT_EQ(EventSourceName(static_cast<EventSource>(200)), "unknown");
}

}  // namespace
}  // namespace waybill
