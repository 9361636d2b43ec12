#include "cpu/kernels/testing/spatial_case.h"

namespace waybill::cpu {
namespace {

struct Problem {
  int64_t batch = 1, channels = 8, filters = 8, group = 1;
  std::vector<int64_t> in = {7, 6}, kernel = {3, 3}, strides = {}, dilations = {}, pads = {};
  std::string auto_pad = {};
};

SpatialCase Make(const Problem& p, bool bias, bool constant, uint32_t seed) {
  SpatialCase c{.op = "Conv"};
  Shape x{p.batch}, w{p.filters, p.channels / p.group};
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
  if (!p.auto_pad.empty()) c.attrs.Set("auto_pad", p.auto_pad);
  return c;
}

std::vector<Problem> Problems() {
  return {
      {},
      {.batch = 3, .filters = 20, .pads = {1, 1, 1, 1}},
      {.channels = 3, .filters = 16, .kernel = {3, 5}, .strides = {2, 2}, .auto_pad = "SAME_UPPER"},
      {.channels = 3, .filters = 9, .kernel = {2, 2}, .strides = {2, 3}, .auto_pad = "SAME_LOWER"},
      {.channels = 40, .filters = 50, .kernel = {1, 1}},
      {.channels = 40, .filters = 50, .kernel = {1, 1}, .strides = {2, 2}},
      {.channels = 12, .filters = 18, .group = 3, .dilations = {2, 1}, .pads = {2, 0, 1, 3}},
      {.channels = 24, .filters = 24, .group = 24, .pads = {1, 1, 1, 1}},
      {.channels = 58, .filters = 58, .group = 58, .strides = {2, 2}, .pads = {1, 1, 1, 1}},
      {.batch = 2,
       .channels = 6,
       .filters = 18,
       .group = 6,
       .kernel = {5, 5},
       .pads = {2, 2, 2, 2}},
      {.channels = 33, .filters = 33, .group = 33, .kernel = {3, 2}, .dilations = {2, 2}},
      {.channels = 5, .filters = 7, .in = {30}, .kernel = {4}, .strides = {2}, .pads = {3, 1}},
      {.channels = 16, .filters = 16, .group = 16, .in = {30}, .kernel = {4}, .pads = {3, 1}},
      {.channels = 1,
       .filters = 10,
       .in = {300},
       .kernel = {64},
       .strides = {16},
       .pads = {32, 32}},
  };
}

TEST(NhwcConv, AgainstTheReference) {
  uint32_t seed = 1;
  for (const Problem& p : Problems()) {
    for (const bool bias : {false, true}) {
      for (const bool constant : {false, true}) {
        SCOPED_TRACE(Format("problem of seed {}", seed));
        Make(p, bias, constant, seed++).Check("conv.nhwc");
      }
    }
  }
}

// Operands of every kind of broadcast, over images that blocks do not respect.
TEST(NhwcConv, Epilogues) {
  const std::vector<Shape> shapes = {{3, 7, 6, 20}, {20},        {},           {1, 1, 1, 20},
                                     {3, 1, 1, 20}, {7, 6, 20},  {3, 7, 6, 1}, {7, 1, 20},
                                     {6, 1},        {3, 7, 1, 1}};
  for (const int64_t group : {1, 20}) {
    for (const char* expr :
         {"Relu(x0)", "Clip(x0,-1,2)", "Add(x0,x1)", "Add(x1,x0);Relu(t0)", "Add(x0,x1);Min(t0,1)",
          "Mul(x0,x1)", "HardSigmoid(x0,0.2,0.5);Mul(t0,x0)", "Add(x0,x1);Mul(t0,x2);Relu(t1)"}) {
      const Problem p = {
          .batch = 3, .channels = 20, .filters = 20, .group = group, .pads = {1, 1, 1, 1}};
      for (size_t i = 0; i < shapes.size(); ++i) {
        SCOPED_TRACE(Format("{} with {}", expr, shapes[i]));
        SpatialCase c = Make(p, true, true, 5);
        c.attrs.Set("expr", std::string(expr));
        c.inputs.push_back(SpatialCase::Random(shapes[i], 77));
        c.inputs.push_back(SpatialCase::Random(shapes[(i + 3) % shapes.size()], 78));
        c.Check("conv.nhwc");
        SpatialCase first = c;
        first.attrs.Set("channels_last", int64_t{0});
        first.inputs[0] = SpatialCase::Random(Shape{3, 20, 7, 6}, 5);
        const Shape s = shapes[i];
        if (s.rank() == 4) first.inputs[3] = SpatialCase::Random(Shape{s[0], s[3], s[1], s[2]}, 77);
        const Shape t = shapes[(i + 3) % shapes.size()];
        if (t.rank() == 4) first.inputs[4] = SpatialCase::Random(Shape{t[0], t[3], t[1], t[2]}, 78);
        if (s.rank() % 4 == 0 && t.rank() % 4 == 0) first.Check("conv.panel");
      }
    }
  }
}

TEST(NhwcConv, EmptyAndImpossibleShapes) {
  Make({.batch = 0}, true, true, 1).Check("conv.nhwc");
  Make({.in = {0, 6}}, true, true, 1).Check("conv.nhwc");
  Make({.channels = 4, .in = {2, 6}}, true, true, 1).Check("conv.nhwc");
  SpatialCase wrong = Make({}, false, true, 1);
  wrong.inputs[0] = SpatialCase::Random(Shape{1, 7, 6, 9}, 1);
  wrong.Check("conv.nhwc");
  SpatialCase bias = Make({}, true, true, 1);
  bias.inputs[2] = SpatialCase::Random(Shape{3}, 1);
  EXPECT_FALSE(bias.RunFast().status.ok());
}

TEST(NhwcConv, BitEqualForEveryWidth) {
  const auto pool = MakeThreadPool(4);
  const std::vector<int64_t> around = {2, 2, 2, 2};
  const std::vector<Problem> problems = {
      {.channels = 64, .filters = 64, .in = {40, 40}, .pads = {1, 1, 1, 1}},
      {.channels = 64, .filters = 64, .group = 64, .in = {40, 40}, .pads = {1, 1, 1, 1}},
      // Too few rows for the threads: these are cut along the channels, in steps and a rest.
      {.channels = 40, .filters = 40, .group = 40, .in = {3, 96}, .kernel = {5, 5}, .pads = around},
      {.channels = 88, .filters = 88, .group = 88, .in = {3, 96}, .kernel = {5, 5}, .pads = around},
      {.channels = 200,
       .filters = 200,
       .group = 200,
       .in = {2, 96},
       .kernel = {5, 5},
       .pads = around},
      {.channels = 120, .filters = 488, .in = {1, 40}, .kernel = {1, 1}},
      {.channels = 32, .filters = 88, .in = {3, 96}, .kernel = {1, 1}},
  };
  for (const Problem& problem : problems) {
    SpatialCase c = Make(problem, true, true, 1);
    c.attrs.Set("expr", std::string("Sigmoid(x0);Mul(t0,x0)"));
    const auto alone = c.RunFast();
    ASSERT_TRUE(alone.status.ok());
    for (const size_t width : {2, 3, 4}) {
      SCOPED_TRACE(Format("{} channels, {} threads", problem.channels, width));
      const auto together = c.RunFast(pool.get(), width);
      const auto a = alone.out.span<float>(), b = together.out.span<float>();
      EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
      const auto apart = c.Run({Kernels()}, pool.get(), width, SpatialCase::Source(), 8);
      ASSERT_TRUE(apart.status.ok());
      const auto rows = apart.out.span<float>();
      EXPECT_TRUE(std::equal(a.begin(), a.end(), rows.begin(), rows.end()));
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
