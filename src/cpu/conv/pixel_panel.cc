#include "cpu/conv/pixel_panel.h"

#include <algorithm>
#include <cstring>

namespace waybill::cpu {
namespace {

// Output columns [begin, end) whose tap at distance `shift` (tap position less left padding) lies
// inside a row of `in_w` elements.
struct Inside {
  int64_t begin = 0;
  int64_t end = 0;
};

Inside ColumnsInside(int64_t shift, int64_t stride, int64_t in_w, int64_t out_w) {
  // 0 <= column * stride + shift < in_w
  const int64_t begin = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  const int64_t end = shift >= in_w ? 0 : (in_w - shift + stride - 1) / stride;
  return {std::min(begin, out_w), std::clamp<int64_t>(end, std::min(begin, out_w), out_w)};
}

// Columns [column, column + count) of one output row under one tap.
void GatherRow(const float* in_row, int64_t shift, int64_t stride, Inside inside, int64_t column,
               int64_t count, float* to) {
  const int64_t begin = std::clamp(inside.begin - column, int64_t{0}, count);
  const int64_t end = std::clamp(inside.end - column, begin, count);
  std::fill(to, to + begin, 0.0f);
  if (begin < end) {
    const float* from = in_row + ((column + begin) * stride + shift);
    if (stride == 1) {
      std::memcpy(to + begin, from, static_cast<size_t>(end - begin) * sizeof(float));
    } else {
      for (int64_t i = begin; i < end; ++i) to[i] = from[(i - begin) * stride];
    }
  }
  std::fill(to + end, to + count, 0.0f);
}

}  // namespace

void GatherPixels(const Conv2d& conv, const float* x, PixelRun run, size_t k0, size_t rows,
                  size_t width, float* panel) {
  const auto in_h = static_cast<int64_t>(conv.in_h);
  const auto in_w = static_cast<int64_t>(conv.in_w);
  const auto out_w = static_cast<int64_t>(conv.out_w);
  const auto stride_w = static_cast<int64_t>(conv.stride_w);
  for (size_t k = k0; k < k0 + rows; ++k, panel += width) {
    const size_t tap_x = k % conv.kernel_w;
    const size_t tap_y = k / conv.kernel_w % conv.kernel_h;
    const size_t channel = k / conv.kernel_w / conv.kernel_h;
    const float* image = x + channel * conv.in_h * conv.in_w;
    const int64_t shift_x = static_cast<int64_t>(tap_x * conv.dilation_w) - conv.pad_left;
    const int64_t shift_y = static_cast<int64_t>(tap_y * conv.dilation_h) - conv.pad_top;
    const Inside inside = ColumnsInside(shift_x, stride_w, in_w, out_w);
    size_t row = run.first / conv.out_w;
    auto column = static_cast<int64_t>(run.first % conv.out_w);
    float* to = panel;
    for (auto left = static_cast<int64_t>(run.count); left > 0; ++row, column = 0) {
      const int64_t count = std::min(left, out_w - column);
      const int64_t in_y = static_cast<int64_t>(row * conv.stride_h) + shift_y;
      if (in_y < 0 || in_y >= in_h) {
        std::fill(to, to + count, 0.0f);
      } else {
        GatherRow(image + in_y * in_w, shift_x, stride_w, inside, column, count, to);
      }
      to += count;
      left -= count;
    }
    std::fill(to, panel + width, 0.0f);
  }
}

}  // namespace waybill::cpu
