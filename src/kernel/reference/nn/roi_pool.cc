#include <algorithm>
#include <cmath>

#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"

namespace waybill::kernel::reference {

namespace {

struct RoiPoolParams {
  double scale;
};

Result<RoiPoolParams> ParseRoiPool(const graph::NodeRef& node) {
  return RoiPoolParams{static_cast<double>(node.attrs().Float("spatial_scale", 1.0f))};
}

// One axis of a region: rounded first element and length.
struct Extent {
  double begin, length;

  // Elements [first, last) of bin `i` of `bins`, within [0, size).
  std::pair<int64_t, int64_t> Bin(int64_t i, int64_t bins, int64_t size) const {
    const double step = length / static_cast<double>(bins), max = static_cast<double>(size);
    const double first = std::floor(static_cast<double>(i) * step) + begin;
    const double last = std::ceil(static_cast<double>(i + 1) * step) + begin;
    return {static_cast<int64_t>(std::clamp(first, 0.0, max)),
            static_cast<int64_t>(std::clamp(last, 0.0, max))};
  }
};

Status CheckRois(const TensorView& x, const TensorView& rois) {
  if (rois.shape[1] != 5) {
    return Error(Code::kInvalidArgument, "rois have shape {}, expected [_, 5]", rois.shape);
  }
  for (int64_t r = 0; r < rois.shape[0]; ++r) {
    const double batch = ReadFloat(rois, r * 5);
    if (!(batch >= 0 && batch < static_cast<double>(x.shape[0]))) {
      return Error(Code::kInvalidArgument, "roi {} is of sample {}, there are {}", r, batch,
                   x.shape[0]);
    }
    for (int64_t i = 1; i < 5; ++i) {
      if (!std::isfinite(ReadFloat(rois, r * 5 + i))) {
        return Error(Code::kInvalidArgument, "roi {} is not finite", r);
      }
    }
  }
  return Status::Ok();
}

Status RunMaxRoiPool(const RoiPoolParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &rois = ctx.input(1), &y = ctx.output(0);
  WB_RETURN_IF_ERROR(CheckRois(x, rois));
  const int64_t channels = x.shape[1], height = x.shape[2], width = x.shape[3];
  const int64_t bins_h = y.shape[2], bins_w = y.shape[3];
  ForEachPiece(ctx, static_cast<size_t>(y.shape[0] * channels), [&](size_t piece, size_t) {
    const auto index = static_cast<int64_t>(piece);
    const int64_t roi = index / channels * 5;
    const auto corner = [&](int64_t i) { return std::round(ReadFloat(rois, roi + i) * p.scale); };
    const Extent rows{corner(2), std::max(corner(4) - corner(2) + 1, 1.0)};
    const Extent columns{corner(1), std::max(corner(3) - corner(1) + 1, 1.0)};
    const int64_t base =
        (static_cast<int64_t>(ReadFloat(rois, roi)) * channels + index % channels) * height * width;
    for (int64_t bin = 0; bin < bins_h * bins_w; ++bin) {
      const auto [top, bottom] = rows.Bin(bin / bins_w, bins_h, height);
      const auto [left, right] = columns.Bin(bin % bins_w, bins_w, width);
      bool any = false;
      double best = 0;
      for (int64_t h = top; h < bottom; ++h) {
        for (int64_t w = left; w < right; ++w) {
          const double v = ReadFloat(x, base + h * width + w);
          if (!any || v > best) best = v;
          any = true;
        }
      }
      WriteFloat(y, index * bins_h * bins_w + bin, best);
    }
  });
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kMaxRoiPool[1] = {
    FunctionImpl<RoiPoolParams, ParseRoiPool, RunMaxRoiPool>("max_roi_pool.reference")};

}  // namespace waybill::kernel::reference
