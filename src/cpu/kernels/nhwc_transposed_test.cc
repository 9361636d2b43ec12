#include "cpu/kernels/testing/spatial_case.h"

namespace waybill::cpu {
namespace {

struct Problem {
  int64_t batch = 1, channels = 8, filters = 8, group = 1;
  std::vector<int64_t> in = {5, 6}, kernel = {3, 3}, strides = {}, dilations = {}, pads = {};
  std::vector<int64_t> output_padding = {}, output_shape = {};
  std::string auto_pad = {};
};

SpatialCase Make(const Problem& p, bool bias, bool constant, uint32_t seed) {
  SpatialCase c{.op = "ConvTranspose"};
  Shape x{p.batch}, w{p.channels, p.filters / p.group};
  for (const int64_t size : p.in) x.PushBack(size);
  x.PushBack(p.channels);
  for (const int64_t size : p.kernel) w.PushBack(size);
  c.inputs = {SpatialCase::Random(x, seed), SpatialCase::Random(w, seed + 1)};
  if (bias) c.inputs.push_back(SpatialCase::Random(Shape{p.filters}, seed + 2));
  if (constant) c.constants = {1, 2};
  c.attrs.Set("channels_last", int64_t{1});
  c.attrs.Set("group", p.group);
  if (!p.strides.empty()) c.attrs.Set("strides", p.strides);
  if (!p.dilations.empty()) c.attrs.Set("dilations", p.dilations);
  if (!p.pads.empty()) c.attrs.Set("pads", p.pads);
  if (!p.output_padding.empty()) c.attrs.Set("output_padding", p.output_padding);
  if (!p.output_shape.empty()) c.attrs.Set("output_shape", p.output_shape);
  if (!p.auto_pad.empty()) c.attrs.Set("auto_pad", p.auto_pad);
  return c;
}

std::vector<Problem> Problems() {
  return {
      {},
      {.batch = 2, .kernel = {2, 2}, .strides = {2, 2}},
      {.channels = 24, .filters = 1, .kernel = {2, 2}, .strides = {2, 2}},
      {.filters = 20, .kernel = {3, 2}, .strides = {3, 2}, .pads = {1, 0, 1, 0}},
      {.filters = 20, .kernel = {2, 2}, .strides = {2, 2}, .pads = {0, 1, 0, 0}},
      {.filters = 20, .kernel = {2, 2}, .strides = {2, 2}, .output_padding = {1, 1}},
      {.filters = 9, .kernel = {4, 4}, .strides = {2, 2}, .pads = {1, 1, 1, 1}},
      {.channels = 12, .filters = 18, .group = 3, .kernel = {4, 3}, .strides = {2, 3}},
      {.channels = 6, .filters = 6, .group = 6, .kernel = {3, 3}, .strides = {2, 2}},
      {.kernel = {3, 3}, .strides = {2, 2}, .dilations = {2, 3}, .pads = {1, 2, 3, 0}},
      {.kernel = {2, 1}, .strides = {4, 3}, .output_padding = {2, 0}},
      {.kernel = {3, 3}, .strides = {2, 2}, .output_shape = {10, 13}},
      {.kernel = {3, 3}, .strides = {2, 2}, .auto_pad = "SAME_UPPER"},
      {.kernel = {4, 3}, .strides = {2, 3}, .auto_pad = "SAME_LOWER"},
      {.channels = 33, .filters = 40, .in = {7}, .kernel = {8}, .strides = {4}, .pads = {2, 2}},
      {.in = {0, 6}},
      {.batch = 0},
  };
}

TEST(NhwcTransposed, AgainstTheReference) {
  uint32_t seed = 1;
  for (const Problem& p : Problems()) {
    for (const bool bias : {false, true}) {
      for (const bool constant : {false, true}) {
        SCOPED_TRACE(Format("kernel {}, strides {}, pads {}", p.kernel, p.strides, p.pads));
        SpatialCase c = Make(p, bias, constant, seed++);
        c.Check("conv_transpose.nhwc");
        if (!bias) continue;
        c.attrs.Set("expr", std::string("Relu(x0)"));
        c.Check("conv_transpose.nhwc");
        c.attrs.Set("expr", std::string("Sigmoid(x0);Mul(t0,x1)"));
        c.inputs.push_back(SpatialCase::Random(Shape{p.filters}, seed));
        c.Check("conv_transpose.nhwc");
      }
    }
  }
}

TEST(NhwcTransposed, BitEqualForEveryWidth) {
  const auto pool = MakeThreadPool(4);
  for (const std::vector<int64_t>& kernel : {std::vector<int64_t>{2, 2}, {4, 4}}) {
    const SpatialCase c =
        Make({.channels = 30, .filters = 20, .in = {40, 30}, .kernel = kernel, .strides = {2, 2}},
             true, true, 1);
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
