#include "cpu/conv/conv_f32.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "cpu/testing/odd_places.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

std::vector<float> Random(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> out(n);
  for (float& v : out) v = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
  return out;
}

struct Case {
  Conv2d conv;
  bool bias = false;
  bool relu = false;
  std::vector<float> x, w, b;

  void Fill(uint32_t seed) {
    x = Random(conv.batch * conv.in_channels * conv.in_h * conv.in_w, seed);
    w = Random(conv.out_channels * conv.depth(), seed + 1);
    b = Random(conv.out_channels, seed + 2);
  }

  // The result and 4 floats behind it; operands and result begin `offset` floats behind a cache
  // line.
  std::vector<float> Run(SimdTarget target, ThreadPool* pool, size_t width,
                         size_t offset = 0) const {
    const GemmF32Table& table = GemmF32(target);
    const size_t floats = Conv2dScratchFloats(table, conv) * std::max<size_t>(width, 1);
    const OddFloats scratch(floats), at_x(x, offset), at_w(w, offset), at_b(b, offset);
    const std::vector<float> guard(conv.batch * conv.out_channels * conv.out_pixels() + 4, 99.0f);
    const OddFloats y(guard, offset);
    Conv2dArgs args;
    args.x = at_x.data();
    args.w = at_w.data();
    args.bias = bias ? at_b.data() : nullptr;
    args.y = y.data();
    args.relu = relu;
    args.scratch = scratch.data();
    RunConv2d(table, conv, args, pool, width);
    return y.Copy();
  }

  // The definition, tap by tap.
  double Want(size_t n, size_t oc, size_t oy, size_t ox) const {
    const size_t in_group = conv.in_channels / conv.groups;
    const size_t group = oc / (conv.out_channels / conv.groups);
    double sum = bias ? b[oc] : 0;
    for (size_t c = 0; c < in_group; ++c) {
      for (size_t ky = 0; ky < conv.kernel_h; ++ky) {
        for (size_t kx = 0; kx < conv.kernel_w; ++kx) {
          const auto iy =
              static_cast<int64_t>(oy * conv.stride_h + ky * conv.dilation_h) - conv.pad_top;
          const auto ix =
              static_cast<int64_t>(ox * conv.stride_w + kx * conv.dilation_w) - conv.pad_left;
          if (iy < 0 || ix < 0 || iy >= static_cast<int64_t>(conv.in_h) ||
              ix >= static_cast<int64_t>(conv.in_w)) {
            continue;
          }
          const size_t channel = n * conv.in_channels + group * in_group + c;
          const size_t at =
              (channel * conv.in_h + static_cast<size_t>(iy)) * conv.in_w + static_cast<size_t>(ix);
          sum += double{x[at]} * w[((oc * in_group + c) * conv.kernel_h + ky) * conv.kernel_w + kx];
        }
      }
    }
    return relu && sum < 0 ? 0 : sum;
  }

  void Check(SimdTarget target) const {
    const std::vector<float> y = Run(target, nullptr, 1);
    size_t i = 0;
    for (size_t n = 0; n < conv.batch; ++n) {
      for (size_t oc = 0; oc < conv.out_channels; ++oc) {
        for (size_t oy = 0; oy < conv.out_h; ++oy) {
          for (size_t ox = 0; ox < conv.out_w; ++ox, ++i) {
            const double tolerance = 1e-6 * static_cast<double>(conv.depth() + 1);
            ASSERT_NEAR(y[i], Want(n, oc, oy, ox), tolerance) << SimdTargetName(target) << " " << i;
          }
        }
      }
    }
    for (; i < y.size(); ++i) ASSERT_EQ(y[i], 99.0f);
    ASSERT_TRUE(SameBits(Run(target, nullptr, 1, 1), y)) << "one float off";
  }
};

size_t Below(std::mt19937& random, size_t n) { return random() % n; }

