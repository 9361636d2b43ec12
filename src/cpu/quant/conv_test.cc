#include "cpu/quant/byte_conv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "base/math/checked.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

struct AlignedFree {
  void operator()(void* p) const { std::free(p); }
};
template <typename T>
std::unique_ptr<T, AlignedFree> AlignedArray(size_t count) {
  const size_t bytes = AlignUp(count * sizeof(T) + 64, 64);
  auto* p = static_cast<T*>(std::aligned_alloc(64, bytes));
  std::memset(p, 0x5A, bytes);  // what is not written must not matter
  return std::unique_ptr<T, AlignedFree>(p);
}

// A convolution with its operands as plain integers.
struct Problem {
  ByteConv conv;
  bool x_signed = false;
  int x_zero = 0;
  std::vector<int> x;  // [n][h][w][c], not shifted
  std::vector<int> w;  // [m][c / groups][h][w], shifted
  std::vector<int> bias;
  std::vector<float> scale;

  size_t group_in() const { return conv.in_channels / conv.groups; }
  size_t group_out() const { return conv.out_channels / conv.groups; }

  int32_t Sum(size_t n, size_t oy, size_t ox, size_t m) const {
    uint32_t sum = static_cast<uint32_t>(bias[m]);
    const size_t first = m / group_out() * group_in();
    for (size_t ky = 0; ky < conv.kernel_h; ++ky) {
      for (size_t kx = 0; kx < conv.kernel_w; ++kx) {
        const size_t y = oy * conv.stride_h + ky * conv.dilation_h - conv.pad_top;
        const size_t xx = ox * conv.stride_w + kx * conv.dilation_w - conv.pad_left;
        if (y >= conv.in_h || xx >= conv.in_w) continue;  // wraps where negative
        for (size_t c = 0; c < group_in(); ++c) {
          const size_t at = ((n * conv.in_h + y) * conv.in_w + xx) * conv.in_channels + first + c;
          const size_t wat = ((m * group_in() + c) * conv.kernel_h + ky) * conv.kernel_w + kx;
          sum += static_cast<uint32_t>((x[at] - x_zero) * w[wat]);
        }
      }
    }
    return static_cast<int32_t>(sum);
  }
};

enum class Fill { kRandom, kExtreme, kBytes, kExtremeBytes };

Problem MakeProblem(ByteConv conv, bool x_signed, Fill fill, uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) {
    if (fill == Fill::kExtreme || fill == Fill::kExtremeBytes)
      return random() % 8 == 0 ? high : low;
    return low + static_cast<int>(random() % static_cast<uint32_t>(high - low + 1));
  };
  Problem p;
  p.conv = conv;
  p.x_signed = x_signed;
  const int low = x_signed ? -128 : 0;
  p.x_zero = fill == Fill::kExtreme ? low + 255 : pick(low, low + 255);
  const bool bytes = fill == Fill::kBytes || fill == Fill::kExtremeBytes;
  p.x.resize(conv.batch * conv.in_h * conv.in_w * conv.in_channels);
  for (int& v : p.x) v = pick(low, low + 255);
  p.w.resize(conv.out_channels * p.group_in() * conv.kernel_h * conv.kernel_w);
  for (int& v : p.w) {
    v = fill == Fill::kExtreme ? -255 : bytes ? pick(-128, 127) : pick(-255, 255);
  }
  for (size_t m = 0; m < conv.out_channels; ++m) {
    p.bias.push_back(static_cast<int>(random() % 4001) - 2000);
    p.scale.push_back(0.0005f * static_cast<float>(1 + random() % 9));
  }
  return p;
}

