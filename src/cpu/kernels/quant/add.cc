// The internal QLinearAdd, of equal shapes.
#include <algorithm>

#include "cpu/kernels/quant/constants.h"
#include "cpu/kernels/quant/lists.h"
#include "cpu/quant/bytes.h"
#include "kernel/api/function_kernel.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::RunContext;

constexpr double kNsPerElem = 0.3;
constexpr size_t kAZero = 2, kB = 3, kBZero = 5, kYZero = 7;

Result<ByteSum> ParseAdd(const graph::NodeRef& node) {
  const double y_scale = ConstantAt<float>(*node.constant(6), 0);
  ByteSum how;
  how.a_zero = IntegerAt(*node.constant(kAZero), 0);
  how.b_zero = IntegerAt(*node.constant(kBZero), 0);
  how.y_zero = IntegerAt(*node.constant(kYZero), 0);
  how.a_factor = static_cast<float>(ConstantAt<float>(*node.constant(1), 0) / y_scale);
  how.b_factor = static_cast<float>(ConstantAt<float>(*node.constant(4), 0) / y_scale);
  return how;
}

Status PlanAdd(PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  if (ctx.input_shape(0) != ctx.input_shape(kB)) {
    return Error(Code::kInvalidArgument, "operands have shapes {} and {}", ctx.input_shape(0),
                 ctx.input_shape(kB));
  }
  ctx.AllowInPlace(0, 0);
  ctx.AllowInPlace(0, kB);
  return Status::Ok();
}

template <typename T>
void Add(const ByteSum& how, RunContext& ctx) {
  const T* a = ctx.input(0).as<const T>();
  const T* b = ctx.input(kB).as<const T>();
  T* y = ctx.output(0).as<T>();
  const auto count = static_cast<size_t>(ctx.output(0).elems());
  const size_t threads = ThreadsFor(count, kNsPerElem, ctx.width());
  const auto fn = ByteFnsOf<T>(BestTarget()).add;
  ParallelFor(ctx.pool(), count, threads, [&](size_t begin, size_t end) {
    fn(a + begin, b + begin, end - begin, how, y + begin);
  });
}

Status RunAdd(const ByteSum& how, RunContext& ctx) {
  if (ctx.output(0).dtype == DType::kI8) {
    Add<int8_t>(how, ctx);
  } else {
    Add<uint8_t>(how, ctx);
  }
  return Status::Ok();
}

// Shapes that are certain to be equal in every run.
bool SameShapes(const graph::NodeRef& node) {
  const SymShape &a = node.input_type(0).shape, &b = node.input_type(kB).shape;
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return false;
  for (size_t i = 0; i < a.rank(); ++i) {
    if (!a[i].SameAs(b[i])) return false;
  }
  return true;
}

Acceptance AcceptsAdd(const graph::NodeRef& node) {
  const DType dtype = node.input_dtype(0);
  WB_REFUSE_IF(!IsByte(dtype), "{} is no 8-bit integer", DTypeName(dtype));
  WB_REFUSE_IF(node.input_dtype(kB) != dtype || node.input_dtype(kYZero) != dtype,
               "the operands differ in type");
  WB_REFUSE_IF(!SameShapes(node), "the operands' shapes are not known to be equal");
  for (const size_t scale : {1, 4, 6}) {
    if (Acceptance a = AcceptsSpread(node, scale, DType::kF32, 1, "a scale"); !a.ok()) return a;
  }
  for (const size_t zero : {kAZero, kBZero, kYZero}) {
    if (Acceptance a = AcceptsSpread(node, zero, dtype, 1, "a zero point"); !a.ok()) return a;
  }
  return Acceptance::Yes();
}

constexpr KernelImpl kAdd[] = {
    kernel::FunctionImpl<ByteSum, ParseAdd, RunAdd, PlanAdd>("qlinear_add.simd", AcceptsAdd)};
constexpr OpKernels kOps[] = {{graph::kInternalDomain, "QLinearAdd", 1, 1, kAdd}};

}  // namespace

std::span<const OpKernels> QLinearAddKernels() { return kOps; }

}  // namespace waybill::cpu
