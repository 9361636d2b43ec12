#include "cpu/kernels/quant/byte_conv_params.h"

#include <array>

namespace waybill::cpu {

using graph::infer::AxisFit;
using graph::infer::WindowAxis;

Result<ByteConvParams> ReadByteConv(const graph::Attributes& attrs) {
  ByteConvParams params;
  WB_ASSIGN_OR_RETURN(params.window, graph::infer::ParseWindow(attrs));
  params.groups = attrs.Int("group", 1);
  params.channels_last = attrs.Int("channels_last") != 0;
  if (params.groups < 1) return Error(Code::kInvalidArgument, "group is {}", params.groups);
  return params;
}

namespace {

constexpr int64_t kLimit = int64_t{1} << 30;

Result<std::vector<WindowAxis>> AxesOf(const ByteConvParams& params, const Shape& w) {
  if (w.rank() != 3 && w.rank() != 4) {
    return Error(Code::kInvalidArgument, "filters {} have not one or two spatial axes", w);
  }
  for (const int64_t dim : w.dims()) {
    if (dim < 1 || dim > kLimit) {
      return Error(Code::kInvalidArgument, "filters {} have an impossible size", w);
    }
  }
  if (w[0] % params.groups != 0) {
    return Error(Code::kInvalidArgument, "{} filters in {} groups", w[0], params.groups);
  }
  return graph::infer::WindowAxes(params.window, w.dims().subspan(2));
}

}  // namespace

Result<ByteConv> FiltersOf(const ByteConvParams& params, const Shape& w) {
  WB_ASSIGN_OR_RETURN(const std::vector<WindowAxis> axes, AxesOf(params, w));
  if (params.groups > kLimit / w[1]) {
    return Error(Code::kInvalidArgument, "filters {} in {} groups are too many", w, params.groups);
  }
  ByteConv conv;
  conv.groups = static_cast<size_t>(params.groups);
  conv.in_channels = static_cast<size_t>(w[1] * params.groups);
  conv.out_channels = static_cast<size_t>(w[0]);
  if (axes.size() == 2) {
    conv.kernel_h = static_cast<size_t>(axes[0].kernel);
    conv.stride_h = static_cast<size_t>(axes[0].stride);
    conv.dilation_h = static_cast<size_t>(axes[0].dilation);
  }
  conv.kernel_w = static_cast<size_t>(axes.back().kernel);
  conv.stride_w = static_cast<size_t>(axes.back().stride);
  conv.dilation_w = static_cast<size_t>(axes.back().dilation);
  return conv;
}

Result<ByteConv> MakeByteConv(const ByteConvParams& params, const Shape& x, const Shape& w) {
  WB_ASSIGN_OR_RETURN(const std::vector<WindowAxis> axes, AxesOf(params, w));
  WB_ASSIGN_OR_RETURN(ByteConv conv, FiltersOf(params, w));
  if (x.rank() != w.rank()) {
    return Error(Code::kInvalidArgument, "input {} and filters {} differ in rank", x, w);
  }
  const int64_t channels = x[params.channels_last ? x.rank() - 1 : 1];
  if (channels != static_cast<int64_t>(conv.in_channels)) {
    return Error(Code::kInvalidArgument, "input {} has {} channels, the filters take {}", x,
                 channels, conv.in_channels);
  }
  conv.batch = static_cast<size_t>(x[0]);
  std::array<AxisFit, 2> fits;
  const size_t first = params.channels_last ? 1 : 2;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t in = x[first + i];
    if (in > kLimit) return Error(Code::kInvalidArgument, "input {} is too large", x);
    WB_ASSIGN_OR_RETURN(fits[2 - axes.size() + i],
                        graph::infer::FitWindow(axes[i], params.window.auto_pad, in));
  }
  if (axes.size() == 2) {
    conv.in_h = static_cast<size_t>(fits[0].in);
    conv.out_h = static_cast<size_t>(fits[0].out);
    conv.pad_top = static_cast<size_t>(fits[0].pad_begin);
  }
  conv.in_w = static_cast<size_t>(fits[1].in);
  conv.out_w = static_cast<size_t>(fits[1].out);
  conv.pad_left = static_cast<size_t>(fits[1].pad_begin);
  return conv;
}

}  // namespace waybill::cpu
