#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

constexpr size_t kMaxSpatial = 8;
enum class SampleMode : uint8_t { kNearest, kLinear, kCubic };
enum class Padding : uint8_t { kZeros, kBorder, kReflection };

struct GridParams {
  SampleMode mode = SampleMode::kLinear;
  Padding padding = Padding::kZeros;
  bool align_corners = false;
};

Result<GridParams> ParseGridSample(const graph::NodeRef& node) {
  GridParams p;
  const std::string mode = node.attrs().String("mode", "linear");
  if (mode == "nearest") {
    p.mode = SampleMode::kNearest;
  } else if (mode == "cubic" || mode == "bicubic") {
    p.mode = SampleMode::kCubic;
  } else if (mode != "linear" && mode != "bilinear") {
    return Error(Code::kInvalidArgument, "mode is '{}'", mode);
  }
  const std::string padding = node.attrs().String("padding_mode", "zeros");
  if (padding == "border") {
    p.padding = Padding::kBorder;
  } else if (padding == "reflection") {
    p.padding = Padding::kReflection;
  } else if (padding != "zeros") {
    return Error(Code::kInvalidArgument, "padding_mode is '{}'", padding);
  }
  p.align_corners = node.attrs().Int("align_corners") != 0;
  return p;
}

// Mirrors `x` at both ends until it lies in [low, high].
double Reflect(double x, double low, double high) {
  const double range = high - low;
  if (!(range > 0)) return low;
  if (x >= low && x <= high) return x;
  const double away = std::fabs(x < low ? low - x : x - high);
  const double turns = std::floor(away / range), rest = away - turns * range;
  const bool even = std::fmod(turns, 2) == 0;
  if (x < low) return even ? low + rest : high - rest;
  return even ? high - rest : low + rest;
}

// One axis of one sample: input elements and their weights; -1 reads as zero.
struct AxisTaps {
  int64_t index[4];
  double weight[4];
  int count = 1;
};

