// Relu of f32.
#include <algorithm>

#include "base/math/checked.h"
#include "cpu/kernels/lists.h"
#include "cpu/simd/elementwise.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::RunContext;

constexpr size_t kMinElemsPerThread = 32768;
constexpr size_t kPieceElems = 8192;

class UnaryKernel final : public Kernel {
 public:
  explicit UnaryKernel(UnaryF32Fn function) : function_(function) {}

  Status Plan(PlanContext& ctx) const override {
    ctx.SetOutput(0, DType::kF32, ctx.input_shape(0));
    ctx.AllowInPlace(0, 0);
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const auto* x = ctx.input(0).as<const float>();
    auto* out = ctx.output(0).as<float>();
    const size_t elems = static_cast<size_t>(ctx.output(0).elems());
    const size_t threads =
        std::clamp<size_t>(elems / kMinElemsPerThread, 1, std::max<size_t>(ctx.width(), 1));
    ParallelFor(ctx.pool(), CeilDiv(elems, kPieceElems), threads, [&](size_t begin, size_t end) {
      const size_t first = begin * kPieceElems;
      const size_t last = std::min(end * kPieceElems, elems);
      function_(x + first, out + first, last - first);
    });
    return Status::Ok();
  }

 private:
  UnaryF32Fn function_;
};

Acceptance AcceptsUnary(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}

constexpr KernelImpl kRelu[] = {
    {"relu.simd", AcceptsUnary, [](const graph::NodeRef&) -> Result<std::unique_ptr<Kernel>> {
       return std::unique_ptr<Kernel>(
           std::make_unique<UnaryKernel>(ElementwiseF32(BestTarget()).relu));
     }}};

constexpr OpKernels kUnary[] = {{"", "Relu", 1, 1 << 30, kRelu}};

}  // namespace

std::span<const OpKernels> UnaryKernels() { return kUnary; }

}  // namespace waybill::cpu
