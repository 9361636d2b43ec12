#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <random>

#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/planned_kernel.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct DropoutParams {
  int since_version;
  std::optional<int64_t> seed;
  // Without a seed each run draws anew: a counter from a random start.
  std::shared_ptr<std::atomic<uint32_t>> next;
};

// Versions before 7 train unless is_test is set. ONNX Runtime has no kernel for them; here they are
// computed where they mean inference.
Acceptance AcceptDropout(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.since_version() < 7 && node.attrs().Int("is_test") == 0,
               "is_test is 0, which means training");
  return Acceptance::Yes();
}

Result<DropoutParams> ParseDropout(const graph::NodeRef& node) {
  DropoutParams p;
  p.since_version = node.since_version();
  if (const int64_t* seed = node.attrs().Get<int64_t>("seed")) {
    p.seed = *seed;
  } else if (p.since_version >= 12) {
    p.next = std::make_shared<std::atomic<uint32_t>>(std::random_device{}());
  }
  return p;
}

Status PlanDropout(const DropoutParams&, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  if (ctx.node().num_outputs() == 1 && !ctx.has_input(2)) {
    ctx.MakeView(0, 0);  // no training, no mask: the data itself
  } else if (ctx.node().has_output(0)) {
    ctx.AllowInPlace(0, 0);
  }
  return Status::Ok();
}

using DropTypes = FloatTypes::With<F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ>;

// A uniform number of [0, 1) with 53 random bits.
double Uniform(std::mt19937& bits) {
  const uint32_t high = static_cast<uint32_t>(bits()) >> 5;
  const uint32_t low = static_cast<uint32_t>(bits()) >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

Status Drop(const DropoutParams& p, RunContext& ctx, double ratio) {
  const uint32_t seed =
      p.seed ? static_cast<uint32_t>(static_cast<uint64_t>(*p.seed)) : p.next->fetch_add(1);
  std::mt19937 bits(seed);
  const int64_t count = ctx.input(0).elems();
  const double scale = ratio >= 1 ? 0.0 : 1.0 / (1.0 - ratio);
  bool* const mask = ctx.wants_output(1) ? ctx.output(1).as<bool>() : nullptr;
  return DispatchDType(ctx.input(0).dtype, DropTypes{}, [&]<typename T>() {
    const T* const x = ctx.input(0).as<T>();
    T* const y = ctx.wants_output(0) ? ctx.output(0).as<T>() : nullptr;
    for (int64_t i = 0; i < count; ++i) {
      const bool keep = Uniform(bits) >= ratio;
      if (y != nullptr) y[i] = static_cast<T>(keep ? static_cast<double>(x[i]) * scale : 0.0);
      if (mask != nullptr) mask[i] = keep;
    }
    return Status::Ok();
  });
}

// The one element of a ratio tensor.
Result<double> Ratio(const TensorView& t) {
  if (t.elems() != 1) return Error(Code::kInvalidArgument, "ratio has shape {}", t.shape);
  double ratio = 0;
  WB_RETURN_IF_ERROR(DispatchDType(t.dtype, DropTypes{}, [&]<typename T>() {
    ratio = static_cast<double>(t.as<T>()[0]);
    return Status::Ok();
  }));
  if (!(ratio >= 0 && ratio <= 1)) {
    return Error(Code::kInvalidArgument, "ratio {} is not in [0, 1]", ratio);
  }
  return ratio;
}

Status RunDropout(const DropoutParams& p, RunContext& ctx) {
  bool training = false;
  if (ctx.has_input(2)) {
    const TensorView& mode = ctx.input(2);
    if (mode.dtype != DType::kBool || mode.elems() != 1) {
      return Error(Code::kInvalidArgument, "training_mode is {}", mode.Describe());
    }
    training = mode.as<bool>()[0];
  }
  double ratio = 0.5;
  if (p.since_version >= 12 && ctx.has_input(1)) {
    WB_ASSIGN_OR_RETURN(ratio, Ratio(ctx.input(1)));
  }
  if (training && ratio > 0) return Drop(p, ctx, ratio);
  const TensorView& x = ctx.input(0);
  if (ctx.wants_output(0) && ctx.output(0).data != x.data && x.elems() != 0) {
    std::memcpy(ctx.output(0).data, x.data, x.bytes());
  }
  if (!ctx.wants_output(1)) return Status::Ok();
  const TensorView& mask = ctx.output(1);
  if (mask.dtype == DType::kBool) {
    std::fill_n(mask.as<bool>(), mask.elems(), true);
    return Status::Ok();
  }
  return DispatchDType(mask.dtype, FloatTypes{}, [&]<typename T>() {
    std::fill_n(mask.as<T>(), mask.elems(), static_cast<T>(1.0f));
    return Status::Ok();
  });
}

}  // namespace

constinit const KernelImpl kDropout[1] = {
    PlannedImpl<DropoutParams, ParseDropout, PlanDropout, RunDropout>("dropout.reference",
                                                                      AcceptDropout)};

}  // namespace waybill::kernel::reference
