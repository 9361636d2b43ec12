#include "cpu/conv/nhwc/depthwise.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "cpu/conv/nhwc/testing/nhwc_case.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

struct DepthwiseCase : NhwcCase {
  std::vector<float> Run(SimdTarget target, ThreadPool* pool, size_t width, size_t offset = 0,
                         size_t gap = 0) const {
    const DepthwiseTable& table = DepthwiseTiles(target);
    const DepthwiseConv plan = MakeDepthwiseConv(conv);
    const size_t taps = conv.kernel_h * conv.kernel_w;
    const FilterSizes sizes{conv.groups, 1, conv.out_channels / conv.groups, taps};
    EXPECT_TRUE(IsDepthwise(sizes));
    const OddFloats weights(DepthwiseWeightFloats(sizes));
    PackDepthwise(sizes, w.data(), false, weights.data());
    const OddFloats scratch(plan.scratch_floats * std::max<size_t>(width, 1));
    const Placed placed = Place(offset, gap);
    std::vector<int> seen(OutputFloats(), 0);
    NhwcConvArgs args = Args(placed);
    args.weights = weights.data();
    if (gap != 0) args.y_pitch = conv.out_channels + gap;
    args.scratch = scratch.data();
    const CoverCheck cover{conv.out_channels, seen.data()};
    if (pool == nullptr) args.epilogue = cover.Epilogue();
    RunDepthwiseConv(table, plan, args, pool, width);
    for (const int times : seen) EXPECT_EQ(times, pool == nullptr ? 1 : 0);
    return WithoutGaps(placed.y.Copy(), gap);
  }

  void CheckAll() const {
    for (const SimdTarget target : AvailableTargets()) {
      SCOPED_TRACE(SimdTargetName(target));
      const std::vector<float> y = Run(target, nullptr, 1);
      Compare(y);
      ASSERT_TRUE(SameBits(Run(target, nullptr, 1, 1), y)) << "one float off";
      for (const size_t gap : {1, 3, 16}) {
        ASSERT_TRUE(SameBits(Run(target, nullptr, 1, gap % 3, gap), y)) << gap << " floats apart";
      }
    }
  }
};

DepthwiseCase Make(const Conv2d& conv, bool bias, bool clamp, uint32_t seed) {
  DepthwiseCase c;
  c.conv = conv;
  c.bias = bias;
  c.clamp = clamp;
  c.Fill(seed);
  return c;
}

TEST(DepthwiseConv, RandomProblems) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
    Conv2d conv;
    conv.batch = 1 + below(2);
    conv.groups = conv.in_channels = 2 + below(below(4) == 0 ? 200 : 50);
    conv.out_channels = conv.groups * (below(3) == 0 ? 1 + below(3) : 1);
    conv.kernel_h = 1 + below(6);
    conv.kernel_w = below(2) == 0 ? 3 + 2 * below(2) : 1 + below(7);
    conv.stride_h = 1 + below(3);
    conv.stride_w = 1 + below(3);
    conv.dilation_h = 1 + below(4) / 2;
    conv.dilation_w = 1 + below(4) / 3;
    conv.in_h = 1 + below(12);
    conv.in_w = 1 + below(30);
    conv.pad_top = static_cast<int64_t>(below(4));
    conv.pad_left = static_cast<int64_t>(below(5));
    conv.out_h = 1 + below(9);
    conv.out_w = 1 + below(30);
    Make(conv, below(2) == 0, below(2) == 0, seed).CheckAll();
  }
}

TEST(DepthwiseConv, PixelsThatCollideInTheCache) {
  Make({.groups = 512,
        .in_channels = 512,
        .out_channels = 512,
        .in_h = 9,
        .in_w = 7,
        .out_h = 9,
        .out_w = 7,
        .kernel_h = 3,
        .kernel_w = 3,
        .pad_top = 1,
        .pad_left = 1},
       true, true, 1)
      .CheckAll();
  Make({.groups = 256,
        .in_channels = 256,
        .out_channels = 512,
        .in_h = 9,
        .in_w = 7,
        .out_h = 5,
        .out_w = 4,
        .kernel_h = 5,
        .kernel_w = 5,
        .stride_h = 2,
        .stride_w = 2,
        .pad_top = 2,
        .pad_left = 2},
       true, true, 1)
      .CheckAll();
}

TEST(DepthwiseConv, BitEqualForEveryWidth) {
  const auto pool = MakeThreadPool(4);
  const Conv2d conv = {.groups = 70,
                       .in_channels = 70,
                       .out_channels = 70,
                       .in_h = 40,
                       .in_w = 41,
                       .out_h = 40,
                       .out_w = 41,
                       .kernel_h = 3,
                       .kernel_w = 3,
                       .pad_top = 1,
                       .pad_left = 1};
  const DepthwiseCase c = Make(conv, true, true, 3);
  for (const SimdTarget target : AvailableTargets()) {
    const std::vector<float> alone = c.Run(target, nullptr, 1);
    for (const size_t width : {2, 4}) {
      const std::vector<float> together = c.Run(target, pool.get(), width);
      ASSERT_EQ(std::memcmp(alone.data(), together.data(), alone.size() * sizeof(float)), 0);
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
