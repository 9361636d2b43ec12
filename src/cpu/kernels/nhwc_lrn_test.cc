#include "cpu/kernels/testing/spatial_case.h"

namespace waybill::cpu {
namespace {

TEST(NhwcLrn, AgainstTheReference) {
  const auto pool = MakeThreadPool(3);
  for (const Shape& shape : {Shape{1, 3, 4, 5}, Shape{2, 7, 8}, Shape{1, 2, 2, 64}, Shape{3, 1, 33},
                             Shape{1, 60, 60, 20}, Shape{1, 4, 0}}) {
    for (const int64_t size : {1, 2, 5, 8, 13}) {
      for (const double beta : {0.75, 0.5, 1.3}) {
        SCOPED_TRACE(Format("{}, size {}", shape, size));
        SpatialCase c{.op = "LRN"};
        c.inputs = {SpatialCase::Random(shape, 3)};
        c.attrs.Set("size", size);
        c.attrs.Set("alpha", 0.7f);
        c.attrs.Set("beta", static_cast<float>(beta));
        c.attrs.Set("bias", 1.5f);
        c.Check("lrn.nhwc", 1e-5);
        const auto alone = c.RunFast(), together = c.RunFast(pool.get(), 3);
        const auto a = alone.out.span<float>(), b = together.out.span<float>();
        EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
      }
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
