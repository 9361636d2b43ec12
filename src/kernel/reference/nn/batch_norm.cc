#include <cmath>

#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct BatchNormParams {
  double epsilon, momentum;
  bool spatial, training;
};

Result<BatchNormParams> ParseBatchNorm(const graph::NodeRef& node) {
  const graph::Attributes& attrs = node.attrs();
  return BatchNormParams{static_cast<double>(attrs.Float("epsilon", 1e-5f)),
                         static_cast<double>(attrs.Float("momentum", 0.9f)),
                         attrs.Int("spatial", 1) != 0, attrs.Int("training_mode") != 0};
}

// Versions before 7 train unless is_test is set. ONNX Runtime has no kernel for them; here they are
// computed where they mean inference.
Acceptance AcceptBatchNorm(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.since_version() < 7 && node.attrs().Int("is_test") == 0,
               "is_test is 0, which means training");
  if (node.since_version() < 14) {
    for (size_t i = 1; i < node.num_outputs(); ++i) {
      WB_REFUSE_IF(node.has_output(i), "training outputs before opset 14");
    }
  }
  return Acceptance::Yes();
}

// Mean and population variance of one channel over the whole batch.
template <typename T>
void ChannelStatistics(const T* x, int64_t batch, int64_t channels, int64_t channel, int64_t size,
                       double* mean, double* variance) {
  const auto count = static_cast<double>(batch * size);
  double sum = 0, squares = 0;
  for (int64_t n = 0; n < batch; ++n) {
    const T* const row = x + (n * channels + channel) * size;
    for (int64_t i = 0; i < size; ++i) sum += static_cast<double>(row[i]);
  }
  *mean = sum / count;
  for (int64_t n = 0; n < batch; ++n) {
    const T* const row = x + (n * channels + channel) * size;
    for (int64_t i = 0; i < size; ++i) {
      const double d = static_cast<double>(row[i]) - *mean;
      squares += d * d;
    }
  }
  *variance = squares / count;
}

Status RunBatchNorm(const BatchNormParams& p, RunContext& ctx) {
  const Shape& shape = ctx.input(0).shape;
  const int64_t batch = shape[0];
  // Without `spatial`, each element of a sample is a channel of its own.
  const int64_t inner = shape.rank() <= 2 ? 1 : shape.ElemsBetween(2, shape.rank());
  const int64_t first = shape.rank() == 1 ? 1 : shape[1];
  const int64_t channels = p.spatial ? first : first * inner;
  const int64_t size = p.spatial ? inner : 1;
  const TensorView &scale = ctx.input(1), &bias = ctx.input(2), &mean_in = ctx.input(3),
                   &var_in = ctx.input(4);
  return DispatchDType(ctx.input(0).dtype, FloatTypes{}, [&]<typename T>() {
    const T* const x = ctx.input(0).as<T>();
    T* const y = ctx.wants_output(0) ? ctx.output(0).as<T>() : nullptr;
    ForEachPiece(ctx, static_cast<size_t>(channels), [&](size_t piece, size_t) {
      const auto c = static_cast<int64_t>(piece);
      double mean = ReadFloat(mean_in, c), variance = ReadFloat(var_in, c);
      if (p.training) {
        const double old_mean = mean, old_variance = variance;
        ChannelStatistics(x, batch, channels, c, size, &mean, &variance);
        if (ctx.wants_output(1)) {
          WriteFloat(ctx.output(1), c, old_mean * p.momentum + mean * (1 - p.momentum));
        }
        if (ctx.wants_output(2)) {
          WriteFloat(ctx.output(2), c, old_variance * p.momentum + variance * (1 - p.momentum));
        }
      } else {
        if (ctx.wants_output(1)) WriteFloat(ctx.output(1), c, mean);
        if (ctx.wants_output(2)) WriteFloat(ctx.output(2), c, variance);
      }
      if (y == nullptr) return;
      const double factor = ReadFloat(scale, c) / std::sqrt(variance + p.epsilon);
      const double shift = ReadFloat(bias, c);
      for (int64_t n = 0; n < batch; ++n) {
        const int64_t begin = (n * channels + c) * size;
        for (int64_t i = begin; i < begin + size; ++i) {
          y[i] = static_cast<T>((static_cast<double>(x[i]) - mean) * factor + shift);
        }
      }
    });
    return Status::Ok();
  });
}

}  // namespace

constinit const KernelImpl kBatchNormalization[1] = {
    FunctionImpl<BatchNormParams, ParseBatchNorm, RunBatchNorm>("batch_normalization.reference",
                                                                AcceptBatchNorm)};

}  // namespace waybill::kernel::reference
