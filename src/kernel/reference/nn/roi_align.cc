#include <algorithm>
#include <cmath>

#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"

namespace waybill::kernel::reference {

namespace {

struct RoiAlignParams {
  bool max = false;
  bool half_pixel = false;
  int64_t sampling = 0;
  double scale = 1;
};

Result<RoiAlignParams> ParseRoiAlign(const graph::NodeRef& node) {
  const graph::Attributes& attrs = node.attrs();
  RoiAlignParams p;
  const std::string mode = attrs.String("mode", "avg");
  if (mode != "avg" && mode != "max") return Error(Code::kInvalidArgument, "mode is '{}'", mode);
  p.max = mode == "max";
  // Version 10 has no such attribute and no half pixels.
  const std::string coordinates =
      attrs.String("coordinate_transformation_mode",
                   node.since_version() < 16 ? "output_half_pixel" : "half_pixel");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel") {
    return Error(Code::kInvalidArgument, "coordinate_transformation_mode is '{}'", coordinates);
  }
  p.half_pixel = coordinates == "half_pixel";
  p.sampling = attrs.Int("sampling_ratio");
  p.scale = static_cast<double>(attrs.Float("spatial_scale", 1.0f));
  return p;
}

// More samples than this for one bin are no sensible region.
constexpr double kMaxSamples = 4096;

// One axis of a region: samples `count` points in each of the output's bins.
struct RoiAxis {
  double begin = 0, bin = 0;
  int64_t count = 0;

  double Point(int64_t bin_index, int64_t i) const {
    return begin + static_cast<double>(bin_index) * bin +
           (static_cast<double>(i) + 0.5) * bin / static_cast<double>(count);
  }
};

Result<RoiAxis> AxisOf(const RoiAlignParams& p, double first, double last, int64_t bins) {
  const double shift = p.half_pixel ? 0.5 : 0;
  RoiAxis axis;
  axis.begin = first * p.scale - shift;
  double length = last * p.scale - shift - axis.begin;
  if (!p.half_pixel) length = std::max(length, 1.0);
  axis.bin = length / static_cast<double>(bins);
  const double count =
      p.sampling > 0 ? static_cast<double>(p.sampling) : std::max(0.0, std::ceil(axis.bin));
  if (!std::isfinite(axis.begin) || !(count <= kMaxSamples)) {
    return Error(Code::kInvalidArgument, "a region from {} to {} takes {} samples a bin", first,
                 last, count);
  }
  axis.count = static_cast<int64_t>(count);
  return axis;
}

// The four weighted corners around (y, x); false outside the image.
bool Corners(const TensorView& image, int64_t base, int64_t height, int64_t width, double y,
             double x, double* parts) {
  if (y < -1 || y > static_cast<double>(height) || x < -1 || x > static_cast<double>(width)) {
    return false;
  }
  const auto split = [](double v, int64_t size, int64_t* low, int64_t* high) {
    v = std::max(v, 0.0);
    *low = std::min(static_cast<int64_t>(v), size - 1);
    *high = std::min(*low + 1, size - 1);
    return *low == size - 1 ? 0.0 : v - static_cast<double>(*low);
  };
  int64_t y0 = 0, y1 = 0, x0 = 0, x1 = 0;
  const double fy = split(y, height, &y0, &y1), fx = split(x, width, &x0, &x1);
  parts[0] = (1 - fy) * (1 - fx) * ReadFloat(image, base + y0 * width + x0);
  parts[1] = (1 - fy) * fx * ReadFloat(image, base + y0 * width + x1);
  parts[2] = fy * (1 - fx) * ReadFloat(image, base + y1 * width + x0);
  parts[3] = fy * fx * ReadFloat(image, base + y1 * width + x1);
  return true;
}

double Pool(const RoiAlignParams& p, const TensorView& x, int64_t base, const RoiAxis& rows,
            const RoiAxis& columns, int64_t row_bin, int64_t column_bin) {
  double sum = 0, best = 0;
  bool any = false;
  for (int64_t i = 0; i < rows.count; ++i) {
    for (int64_t j = 0; j < columns.count; ++j) {
      double parts[4] = {0, 0, 0, 0};
      Corners(x, base, x.shape[2], x.shape[3], rows.Point(row_bin, i), columns.Point(column_bin, j),
              parts);
      sum += parts[0] + parts[1] + parts[2] + parts[3];
      const double top = *std::max_element(parts, parts + 4);
      if (!any || top > best) best = top;
      any = true;
    }
  }
  if (p.max) return best;
  return any ? sum / static_cast<double>(rows.count * columns.count) : 0;
}

Status RunRoiAlign(const RoiAlignParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &rois = ctx.input(1), &batches = ctx.input(2),
                   &y = ctx.output(0);
  if (rois.shape[1] != 4 || batches.elems() != rois.shape[0]) {
    return Error(Code::kInvalidArgument, "rois and batch_indices have shapes {} and {}", rois.shape,
                 batches.shape);
  }
  const int64_t channels = x.shape[1], size = x.shape[2] * x.shape[3];
  const int64_t bins_h = y.shape[2], bins_w = y.shape[3];
  if (y.elems() == 0) return Status::Ok();
  if (size == 0) return Error(Code::kInvalidArgument, "the image {} is empty", x.shape);
  for (int64_t r = 0; r < rois.shape[0]; ++r) {
    const int64_t batch = batches.as<const int64_t>()[r];
    if (batch < 0 || batch >= x.shape[0]) {
      return Error(Code::kInvalidArgument, "roi {} is of sample {}, there are {}", r, batch,
                   x.shape[0]);
    }
    const auto corner = [&](int64_t i) { return ReadFloat(rois, r * 4 + i); };
    WB_ASSIGN_OR_RETURN(const RoiAxis columns, AxisOf(p, corner(0), corner(2), bins_w));
    WB_ASSIGN_OR_RETURN(const RoiAxis rows, AxisOf(p, corner(1), corner(3), bins_h));
    ForEachPiece(ctx, static_cast<size_t>(channels), [&](size_t piece, size_t) {
      const auto c = static_cast<int64_t>(piece);
      for (int64_t bin = 0; bin < bins_h * bins_w; ++bin) {
        WriteFloat(
            y, (r * channels + c) * bins_h * bins_w + bin,
            Pool(p, x, (batch * channels + c) * size, rows, columns, bin / bins_w, bin % bins_w));
      }
    });
  }
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kRoiAlign[1] = {
    FunctionImpl<RoiAlignParams, ParseRoiAlign, RunRoiAlign>("roi_align.reference")};

}  // namespace waybill::kernel::reference