template <typename T>
std::vector<T> RunOn(const Problem& p, SumTo to, int32_t zero, SimdTarget target, size_t width) {
  const ByteConv& conv = p.conv;
  const size_t lanes = QuantProduct(target).lanes;
  const bool depthwise = conv.IsDepthwise();
  const auto layout = WeightLayout::Make(QuantProduct(target), conv.groups, p.group_out(),
                                         conv.segments(), conv.segment_length());
  const size_t elems =
      depthwise ? DepthwiseWeightElems(conv, QuantDepthwise(target)) : layout->elems();
  const auto weights = AlignedArray<int32_t>(elems);
  if (depthwise) {
    PackDepthwise(
        conv, QuantDepthwise(target),
        [](const void* context, size_t c, size_t ky, size_t kx) {
          const auto& problem = *static_cast<const Problem*>(context);
          const size_t at = (c * problem.conv.kernel_h + ky) * problem.conv.kernel_w + kx;
          return static_cast<int16_t>(problem.w[at]);
        },
        &p, weights.get());
  } else {
    for (size_t g = 0; g < conv.groups; ++g) {
      layout->PackGroup(
          g,
          [&](size_t column, size_t s, size_t k) {
            const size_t taps = conv.kernel_h * conv.kernel_w;
            const size_t tap = conv.WholeRows() ? s * conv.kernel_w + k / p.group_in() : s;
            const size_t m = g * p.group_out() + column;
            return static_cast<int16_t>(p.w[(m * p.group_in() + k % p.group_in()) * taps + tap]);
          },
          weights.get());
    }
  }
  const size_t groups = depthwise ? 1 : conv.groups;
  const size_t columns = conv.out_channels / groups;
  const size_t padded = AlignUp(columns, lanes);
  std::vector<int32_t> bias(padded * groups);
  std::vector<float> scale(padded * groups);
  for (size_t m = 0; m < conv.out_channels; ++m) {
    bias[m / columns * padded + m % columns] = p.bias[m];
    scale[m / columns * padded + m % columns] = p.scale[m];
  }
  std::vector<uint8_t> x(p.x.begin(), p.x.end());
  std::vector<T> y(conv.batch * conv.out_pixels() * conv.out_channels + 8, T(77));
  const auto bytes = ByteConvScratch(conv, target);
  EXPECT_TRUE(bytes.has_value());
  const auto scratch = AlignedArray<std::byte>(*bytes * width);
  ByteConvArgs args;
  args.x = x.data();
  args.x_signed = p.x_signed;
  args.x_zero = p.x_zero;
  args.weights = weights.get();
  args.y = y.data();
  args.out = {to, zero, bias.data(), scale.data()};
  args.scratch = scratch.get();
  const auto pool = MakeThreadPool(width);
  RunByteConv(conv, *layout, args, target, pool.get(), width);
  for (size_t i = y.size() - 8; i < y.size(); ++i) EXPECT_EQ(y[i], T(77)) << "written past the end";
  y.resize(y.size() - 8);
  return y;
}

// The same by the kernel for weights that stay bytes.
template <typename T>
std::vector<T> RunPointwiseOn(const Problem& p, SumTo to, int32_t zero, SimdTarget target,
                              size_t width) {
  const ByteConv& conv = p.conv;
  const ByteProductTable& table = QuantByteProduct(target);
  const std::vector<int8_t> w(p.w.begin(), p.w.end());
  const BytePanels panels =
      BytePanels::Plan(conv.in_channels, conv.out_channels, table.lanes, table.nr, w.data());
  const auto weights = AlignedArray<int32_t>(panels.elems());
  panels.Pack(w.data(), weights.get());
  const size_t padded = AlignUp(conv.out_channels, table.lanes);
  std::vector<int32_t> bias(p.bias.begin(), p.bias.end());
  std::vector<float> scale = p.scale;
  bias.resize(padded);
  scale.resize(padded);
  const std::vector<uint8_t> x(p.x.begin(), p.x.end());
  std::vector<T> y(conv.batch * conv.out_pixels() * conv.out_channels);
  const auto bytes = PointwiseScratch(conv, target, width);
  EXPECT_TRUE(bytes.has_value());
  const auto scratch = AlignedArray<std::byte>(*bytes);
  ByteConvArgs args;
  args.x = x.data();
  args.x_signed = p.x_signed;
  args.x_zero = p.x_zero;
  args.y = y.data();
  args.out = {to, zero, bias.data(), scale.data()};
  args.scratch = scratch.get();
  const auto pool = MakeThreadPool(width);
  RunPointwise(conv, {&panels, weights.get()}, args, target, pool.get(), width);
  return y;
}

bool WeightsAreBytes(const Problem& p) {
  return std::all_of(p.w.begin(), p.w.end(), [](int w) { return w >= -128 && w <= 127; });
}

template <typename T>
void Check(const Problem& p, SumTo to, int32_t zero) {
  const ByteConv& conv = p.conv;
  std::vector<T> expected;
  for (size_t n = 0; n < conv.batch; ++n) {
    for (size_t i = 0; i < conv.out_pixels(); ++i) {
      for (size_t m = 0; m < conv.out_channels; ++m) {
        const int32_t sum = p.Sum(n, i / conv.out_w, i % conv.out_w, m);
        const float scaled = static_cast<float>(sum) * p.scale[m];
        if (to == SumTo::kI32) expected.push_back(static_cast<T>(sum));
        if (to == SumTo::kF32) expected.push_back(static_cast<T>(scaled));
        if (to == SumTo::kU8 || to == SumTo::kI8) {
          const float low = to == SumTo::kI8 ? -128.0f : 0.0f;
          const float whole = std::nearbyint(scaled) + static_cast<float>(zero);
          expected.push_back(static_cast<T>(std::min(std::max(whole, low), low + 255)));
        }
      }
    }
  }
  for (const SimdTarget target : AvailableTargets()) {
    for (const size_t width : {1, 3}) {
      std::vector<std::vector<T>> results = {RunOn<T>(p, to, zero, target, width)};
      if (IsPointwise(conv) && WeightsAreBytes(p) && QuantByteProduct(target).run != nullptr) {
        results.push_back(RunPointwiseOn<T>(p, to, zero, target, width));
      }
      for (const auto& actual : results) {
        ASSERT_EQ(actual.size(), expected.size());
        for (size_t i = 0; i < expected.size(); ++i) {
          ASSERT_EQ(actual[i], expected[i])
              << SimdTargetName(target) << " width " << width << " element " << i;
        }
      }
    }
  }
}

