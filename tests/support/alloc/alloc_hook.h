// Counting and failing of heap allocations, for programs that link waybill_alloc_hook. It replaces
// operator new and delete; memory taken otherwise (a MemorySource, malloc) is not seen.
#pragma once

#include <cstdint>
#include <new>

namespace waybill::testing {

struct AllocCounts {
  uint64_t allocations = 0;
  uint64_t frees = 0;
  uint64_t bytes = 0;  // asked for
};

// Of all threads since the program began.
AllocCounts ReadAllocCounts();

// Counts what happens while it lives, on all threads:
//   AllocCounter counter;
//   session.Run(...);
//   EXPECT_EQ(counter.allocations(), 0);
class AllocCounter {
 public:
  AllocCounter() : start_(ReadAllocCounts()) {}
  uint64_t allocations() const { return ReadAllocCounts().allocations - start_.allocations; }
  uint64_t frees() const { return ReadAllocCounts().frees - start_.frees; }
  uint64_t bytes() const { return ReadAllocCounts().bytes - start_.bytes; }

 private:
  AllocCounts start_;
};

// While it lives, the n-th allocation of any thread from its construction on fails once (n from 1):
// operator new throws std::bad_alloc, the nothrow forms return null. One at a time.
class FailingAllocation {
 public:
  explicit FailingAllocation(uint64_t n);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  // Whether the n-th allocation came and was refused.
  bool fired() const;
};

}  // namespace waybill::testing