// Small problems of every kind: strides, dilations, paddings of either sign, groups, odd sizes.
Case RandomCase(uint32_t seed) {
  std::mt19937 random(seed);
  Case c;
  Conv2d& conv = c.conv;
  conv.batch = 1 + Below(random, 2);
  conv.groups = 1 + Below(random, 3);
  conv.in_channels = conv.groups * (1 + Below(random, 4));
  conv.out_channels = conv.groups * (1 + Below(random, 9));
  conv.kernel_h = 1 + Below(random, 4);
  conv.kernel_w = 1 + Below(random, 5);
  conv.stride_h = 1 + Below(random, 3);
  conv.stride_w = 1 + Below(random, 3);
  conv.dilation_h = 1 + Below(random, 2);
  conv.dilation_w = 1 + Below(random, 3);
  conv.in_h = 1 + Below(random, 12);
  conv.in_w = 1 + Below(random, 40);
  conv.pad_top = static_cast<int64_t>(Below(random, 6)) - 1;
  conv.pad_left = static_cast<int64_t>(Below(random, 8)) - 1;
  // Any output size is right for the kernel: what is beyond the input is padding.
  conv.out_h = 1 + Below(random, 10);
  conv.out_w = 1 + Below(random, 45);
  c.bias = Below(random, 2) == 0;
  c.relu = Below(random, 3) == 0;
  c.Fill(seed);
  return c;
}

TEST(Conv2d, RandomProblems) {
  for (const SimdTarget target : AvailableTargets()) {
    for (uint32_t seed = 0; seed < 60; ++seed) {
      SCOPED_TRACE(seed);
      RandomCase(seed).Check(target);
    }
  }
}

TEST(Conv2d, MoreTapsThanOneBlock) {
  Case c;
  c.conv = {.in_channels = 60,
            .out_channels = 7,
            .in_h = 5,
            .in_w = 6,
            .out_h = 5,
            .out_w = 6,
            .kernel_h = 3,
            .kernel_w = 3,
            .pad_top = 1,
            .pad_left = 1};
  c.bias = c.relu = true;
  c.Fill(1);
  for (const SimdTarget target : AvailableTargets()) c.Check(target);
}

TEST(Conv2d, NoInputChannelsGiveTheBias) {
  Case c;
  c.conv = {.in_channels = 0, .out_channels = 5, .out_h = 3, .out_w = 7};
  c.bias = true;
  c.Fill(1);
  for (const SimdTarget target : AvailableTargets()) c.Check(target);
}

TEST(Conv2d, EmptyOutputs) {
  Case c;
  c.conv.batch = 0;
  c.Fill(1);
  EXPECT_EQ(c.Run(BestTarget(), nullptr, 1)[0], 99.0f);
  c.conv.batch = 1;
  c.conv.out_w = 0;
  c.Fill(1);
  EXPECT_EQ(c.Run(BestTarget(), nullptr, 1)[0], 99.0f);
}

TEST(Conv2d, BitEqualForEveryWidth) {
  const auto pool = MakeThreadPool(4);
  // One panel and many channels; many panels and few channels.
  const Conv2d small = {.in_channels = 64,
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
                        .out_channels = 16,
                        .in_h = 40,
                        .in_w = 41,
                        .out_h = 40,
                        .out_w = 41,
                        .kernel_h = 3,
                        .kernel_w = 3,
                        .pad_top = 1,
                        .pad_left = 1};
  for (const Conv2d& conv : {small, large}) {
    Case c;
    c.conv = conv;
    c.bias = true;
    c.Fill(3);
    for (const SimdTarget target : AvailableTargets()) {
      const std::vector<float> alone = c.Run(target, nullptr, 1);
      for (const size_t width : {2, 4}) {
        const std::vector<float> together = c.Run(target, pool.get(), width);
        ASSERT_EQ(std::memcmp(alone.data(), together.data(), alone.size() * sizeof(float)), 0);
      }
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
