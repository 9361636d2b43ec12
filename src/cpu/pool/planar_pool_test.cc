#include <gtest/gtest.h>

#include <limits>

#include "cpu/pool/pool_rows.h"
#include "cpu/testing/twin_case.h"

namespace waybill::cpu {
namespace {

struct Window {
  Shape x;
  std::vector<int64_t> kernel, strides, pads, dilations;
};

const std::vector<Window> kWindows = {
    {{2, 3, 8, 9}, {2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}},
    {{1, 2, 17, 20}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
    {{1, 2, 17, 33}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {{1, 1, 7, 7}, {7, 7}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
    {{1, 2, 9, 40}, {3, 5}, {1, 3}, {0, 2, 1, 4}, {2, 1}},
    {{1, 2, 5, 6}, {3, 2}, {3, 3}, {2, 1, 2, 1}, {1, 1}},
    {{3, 2, 25}, {4}, {3}, {1, 2}, {1}},
    {{1, 2, 30}, {3}, {1}, {2, 2}, {4}},
    {{1, 2, 2, 9}, {4, 3}, {3, 2}, {0, 0, 0, 0}, {1, 1}},  // one window, not filled
    {{1, 2, 2, 9}, {3, 3}, {1, 2}, {0, 0, 0, 0}, {1, 1}},  // none
    {{0, 2, 5, 5}, {2, 2}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
    {{1, 64, 40, 40}, {3, 3}, {2, 2}, {0, 0, 1, 1}, {1, 1}},
};

TEST(PlanarPool, WindowsOfEveryKind) {
  for (const Window& w : kWindows) {
    for (const int64_t ceil : {0, 1}) {
      Tensor x = TestRandomFloats(w.x, 3);
      const auto with = [&](const char* op, int version) {
        TwinCase c{op, version, {x}, {DType::kF32}};
        c.Ints("kernel_shape", w.kernel).Ints("strides", w.strides).Ints("pads", w.pads);
        c.Ints("dilations", w.dilations).Int("ceil_mode", ceil);
        return c;
      };
      for (const int64_t include : {0, 1}) {
        with("AveragePool", 19)
            .Int("count_include_pad", include)
            .Expect("average_pool.planar", 1e-5, 1e-6);
      }
      if (x.span<float>().size() > 20) {
        x.span<float>()[7] = std::numeric_limits<float>::quiet_NaN();
        x.span<float>()[13] = -std::numeric_limits<float>::infinity();
      }
      with("MaxPool", 12).Expect("max_pool.planar", 0, 1e-30);
    }
  }
  for (const char* pad : {"SAME_UPPER", "SAME_LOWER", "VALID"}) {
    TwinCase{"MaxPool", 12, {TestRandomFloats({1, 2, 9, 10}, 3)}, {DType::kF32}}
        .Ints("kernel_shape", {3, 2})
        .Ints("strides", {2, 2})
        .Text("auto_pad", pad)
        .Expect("max_pool.planar");
  }
}

TEST(PlanarPool, WholePlanes) {
  for (const Shape& shape : std::vector<Shape>{{2, 3, 1, 1},
                                               {2, 3, 7, 7},
                                               {1, 5, 100},
                                               {1, 2, 3, 4, 5},
                                               {1, 3, 64, 64},
                                               {0, 3, 4, 4}}) {
    TwinCase{"GlobalAveragePool", 1, {TestRandomFloats(shape, 3)}, {DType::kF32}}.Expect(
        "global_average_pool.planar", 1e-5, 1e-5);
    TwinCase{"GlobalMaxPool", 1, {TestRandomFloats(shape, 3)}, {DType::kF32}}.Expect(
        "global_max_pool.planar");
  }
}

TEST(PoolRows, EveryLengthOnEveryTarget) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const SimdTarget target : AvailableTargets()) {
    const PoolRows& rows = PoolRowFunctions(target);
    for (size_t n = 0; n < 80; ++n) {
      std::vector<float> x(3 * n + 1);
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101);
      std::vector<float> odd = x;
      odd.insert(odd.begin(), 1000);
      float best = -std::numeric_limits<float>::infinity(), sum = 0;
      for (size_t i = 0; i < n; ++i) {
        best = std::max(best, x[i]);
        sum += x[i];
      }
      EXPECT_EQ(rows.max_of(x.data(), n), best);
      EXPECT_EQ(rows.sum_of(x.data(), n), sum);
      EXPECT_EQ(rows.max_of(odd.data() + 1, n), best);
      EXPECT_EQ(rows.sum_of(odd.data() + 1, n), sum);
      for (const size_t stride : {1, 2, 3}) {
        std::vector<float> most(n + 1, 50), total(n + 1, 50);
        rows.max(most.data(), stride == 2 ? odd.data() + 1 : x.data(), stride, n);
        rows.add(total.data(), stride == 2 ? odd.data() + 1 : x.data(), stride, n);
        for (size_t i = 0; i < n; ++i) {
          EXPECT_EQ(most[i], std::max(50.0f, x[i * stride]));
          EXPECT_EQ(total[i], 50 + x[i * stride]);
        }
        EXPECT_EQ(most[n], 50);
        EXPECT_EQ(total[n], 50);
      }
      for (size_t at = 0; at < n; ++at) {
        std::vector<float> holed = x;
        holed[at] = nan;
        EXPECT_TRUE(std::isnan(rows.max_of(holed.data(), n)));
      }
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
