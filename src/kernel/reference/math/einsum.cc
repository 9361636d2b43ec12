// Einsum: for each output index the sum over all other labels of the product of the operands.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "graph/infer/rules/math/einsum_equation.h"
#include "kernel/api/kernel.h"
#include "kernel/reference/math/tables.h"
#include "kernel/reference/support/compute.h"
#include "kernel/reference/support/strided.h"

namespace waybill::kernel::reference {

namespace {

// The loops over labels: those of the output first, then the summed ones.
struct EinsumLoops : PlanState {
  std::vector<int64_t> sizes;
  size_t output_loops = 0;
  std::vector<std::vector<int64_t>> strides;  // [loop][operand]
  int64_t sum_count = 1;
};

int64_t SizeOf(int label, const graph::infer::EinsumBinding& binding, const PlanContext& ctx) {
  int64_t size = 1;
  for (size_t i = 0; i < binding.inputs.size(); ++i) {
    for (size_t axis = 0; axis < binding.inputs[i].size(); ++axis) {
      const int64_t dim = ctx.input_shape(i)[axis];
      if (binding.inputs[i][axis] == label && dim != 1) size = dim;
    }
  }
  return size;
}

// A label that stands twice in one operand walks its diagonal.
int64_t StrideOf(int label, const graph::infer::EinsumLabels& labels, const Shape& shape) {
  const Shape strides = RowMajorStrides(shape);
  int64_t stride = 0;
  for (size_t axis = 0; axis < labels.size(); ++axis) {
    if (labels[axis] == label && shape[axis] != 1) stride += strides[axis];
  }
  return stride;
}

void AddLoop(int label, const graph::infer::EinsumBinding& binding, const PlanContext& ctx,
             EinsumLoops& loops) {
  loops.sizes.push_back(SizeOf(label, binding, ctx));
  std::vector<int64_t> strides;
  for (size_t i = 0; i < binding.inputs.size(); ++i) {
    strides.push_back(StrideOf(label, binding.inputs[i], ctx.input_shape(i)));
  }
  loops.strides.push_back(std::move(strides));
}

Result<std::shared_ptr<const EinsumLoops>> MakeLoops(const graph::infer::EinsumEquation& equation,
                                                     const PlanContext& ctx) {
  std::vector<size_t> ranks;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) ranks.push_back(ctx.input_shape(i).rank());
  WB_ASSIGN_OR_RETURN(const auto binding, graph::infer::BindEinsum(equation, ranks));
  auto loops = std::make_shared<EinsumLoops>();
  std::vector<int> done = binding.output;
  for (const int label : binding.output) AddLoop(label, binding, ctx, *loops);
  loops->output_loops = loops->sizes.size();
  for (const auto& labels : binding.inputs) {
    for (const int label : labels) {
      if (std::find(done.begin(), done.end(), label) != done.end()) continue;
      done.push_back(label);
      AddLoop(label, binding, ctx, *loops);
      loops->sum_count *= loops->sizes.back();
    }
  }
  return std::shared_ptr<const EinsumLoops>(std::move(loops));
}

// Counts through loops [first, last) and keeps the operands' offsets, in memory of the caller.
struct Odometer {
  const EinsumLoops& loops;
  size_t first, last;
  int64_t* index;    // one per loop
  int64_t* offsets;  // one per operand

  void Next() {
    const size_t operands = loops.strides.empty() ? 0 : loops.strides[0].size();
    for (size_t loop = last; loop-- > first;) {
      const bool wraps = ++index[loop] == loops.sizes[loop];
      const int64_t steps = wraps ? 1 - loops.sizes[loop] : 1;
      for (size_t k = 0; k < operands; ++k) offsets[k] += steps * loops.strides[loop][k];
      if (!wraps) return;
      index[loop] = 0;
    }
  }
};

class EinsumKernel final : public Kernel {
 public:
  explicit EinsumKernel(graph::infer::EinsumEquation equation) : equation_(std::move(equation)) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    WB_ASSIGN_OR_RETURN(auto loops, MakeLoops(equation_, ctx));
    ctx.BookScratch((loops->sizes.size() + ctx.num_inputs()) * sizeof(int64_t));
    ctx.SetState(std::move(loops));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    using Types = NumericTypes;
    return DispatchDType(ctx.output(0).dtype, Types{}, [&]<typename T>() {
      Contract<T>(ctx);
      return Status::Ok();
    });
  }

 private:
  template <typename T>
  static void Contract(RunContext& ctx) {
    const EinsumLoops& loops = *ctx.state<EinsumLoops>();
    int64_t* const index = ctx.scratch<int64_t>(0);
    int64_t* const offsets = index + loops.sizes.size();
    std::fill_n(index, loops.sizes.size() + ctx.num_inputs(), 0);
    Odometer outer{loops, 0, loops.output_loops, index, offsets};
    Odometer inner{loops, loops.output_loops, loops.sizes.size(), index, offsets};
    const TensorView& out = ctx.output(0);
    for (int64_t i = 0; i < out.elems(); ++i, outer.Next()) {
      Accumulator<T> sum = 0;
      for (int64_t j = 0; j < loops.sum_count; ++j, inner.Next()) {
        Accumulator<T> product = 1;
        for (size_t k = 0; k < ctx.num_inputs(); ++k) {
          const T element = ctx.input(k).template as<T>()[offsets[k]];
          product = WrapMul(product, static_cast<Accumulator<T>>(static_cast<Compute<T>>(element)));
        }
        sum = WrapAdd(sum, product);
      }
      out.as<T>()[i] = static_cast<T>(sum);
    }
  }

  graph::infer::EinsumEquation equation_;
};

constexpr KernelImpl kEinsum[] = {
    {"einsum.reference", nullptr,
     [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
       WB_ASSIGN_OR_RETURN(auto equation,
                           graph::infer::EinsumEquation::Parse(node.attrs().String("equation")));
       return std::unique_ptr<Kernel>(std::make_unique<EinsumKernel>(std::move(equation)));
     }}};

constexpr OpKernels kTable[] = {{.op_type = "Einsum", .impls = kEinsum}};

}  // namespace

KernelTable EinsumKernels() { return kTable; }

}  // namespace waybill::kernel::reference
