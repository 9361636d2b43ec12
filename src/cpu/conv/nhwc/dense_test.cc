#include "cpu/conv/nhwc/dense.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "cpu/conv/nhwc/testing/nhwc_case.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

struct DenseCase : NhwcCase {
  std::vector<float> Run(SimdTarget target, ThreadPool* pool, size_t width, size_t offset = 0,
                         size_t gap = 0) const {
    const RunTileTable& table = RunTiles(target);
    const DenseConv plan = MakeDenseConv(table, conv);
    const OddFloats weights(plan.layout.floats());
    PackConvFilters(plan.layout, w.data(), false, weights.data());
    const OddFloats scratch(plan.scratch_floats * std::max<size_t>(width, 1));
    const Placed placed = Place(offset, gap);
    std::vector<int> seen(OutputFloats(), 0);
    NhwcConvArgs args = Args(placed);
    args.weights = weights.data();
    if (gap != 0) args.y_pitch = conv.out_channels + gap;
    args.scratch = scratch.data();
    const CoverCheck cover{conv.out_channels, seen.data()};
    if (pool == nullptr) args.epilogue = cover.Epilogue();
    RunDenseConv(table, plan, args, pool, width);
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

DenseCase Make(const Conv2d& conv, bool bias, bool residual, bool clamp, uint32_t seed) {
  DenseCase c;
  c.conv = conv;
  c.bias = bias;
  c.residual = residual;
  c.clamp = clamp;
  c.Fill(seed);
  return c;
}

TEST(DenseConv, RandomProblems) {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
    Conv2d conv;
    conv.batch = 1 + below(2);
    conv.groups = below(3) == 0 ? 1 + below(5) : 1;
    conv.in_channels = conv.groups * (1 + below(40));
    conv.out_channels = conv.groups * (1 + below(70));
    conv.kernel_h = 1 + below(4);
    conv.kernel_w = 1 + below(5);
    conv.stride_h = 1 + below(3);
    conv.stride_w = 1 + below(3);
    conv.dilation_h = 1 + below(3);
    conv.dilation_w = 1 + below(3) / 2;
    conv.in_h = 1 + below(9);
    conv.in_w = 1 + below(12);
    conv.pad_top = static_cast<int64_t>(below(4));
    conv.pad_left = static_cast<int64_t>(below(5));
    conv.out_h = 1 + below(8);
    conv.out_w = 1 + below(15);
    Make(conv, below(2) == 0, below(2) == 0, below(2) == 0, seed).CheckAll();
  }
}

// Rows of taps are read from copies: whole rows of the output in a block, pieces of one, several
// images in a block.
TEST(DenseConv, FewChannels) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
    Conv2d conv;
    conv.batch = 1 + below(3);
    conv.in_channels = 1 + below(4);
    conv.out_channels = 1 + below(below(2) == 0 ? 20 : 60);
    conv.kernel_h = 1 + below(5);
    conv.kernel_w = 2 + below(4);
    conv.stride_h = 1 + below(3);
    conv.stride_w = 1 + below(3);
    conv.dilation_h = 1 + below(3) / 2;
    conv.in_h = 1 + below(12);
    conv.out_h = 1 + below(6);
    conv.out_w = 1 + below(below(4) == 0 ? 400 : 40);
    conv.in_w = 1 + below(conv.out_w * conv.stride_w + 4);
    conv.pad_top = static_cast<int64_t>(below(4));
    conv.pad_left = static_cast<int64_t>(below(5));
    Make(conv, below(2) == 0, below(2) == 0, below(2) == 0, seed).CheckAll();
  }
}

// Tiles of one and two pixels, of every width.
TEST(DenseConv, FewPixels) {
  for (const size_t pixels : {1, 2, 3}) {
    for (const size_t channels : {1, 7, 16, 30, 48, 64, 130}) {
      SCOPED_TRACE(channels);
      const Conv2d conv = {.in_channels = 37,
                           .out_channels = channels,
                           .in_h = 3,
                           .in_w = 2 + pixels,
                           .out_w = pixels,
                           .kernel_h = 3,
                           .kernel_w = 3};
      Make(conv, true, pixels == 2, pixels == 1, 1).CheckAll();
    }
  }
}

// Sums in several parts: of whole taps, of pieces of a tap, of pieces of a row of taps.
TEST(DenseConv, LongSums) {
  const Conv2d taps = {.in_channels = 200,
                       .out_channels = 30,
                       .in_h = 5,
                       .in_w = 6,
                       .out_h = 5,
                       .out_w = 6,
                       .kernel_h = 3,
                       .kernel_w = 3,
                       .pad_top = 1,
                       .pad_left = 1};
  Conv2d pieces = taps;
  pieces.in_channels = 1100;
  const Conv2d row = {.in_channels = 3,
                      .out_channels = 20,
                      .in_w = 1500,
                      .out_w = 40,
                      .kernel_w = 400,
                      .stride_w = 50,
                      .pad_left = 200};
  for (const Conv2d& conv : {taps, pieces, row}) Make(conv, true, true, true, 1).CheckAll();
}

TEST(DenseConv, NothingToSumGivesTheBias) {
  Make({.in_channels = 0, .out_channels = 13, .out_h = 3, .out_w = 7}, true, false, false, 1)
      .CheckAll();
}

TEST(DenseConv, EmptyOutputs) {
  Make({.batch = 0}, true, false, false, 1).CheckAll();
  Make({.out_w = 0}, true, false, false, 1).CheckAll();
}

TEST(DenseConv, NanStays) {
  DenseCase c = Make({.in_channels = 9, .out_channels = 9}, true, false, true, 1);
  c.x[3] = std::nanf("");
  for (const SimdTarget target : AvailableTargets()) {
    for (size_t i = 0; i < 9; ++i) EXPECT_TRUE(std::isnan(c.Run(target, nullptr, 1)[i]));
  }
}

TEST(DenseConv, BitEqualForEveryWidth) {
  const auto pool = MakeThreadPool(4);
  const Conv2d deep = {.in_channels = 256,
                       .out_channels = 150,
                       .in_h = 6,
                       .in_w = 6,
                       .out_h = 6,
                       .out_w = 6,
                       .kernel_h = 3,
                       .kernel_w = 3,
                       .pad_top = 1,
                       .pad_left = 1};
  const Conv2d large = {.groups = 2,
                        .in_channels = 16,
                        .out_channels = 32,
                        .in_h = 60,
                        .in_w = 61,
                        .out_h = 60,
                        .out_w = 61,
                        .kernel_h = 3,
                        .kernel_w = 3,
                        .pad_top = 1,
                        .pad_left = 1};
  Conv2d few = large;
  few.groups = 1;
  few.in_channels = 3;
  for (const Conv2d& conv : {deep, large, few}) {
    const DenseCase c = Make(conv, true, true, true, 3);
    for (const SimdTarget target : AvailableTargets()) {
      std::vector<float> alone = c.Run(target, nullptr, 1);
      for (const size_t width : {2, 4}) {
        const std::vector<float> together = c.Run(target, pool.get(), width);
        ASSERT_EQ(std::memcmp(alone.data(), together.data(), alone.size() * sizeof(float)), 0);
      }
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
