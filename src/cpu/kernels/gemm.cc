// Gemm of f32 with a constant B: a fully connected layer.
#include "cpu/kernels/lists.h"
#include "cpu/kernels/packed_matrix.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::PrepareContext;
using kernel::RunContext;

class PackedGemm final : public Kernel {
 public:
  explicit PackedGemm(bool transposed_b) : transposed_b_(transposed_b) {}

  Status Prepare(PrepareContext& ctx) override { return b_.Pack(ctx, transposed_b_); }

  Status Plan(PlanContext& ctx) const override {
    const Shape& a = ctx.input_shape(0);
    const PackedLayout& layout = b_.layout();
    if (a.rank() != 2 || static_cast<size_t>(a[1]) != layout.k()) {
      return Error(Code::kInvalidArgument, "A of shape {} does not fit B of {} rows", a,
                   layout.k());
    }
    ctx.SetOutput(0, DType::kF32, Shape({a[0], static_cast<int64_t>(layout.n())}));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const PackedLayout& layout = b_.layout();
    GemmArgs args;
    args.a = ctx.input(0).as<const float>();
    args.lda = layout.k();
    args.m = static_cast<size_t>(ctx.input(0).shape[0]);
    args.packed_b = b_.data();
    args.c = ctx.output(0).as<float>();
    args.ldc = layout.n();
    args.column_bias = ctx.has_input(2) ? ctx.input(2).as<const float>() : nullptr;
    RunGemm(GemmF32(BestTarget()), layout, args, ctx.pool(), ctx.width());
    return Status::Ok();
  }

 private:
  bool transposed_b_;
  PackedMatrix b_;
};

// C must be one value per column: [N] or [1, N].
Acceptance AcceptsBias(const graph::NodeRef& node, int64_t n) {
  if (!node.has_input(2)) return Acceptance::Yes();
  const auto shape = node.input_type(2).shape.Concrete();
  WB_REFUSE_IF(!shape, "the shape of C is not known");
  const size_t rank = shape->rank();
  const bool row = rank >= 1 && (*shape)[rank - 1] == n && shape->ElemsBetween(0, rank - 1) == 1;
  WB_REFUSE_IF(!row || rank > 2, "C of shape {} is not one row of {}", *shape, n);
  WB_REFUSE_IF(node.attrs().Float("beta", 1.0f) != 1.0f, "beta is {}",
               node.attrs().Float("beta", 1.0f));
  return Acceptance::Yes();
}

Acceptance AcceptsGemm(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  const graph::Constant* b = node.constant(1);
  WB_REFUSE_IF(b == nullptr, "B is no constant");
  WB_REFUSE_IF(b->shape().rank() != 2, "B has rank {}, not 2", b->shape().rank());
  WB_REFUSE_IF(node.attrs().Int("transA") != 0, "A is transposed");
  WB_REFUSE_IF(node.attrs().Float("alpha", 1.0f) != 1.0f, "alpha is {}",
               node.attrs().Float("alpha", 1.0f));
  return AcceptsBias(node, b->shape()[node.attrs().Int("transB") != 0 ? 0 : 1]);
}

constexpr KernelImpl kGemm[] = {
    {"gemm.packed", AcceptsGemm, [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
       return std::unique_ptr<Kernel>(
           std::make_unique<PackedGemm>(node.attrs().Int("transB") != 0));
     }}};
// Before version 7 broadcasting of C was an attribute.
constexpr OpKernels kGemmOps[] = {{"", "Gemm", 7, 1 << 30, kGemm}};

}  // namespace

std::span<const OpKernels> GemmKernels() { return kGemmOps; }

}  // namespace waybill::cpu
