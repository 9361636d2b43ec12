#include "cpu/general/binary_kernel.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

constexpr double kNsPerElem = 0.3;

struct BinaryPlan final : kernel::PlanState {
  NaryLoops<2> loops;
};

}  // namespace

Status GeneralBinaryKernel::Plan(kernel::PlanContext& ctx) const {
  const Shape& a = ctx.input_shape(0);
  const Shape& b = ctx.input_shape(1);
  const auto out = BroadcastShapes(a, b);
  if (!out) return Error(Code::kInvalidArgument, "shapes {} and {} do not broadcast", a, b);
  ctx.SetOutput(0, ctx.record().outputs[0].dtype, *out);
  if (in_bytes_ == out_bytes_) {
    if (*out == a) ctx.AllowInPlace(0, 0);
    if (*out == b) ctx.AllowInPlace(0, 1);
  }
  auto plan = std::make_shared<BinaryPlan>();
  plan->loops = MakeNaryLoops<2>({&a, &b}, *out);
  ctx.SetState(std::move(plan));
  return Status::Ok();
}

Status GeneralBinaryKernel::Run(kernel::RunContext& ctx) const {
  const NaryLoops<2>& loops = ctx.state<BinaryPlan>()->loops;
  const size_t elems = loops.elems(), inner = loops.inner.dim;
  if (elems == 0) return Status::Ok();
  if (check_ != nullptr) WB_RETURN_IF_ERROR(check_(ctx.input(1)));
  const std::byte* a = ctx.input(0).data;
  const std::byte* b = ctx.input(1).data;
  std::byte* out = ctx.output(0).data;
  const GeneralLine line = loops.inner.strides[0] == 0   ? lines_.a_scalar
                           : loops.inner.strides[1] == 0 ? lines_.b_scalar
                                                         : lines_.both;
  const size_t threads = ThreadsFor(elems, kNsPerElem, ctx.width());
  if (loops.outer_count == 1) {
    ParallelFor(ctx.pool(), threads, threads, [&](size_t begin, size_t end) {
      const size_t first = inner * begin / threads, last = inner * end / threads;
      line(a + first * loops.inner.strides[0] * in_bytes_,
           b + first * loops.inner.strides[1] * in_bytes_, out + first * out_bytes_, last - first);
    });
    return Status::Ok();
  }
  ParallelFor(ctx.pool(), loops.outer_count, threads, [&](size_t begin, size_t end) {
    loops.ForEach(begin, end, [&](size_t run, const std::array<size_t, 2>& at) {
      line(a + at[0] * in_bytes_, b + at[1] * in_bytes_, out + run * inner * out_bytes_, inner);
    });
  });
  return Status::Ok();
}

}  // namespace waybill::cpu
