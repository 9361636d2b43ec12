#include "cpu/half/half_kernel.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <vector>

#include "base/math/checked.h"
#include "cpu/half/borrowed_source.h"
#include "cpu/half/shadow.h"
#include "cpu/half/widened_rows.h"
#include "cpu/kernels/table.h"
#include "cpu/simd/half.h"
#include "kernel/select/select.h"
#include "memory/source/system_source.h"
#include "parallel/pool/thread_pool.h"
#include "tensor/dtype/types.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::PlanContext;
using kernel::PlanInput;
using kernel::PlanState;
using kernel::PrepareContext;
using kernel::RunContext;
using kernel::Slot;
using kernel::SlotId;

constexpr size_t kMaxSlots = 24;
constexpr size_t kMaxScratch = 24;
constexpr size_t kNoBooking = static_cast<size_t>(-1);
// Elements that one thread converts at a time.
constexpr size_t kChunk = size_t{1} << 15;
// Constants up to this size are looked at by value when kernels are chosen.
constexpr int64_t kSmallConstant = 64;

Result<graph::Constant> Widen(const graph::Constant& half, std::shared_ptr<MemorySource> source) {
  const Tensor& from = half.tensor();
  WB_ASSIGN_OR_RETURN(Tensor to, Tensor::Allocate(DType::kF32, from.shape(), std::move(source),
                                                  MemoryTag::kPackedWeights));
  // The file's bytes may be misaligned.
  const auto count = static_cast<size_t>(from.shape().elems());
  const std::byte* bytes = from.view().data;
  uint16_t part[256];
  for (size_t i = 0; i < count; i += std::size(part)) {
    const size_t n = std::min(count - i, std::size(part));
    std::memcpy(part, bytes + i * sizeof(uint16_t), n * sizeof(uint16_t));
    HalfFunctions(BestTarget()).to_float(part, to.view().as<float>() + i, n);
  }
  return half.is_splat() ? graph::Constant::Splat(std::move(to), half.shape())
                         : graph::Constant(std::move(to));
}

// For choosing a kernel: large constants keep their shape only.
Result<graph::Constant> StandIn(const graph::Constant& half) {
  const auto source = std::make_shared<SystemSource>();
  if (half.shape().elems() <= kSmallConstant) return Widen(half, source);
  WB_ASSIGN_OR_RETURN(Tensor one,
                      Tensor::Allocate(DType::kF32, Shape(), source, MemoryTag::kPackedWeights));
  *one.view().as<float>() = 0;
  return graph::Constant::Splat(std::move(one), half.shape());
}

Result<kernel::Selection> SelectFloat(const graph::NodeRef& node) {
  const kernel::Provider provider{"cpu", {Kernels()}};
  return kernel::Select(node, {&provider, 1});
}

void Convert(ThreadPool* pool, size_t width, const TensorView& half, float* wide, bool widen) {
  const auto count = static_cast<size_t>(half.shape.elems());
  const HalfTable& table = HalfFunctions(BestTarget());
  auto* narrow = half.as<uint16_t>();
  const size_t chunks = CeilDiv(count, kChunk);
  ParallelFor(chunks > 2 ? pool : nullptr, chunks, width, [&](size_t begin, size_t end) {
    const size_t first = begin * kChunk, n = std::min(end * kChunk, count) - first;
    if (widen) {
      table.to_float(narrow + first, wide + first, n);
    } else {
      table.from_float(wide + first, narrow + first, n);
    }
  });
}

// Slots without heap memory; only those in use are constructed.
class SlotArray {
 public:
  explicit SlotArray(size_t count) : count_(count) {
    for (size_t i = 0; i < count; ++i) new (At(i)) Slot();
  }
  SlotArray(const SlotArray&) = delete;
  SlotArray& operator=(const SlotArray&) = delete;
  ~SlotArray() {
    for (size_t i = 0; i < count_; ++i) std::launder(At(i))->~Slot();
  }
  Slot* data() { return std::launder(At(0)); }

 private:
  Slot* At(size_t i) { return reinterpret_cast<Slot*>(bytes_) + i; }

  alignas(Slot) std::byte bytes_[kMaxSlots * sizeof(Slot)];
  size_t count_;
};

struct HalfPlan final : PlanState {
  std::shared_ptr<const PlanState> inner;
  size_t inner_scratch = 0;
  std::vector<size_t> inputs, outputs;  // bookings of f32 copies, or kNoBooking
};

class HalfKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& ctx) override {
    const auto source = std::make_shared<BorrowedSource>(ctx);
    const Status status = PrepareInner(ctx, source);
    source->Close();
    return status;
  }

  Status Plan(PlanContext& ctx) const override {
    const size_t num_inputs = ctx.num_inputs();
    std::vector<TensorView> views(num_inputs);
    std::vector<PlanInput> inputs(num_inputs);
    auto plan = std::make_shared<HalfPlan>();
    plan->inputs.assign(num_inputs, kNoBooking);
    for (size_t i = 0; i < num_inputs; ++i) {
      if (!ctx.has_input(i)) continue;
      views[i].dtype = ctx.input_dtype(i);
      views[i].shape = ctx.input_shape(i);
      inputs[i].tensor = &views[i];
      if (views[i].dtype != DType::kF16) {
        if (const TensorView* values = ctx.values(i)) {
          inputs[i].tensor = values;
          inputs[i].known = true;
        }
        continue;
      }
      views[i].dtype = DType::kF32;
      if (const TensorView* wide = WideConstant(i)) {
        inputs[i].tensor = wide;
        inputs[i].known = true;
      }
    }
    PlanContext inner(shadow_->ref(), inputs, ctx.width());
    WB_RETURN_IF_ERROR(inner_->Plan(inner));
    const kernel::PlanRecord& record = inner.record();
    if (record.scratch.size() > kMaxScratch) {
      return Error(Code::kInternal, "{} scratch blocks are more than {}", record.scratch.size(),
                   kMaxScratch);
    }
    for (const auto& booking : record.scratch) ctx.BookScratch(booking.bytes, booking.align);
    plan->inner = record.state;
    plan->inner_scratch = record.scratch.size();
    for (size_t i = 0; i < num_inputs; ++i) {
      if (!ctx.has_input(i) || ctx.input_dtype(i) != DType::kF16 || replaced_[i]) continue;
      WB_RETURN_IF_ERROR(Book(ctx, ctx.input_shape(i), plan->inputs[i]));
    }
    WB_RETURN_IF_ERROR(PlanOutputs(ctx, record, *plan));
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const HalfPlan& plan = *ctx.state<HalfPlan>();
    const size_t num_inputs = ctx.num_inputs(), num_outputs = ctx.num_outputs();
    SlotArray slots(num_inputs + num_outputs);
    std::array<SlotId, kMaxSlots> ids;
    ids.fill(kernel::kNoSlot);
    for (size_t i = 0; i < num_inputs; ++i) {
      if (!ctx.has_input(i)) continue;
      ids[i] = static_cast<SlotId>(i);
      WidenInput(ctx, plan, i, slots.data()[i].tensor);
    }
    for (size_t i = 0; i < num_outputs; ++i) {
      if (!ctx.wants_output(i)) continue;
      const size_t slot = num_inputs + i;
      ids[slot] = static_cast<SlotId>(slot);
      TensorView& view = slots.data()[slot].tensor;
      view = ctx.output(i);
      if (plan.outputs[i] == kNoBooking) continue;
      view.dtype = DType::kF32;
      view.data = ctx.scratch(plan.outputs[i]);
    }
    std::array<std::byte*, kMaxScratch> scratch;
    for (size_t i = 0; i < plan.inner_scratch; ++i) scratch[i] = ctx.scratch(i);
    kernel::RunParts parts;
    const graph::NodeRef node = shadow_->ref();
    parts.node = &node.node();
    parts.slots = slots.data();
    parts.inputs = {ids.data(), num_inputs};
    parts.outputs = {ids.data() + num_inputs, num_outputs};
    parts.scratch = {scratch.data(), plan.inner_scratch};
    parts.state = plan.inner.get();
    parts.pool = ctx.pool();
    parts.width = ctx.width();
    RunContext inner(parts);
    WB_RETURN_IF_ERROR(inner_->Run(inner));
    for (size_t i = 0; i < num_outputs; ++i) {
      if (!ctx.wants_output(i) || plan.outputs[i] == kNoBooking) continue;
      Convert(ctx.pool(), ctx.width(), ctx.output(i), ctx.scratch<float>(plan.outputs[i]), false);
    }
    return Status::Ok();
  }

 private:
  Status PrepareInner(PrepareContext& ctx, const std::shared_ptr<BorrowedSource>& source) {
    const graph::Constant* weights = IsWidenedByRows(ctx.node(), 1) ? ctx.constant(1) : nullptr;
    const auto widen = [&](const graph::Constant& half) {
      return &half == weights ? WidenByRows(half) : Widen(half, source);
    };
    WB_ASSIGN_OR_RETURN(shadow_, ShadowNode::Make(ctx.node(), widen));
    WB_ASSIGN_OR_RETURN(kernel::Selection selection, SelectFloat(shadow_->ref()));
    inner_ = std::move(selection.kernel);
    PrepareContext inner(shadow_->ref(), source, ctx.weights());
    WB_RETURN_IF_ERROR(inner_->Prepare(inner));
    const size_t num_inputs = ctx.node().num_inputs();
    replaced_.assign(num_inputs, false);
    for (const size_t i : inner.replaced()) {
      replaced_[i] = true;
      ctx.ReplaceInput(i);
      shadow_->DropConstant(i);
    }
    for (size_t i = 0; i < num_inputs; ++i) {
      const graph::Constant* wide = shadow_->constant(i);
      if (wide == nullptr || ctx.node().input_dtype(i) != DType::kF16 || wide->is_splat()) continue;
      if (wide->rows() != nullptr) WB_RETURN_IF_ERROR(shadow_->WriteOut(i, source));
      replaced_[i] = true;  // by its f32 form
      ctx.ReplaceInput(i);
    }
    return Status::Ok();
  }

  // The f32 form of an f16 constant that was not packed away; null for others.
  const TensorView* WideConstant(size_t i) const {
    const graph::Constant* wide = shadow_->constant(i);
    if (wide == nullptr || wide->is_splat() || !replaced_[i]) return nullptr;
    return wide->dtype() == DType::kF32 ? &wide->tensor().view() : nullptr;
  }

  static Status Book(PlanContext& ctx, const Shape& shape, size_t& booking) {
    WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(DType::kF32, shape));
    booking = ctx.BookScratch(bytes);
    return Status::Ok();
  }

  static Status PlanOutputs(PlanContext& ctx, const kernel::PlanRecord& record, HalfPlan& plan) {
    plan.outputs.assign(record.outputs.size(), kNoBooking);
    for (size_t i = 0; i < record.outputs.size(); ++i) {
      const auto& output = record.outputs[i];
      if (!ctx.node().has_output(i) || !output.shape) continue;
      if (output.view_of) return Error(Code::kInternal, "the f32 kernel makes a view");
      const DType dtype = ctx.node().output_dtype(i);
      const bool half = dtype == DType::kF16 && output.dtype == DType::kF32;
      ctx.SetOutput(i, half ? dtype : output.dtype, *output.shape);
      if (half) WB_RETURN_IF_ERROR(Book(ctx, *output.shape, plan.outputs[i]));
    }
    return Status::Ok();
  }

  void WidenInput(const RunContext& ctx, const HalfPlan& plan, size_t i, TensorView& view) const {
    if (const TensorView* wide = WideConstant(i)) {
      view = *wide;
      return;
    }
    view = ctx.input(i);
    if (view.dtype != DType::kF16) return;
    view.dtype = DType::kF32;
    if (plan.inputs[i] == kNoBooking) return;
    view.data = ctx.scratch(plan.inputs[i]);
    Convert(ctx.pool(), ctx.width(), ctx.input(i), view.as<float>(), true);
  }

  std::unique_ptr<ShadowNode> shadow_;
  std::unique_ptr<Kernel> inner_;
  std::vector<bool> replaced_;  // inputs that runs do not read
};

}  // namespace

Acceptance AcceptsAsFloat(const graph::NodeRef& node) {
  bool half = false;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    half = half || node.input_dtype(i) == DType::kF16;
  }
  WB_REFUSE_IF(!half, "no input is float16");
  WB_REFUSE_IF(node.num_inputs() + node.num_outputs() > kMaxSlots,
               "more than {} inputs and outputs", kMaxSlots);
  const auto shadow = ShadowNode::Make(node, StandIn);
  WB_REFUSE_IF(!shadow.ok(), "{}", shadow.status().message());
  const auto selection = SelectFloat((*shadow)->ref());
  WB_REFUSE_IF(!selection.ok(), "as float: {}", selection.status().message());
  return Acceptance::Yes();
}

Result<std::unique_ptr<Kernel>> CreateAsFloat(const graph::NodeRef&) {
  return std::unique_ptr<Kernel>(std::make_unique<HalfKernel>());
}

}  // namespace waybill::cpu
