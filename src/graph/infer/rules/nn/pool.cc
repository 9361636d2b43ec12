#include "graph/infer/rules/nn/rules.h"
#include "graph/infer/rules/nn/window.h"

namespace waybill::graph::infer {

namespace {

// `name` has this many axes, if its rank is known.
Status CheckRank(const SymShape& shape, size_t rank, const char* name) {
  if (!shape.has_rank() || shape.rank() == rank) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} has shape {}, expected rank {}", name, shape, rank);
}

Status CheckSpatial(const SymShape& x) {
  if (!x.has_rank() || x.rank() >= 3) return Status::Ok();
  return Error(Code::kInvalidArgument, "input of shape {} has no spatial axis", x);
}

}  // namespace

Status InferPool(InferContext& ctx) {
  const SymShape& x = ctx.input_shape(0);
  WB_RETURN_IF_ERROR(CheckSpatial(x));
  if (!x.has_rank()) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const WindowAttrs attrs, ParseWindow(ctx.attrs()));
  const size_t spatial = x.rank() - 2;
  if (attrs.kernel.size() != spatial) {
    return Error(Code::kInvalidArgument, "kernel_shape {} does not fit input of shape {}",
                 attrs.kernel, x);
  }
  WB_ASSIGN_OR_RETURN(const auto axes, WindowAxes(attrs, attrs.kernel));
  std::vector<Dim> dims(x.rank());
  dims[0] = x[0];
  dims[1] = x[1];
  for (size_t i = 0; i < spatial; ++i) {
    if (!x[2 + i].known()) {
      if (KeepsLength(axes[i], attrs.auto_pad)) dims[2 + i] = x[2 + i];
      continue;
    }
    WB_ASSIGN_OR_RETURN(const AxisFit fit,
                        FitPool(axes[i], attrs.auto_pad, attrs.ceil_mode, x[2 + i].value()),
                        "spatial axis {}", i);
    dims[2 + i] = fit.out;
  }
  const SymShape out(std::move(dims));
  ctx.SetShape(0, out);
  if (ctx.num_outputs() > 1) ctx.SetTensor(1, DType::kI64, out);
  return Status::Ok();
}

Status InferGlobalPool(InferContext& ctx) {
  const SymShape& x = ctx.input_shape(0);
  if (!x.has_rank()) return Status::Ok();
  if (x.rank() < 2) {
    return Error(Code::kInvalidArgument, "input of shape {} has no channels", x);
  }
  std::vector<Dim> dims(x.rank(), Dim(1));
  dims[0] = x[0];
  dims[1] = x[1];
  ctx.SetShape(0, SymShape(std::move(dims)));
  return Status::Ok();
}

Status InferMaxUnpool(InferContext& ctx) {
  const SymShape& x = ctx.input_shape(0);
  WB_RETURN_IF_ERROR(CheckSpatial(x));
  if (!x.has_rank()) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const WindowAttrs attrs, ParseWindow(ctx.attrs()));
  const size_t spatial = x.rank() - 2;
  if (attrs.kernel.size() != spatial) {
    return Error(Code::kInvalidArgument, "kernel_shape {} does not fit input of shape {}",
                 attrs.kernel, x);
  }
  WB_ASSIGN_OR_RETURN(const auto axes, WindowAxes(attrs, attrs.kernel));
  std::vector<Dim> dims(x.rank());
  if (ctx.has_input(2)) {
    const auto sizes = ctx.IntValues(2);
    if (sizes) {
      if (sizes->size() != x.rank()) {
        return Error(Code::kInvalidArgument, "output_shape {} does not fit input of shape {}",
                     *sizes, x);
      }
      for (size_t i = 0; i < dims.size(); ++i) {
        if ((*sizes)[i] < 0) return Error(Code::kInvalidArgument, "output_shape is {}", *sizes);
        dims[i] = (*sizes)[i];
      }
    }
  } else {
    dims[0] = x[0];
    dims[1] = x[1];
    for (size_t i = 0; i < spatial; ++i) {
      if (!x[2 + i].known()) continue;
      WB_ASSIGN_OR_RETURN(const AxisFit fit,
                          FitTransposed(axes[i], AutoPad::kNotSet, 0, -1, x[2 + i].value()));
      dims[2 + i] = fit.out;
    }
  }
  ctx.SetShape(0, SymShape(std::move(dims)));
  return Status::Ok();
}

Status InferMaxRoiPool(InferContext& ctx) {
  const SymShape &x = ctx.input_shape(0), &rois = ctx.input_shape(1);
  WB_RETURN_IF_ERROR(CheckRank(x, 4, "input"));
  WB_RETURN_IF_ERROR(CheckRank(rois, 2, "rois"));
  const std::vector<int64_t> pooled = ctx.attrs().Ints("pooled_shape");
  if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1) {
    return Error(Code::kInvalidArgument, "pooled_shape is {}", pooled);
  }
  Dim count, channels;
  if (rois.has_rank()) count = rois[0];
  if (x.has_rank()) channels = x[1];
  ctx.SetShape(0, SymShape(std::vector<Dim>{count, channels, pooled[0], pooled[1]}));
  return Status::Ok();
}

Status InferRoiAlign(InferContext& ctx) {
  const SymShape &x = ctx.input_shape(0), &rois = ctx.input_shape(1);
  WB_RETURN_IF_ERROR(CheckRank(x, 4, "input"));
  WB_RETURN_IF_ERROR(CheckRank(rois, 2, "rois"));
  WB_RETURN_IF_ERROR(CheckRank(ctx.input_shape(2), 1, "batch_indices"));
  const int64_t height = ctx.attrs().Int("output_height", 1);
  const int64_t width = ctx.attrs().Int("output_width", 1);
  if (height < 1 || width < 1) {
    return Error(Code::kInvalidArgument, "output size is {} x {}", height, width);
  }
  Dim count, channels;
  if (rois.has_rank()) count = rois[0];
  if (x.has_rank()) channels = x[1];
  ctx.SetShape(0, SymShape(std::vector<Dim>{count, channels, height, width}));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
