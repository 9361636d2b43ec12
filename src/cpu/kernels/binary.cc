// Add, Sub, Mul and Div of f32 with broadcasting.
#include <algorithm>

#include "base/math/checked.h"
#include "cpu/kernels/broadcast.h"
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
using kernel::PlanState;
using kernel::RunContext;

// Elements below which a second thread costs more than it brings, and the piece a thread takes.
constexpr size_t kMinElemsPerThread = 32768;
constexpr size_t kPieceElems = 8192;

struct BinaryPlan final : PlanState {
  BroadcastLoops loops;
};

class BinaryKernel final : public Kernel {
 public:
  explicit BinaryKernel(const BinaryF32& functions) : functions_(functions) {}

  Status Plan(PlanContext& ctx) const override {
    const Shape& a = ctx.input_shape(0);
    const Shape& b = ctx.input_shape(1);
    const auto out = BroadcastShapes(a, b);
    if (!out) return Error(Code::kInvalidArgument, "shapes {} and {} do not broadcast", a, b);
    ctx.SetOutput(0, DType::kF32, *out);
    if (*out == a) {
      ctx.AllowInPlace(0, 0);
    } else if (*out == b) {
      ctx.AllowInPlace(0, 1);
    }
    auto plan = std::make_shared<BinaryPlan>();
    plan->loops = MakeBroadcastLoops(a, b, *out);
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const BroadcastLoops& loops = ctx.state<BinaryPlan>()->loops;
    const auto* a = ctx.input(0).as<const float>();
    const auto* b = ctx.input(1).as<const float>();
    auto* out = ctx.output(0).as<float>();
    const size_t inner = loops.inner.dim;
    const size_t elems = static_cast<size_t>(ctx.output(0).elems());
    if (elems == 0) return Status::Ok();
    const BinaryF32Fn fn = FunctionFor(loops.inner);
    const size_t threads =
        std::clamp<size_t>(elems / kMinElemsPerThread, 1, std::max<size_t>(ctx.width(), 1));
    // A task is a piece of one inner run.
    const size_t pieces = threads == 1 ? 1 : CeilDiv(inner, kPieceElems);
    ParallelFor(ctx.pool(), loops.outer_count * pieces, threads, [&](size_t begin, size_t end) {
      for (size_t task = begin; task < end; ++task) {
        const size_t run = task / pieces;
        const size_t first = inner * (task % pieces) / pieces;
        const size_t last = inner * (task % pieces + 1) / pieces;
        const BroadcastOffsets at = OffsetsAt(loops, run);
        fn(a + at.a + first * loops.inner.a_stride, b + at.b + first * loops.inner.b_stride,
           out + run * inner + first, last - first);
      }
    });
    return Status::Ok();
  }

 private:
  BinaryF32Fn FunctionFor(const BroadcastAxis& inner) const {
    if (inner.a_stride == 0) return functions_.a_scalar;
    return inner.b_stride == 0 ? functions_.b_scalar : functions_.both;
  }

  BinaryF32 functions_;
};

Acceptance AcceptsBinary(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}

template <BinaryF32 ElementwiseF32Table::*kMember>
constexpr KernelImpl Impl(std::string_view name) {
  return {name, AcceptsBinary, [](const graph::NodeRef&) -> Result<std::unique_ptr<Kernel>> {
            return std::unique_ptr<Kernel>(
                std::make_unique<BinaryKernel>(ElementwiseF32(BestTarget()).*kMember));
          }};
}

constexpr KernelImpl kAdd[] = {Impl<&ElementwiseF32Table::add>("add.simd")};
constexpr KernelImpl kSub[] = {Impl<&ElementwiseF32Table::sub>("sub.simd")};
constexpr KernelImpl kMul[] = {Impl<&ElementwiseF32Table::mul>("mul.simd")};
constexpr KernelImpl kDiv[] = {Impl<&ElementwiseF32Table::div>("div.simd")};

constexpr int kLatest = 1 << 30;
// Before version 7 broadcasting was an attribute.
constexpr OpKernels kBinary[] = {{"", "Add", 7, kLatest, kAdd},
                                 {"", "Sub", 7, kLatest, kSub},
                                 {"", "Mul", 7, kLatest, kMul},
                                 {"", "Div", 7, kLatest, kDiv}};

}  // namespace

std::span<const OpKernels> BinaryKernels() { return kBinary; }

}  // namespace waybill::cpu
