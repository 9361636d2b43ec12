// One axis of a resize: which input elements make an output element, and with what weights.
#pragma once

#include <cstdint>
#include <string>

#include "base/status/result.h"
#include "graph/ir/graph.h"

namespace waybill::kernel::reference {

enum class ResizeMode : uint8_t { kNearest, kLinear, kCubic };
// kBySize is that of Resize-10 and Upsample: the next element where the axis shrinks, the one
// before where it grows, in single precision.
enum class NearestMode : uint8_t { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil, kBySize };
enum class CoordinateMode : uint8_t {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kTfCropAndResize,
  kTfHalfPixelForNn,
};

struct TapParams {
  ResizeMode mode = ResizeMode::kNearest;
  NearestMode nearest = NearestMode::kRoundPreferFloor;
  CoordinateMode coordinates = CoordinateMode::kHalfPixel;
  double cubic_a = -0.75;
  bool antialias = false;
  bool exclude_outside = false;
};

// From the attributes of a Resize or Upsample. Errors: kInvalidArgument for unknown modes.
Result<TapParams> ParseTaps(const graph::Node& node);

struct TapAxis {
  int64_t in = 1, out = 1;
  double scale = 1;
  double roi_begin = 0, roi_end = 1;  // kTfCropAndResize
};

struct Tap {
  int64_t index = 0;  // of the input; kOutside: this output is the extrapolation value
  double weight = 1;
};
inline constexpr int64_t kOutside = -1;

// Taps per output element of the axis.
int64_t TapCount(const TapParams& p, const TapAxis& axis);

// The taps of output element `o`; `taps` has TapCount entries. The axis is not empty.
void FillTaps(const TapParams& p, const TapAxis& axis, int64_t o, Tap* taps);

}  // namespace waybill::kernel::reference
