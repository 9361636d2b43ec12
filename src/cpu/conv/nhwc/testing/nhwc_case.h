// For tests of convolutions over [N, H, W, C]: random problems and the definition to compare with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "cpu/conv/conv_f32.h"
#include "cpu/conv/nhwc/block.h"
#include "cpu/testing/odd_places.h"

namespace waybill::cpu {

// Counts how often the blocks of an epilogue cover each output element.
struct CoverCheck {
  size_t channels;
  int* seen;

  BlockEpilogue Epilogue() const {
    return {[](const void* context, const OutputBlock& block) {
              const auto& self = *static_cast<const CoverCheck*>(context);
              for (size_t p = block.pixel; p < block.pixel + block.pixels; ++p) {
                for (size_t c = block.channel; c < block.channel + block.channels; ++c) {
                  ++self.seen[p * self.channels + c];
                }
              }
            },
            this};
  }
};

struct NhwcCase {
  Conv2d conv;
  bool bias = false, residual = false, clamp = false;
  std::vector<float> x, w, b, r;

  size_t OutputFloats() const { return conv.batch * conv.out_pixels() * conv.out_channels; }

  void Fill(uint32_t seed) {
    std::mt19937 random(seed);
    const auto fill = [&](std::vector<float>& to, size_t n) {
      to.resize(n);
      for (float& v : to) v = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
    };
    fill(x, conv.batch * conv.in_h * conv.in_w * conv.in_channels);
    fill(w, conv.out_channels * conv.depth());
    fill(b, conv.out_channels);
    fill(r, OutputFloats());
  }

  // Copies of the operands and place for the result and 4 floats behind it, `offset` floats behind
  // a cache line.
  struct Placed {
    OddFloats x, b, r, y;
  };
  Placed Place(size_t offset, size_t gap = 0) const {
    const size_t pixels = conv.batch * conv.out_pixels();
    return {{x, offset},
            {b, offset},
            {r, offset},
            {std::vector<float>(OutputFloats() + pixels * gap + 4, 99.0f), offset}};
  }
  // `y` without the `gap` floats behind each pixel, which nobody may have written.
  std::vector<float> WithoutGaps(const std::vector<float>& y, size_t gap) const {
    std::vector<float> out;
    for (size_t i = 0; i < y.size(); ++i) {
      const bool is_behind = i + 4 >= y.size();
      if (!is_behind && i % (conv.out_channels + gap) >= conv.out_channels) {
        EXPECT_EQ(y[i], 99.0f) << i;
      } else {
        out.push_back(y[i]);
      }
    }
    return out;
  }

  NhwcConvArgs Args(const Placed& at) const {
    NhwcConvArgs args;
    args.x = at.x.data();
    args.y = at.y.data();
    args.bias = bias ? at.b.data() : nullptr;
    args.residual = residual ? at.r.data() : nullptr;
    args.clamp = clamp;
    args.low = clamp ? -0.5f : args.low;
    args.high = clamp ? 1.5f : args.high;
    return args;
  }

  // The definition, tap by tap.
  double Want(size_t n, size_t oy, size_t ox, size_t oc) const {
    const size_t in_group = conv.in_channels / conv.groups;
    const size_t group = oc / (conv.out_channels / conv.groups);
    double sum = bias ? b[oc] : 0;
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
        const size_t pixel =
            (n * conv.in_h + static_cast<size_t>(iy)) * conv.in_w + static_cast<size_t>(ix);
        for (size_t c = 0; c < in_group; ++c) {
          sum += double{x[pixel * conv.in_channels + group * in_group + c]} *
                 w[((oc * in_group + c) * conv.kernel_h + ky) * conv.kernel_w + kx];
        }
      }
    }
    if (residual) sum += r[((n * conv.out_h + oy) * conv.out_w + ox) * conv.out_channels + oc];
    return clamp ? std::clamp(sum, -0.5, 1.5) : sum;
  }

  // `y` has at least 4 floats behind the output that must still be 99.
  void Compare(const std::vector<float>& y) const {
    size_t at = 0;
    for (size_t n = 0; n < conv.batch; ++n) {
      for (size_t oy = 0; oy < conv.out_h; ++oy) {
        for (size_t ox = 0; ox < conv.out_w; ++ox) {
          for (size_t oc = 0; oc < conv.out_channels; ++oc, ++at) {
            ASSERT_NEAR(y[at], Want(n, oy, ox, oc), 1e-3)
                << "image " << n << ", pixel " << oy << ", " << ox << ", channel " << oc;
          }
        }
      }
    }
    for (; at < y.size(); ++at) ASSERT_EQ(y[at], 99.0f);
  }
};

}  // namespace waybill::cpu
