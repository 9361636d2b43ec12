#include <cmath>

#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"

namespace waybill::kernel::reference {

namespace {

struct MvnParams {
  std::vector<int64_t> axes;
};

Result<MvnParams> ParseMvn(const graph::NodeRef& node) {
  if (node.attrs().Has("axes")) return MvnParams{node.attrs().Ints("axes")};
  return MvnParams{{0, 2, 3}};
}

// Row-major walk over some axes of a shape: offset of the i-th combination.
struct SubWalk {
  Shape dims, strides;

  int64_t Offset(int64_t i) const {
    int64_t offset = 0;
    for (size_t a = dims.rank(); a-- > 0;) {
      offset += i % dims[a] * strides[a];
      i /= dims[a];
    }
    return offset;
  }
};

Status RunMvn(const MvnParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &y = ctx.output(0);
  const Shape& shape = x.shape;
  Shape is_reduced = Shape::Filled(shape.rank(), 0);
  for (const int64_t given : p.axes) {
    const auto axis = NormalizeAxis(given, shape.rank());
    if (!axis) return Error(Code::kInvalidArgument, "axis {} of shape {}", given, shape);
    is_reduced[*axis] = 1;
  }
  SubWalk kept, reduced;
  for (size_t i = 0; i < shape.rank(); ++i) {
    SubWalk& walk = is_reduced[i] != 0 ? reduced : kept;
    walk.dims.PushBack(shape[i]);
    walk.strides.PushBack(shape.Stride(i));
  }
  if (x.elems() == 0) return Status::Ok();
  const int64_t count = reduced.dims.elems();
  ForEachPiece(ctx, static_cast<size_t>(kept.dims.elems()), [&](size_t piece, size_t) {
    const int64_t base = kept.Offset(static_cast<int64_t>(piece));
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; ++i) sum += ReadFloat(x, base + reduced.Offset(i));
    const double mean = sum / static_cast<double>(count);
    for (int64_t i = 0; i < count; ++i) {
      const double d = ReadFloat(x, base + reduced.Offset(i)) - mean;
      squares += d * d;
    }
    // The operator's definition adds its epsilon to the deviation, not to the variance.
    const double deviation = std::sqrt(squares / static_cast<double>(count)) + 1e-9;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = base + reduced.Offset(i);
      WriteFloat(y, at, (ReadFloat(x, at) - mean) / deviation);
    }
  });
  return Status::Ok();
}

struct LpParams {
  int64_t axis, p;
};

Result<LpParams> ParseLpNorm(const graph::NodeRef& node) {
  const LpParams p{node.attrs().Int("axis", -1), node.attrs().Int("p", 2)};
  if (p.p != 1 && p.p != 2) return Error(Code::kInvalidArgument, "p is {}", p.p);
  return p;
}

Status RunLpNorm(const LpParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &y = ctx.output(0);
  const auto axis = NormalizeAxis(p.axis, x.shape.rank());
  if (!axis) return Error(Code::kInvalidArgument, "axis {} of shape {}", p.axis, x.shape);
  if (x.elems() == 0) return Status::Ok();
  const int64_t count = x.shape[*axis], stride = x.shape.Stride(*axis);
  ForEachPiece(ctx, static_cast<size_t>(x.elems() / count), [&](size_t piece, size_t) {
    const auto index = static_cast<int64_t>(piece);
    const int64_t base = index / stride * stride * count + index % stride;
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      const double v = ReadFloat(x, base + i * stride);
      sum += p.p == 1 ? std::fabs(v) : v * v;
    }
    const double norm = p.p == 1 ? sum : std::sqrt(sum);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = base + i * stride;
      WriteFloat(y, at, norm == 0 ? 0 : ReadFloat(x, at) / norm);
    }
  });
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kMeanVarianceNormalization[1] = {
    FunctionImpl<MvnParams, ParseMvn, RunMvn>("mean_variance_normalization.reference")};
constinit const KernelImpl kLpNormalization[1] = {
    FunctionImpl<LpParams, ParseLpNorm, RunLpNorm>("lp_normalization.reference")};

}  // namespace waybill::kernel::reference
