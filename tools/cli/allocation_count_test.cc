#include "tools/cli/allocation_count.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <new>

namespace waybill::tools {
namespace {

struct alignas(256) Wide {
  char bytes[256];
};

// How many allocations `make` counts for; what it makes is freed.
template <typename Make>
size_t Counted(const Make& make) {
  const size_t before = AllocationCount();
  const auto made = make();
  EXPECT_EQ(
      reinterpret_cast<uintptr_t>(made.get()) % alignof(typename decltype(made)::element_type), 0u);
  return AllocationCount() - before;
}

TEST(AllocationCount, EveryFormOfNewIsOne) {
  EXPECT_EQ(Counted([] { return std::unique_ptr<int>(new int(1)); }), 1u);
  EXPECT_EQ(Counted([] { return std::unique_ptr<int[]>(new int[3]); }), 1u);
  EXPECT_EQ(Counted([] { return std::unique_ptr<int>(new (std::nothrow) int(1)); }), 1u);
  EXPECT_EQ(Counted([] { return std::unique_ptr<Wide>(new Wide); }), 1u);
  EXPECT_EQ(Counted([] { return std::unique_ptr<Wide[]>(new Wide[3]); }), 1u);
  EXPECT_EQ(Counted([] { return std::unique_ptr<Wide>(new (std::nothrow) Wide); }), 1u);
}

}  // namespace
}  // namespace waybill::tools
