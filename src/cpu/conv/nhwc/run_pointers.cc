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

// Walks over the rows of the output that pixels lie in.
class Segments {
 public:
  Segments(const Conv2d& conv, size_t pixel, size_t pixels) : conv_(conv), left_(pixels) {
    at_.x = pixel % conv.out_w;
    at_.y = pixel / conv.out_w % conv.out_h;
    at_.image = pixel / conv.out_w / conv.out_h;
    at_.count = std::min(left_, conv_.out_w - at_.x);
  }

  bool done() const { return left_ == 0; }
  const Segment& at() const { return at_; }
  void Next() {
    left_ -= at_.count;
    at_.x = 0;
    if (++at_.y == conv_.out_h) {
      at_.y = 0;
      ++at_.image;
    }
    at_.count = std::min(left_, conv_.out_w);
  }

 private:
  const Conv2d& conv_;
  size_t left_;
  Segment at_;
};

// The row of the input under row `ky` of the taps, or null outside.
const float* InputRow(const Conv2d& conv, const float* x, const Segment& at, size_t ky) {
  const int64_t y =
      static_cast<int64_t>(at.y * conv.stride_h + ky * conv.dilation_h) - conv.pad_top;
  if (y < 0 || y >= static_cast<int64_t>(conv.in_h)) return nullptr;
  return x + (at.image * conv.in_h + static_cast<size_t>(y)) * conv.in_w * conv.in_channels;
}

size_t CopiedColumns(const Conv2d& conv, size_t count) {
  return (count - 1) * conv.stride_w + conv.kernel_w;
}

// Columns of an input row from the first tap of the first pixel to the last of the last.
void CopyColumns(const Conv2d& conv, const float* row, const Segment& at, float* to) {
  const auto columns = static_cast<int64_t>(CopiedColumns(conv, at.count));
  const auto channels = static_cast<int64_t>(conv.in_channels);
  if (row == nullptr) {
    std::fill_n(to, columns * channels, 0.0f);
    return;
  }
  const int64_t first = static_cast<int64_t>(at.x * conv.stride_w) - conv.pad_left;
  const int64_t begin = std::clamp<int64_t>(-first, 0, columns);
  const int64_t end = std::clamp(static_cast<int64_t>(conv.in_w) - first, begin, columns);
  std::fill_n(to, begin * channels, 0.0f);
  if (begin < end) {
    const float* from = row + (first + begin) * channels;
    std::copy_n(from, (end - begin) * channels, to + begin * channels);
  }
  std::fill_n(to + end * channels, (columns - end) * channels, 0.0f);
}

// Rows of the input that two rows of the output read are copied once.
void PointTapRows(const DenseConv& plan, const float* x, size_t pixel, size_t pixels,
                  RunPointers& out) {
  const Conv2d& conv = plan.conv;
  const size_t pitch = CopiedColumns(conv, std::min(pixels, conv.out_w)) * conv.in_channels;
  const size_t shared =
      conv.dilation_h == 1 && conv.stride_h < conv.kernel_h ? conv.kernel_h - conv.stride_h : 0;
  out.stride = 0;
  out.step = pitch;
  float* end = out.copies;
  const float** rows = out.rows;
  bool first = pixel % conv.out_w != 0;  // what follows has other columns
  bool whole = false;                    // the segment before was a whole row of the same image
  for (Segments segments(conv, pixel, pixels); !segments.done(); segments.Next()) {
    const Segment& at = segments.at();
    const size_t copied = whole && at.y != 0 ? shared : 0;
    const float* base = end - copied * pitch;
    for (size_t ky = copied; ky < conv.kernel_h; ++ky, end += pitch) {
      CopyColumns(conv, InputRow(conv, x, at, ky), at, end);
    }
    const size_t step = conv.stride_w * conv.in_channels;
    for (size_t i = 0; i < at.count; ++i) rows[i] = base + i * step;
    rows += at.count;
    whole = !first;
    first = false;
  }
}

}  // namespace

size_t CopyFloats(const Conv2d& conv, size_t pixels) {
  if (pixels == 0) return 0;
  const size_t segments = CeilDiv(pixels - 1, conv.out_w) + 1;
  return segments * conv.kernel_h * CopiedColumns(conv, std::min(pixels, conv.out_w)) *
         conv.in_channels;
}

void PointRuns(const DenseConv& plan, const float* x, size_t pixel, size_t pixels,
               RunPointers& out) {
  if (plan.tap_rows) return PointTapRows(plan, x, pixel, pixels, out);
  const Conv2d& conv = plan.conv;
  const float** begin = out.rows;
  for (Segments segments(conv, pixel, pixels); !segments.done(); segments.Next()) {
    const Segment& at = segments.at();
    const float** to = begin;
    for (size_t ky = 0; ky < conv.kernel_h; ++ky) {
      const float* row = InputRow(conv, x, at, ky);
      for (size_t kx = 0; kx < conv.kernel_w; ++kx, to += out.stride) {
        if (row == nullptr) {
          std::fill_n(to, at.count, out.zeros);
          continue;
        }
        const int64_t shift = static_cast<int64_t>(kx * conv.dilation_w) - conv.pad_left;
        PointTap(conv, row, shift, at, out.zeros, to);
      }
    }
    begin += at.count;
  }
}

}  // namespace waybill::cpu
