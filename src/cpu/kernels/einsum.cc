// Einsum of two f32 operands that is a stack of matrix products as the operands lie in memory.
#include <algorithm>
#include <optional>
#include <utility>

#include "cpu/kernels/batched_product.h"
#include "cpu/kernels/lists.h"
#include "graph/infer/rules/math/einsum_equation.h"
#include "kernel/reference/reference.h"
#include "kernel/select/select.h"

namespace waybill::cpu {
namespace {

using graph::infer::EinsumBinding;
using graph::infer::EinsumEquation;
using graph::infer::EinsumLabels;
using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::PlanState;
using kernel::RunContext;

bool Has(const EinsumLabels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

bool Repeats(const EinsumLabels& labels) {
  for (size_t i = 1; i < labels.size(); ++i) {
    if (Has(EinsumLabels(labels.begin(), labels.begin() + static_cast<ptrdiff_t>(i)), labels[i])) {
      return true;
    }
  }
  return false;
}

// Labels of the left operand's rows, of the right one's columns, summed ones and the rest.
struct Roles {
  EinsumLabels batch, m, n, k;
};

// Nothing when a label is in one place only, or twice in one operand.
std::optional<Roles> RolesOf(const EinsumBinding& binding) {
  const EinsumLabels &a = binding.inputs[0], &b = binding.inputs[1], &out = binding.output;
  if (Repeats(a) || Repeats(b) || Repeats(out)) return std::nullopt;
  Roles roles;
  for (const int label : out) {
    if (Has(a, label)) {
      (Has(b, label) ? roles.batch : roles.m).push_back(label);
    } else {
      if (!Has(b, label)) return std::nullopt;
      roles.n.push_back(label);
    }
  }
  for (const int label : a) {
    if (Has(out, label)) continue;
    if (!Has(b, label)) return std::nullopt;
    roles.k.push_back(label);
  }
  for (const int label : b) {
    if (!Has(out, label) && !Has(a, label)) return std::nullopt;
  }
  return roles;
}

// One tensor's axes by label.
struct Axes {
  const EinsumLabels& labels;
  const Shape& shape;

  int64_t Dim(int label) const {
    const auto at = std::find(labels.begin(), labels.end(), label);
    return at == labels.end() ? 1 : shape[static_cast<size_t>(at - labels.begin())];
  }
  // 0 where the axis is repeated.
  int64_t Stride(int label) const {
    const auto at = std::find(labels.begin(), labels.end(), label);
    if (at == labels.end()) return 0;
    const auto axis = static_cast<size_t>(at - labels.begin());
    return shape[axis] == 1 ? 0 : shape.Stride(axis);
  }
};

struct Group {
  size_t size = 1;
  size_t stride = 0;  // 0: only one element
};

// The labels as one axis; nothing when they do not follow each other in memory.
std::optional<Group> Merge(const EinsumLabels& labels, const Axes& axes) {
  Group group;
  for (size_t i = labels.size(); i > 0; --i) {
    const auto dim = static_cast<size_t>(axes.Dim(labels[i - 1]));
    if (dim == 1) continue;
    const auto stride = static_cast<size_t>(axes.Stride(labels[i - 1]));
    if (group.size == 1) {
      group.stride = stride;
    } else if (stride != group.stride * group.size) {
      return std::nullopt;
    }
    group.size *= dim;
  }
  return group;
}

// A matrix of rows by columns, or stored the other way round.
struct Stored {
  size_t ld = 0;
  bool turned = false;
};

std::optional<Stored> StoredAs(const Group& rows, const Group& columns) {
  if (columns.stride <= 1) return Stored{std::max<size_t>(rows.stride, columns.size), false};
  if (rows.stride <= 1) return Stored{std::max<size_t>(columns.stride, rows.size), true};
  return std::nullopt;
}

struct EinsumPlan final : PlanState {
  BatchedProduct product;
  bool swapped = false;  // the second operand stands on the left
};

// Nothing when the operands do not lie as the products need them.
std::optional<BatchedShape> Map(const Roles& roles, const Axes& a, const Axes& b, const Axes& c) {
  const auto m = Merge(roles.m, a), a_k = Merge(roles.k, a);
  const auto n = Merge(roles.n, b), b_k = Merge(roles.k, b);
  const auto c_m = Merge(roles.m, c), c_n = Merge(roles.n, c);
  if (!m || !a_k || !n || !b_k || !c_m || !c_n || a_k->size != b_k->size) return std::nullopt;
  const auto a_stored = StoredAs(*m, *a_k), b_stored = StoredAs(*b_k, *n);
  const auto c_stored = StoredAs(*c_m, *c_n);
  if (!a_stored || !b_stored || !c_stored || c_stored->turned) return std::nullopt;
  BatchedShape out;
  out.product.m = m->size;
  out.product.n = n->size;
  out.product.k = a_k->size;
  out.product.lda = a_stored->ld;
  out.product.ldb = b_stored->ld;
  out.product.trans_a = a_stored->turned;
  out.product.trans_b = b_stored->turned;
  out.ldc = std::max<size_t>(c_stored->ld, 1);
  for (const int label : roles.batch) {
    out.batch.PushBack(std::max(a.Dim(label), b.Dim(label)));
    out.a_strides.PushBack(a.Stride(label));
    out.b_strides.PushBack(b.Stride(label));
    out.c_strides.PushBack(c.Stride(label));
  }
  return out;
}

Result<std::unique_ptr<Kernel>> CreateReference(const graph::NodeRef& node) {
  const kernel::Provider provider{"reference", {kernel::reference::MathKernels()}};
  WB_ASSIGN_OR_RETURN(kernel::Selection selection, kernel::Select(node, {&provider, 1}));
  return std::move(selection.kernel);
}

class EinsumKernel final : public Kernel {
 public:
  EinsumKernel(EinsumEquation equation, std::unique_ptr<Kernel> general)
      : equation_(std::move(equation)), general_(std::move(general)) {}

  Status Prepare(kernel::PrepareContext& ctx) override { return general_->Prepare(ctx); }

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    auto plan = std::make_shared<EinsumPlan>();
    WB_ASSIGN_OR_RETURN(const auto shape, MapEither(ctx, plan->swapped));
    if (!shape) return general_->Plan(ctx);
    WB_ASSIGN_OR_RETURN(plan->product, BatchedProduct::Make(BestTarget(), *shape, ctx.width()));
    ctx.BookScratch(plan->product.scratch_bytes());
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const auto* plan = dynamic_cast<const EinsumPlan*>(ctx.state<PlanState>());
    if (plan == nullptr) return general_->Run(ctx);
    const size_t left = plan->swapped ? 1 : 0;
    plan->product.Run(ctx.input(left).as<const float>(), ctx.input(1 - left).as<const float>(),
                      ctx.output(0).as<float>(), false, ctx.scratch<float>(0), ctx.pool(),
                      ctx.width());
    return Status::Ok();
  }

 private:
  Result<std::optional<BatchedShape>> MapEither(const PlanContext& ctx, bool& swapped) const {
    const Shape &a = ctx.input_shape(0), &b = ctx.input_shape(1);
    WB_ASSIGN_OR_RETURN(EinsumBinding binding,
                        graph::infer::BindEinsum(equation_, {a.rank(), b.rank()}));
    const Shape* out = ctx.output_shape(0);
    auto roles = RolesOf(binding);
    if (!roles || out == nullptr || out->elems() == 0) return std::optional<BatchedShape>();
    const Axes left{binding.inputs[0], a}, right{binding.inputs[1], b}, c{binding.output, *out};
    auto shape = Map(*roles, left, right, c);
    swapped = !shape;
    if (swapped) {
      std::swap(roles->m, roles->n);
      shape = Map(*roles, right, left, c);
    }
    return shape;
  }

  EinsumEquation equation_;
  std::unique_ptr<Kernel> general_;  // for operands that lie otherwise
};

Acceptance Accepts(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.num_inputs() != 2, "{} operands are not two", node.num_inputs());
  std::vector<size_t> ranks;
  for (size_t i = 0; i < 2; ++i) {
    WB_REFUSE_IF(node.input_dtype(i) != DType::kF32, "element type {} is not float",
                 DTypeName(node.input_dtype(i)));
    WB_REFUSE_IF(!node.input_type(i).shape.has_rank(), "the rank of operand {} is not known", i);
    ranks.push_back(node.input_type(i).shape.rank());
  }
  const auto equation = EinsumEquation::Parse(node.attrs().String("equation"));
  WB_REFUSE_IF(!equation.ok(), "{}", equation.status().message());
  const auto binding = graph::infer::BindEinsum(*equation, ranks);
  WB_REFUSE_IF(!binding.ok(), "{}", binding.status().message());
  WB_REFUSE_IF(!RolesOf(*binding), "equation '{}' is no product of matrices",
               node.attrs().String("equation"));
  return Acceptance::Yes();
}

Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  WB_ASSIGN_OR_RETURN(EinsumEquation equation,
                      EinsumEquation::Parse(node.attrs().String("equation")));
  WB_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> general, CreateReference(node));
  return std::unique_ptr<Kernel>(
      std::make_unique<EinsumKernel>(std::move(equation), std::move(general)));
}

constexpr KernelImpl kEinsum[] = {{"einsum.product", Accepts, Create}};
constexpr OpKernels kEinsumOps[] = {{"", "Einsum", 1, 1 << 30, kEinsum}};

}  // namespace

std::span<const OpKernels> EinsumKernels() { return kEinsumOps; }

}  // namespace waybill::cpu
