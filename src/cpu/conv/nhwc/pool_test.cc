#include "cpu/conv/nhwc/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "cpu/conv/nhwc/lrn.h"
#include "cpu/conv/nhwc/testing/nhwc_case.h"

namespace waybill::cpu {
namespace {

std::vector<float> Numbers(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> out(n);
  for (float& v : out) v = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
  return out;
}

TEST(PoolTiles, RowsOfPixels) {
  for (const SimdTarget target : AvailableTargets()) {
    SCOPED_TRACE(SimdTargetName(target));
    for (const size_t channels : {1, 3, 8, 21, 40}) {
      constexpr size_t kPixels = 7, kStep = 2;
      const std::vector<float> x = Numbers((kPixels * kStep + 3) * channels, 7);
      const float* taps[] = {x.data(), x.data() + channels, x.data() + 2 * channels};
      std::vector<float> y(kPixels * channels + 1, 99.0f);
      PoolTileArgs args{taps, 3, channels, y.data(), channels, 3.0f, kPixels, kStep * channels};
      for (const bool average : {false, true}) {
        (average ? PoolTiles(target).average : PoolTiles(target).max)(args);
        for (size_t i = 0; i < kPixels * channels; ++i) {
          const float* at = &x[i / channels * kStep * channels + i % channels];
          const float a = at[0], b = at[channels], c = at[2 * channels];
          ASSERT_NEAR(y[i], average ? (a + b + c) / 3 : std::max({a, b, c}), 1e-6);
        }
        ASSERT_EQ(y.back(), 99.0f);
      }
    }
  }
}

// Channel counts around every width of a vector, on every target.
TEST(PoolTiles, EveryCountOfChannelsAndTaps) {
  for (const SimdTarget target : AvailableTargets()) {
    SCOPED_TRACE(SimdTargetName(target));
    for (size_t channels = 1; channels < 80; ++channels) {
      for (const size_t taps : {0, 1, 2, 9}) {
        const std::vector<float> x = Numbers(taps * channels, 7);
        std::vector<const float*> pointers;
        for (size_t i = 0; i < taps; ++i) pointers.push_back(x.data() + i * channels);
        std::vector<float> y(channels + 1, 99.0f);
        PoolTileArgs args{pointers.data(), taps, channels, y.data(), channels, 3.0f, 1, 0};
        PoolTiles(target).max(args);
        for (size_t c = 0; c < channels; ++c) {
          float want = -std::numeric_limits<float>::infinity();
          for (size_t i = 0; i < taps; ++i) want = std::max(want, x[i * channels + c]);
          ASSERT_EQ(y[c], want);
        }
        PoolTiles(target).average(args);
        for (size_t c = 0; c < channels; ++c) {
          double want = 0;
          for (size_t i = 0; i < taps; ++i) want += double{x[i * channels + c]};
          ASSERT_NEAR(y[c], want / 3, 1e-6);
        }
        ASSERT_EQ(y[channels], 99.0f);
      }
    }
  }
}

// Every window that may write over its input, and those next to them that may not.
TEST(Pool, InPlaceIsBitEqual) {
  size_t in_place = 0;
  for (const bool average : {false, true}) {
    for (int64_t kernel = 1; kernel <= 5; ++kernel) {
      for (int64_t stride = 1; stride <= 3; ++stride) {
        for (int64_t pad = 0; pad < kernel; ++pad) {
          PoolAxis axis{9, 0, kernel, stride, 1, pad, pad};
          axis.out = (axis.in + 2 * pad - kernel) / stride + 1;
          Pool2d pool{2, 21, axis, axis, average, false};
          pool.h.in = 23;
          pool.h.out = (pool.h.in + 2 * pad - kernel) / stride + 1;
          const PoolPlan plan = MakePoolPlan(pool);
          const bool fits = PoolsInPlace(plan, 1);
          EXPECT_EQ(fits, stride > pad && axis.out <= axis.in);
          if (!fits) continue;
          ++in_place;
          const auto x_floats = static_cast<size_t>(2 * pool.h.in * axis.in * 21);
          const auto y_floats = static_cast<size_t>(2 * pool.h.out * axis.out * 21);
          std::vector<float> x = Numbers(x_floats, 11), y(y_floats);
          std::vector<float> scratch(plan.scratch_floats);
          for (const SimdTarget target : AvailableTargets()) {
            RunPool(PoolTiles(target), plan, {x.data(), y.data(), 0, scratch.data()}, nullptr, 1);
            std::vector<float> both = x;
            RunPool(PoolTiles(target), plan, {both.data(), both.data(), 0, scratch.data()}, nullptr,
                    1);
            ASSERT_TRUE(std::equal(y.begin(), y.end(), both.begin()))
                << kernel << " " << stride << " " << pad << " " << SimdTargetName(target);
          }
        }
      }
    }
  }
  EXPECT_GT(in_place, 20u);
}

// Windows that are done at once and those done along rows first, pixels with gaps between them.
TEST(Pool, ApartIsBitEqual) {
  for (const bool average : {false, true}) {
    for (const int64_t kernel : {1, 2, 3, 7}) {
      for (const size_t channels : {1, 5, 16, 21, 70}) {
        PoolAxis axis{9, 0, kernel, 1 + kernel % 2, 1, kernel / 2, kernel / 2};
        axis.out = (axis.in + 2 * axis.pad_begin - kernel) / axis.stride + 1;
        const PoolPlan plan = MakePoolPlan({2, channels, axis, axis, average, false});
        const auto pixels = static_cast<size_t>(2 * axis.out * axis.out);
        const std::vector<float> x = Numbers(static_cast<size_t>(2 * 81) * channels, 11);
        const OddFloats scratch(plan.scratch_floats);
        for (const SimdTarget target : AvailableTargets()) {
          const OddFloats y(pixels * channels);
          RunPool(PoolTiles(target), plan, {x.data(), y.data(), 0, scratch.data()}, nullptr, 1);
          for (const size_t gap : {1, 16, 19}) {
            const size_t pitch = channels + gap;
            const OddFloats apart(std::vector<float>(pixels * pitch, 99.0f), gap % 3);
            RunPool(PoolTiles(target), plan, {x.data(), apart.data(), pitch, scratch.data()},
                    nullptr, 1);
            for (size_t i = 0; i < pixels * pitch; ++i) {
              const bool is_gap = i % pitch >= channels;
              ASSERT_EQ(apart.data()[i],
                        is_gap ? 99.0f : y.data()[i / pitch * channels + i % pitch])
                  << SimdTargetName(target) << ", window " << kernel << ", at " << i;
            }
          }
        }
      }
    }
  }
}

TEST(LrnScale, EveryCountOfChannels) {
  for (const SimdTarget target : AvailableTargets()) {
    for (size_t channels = 1; channels < 40; ++channels) {
      const std::vector<float> x = Numbers(2 * channels, 5);
      std::vector<float> y(2 * channels + 1, 99.0f);
      const OddFloats squares(channels + 100);
      LrnScaleArgs args;
      args.x = x.data();
      args.scale = y.data();
      args.rows = 2;
      args.channels = channels;
      args.before = 2;
      args.after = 3;
      args.bias = 1.5f;
      args.factor = 0.7f;
      args.squares = squares.data();
      for (const bool three_quarters : {false, true}) {
        args.three_quarters = three_quarters;
        LrnScale(target)(args);
        for (size_t i = 0; i < 2 * channels; ++i) {
          const size_t c = i % channels;
          double sum = 0;
          for (size_t k = c < 2 ? 0 : c - 2; k <= std::min(c + 3, channels - 1); ++k) {
            sum += double{x[i - c + k]} * x[i - c + k];
          }
          const double scale = 1.5 + 0.7 * sum;
          ASSERT_NEAR(y[i], three_quarters ? x[i] / std::pow(scale, 0.75) : scale, 1e-5);
        }
        ASSERT_EQ(y.back(), 99.0f);
      }
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