void CheckAll(const ByteConv& conv) {
  uint32_t seed = 1;
  for (const bool x_signed : {false, true}) {
    for (const Fill fill : {Fill::kRandom, Fill::kExtreme, Fill::kBytes, Fill::kExtremeBytes}) {
      if (!IsPointwise(conv) && fill != Fill::kRandom && fill != Fill::kExtreme) continue;
      const Problem p = MakeProblem(conv, x_signed, fill, ++seed);
      Check<int32_t>(p, SumTo::kI32, 0);
      Check<uint8_t>(p, SumTo::kU8, 113);
      Check<int8_t>(p, SumTo::kI8, -7);
      Check<float>(p, SumTo::kF32, 0);
    }
  }
}

ByteConv Matrix(size_t m, size_t k, size_t n) {
  ByteConv conv;
  conv.in_h = conv.out_h = m;
  conv.in_channels = k;
  conv.out_channels = n;
  return conv;
}

ByteConv Window(size_t in_h, size_t in_w, size_t channels, size_t filters, size_t kernel,
                size_t stride, size_t pad, size_t dilation = 1, size_t groups = 1) {
  ByteConv conv;
  conv.batch = 2;
  conv.groups = groups;
  conv.in_channels = channels;
  conv.out_channels = filters;
  conv.in_h = in_h;
  conv.in_w = in_w;
  conv.kernel_h = conv.kernel_w = kernel;
  conv.stride_h = conv.stride_w = stride;
  conv.dilation_h = conv.dilation_w = dilation;
  conv.pad_top = conv.pad_left = pad;
  const size_t reach = (kernel - 1) * dilation + 1;
  conv.out_h = (in_h + 2 * pad - reach) / stride + 1;
  conv.out_w = (in_w + 2 * pad - reach) / stride + 1;
  conv.JoinPixels();
  return conv;
}

TEST(ByteProduct, EveryTail) {
  for (const size_t m : {1, 2, 5, 6, 7, 13}) {
    for (const size_t n : {1, 3, 4, 7, 8, 9, 15, 16, 17, 33, 65}) {
      CheckAll(Matrix(m, 1 + (m * 7 + n) % 37, n));
    }
  }
}

TEST(ByteProduct, ManyBandsAndNothing) {
  CheckAll(Matrix(400, 301, 5));
  CheckAll(Matrix(0, 3, 5));
  CheckAll(Matrix(3, 0, 5));
  CheckAll(Matrix(3, 4, 0));
}

TEST(ByteConvolution, Windows) {
  CheckAll(Window(7, 9, 3, 5, 3, 1, 1));
  CheckAll(Window(8, 7, 3, 8, 3, 2, 1));
  CheckAll(Window(9, 8, 5, 17, 1, 1, 0));
  CheckAll(Window(9, 8, 4, 3, 1, 2, 0));
  CheckAll(Window(9, 8, 4, 3, 1, 1, 1));
  CheckAll(Window(9, 11, 2, 9, 5, 3, 2));
  CheckAll(Window(9, 11, 3, 4, 3, 1, 2, 2));
  CheckAll(Window(6, 7, 4, 6, 3, 1, 1, 1, 2));
  CheckAll(Window(6, 7, 9, 9, 2, 2, 1, 1, 3));
  CheckAll(Window(6, 7, 3, 6, 3, 1, 1, 1, 3));  // two filters for each channel
  CheckAll(Window(70, 90, 9, 2, 3, 1, 1));      // several bands
}

TEST(ByteConvolution, Depthwise) {
  for (const size_t channels : {2, 7, 8, 9, 33, 40}) {
    CheckAll(Window(9, 12, channels, channels, 3, 1, 1, 1, channels));
    CheckAll(Window(9, 13, channels, channels, 3, 2, 1, 1, channels));
  }
  CheckAll(Window(9, 23, 5, 5, 5, 1, 2, 1, 5));
  CheckAll(Window(9, 11, 5, 5, 4, 3, 1, 1, 5));
  CheckAll(Window(9, 11, 5, 5, 2, 1, 0, 1, 5));
  CheckAll(Window(9, 11, 5, 5, 3, 1, 2, 2, 5));  // rows apart: the general kernel
  CheckAll(Window(20, 40, 72, 72, 3, 1, 1, 1, 72));
  ByteConv line = Window(1, 30, 6, 6, 1, 1, 0, 1, 6);
  line.kernel_w = 3;
  line.dilation_w = 2;
  line.out_w = 26;
  CheckAll(line);
}

}  // namespace
}  // namespace waybill::cpu
