// The internal LRN: f32 with channels last.
#include <algorithm>

#include "base/math/checked.h"
#include "cpu/conv/nhwc/lrn.h"
#include "cpu/kernels/lists.h"
#include "cpu/tile/epilogue.h"
#include "graph/fused/expression.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

using graph::ExprOp;
using graph::ExprOperand;
using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::RunContext;

constexpr double kNsPerElem = 1.2;
constexpr int64_t kMaxSize = 1024;

class NhwcLrnKernel final : public Kernel {
 public:
  static Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
    auto out = std::make_unique<NhwcLrnKernel>();
    const graph::Attributes& attrs = node.attrs();
    out->size_ = static_cast<size_t>(attrs.Int("size"));
    out->alpha_ = attrs.Float("alpha", 1e-4f);
    out->bias_ = attrs.Float("bias", 1.0f);
    const float beta = attrs.Float("beta", 0.75f);
    out->three_quarters_ = beta == 0.75f;
    // y = x / scale^beta, where y holds scale before.
    graph::Expression power;
    power.Append({ExprOp::kPow, {ExprOperand::Input(0), ExprOperand::Number(beta), {}}});
    power.Append({ExprOp::kDiv, {ExprOperand::Input(1), ExprOperand::Temp(0), {}}});
    WB_ASSIGN_OR_RETURN(out->power_, Epilogue::Make(power, BestTarget()));
    return std::unique_ptr<Kernel>(std::move(out));
  }

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape& x = ctx.input_shape(0);
    const auto channels = static_cast<size_t>(x[x.rank() - 1]);
    // The squares of a row are taken before any of it is written.
    if (three_quarters_) ctx.AllowInPlace(0, 0);
    ctx.BookScratch(ScratchFloats(channels) * sizeof(float) * std::max<size_t>(ctx.width(), 1));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const TensorView& x = ctx.input(0);
    if (x.elems() == 0) return Status::Ok();
    const auto channels = static_cast<size_t>(x.shape[x.shape.rank() - 1]);
    const size_t rows = static_cast<size_t>(x.elems()) / channels;
    const size_t threads = ThreadsFor(rows * channels, kNsPerElem, ctx.width());
    ParallelFor(ctx.pool(), threads, threads, [&](size_t begin, size_t end) {
      for (size_t task = begin; task < end; ++task) {
        const size_t first = rows * task / threads, last = rows * (task + 1) / threads;
        LrnScaleArgs args;
        args.x = x.as<const float>() + first * channels;
        args.scale = ctx.output(0).as<float>() + first * channels;
        args.rows = last - first;
        args.channels = channels;
        args.before = (size_ - 1) / 2;
        args.after = size_ - 1 - args.before;
        args.bias = bias_;
        args.factor = alpha_ / static_cast<float>(size_);
        args.squares = ctx.scratch<float>(0) + task * ScratchFloats(channels);
        args.three_quarters = three_quarters_;
        LrnScale(BestTarget())(args);
        if (three_quarters_) continue;
        const EpilogueOperand operand{args.x, channels, 1};
        power_.Run(args.scale, channels, args.rows, channels, {&operand, 1});
      }
    });
    return Status::Ok();
  }

 private:
  size_t ScratchFloats(size_t channels) const { return AlignUp(channels + size_ + 32, 16); }

  size_t size_ = 1;
  float alpha_ = 0, bias_ = 0;
  bool three_quarters_ = false;
  Epilogue power_;
};

Acceptance AcceptsNhwcLrn(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  const int64_t size = node.attrs().Int("size");
  WB_REFUSE_IF(size < 1 || size > kMaxSize, "size is {}", size);
  return Acceptance::Yes();
}

constexpr KernelImpl kNhwcLrn[] = {{"lrn.nhwc", AcceptsNhwcLrn, NhwcLrnKernel::Create}};
constexpr OpKernels kOps[] = {{graph::kInternalDomain, "LRN", 1, 1, kNhwcLrn}};

}  // namespace

std::span<const OpKernels> NhwcLrnKernels() { return kOps; }

}  // namespace waybill::cpu
