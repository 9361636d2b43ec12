#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/math/checked.h"
#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/nn/resize/geometry.h"
#include "kernel/reference/support/for_each.h"
#include "kernel/reference/support/planned_kernel.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

constexpr size_t kMaxRank = kMaxResizeRank;

Status PlanResize(const ResizeParams& p, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  if (ctx.output_shape(0) == nullptr) return Status::Ok();
  const Shape& in = ctx.input_shape(0);
  TapAxes axes;
  const auto values = [&](size_t input) { return input == 0 ? nullptr : ctx.values(input); };
  WB_RETURN_IF_ERROR(ResizeAxesOf(p, in, values(p.sizes.scales_input), values(p.sizes.sizes_input),
                                  nullptr, &axes));
  size_t taps = 0;
  for (size_t i = 0; i < in.rank(); ++i) {
    const auto count = CheckedMul(static_cast<size_t>(axes[i].out),
                                  static_cast<size_t>(TapCount(p.taps, axes[i])));
    const auto sum = count ? CheckedAdd(taps, *count) : std::nullopt;
    if (!sum) return Error(Code::kInvalidArgument, "the output of {} is too large", in);
    taps = *sum;
  }
  const auto bytes = CheckedMul(taps, sizeof(Tap));
  if (!bytes) return Error(Code::kInvalidArgument, "the output of {} is too large", in);
  ctx.BookScratch(*bytes);
  return Status::Ok();
}

// All taps of all axes, in scratch.
struct TapTables {
  size_t rank = 0;
  TapAxes axes;
  std::array<const Tap*, kMaxRank> taps;
  std::array<int64_t, kMaxRank> counts;   // per output element
  std::array<int64_t, kMaxRank> strides;  // of the input

  const Tap* at(size_t axis, int64_t o) const { return taps[axis] + o * counts[axis]; }
};

void FillTables(const ResizeParams& p, Tap* scratch, TapTables* t) {
  int64_t stride = 1;
  for (size_t i = t->rank; i-- > 0;) {
    const TapAxis& axis = t->axes[i];
    t->strides[i] = stride;
    stride *= axis.in;
    t->counts[i] = TapCount(p.taps, axis);
    t->taps[i] = scratch;
    for (int64_t o = 0; o < axis.out; ++o, scratch += t->counts[i]) {
      FillTaps(p.taps, axis, o, scratch);
    }
  }
}

// The positions of output row `row` on all axes but the last.
std::array<int64_t, kMaxRank> RowPosition(const TapTables& t, int64_t row) {
  std::array<int64_t, kMaxRank> position{};
  for (size_t i = t.rank - 1; i-- > 0;) {
    position[i] = row % t.axes[i].out;
    row /= t.axes[i].out;
  }
  return position;
}

// Value of type T that `fill` stands for; integers saturate.
template <typename T>
T Narrow(double v) {
  if constexpr (std::is_integral_v<T>) {
    if (std::isnan(v)) return 0;
    if (v <= static_cast<double>(std::numeric_limits<T>::min())) {
      return std::numeric_limits<T>::min();
    }
    if (v >= static_cast<double>(std::numeric_limits<T>::max())) {
      return std::numeric_limits<T>::max();
    }
  }
  return static_cast<T>(v);
}

template <typename T>
void NearestRow(const TapTables& t, const T* x, int64_t row, const T& fill, T* y) {
  const auto position = RowPosition(t, row);
  int64_t base = 0;
  bool inside = true;
  for (size_t i = 0; i + 1 < t.rank; ++i) {
    const Tap& tap = *t.at(i, position[i]);
    inside = inside && tap.index != kOutside;
    base += tap.index * t.strides[i];
  }
  const int64_t width = t.axes[t.rank - 1].out;
  for (int64_t o = 0; o < width; ++o) {
    const Tap& tap = *t.at(t.rank - 1, o);
    y[o] = inside && tap.index != kOutside ? x[base + tap.index] : fill;
  }
}

