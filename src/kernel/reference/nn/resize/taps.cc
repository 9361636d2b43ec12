#include "kernel/reference/nn/resize/taps.h"

#include <algorithm>
#include <cmath>

namespace waybill::kernel::reference {

namespace {

// Input coordinate of output `o`, in elements.
double Coordinate(const TapParams& p, const TapAxis& axis, int64_t o) {
  const auto x = static_cast<double>(o), in = static_cast<double>(axis.in);
  const double resized = axis.scale * in;  // before rounding down
  switch (p.coordinates) {
    case CoordinateMode::kHalfPixel:
      return (x + 0.5) / axis.scale - 0.5;
    case CoordinateMode::kHalfPixelSymmetric: {
      const double adjustment = static_cast<double>(axis.out) / resized;
      return in / 2 * (1 - adjustment) + (x + 0.5) / axis.scale - 0.5;
    }
    case CoordinateMode::kPytorchHalfPixel:
      return axis.out == 1 ? -0.5 : (x + 0.5) / axis.scale - 0.5;
    case CoordinateMode::kAlignCorners:
      return axis.out == 1 ? 0 : x * (in - 1) / (resized - 1);
    case CoordinateMode::kAsymmetric:
      return x / axis.scale;
    case CoordinateMode::kTfHalfPixelForNn:
      return (x + 0.5) / axis.scale;
    case CoordinateMode::kTfCropAndResize: {
      const double span = (axis.roi_end - axis.roi_begin) * (in - 1);
      const double offset = axis.out == 1 ? span / 2 : x * span / static_cast<double>(axis.out - 1);
      return axis.roi_begin * (in - 1) + offset;
    }
  }
  return x;
}

double CubicWeight(double distance, double a) {
  const double x = std::fabs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

double KernelWidth(const TapParams& p) { return p.mode == ResizeMode::kCubic ? 2 : 1; }

double FilterScale(const TapParams& p, const TapAxis& axis) {
  return p.antialias ? std::min(axis.scale, 1.0) : 1.0;
}

int64_t NearestIndex(NearestMode mode, double floor_x, double fraction) {
  const auto below = static_cast<int64_t>(floor_x);
  if (fraction == 0) return below;
  bool up = false;
  switch (mode) {
    case NearestMode::kRoundPreferFloor:
      up = fraction > 0.5;
      break;
    case NearestMode::kRoundPreferCeil:
      up = fraction >= 0.5;
      break;
    case NearestMode::kFloor:
    case NearestMode::kBySize:
      break;
    case NearestMode::kCeil:
      up = true;
      break;
  }
  return up ? below + 1 : below;
}

// In single precision 7 / 0.7f is 10, in double it is a little more, and would be rounded up.
int64_t NearestBySize(const TapAxis& axis, int64_t o) {
  const auto scale = static_cast<float>(axis.scale);
  const float x = static_cast<float>(o) / scale;
  const float whole = scale < 1 ? std::ceil(x) : std::floor(x);
  return static_cast<int64_t>(std::min(whole, static_cast<float>(axis.in)));
}

}  // namespace

Result<TapParams> ParseTaps(const graph::Node& node) {
  TapParams p;
  const graph::Attributes& attrs = node.attrs;
  const std::string mode = attrs.String("mode", "nearest");
  if (mode == "linear" || mode == "bilinear") {
    p.mode = ResizeMode::kLinear;
  } else if (mode == "cubic" || mode == "bicubic") {
    p.mode = ResizeMode::kCubic;
  } else if (mode != "nearest") {
    return Error(Code::kInvalidArgument, "mode is '{}'", mode);
  }
  if (node.op_type == "Upsample" || node.since_version == 10) {
    p.coordinates = CoordinateMode::kAsymmetric;
    p.nearest = NearestMode::kBySize;
    return p;
  }
  constexpr std::pair<std::string_view, CoordinateMode> kCoordinates[] = {
      {"half_pixel", CoordinateMode::kHalfPixel},
      {"half_pixel_symmetric", CoordinateMode::kHalfPixelSymmetric},
      {"pytorch_half_pixel", CoordinateMode::kPytorchHalfPixel},
      {"align_corners", CoordinateMode::kAlignCorners},
      {"asymmetric", CoordinateMode::kAsymmetric},
      {"tf_crop_and_resize", CoordinateMode::kTfCropAndResize},
      {"tf_half_pixel_for_nn", CoordinateMode::kTfHalfPixelForNn},  // version 11 only
  };
  const std::string coordinates = attrs.String("coordinate_transformation_mode", "half_pixel");
  const auto* found = std::find_if(std::begin(kCoordinates), std::end(kCoordinates),
                                   [&](const auto& entry) { return entry.first == coordinates; });
  if (found == std::end(kCoordinates)) {
    return Error(Code::kInvalidArgument, "coordinate_transformation_mode is '{}'", coordinates);
  }
  p.coordinates = found->second;
  constexpr std::pair<std::string_view, NearestMode> kNearest[] = {
      {"round_prefer_floor", NearestMode::kRoundPreferFloor},
      {"round_prefer_ceil", NearestMode::kRoundPreferCeil},
      {"floor", NearestMode::kFloor},
      {"ceil", NearestMode::kCeil},
  };
  const std::string nearest = attrs.String("nearest_mode", "round_prefer_floor");
  const auto* mode_found = std::find_if(std::begin(kNearest), std::end(kNearest),
                                        [&](const auto& entry) { return entry.first == nearest; });
  if (mode_found == std::end(kNearest)) {
    return Error(Code::kInvalidArgument, "nearest_mode is '{}'", nearest);
  }
  p.nearest = mode_found->second;
  p.cubic_a = static_cast<double>(attrs.Float("cubic_coeff_a", -0.75f));
  p.antialias = attrs.Int("antialias") != 0 && p.mode != ResizeMode::kNearest;
  p.exclude_outside = attrs.Int("exclude_outside") != 0;
  return p;
}

int64_t TapCount(const TapParams& p, const TapAxis& axis) {
  if (p.mode == ResizeMode::kNearest) return 1;
  const double scale = FilterScale(p, axis);
  // A filter reaches KernelWidth / scale to both sides; and a scale that leaves an
  // element is above 1 / (2 * in).
  const double reach = std::ceil(KernelWidth(p) / scale);
  return 2 * static_cast<int64_t>(std::min(reach, 4.0 * static_cast<double>(axis.in) + 8));
}

void FillTaps(const TapParams& p, const TapAxis& axis, int64_t o, Tap* taps) {
  const int64_t count = TapCount(p, axis);
  double x = Coordinate(p, axis, o);
  const auto last = static_cast<double>(axis.in - 1);
  if (p.coordinates == CoordinateMode::kTfCropAndResize && !(x >= 0 && x <= last)) {
    for (int64_t i = 0; i < count; ++i) taps[i] = {kOutside, 0};
    return;
  }
  // Beyond this the nearest element is the edge anyway, and conversion to an integer is safe.
  x = std::isnan(x) ? 0 : std::clamp(x, -last - 8, 2 * last + 8);
  const double floor_x = std::floor(x), fraction = x - floor_x;
  if (p.mode == ResizeMode::kNearest) {
    const int64_t index = p.nearest == NearestMode::kBySize
                              ? NearestBySize(axis, o)
                              : NearestIndex(p.nearest, floor_x, fraction);
    taps[0] = {std::clamp<int64_t>(index, 0, axis.in - 1), 1};
    return;
  }
  const double scale = FilterScale(p, axis);
  const int64_t first = static_cast<int64_t>(floor_x) - count / 2 + 1;
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = first + i;
    const double distance = (static_cast<double>(index) - x) * scale;
    double weight = p.mode == ResizeMode::kCubic ? CubicWeight(distance, p.cubic_a)
                                                 : std::max(0.0, 1 - std::fabs(distance));
    if (p.exclude_outside && (index < 0 || index >= axis.in)) weight = 0;
    taps[i] = {std::clamp<int64_t>(index, 0, axis.in - 1), weight};
    sum += weight;
  }
  if (!p.antialias && !p.exclude_outside) return;
  for (int64_t i = 0; sum != 0 && i < count; ++i) taps[i].weight /= sum;
}

}  // namespace waybill::kernel::reference