double Cubic(double distance) {
  constexpr double kA = -0.75;
  const double x = std::fabs(distance);
  if (x <= 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  if (x < 2) return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA;
  return 0;
}

// The element that stands for position `i` of an axis of `size`; -1: zero.
int64_t Element(const GridParams& p, int64_t i, int64_t size) {
  if (i >= 0 && i < size) return i;
  switch (p.padding) {
    case Padding::kZeros:
      return -1;
    case Padding::kBorder:
      return std::clamp<int64_t>(i, 0, size - 1);
    case Padding::kReflection:
      break;
  }
  const double low = p.align_corners ? 0 : -0.5, high = static_cast<double>(size) - 1 - low;
  const auto at = static_cast<int64_t>(Reflect(static_cast<double>(i), low, high));
  return std::clamp<int64_t>(at, 0, size - 1);
}

AxisTaps Taps(const GridParams& p, double g, int64_t size) {
  const auto n = static_cast<double>(size);
  double x = p.align_corners ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
  if (!std::isfinite(x)) x = -n - 8;
  const double low = p.align_corners ? 0 : -0.5, high = n - 1 - low;
  if (p.mode == SampleMode::kNearest) x = std::nearbyint(x);
  if (x < low || x > high) {
    if (p.padding == Padding::kBorder) x = std::clamp(x, 0.0, n - 1);
    if (p.padding == Padding::kReflection) x = Reflect(x, low, high);
  }
  x = std::clamp(x, -8.0, n + 8);  // all further out is zero anyway
  AxisTaps taps;
  if (p.mode == SampleMode::kNearest) {
    taps.index[0] = Element(p, static_cast<int64_t>(std::nearbyint(x)), size);
    taps.weight[0] = 1;
    return taps;
  }
  const double floor_x = std::floor(x), fraction = x - floor_x;
  taps.count = p.mode == SampleMode::kLinear ? 2 : 4;
  for (int i = 0; i < taps.count; ++i) {
    const int64_t shift = i - (taps.count / 2 - 1);
    taps.index[i] = Element(p, static_cast<int64_t>(floor_x) + shift, size);
    const double distance = fraction - static_cast<double>(shift);
    taps.weight[i] = taps.count == 2 ? 1 - std::fabs(distance) : Cubic(distance);
  }
  return taps;
}

struct Sampler {
  size_t spatial = 0;
  std::array<int64_t, kMaxSpatial> sizes{}, strides{};

  // Offset within a channel of the one tap of each axis; -1: zero.
  int64_t Nearest(const AxisTaps* taps) const {
    int64_t offset = 0;
    for (size_t a = 0; a < spatial; ++a) {
      if (taps[a].index[0] < 0) return -1;
      offset += taps[a].index[0] * strides[a];
    }
    return offset;
  }

  template <typename T>
  double Blend(const T* channel, const AxisTaps* taps, size_t axis) const {
    if (axis == spatial) return static_cast<double>(*channel);
    double sum = 0;
    for (int i = 0; i < taps[axis].count; ++i) {
      if (taps[axis].index[i] < 0) continue;
      sum += taps[axis].weight[i] *
             Blend(channel + taps[axis].index[i] * strides[axis], taps, axis + 1);
    }
    return sum;
  }
};

// Calls value(sampler, taps, channel) for each output element in turn.
template <typename T, typename Value>
Status SampleAll(const GridParams& p, RunContext& ctx, const Value& value) {
  const TensorView &x = ctx.input(0), &grid = ctx.input(1), &y = ctx.output(0);
  Sampler sampler;
  sampler.spatial = x.shape.rank() - 2;
  for (size_t a = 0; a < sampler.spatial; ++a) {
    sampler.sizes[a] = x.shape[2 + a];
    sampler.strides[a] = x.shape.Stride(2 + a);
  }
  const int64_t channels = x.shape[1], in_size = x.shape.ElemsBetween(2, x.shape.rank());
  const int64_t out_size = y.shape.ElemsBetween(2, y.shape.rank());
  const auto spatial = static_cast<int64_t>(sampler.spatial);
  ForEachPiece(ctx, static_cast<size_t>(x.shape[0] * out_size), [&](size_t piece, size_t) {
    const auto index = static_cast<int64_t>(piece);
    std::array<AxisTaps, kMaxSpatial> taps;
    for (int64_t a = 0; a < spatial; ++a) {
      // The grid speaks of the last axis first.
      const double g = ReadFloat(grid, index * spatial + spatial - 1 - a);
      taps[static_cast<size_t>(a)] = Taps(p, g, sampler.sizes[static_cast<size_t>(a)]);
    }
    const int64_t n = index / out_size, at = index % out_size;
    for (int64_t c = 0; c < channels; ++c) {
      y.as<T>()[(n * channels + c) * out_size + at] =
          value(sampler, taps.data(), x.as<T>() + (n * channels + c) * in_size);
    }
  });
  return Status::Ok();
}

Status RunGridSample(const GridParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &y = ctx.output(0);
  if (y.elems() == 0) return Status::Ok();
  if (x.shape.rank() - 2 > kMaxSpatial) {
    return Error(Code::kNotImplemented, "grid sampling over {} axes", x.shape.rank() - 2);
  }
  if (x.elems() == 0) return Error(Code::kInvalidArgument, "the image {} is empty", x.shape);
  if (p.mode == SampleMode::kNearest) {
    return DispatchByWidth(x.dtype, [&]<typename T>() {
      return SampleAll<T>(p, ctx, [](const Sampler& s, const AxisTaps* taps, const T* channel) {
        const int64_t offset = s.Nearest(taps);
        return offset < 0 ? T{} : channel[offset];
      });
    });
  }
  return DispatchDType(x.dtype, FloatTypes{}, [&]<typename T>() {
    return SampleAll<T>(p, ctx, [](const Sampler& s, const AxisTaps* taps, const T* channel) {
      return static_cast<T>(s.Blend(channel, taps, 0));
    });
  });
}

}  // namespace

constinit const KernelImpl kGridSample[1] = {
    FunctionImpl<GridParams, ParseGridSample, RunGridSample>("grid_sample.reference")};

}  // namespace waybill::kernel::reference