// Weighted sum over the taps of axes [axis, rank) at `position`.
template <typename T>
double Blend(const TapTables& t, const T* x, const std::array<int64_t, kMaxRank>& position,
             size_t axis) {
  if (axis == t.rank) return static_cast<double>(*x);
  const Tap* const taps = t.at(axis, position[axis]);
  double sum = 0;
  for (int64_t i = 0; i < t.counts[axis]; ++i) {
    if (taps[i].weight == 0) continue;
    sum += taps[i].weight * Blend(t, x + taps[i].index * t.strides[axis], position, axis + 1);
  }
  return sum;
}

template <typename T>
void BlendRow(const TapTables& t, const T* x, int64_t row, double fill, T* y) {
  auto position = RowPosition(t, row);
  const int64_t width = t.axes[t.rank - 1].out;
  for (int64_t o = 0; o < width; ++o) {
    position[t.rank - 1] = o;
    bool inside = true;
    for (size_t i = 0; i < t.rank; ++i) inside = inside && t.at(i, position[i])->index != kOutside;
    y[o] = Narrow<T>(inside ? Blend(t, x, position, 0) : fill);
  }
}

Status RunNearest(const ResizeParams& p, RunContext& ctx, const TapTables& t, int64_t rows,
                  int64_t width) {
  const DType dtype = ctx.input(0).dtype;
  const auto run = [&]<typename T>(const T& fill) {
    const T* const x = ctx.input(0).as<T>();
    T* const y = ctx.output(0).as<T>();
    ForEachPiece(ctx, static_cast<size_t>(rows), [&](size_t row, size_t) {
      NearestRow(t, x, static_cast<int64_t>(row), fill, y + static_cast<int64_t>(row) * width);
    });
    return Status::Ok();
  };
  if (p.taps.coordinates == CoordinateMode::kTfCropAndResize) {
    return DispatchDType(dtype, NumericTypes{},
                         [&]<typename T>() { return run(Narrow<T>(p.extrapolation)); });
  }
  return DispatchByWidth(dtype, [&]<typename T>() { return run(T{}); });
}

Status RunResize(const ResizeParams& p, RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  const TensorView& out = ctx.output(0);
  if (out.elems() == 0) return Status::Ok();
  if (in.elems() == 0) {
    return Error(Code::kInvalidArgument, "nothing of shape {} can be resized to {}", in.shape,
                 out.shape);
  }
  TapTables t;
  t.rank = in.shape.rank();
  const auto values = [&](size_t input) {
    return input == 0 || !ctx.has_input(input) ? nullptr : &ctx.input(input);
  };
  WB_RETURN_IF_ERROR(ResizeAxesOf(p, in.shape, values(p.sizes.scales_input),
                                  values(p.sizes.sizes_input), values(p.sizes.roi_input), &t.axes));
  if (t.rank == 0) {
    return DispatchByWidth(in.dtype, [&]<typename T>() {
      out.as<T>()[0] = in.as<T>()[0];
      return Status::Ok();
    });
  }
  for (size_t i = 0; i < t.rank; ++i) {
    if (t.axes[i].out != out.shape[i]) {
      return Error(Code::kInvalidArgument, "axis {} becomes {}, the plan says {}", i, t.axes[i].out,
                   out.shape);
    }
  }
  FillTables(p, ctx.scratch<Tap>(0), &t);
  const int64_t width = out.shape[t.rank - 1], rows = out.elems() / width;
  if (p.taps.mode == ResizeMode::kNearest) return RunNearest(p, ctx, t, rows, width);
  return DispatchDType(in.dtype, NumericTypes{}, [&]<typename T>() {
    const T* const x = in.as<T>();
    T* const y = out.as<T>();
    ForEachPiece(ctx, static_cast<size_t>(rows), [&](size_t row, size_t) {
      BlendRow(t, x, static_cast<int64_t>(row), p.extrapolation,
               y + static_cast<int64_t>(row) * width);
    });
    return Status::Ok();
  });
}

}  // namespace

constinit const KernelImpl kResize[1] = {
    PlannedImpl<ResizeParams, ParseResizeNode, PlanResize, RunResize>("resize.reference")};
constinit const KernelImpl kUpsample[1] = {
    PlannedImpl<ResizeParams, ParseResizeNode, PlanResize, RunResize>("upsample.reference")};

}  // namespace waybill::kernel::reference
