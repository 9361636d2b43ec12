#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"

namespace waybill::kernel::reference {

namespace {

struct AffineParams {
  bool align_corners;
};

Result<AffineParams> ParseAffine(const graph::NodeRef& node) {
  return AffineParams{node.attrs().Int("align_corners") != 0};
}

// The i-th of `count` positions of an axis that runs from -1 to 1.
double Position(int64_t i, int64_t count, bool align_corners) {
  const auto x = static_cast<double>(i), n = static_cast<double>(count);
  if (align_corners) return count == 1 ? -1 : 2 * x / (n - 1) - 1;
  return (2 * x + 1) / n - 1;
}

Status RunAffineGrid(const AffineParams& p, RunContext& ctx) {
  const TensorView &theta = ctx.input(0), &y = ctx.output(0);
  const size_t spatial = y.shape.rank() - 2;
  const auto axes = static_cast<int64_t>(spatial);
  if (theta.shape != Shape{y.shape[0], axes, axes + 1}) {
    return Error(Code::kInvalidArgument, "theta has shape {}, expected {}", theta.shape,
                 Shape{y.shape[0], axes, axes + 1});
  }
  const int64_t points = y.shape.ElemsBetween(1, spatial + 1);
  ForEachPiece(ctx, static_cast<size_t>(y.shape[0] * points), [&](size_t piece, size_t) {
    const auto index = static_cast<int64_t>(piece);
    const int64_t matrix = index / points * axes * (axes + 1);
    double place[3] = {0, 0, 0};  // x, y, z: the last axis first
    int64_t rest = index % points;
    for (size_t a = 0; a < spatial; ++a) {
      const int64_t size = y.shape[spatial - a];
      place[a] = Position(rest % size, size, p.align_corners);
      rest /= size;
    }
    for (int64_t r = 0; r < axes; ++r) {
      double sum = ReadFloat(theta, matrix + r * (axes + 1) + axes);
      for (int64_t a = 0; a < axes; ++a) {
        sum += ReadFloat(theta, matrix + r * (axes + 1) + a) * place[a];
      }
      WriteFloat(y, index * axes + r, sum);
    }
  });
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kAffineGrid[1] = {
    FunctionImpl<AffineParams, ParseAffine, RunAffineGrid>("affine_grid.reference")};

}  // namespace waybill::kernel::reference
