#include <algorithm>
#include <array>

#include "graph/infer/rules/nn/window.h"
#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/for_each.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

using graph::infer::AxisFit;

constexpr size_t kMaxSpatial = 8;

struct Col2ImParams {
  graph::infer::WindowAttrs window;
};

Result<Col2ImParams> ParseCol2Im(const graph::NodeRef& node) {
  Col2ImParams p;
  WB_ASSIGN_OR_RETURN(p.window, graph::infer::ParseWindow(node.attrs()));
  return p;
}

struct Geometry {
  std::array<AxisFit, kMaxSpatial> axes;
  size_t spatial = 0;
  int64_t image = 1, columns = 1, taps = 1;
};

Result<Geometry> GeometryOf(const Col2ImParams& p, const Shape& x, const TensorView& image,
                            const TensorView& block) {
  Geometry g;
  g.spatial = static_cast<size_t>(image.elems());
  if (g.spatial == 0 || g.spatial > kMaxSpatial || block.elems() != image.elems()) {
    return Error(Code::kInvalidArgument, "image_shape and block_shape have shapes {} and {}",
                 image.shape, block.shape);
  }
  std::array<graph::infer::WindowAxis, kMaxSpatial> axes;
  WB_RETURN_IF_ERROR(graph::infer::FillWindowAxes(p.window, block.span<const int64_t>(), axes));
  for (size_t i = 0; i < g.spatial; ++i) {
    WB_ASSIGN_OR_RETURN(g.axes[i], graph::infer::FitWindow(axes[i], p.window.auto_pad,
                                                           image.as<const int64_t>()[i]));
    if (__builtin_mul_overflow(g.image, g.axes[i].in, &g.image) ||
        __builtin_mul_overflow(g.columns, g.axes[i].out, &g.columns) ||
        __builtin_mul_overflow(g.taps, g.axes[i].kernel, &g.taps)) {
      return Error(Code::kInvalidArgument, "image_shape {} is too large",
                   image.span<const int64_t>());
    }
  }
  if (x[2] != g.columns || x[1] % g.taps != 0) {
    return Error(Code::kInvalidArgument, "input of shape {} does not hold {} windows of {}", x,
                 g.columns, g.taps);
  }
  return g;
}

// The image element that tap `tap` of window `column` stands for; -1 in the padding.
int64_t Target(const Geometry& g, int64_t tap, int64_t column) {
  int64_t stride = 1, offset = 0;
  for (size_t i = g.spatial; i-- > 0;) {
    const AxisFit& axis = g.axes[i];
    const int64_t pos =
        column % axis.out * axis.stride - axis.pad_begin + tap % axis.kernel * axis.dilation;
    if (pos < 0 || pos >= axis.in) return -1;
    offset += pos * stride;
    stride *= axis.in;
    column /= axis.out;
    tap /= axis.kernel;
  }
  return offset;
}

template <typename T>
T Sum(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return a + b;
  } else {
    return static_cast<T>(static_cast<float>(a) + static_cast<float>(b));
  }
}

Status RunCol2Im(const Col2ImParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &y = ctx.output(0);
  WB_ASSIGN_OR_RETURN(const Geometry g, GeometryOf(p, x.shape, ctx.input(1), ctx.input(2)));
  if (y.elems() == 0) return Status::Ok();
  return DispatchDType(x.dtype, NumericTypes::With<bool>{}, [&]<typename T>() {
    const int64_t channels = x.shape[0] * (x.shape[1] / g.taps);
    ForEachPiece(ctx, static_cast<size_t>(channels), [&](size_t piece, size_t) {
      const T* const in = x.as<T>() + static_cast<int64_t>(piece) * g.taps * g.columns;
      T* const out = y.as<T>() + static_cast<int64_t>(piece) * g.image;
      std::fill(out, out + g.image, T{});
      for (int64_t tap = 0; tap < g.taps; ++tap) {
        for (int64_t column = 0; column < g.columns; ++column) {
          const int64_t at = Target(g, tap, column);
          if (at >= 0) out[at] = Sum(out[at], in[tap * g.columns + column]);
        }
      }
    });
    return Status::Ok();
  });
}

}  // namespace

constinit const KernelImpl kCol2Im[1] = {
    FunctionImpl<Col2ImParams, ParseCol2Im, RunCol2Im>("col2im.reference")};

}  // namespace waybill::kernel::reference
