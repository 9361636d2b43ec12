#include "graph/infer/rules/nn/rules.h"
#include "graph/infer/rules/nn/window.h"

namespace waybill::graph::infer {

namespace {

// Rank, channels and group that Conv and its sisters demand of X and W. `w_in` is W's axis that
// multiplies with group to X's channels (Conv) or equals them (ConvTranspose, without group).
Status CheckShapes(const SymShape& x, const SymShape& w, int64_t group, bool transposed) {
  if (group < 1) return Error(Code::kInvalidArgument, "group is {}", group);
  if (x.has_rank() && x.rank() < 3) {
    return Error(Code::kInvalidArgument, "input of shape {} has no spatial axis", x);
  }
  if (!x.has_rank() || !w.has_rank()) return Status::Ok();
  const auto mismatch = [&] {
    return Error(Code::kInvalidArgument,
                 "input of shape {} and weights of shape {} do not fit with group {}", x, w, group);
  };
  if (x.rank() != w.rank()) return mismatch();
  const Dim &channels = x[1], &inner = w[transposed ? 0 : 1];
  if (channels.known() && channels.value() % group != 0) return mismatch();
  if (channels.known() && inner.known()) {
    const int64_t per_filter = transposed ? channels.value() : channels.value() / group;
    if (per_filter != inner.value()) return mismatch();
  }
  if (!transposed && w[0].known() && w[0].value() % group != 0) return mismatch();
  return Status::Ok();
}

// Kernel sizes: those of W where known, else of the attribute; empty when some are unknown.
std::vector<int64_t> KernelSizes(const SymShape& w, const WindowAttrs& attrs, size_t spatial) {
  std::vector<int64_t> kernel;
  for (size_t i = 0; i < spatial; ++i) {
    if (w.has_rank() && w[2 + i].known()) {
      kernel.push_back(w[2 + i].value());
    } else if (attrs.kernel.size() == spatial) {
      kernel.push_back(attrs.kernel[i]);
    } else {
      return {};
    }
  }
  return kernel;
}

struct Extra {  // ConvTranspose only
  std::vector<int64_t> output_shape, output_padding;
};

Result<Extra> ParseExtra(const Attributes& attrs, size_t spatial) {
  Extra extra{attrs.Ints("output_shape"), attrs.Ints("output_padding")};
  if (extra.output_shape.size() > spatial) {  // some writers give N and C too
    extra.output_shape.erase(extra.output_shape.begin(),
                             extra.output_shape.end() - static_cast<ptrdiff_t>(spatial));
  }
  if ((!extra.output_shape.empty() && extra.output_shape.size() != spatial) ||
      (!extra.output_padding.empty() && extra.output_padding.size() != spatial)) {
    return Error(Code::kInvalidArgument,
                 "output_shape {} and output_padding {} do not fit {} spatial axes",
                 extra.output_shape, extra.output_padding, spatial);
  }
  for (const int64_t size : extra.output_shape) {
    if (size < 0) return Error(Code::kInvalidArgument, "output_shape is {}", extra.output_shape);
  }
  return extra;
}

Status InferWindowed(InferContext& ctx, bool transposed) {
  const SymShape &x = ctx.input_shape(0), &w = ctx.input_shape(1);
  const int64_t group = ctx.attrs().Int("group", 1);
  WB_RETURN_IF_ERROR(CheckShapes(x, w, group, transposed));
  if (!x.has_rank()) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const WindowAttrs attrs, ParseWindow(ctx.attrs()));
  const size_t spatial = x.rank() - 2;
  std::vector<Dim> dims(x.rank());
  dims[0] = x[0];
  if (w.has_rank() && !transposed) dims[1] = w[0];
  if (w.has_rank() && transposed && w[1].known()) {
    int64_t channels = 0;
    if (__builtin_mul_overflow(w[1].value(), group, &channels)) {
      return Error(Code::kInvalidArgument, "group {} is too large", group);
    }
    dims[1] = channels;
  }
  const std::vector<int64_t> kernel = KernelSizes(w, attrs, spatial);
  if (kernel.size() == spatial) {
    WB_ASSIGN_OR_RETURN(const auto axes, WindowAxes(attrs, kernel));
    WB_ASSIGN_OR_RETURN(const Extra extra,
                        transposed ? ParseExtra(ctx.attrs(), spatial) : Result<Extra>(Extra{}));
    for (size_t i = 0; i < spatial; ++i) {
      if (!extra.output_shape.empty()) dims[2 + i] = extra.output_shape[i];
      if (!x[2 + i].known()) {
        if (!transposed && KeepsLength(axes[i], attrs.auto_pad)) dims[2 + i] = x[2 + i];
        continue;
      }
      const int64_t in = x[2 + i].value();
      Result<AxisFit> fit =
          transposed ? FitTransposed(axes[i], attrs.auto_pad,
                                     extra.output_padding.empty() ? 0 : extra.output_padding[i],
                                     extra.output_shape.empty() ? -1 : extra.output_shape[i], in)
                     : FitWindow(axes[i], attrs.auto_pad, in);
      if (!fit.ok()) return std::move(fit).status().With("spatial axis {}", i);
      dims[2 + i] = fit->out;
    }
  }
  ctx.SetShape(0, SymShape(std::move(dims)));
  return Status::Ok();
}

}  // namespace

Status InferConv(InferContext& ctx) { return InferWindowed(ctx, false); }

Status InferConvTranspose(InferContext& ctx) { return InferWindowed(ctx, true); }

Status InferCol2Im(InferContext& ctx) {
  const SymShape& x = ctx.input_shape(0);
  if (x.has_rank() && x.rank() != 3) {
    return Error(Code::kInvalidArgument, "input of shape {} is not [N, C * block, L]", x);
  }
  const auto image = ctx.IntValues(1), block = ctx.IntValues(2);
  const SymShape& image_shape = ctx.input_shape(1);
  size_t spatial = 0;
  if (image) {
    spatial = image->size();
  } else if (image_shape.has_rank() && image_shape.rank() == 1 && image_shape[0].known()) {
    spatial = static_cast<size_t>(image_shape[0].value());
  } else {
    return Status::Ok();
  }
  std::vector<Dim> dims(2 + spatial);
  if (x.has_rank()) dims[0] = x[0];
  if (block && x.has_rank() && x[1].known()) {
    int64_t taps = 1;
    for (const int64_t size : *block) {
      if (size < 1 || __builtin_mul_overflow(taps, size, &taps)) {
        return Error(Code::kInvalidArgument, "block_shape is {}", *block);
      }
    }
    if (x[1].value() % taps != 0) {
      return Error(Code::kInvalidArgument, "axis 1 of shape {} is no multiple of block {}", x,
                   *block);
    }
    dims[1] = x[1].value() / taps;
  }
  for (size_t i = 0; image && i < spatial; ++i) {
    if ((*image)[i] < 0) return Error(Code::kInvalidArgument, "image_shape is {}", *image);
    dims[2 + i] = (*image)[i];
  }
  ctx.SetShape(0, SymShape(std::move(dims)));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
