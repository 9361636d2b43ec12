#include <limits>

#include "cpu/kernels/testing/spatial_case.h"

namespace waybill::cpu {
namespace {

struct Window {
  Shape x;
  std::vector<int64_t> kernel, strides = {}, dilations = {}, pads = {};
  std::string auto_pad = {};
  bool ceil_mode = false;
};

std::vector<Window> Windows() {
  return {
      {{1, 8, 9, 5}, {3, 3}},
      {{2, 8, 9, 40}, {3, 3}, {2, 2}, {}, {1, 1, 1, 1}},
      {{1, 8, 9, 16}, {2, 3}, {2, 2}, {}, {0, 1, 1, 2}, "", true},
      {{1, 8, 9, 7}, {2, 2}, {2, 2}, {}, {}, "", true},
      {{1, 7, 9, 33}, {3, 2}, {1, 2}, {2, 3}, {1, 1, 2, 2}},
      {{1, 7, 9, 8}, {3, 3}, {2, 2}, {}, {}, "SAME_UPPER"},
      {{1, 7, 8, 8}, {2, 4}, {2, 3}, {}, {}, "SAME_LOWER"},
      {{2, 13, 11, 20}, {5, 5}, {}, {}, {2, 2, 2, 2}},
      {{1, 40, 13, 12}, {13, 13}, {}, {}, {6, 6, 6, 6}},
      {{1, 20, 21, 9}, {5, 9}, {2, 3}, {1, 2}, {2, 8, 2, 8}},
      {{1, 7, 7, 64}, {7, 7}},
      {{3, 30, 6}, {4}, {3}, {}, {1, 2}, "", true},
      {{1, 2, 9, 5}, {4, 3}, {3, 2}, {}, {}, "", true},
      {{1, 2, 1, 5}, {13, 13}, {16, 16}, {}, {}, "", true},
      {{1, 2, 9, 5}, {3, 3}},  // no window
      {{0, 8, 9, 5}, {3, 3}},
      {{1, 8, 9, 0}, {3, 3}},
  };
}

SpatialCase Make(const char* op, const Window& w, uint32_t seed) {
  SpatialCase c{.op = op};
  c.inputs = {SpatialCase::Random(w.x, seed)};
  c.attrs.Set("kernel_shape", w.kernel);
  if (!w.strides.empty()) c.attrs.Set("strides", w.strides);
  if (!w.dilations.empty()) c.attrs.Set("dilations", w.dilations);
  if (!w.pads.empty()) c.attrs.Set("pads", w.pads);
  if (!w.auto_pad.empty()) c.attrs.Set("auto_pad", w.auto_pad);
  c.attrs.Set("ceil_mode", int64_t{w.ceil_mode});
  return c;
}

TEST(NhwcPool, AgainstTheReference) {
  uint32_t seed = 1;
  for (const Window& w : Windows()) {
    SCOPED_TRACE(Format("window {} on {}", w.kernel, w.x));
    Make("MaxPool", w, seed).Check("max_pool.nhwc");
    for (const int64_t include : {0, 1}) {
      SpatialCase c = Make("AveragePool", w, seed++);
      c.attrs.Set("count_include_pad", include);
      c.Check("average_pool.nhwc");
    }
  }
}

TEST(NhwcPool, NanWins) {
  for (const std::vector<int64_t>& kernel : {std::vector<int64_t>{3, 3}, {7, 7}}) {
    for (const float special :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      SpatialCase c = Make("MaxPool", {{1, 9, 9, 21}, kernel, {2, 2}, {}, {1, 1, 1, 1}}, 1);
      for (size_t i = 0; i < c.inputs[0].span<float>().size(); i += 37) {
        c.inputs[0].span<float>()[i] = special;
      }
      c.Check("max_pool.nhwc");
    }
  }
}

TEST(NhwcPool, BitEqualForEveryWidth) {
  const auto pool = MakeThreadPool(4);
  for (const std::vector<int64_t>& kernel : {std::vector<int64_t>{3, 3}, {9, 9}}) {
    const SpatialCase c = Make("MaxPool", {{2, 60, 60, 30}, kernel}, 1);
    const auto alone = c.RunFast();
    ASSERT_TRUE(alone.status.ok());
    for (const size_t width : {2, 4}) {
      const auto together = c.RunFast(pool.get(), width);
      const auto a = alone.out.span<float>(), b = together.out.span<float>();
      EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
