#include "cpu/conv/nhwc/run_pointers.h"

#include <algorithm>

#include "base/math/checked.h"

namespace waybill::cpu {
namespace {

// Pixels of one output row.
struct Segment {
  size_t image = 0, y = 0, x = 0;
  size_t count = 0;
};

void PointEvenly(const float* from, size_t step, const float** begin, const float** end) {
  for (const float** out = begin; out < end; ++out, from += step) *out = from;
}

// One tap: columns whose input lies in the row point there, the others to zeros.
void PointTap(const Conv2d& conv, const float* row, int64_t shift, const Segment& at,
              const float* zeros, const float** out) {
  const auto stride = static_cast<int64_t>(conv.stride_w);
  const auto in_w = static_cast<int64_t>(conv.in_w);
  const int64_t first = static_cast<int64_t>(at.x) * stride + shift;
  const auto count = static_cast<int64_t>(at.count);
  const int64_t begin = first >= 0 ? 0 : std::min(count, (-first + stride - 1) / stride);
  const int64_t end =
      first >= in_w ? begin : std::clamp((in_w - first + stride - 1) / stride, begin, count);
  std::fill(out, out + begin, zeros);
  const float* from = row + (first + begin * stride) * static_cast<int64_t>(conv.in_channels);
  PointEvenly(from, conv.stride_w * conv.in_channels, out + begin, out + end);
  std::fill(out + end, out + count, zeros);
}

// A row of taps, copied where it hangs over an edge of the input.
void PointTapRow(const Conv2d& conv, const float* row, const Segment& at, const float** out,
                 float*& edges) {
  const auto in_w = static_cast<int64_t>(conv.in_w);
  const auto taps = static_cast<int64_t>(conv.kernel_w);
  const size_t channels = conv.in_channels;
  const auto stride = static_cast<int64_t>(conv.stride_w);
  const int64_t first = static_cast<int64_t>(at.x) * stride - conv.pad_left;
  const auto count = static_cast<int64_t>(at.count);
  const auto copy = [&](int64_t i) {
    const int64_t start = first + i * stride;
    const int64_t begin = std::clamp<int64_t>(-start, 0, taps);
    const int64_t end = std::clamp<int64_t>(in_w - start, begin, taps);
    out[i] = edges;
    edges = std::fill_n(edges, static_cast<size_t>(begin) * channels, 0.0f);
    if (begin < end) {
      const float* from = row + static_cast<size_t>(start + begin) * channels;
      edges = std::copy_n(from, static_cast<size_t>(end - begin) * channels, edges);
    }
    edges = std::fill_n(edges, static_cast<size_t>(taps - end) * channels, 0.0f);
  };
  // Pixels [begin, end) see a whole row of taps.
  const int64_t begin = first >= 0 ? 0 : std::min(count, CeilDiv(-first, stride));
  const int64_t room = in_w - taps - first;
  const int64_t end = room < 0 ? begin : std::clamp(room / stride + 1, begin, count);
  for (int64_t i = 0; i < begin; ++i) copy(i);
  const float* from = row + (first + begin * stride) * static_cast<int64_t>(channels);
  PointEvenly(from, conv.stride_w * channels, out + begin, out + end);
  for (int64_t i = end; i < count; ++i) copy(i);
}

}  // namespace

void PointRuns(const DenseConv& plan, const float* x, size_t pixel, size_t pixels,
               const RunPointers& out) {
  const Conv2d& conv = plan.conv;
  float* edges = out.edges;
  Segment at;
  at.x = pixel % conv.out_w;
  at.y = pixel / conv.out_w % conv.out_h;
  at.image = pixel / conv.out_w / conv.out_h;
  for (size_t done = 0; done < pixels; done += at.count, at.x = 0) {
    at.count = std::min(pixels - done, conv.out_w - at.x);
    for (size_t ky = 0; ky < conv.kernel_h; ++ky) {
      const int64_t y =
          static_cast<int64_t>(at.y * conv.stride_h + ky * conv.dilation_h) - conv.pad_top;
      const bool inside = y >= 0 && y < static_cast<int64_t>(conv.in_h);
      const size_t runs = plan.tap_rows ? 1 : conv.kernel_w;
      const float** to = out.rows + ky * runs * out.stride + done;
      if (!inside) {
        for (size_t r = 0; r < runs; ++r, to += out.stride) std::fill_n(to, at.count, out.zeros);
        continue;
      }
      const float* row =
          x + (at.image * conv.in_h + static_cast<size_t>(y)) * conv.in_w * conv.in_channels;
      if (plan.tap_rows) {
        PointTapRow(conv, row, at, to, edges);
        continue;
      }
      for (size_t kx = 0; kx < conv.kernel_w; ++kx, to += out.stride) {
        const int64_t shift = static_cast<int64_t>(kx * conv.dilation_w) - conv.pad_left;
        PointTap(conv, row, shift, at, out.zeros, to);
      }
    }
    if (++at.y == conv.out_h) {
      at.y = 0;
      ++at.image;
    }
  }
}

}  // namespace waybill::cpu
