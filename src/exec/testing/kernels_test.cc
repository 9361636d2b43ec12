// The kernels of domain "test".
#include <algorithm>
#include <cstring>

#include "exec/testing/sample.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::exec::testing {

namespace {

using kernel::FunctionImpl;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::RunContext;

Status PlanLike(PlanContext& ctx) {
  ctx.SetOutput(0, ctx.input_dtype(0), ctx.input_shape(0));
  ctx.AllowInPlace(0, 0);
  return Status::Ok();
}
Status RunAdd1(RunContext& ctx) {
  for (int64_t i = 0; i < ctx.input(0).elems(); ++i) {
    ctx.output(0).as<float>()[i] = ctx.input(0).as<float>()[i] + 1;
  }
  return Status::Ok();
}
Status RunAdd(RunContext& ctx) {
  for (int64_t i = 0; i < ctx.input(0).elems(); ++i) {
    ctx.output(0).as<float>()[i] = ctx.input(0).as<float>()[i] + ctx.input(1).as<float>()[i];
  }
  return Status::Ok();
}
// Add1 on as many threads as the run has.
Status RunWide(RunContext& ctx) {
  const auto count = static_cast<size_t>(ctx.input(0).elems());
  ParallelFor(ctx.pool(), count, ctx.width(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      ctx.output(0).as<float>()[i] = ctx.input(0).as<float>()[i] + 1;
    }
  });
  return Status::Ok();
}
Status RunInc(RunContext& ctx) {
  for (int64_t i = 0; i < ctx.input(0).elems(); ++i) {
    ctx.output(0).as<int64_t>()[i] = ctx.input(0).as<int64_t>()[i] + 1;
  }
  return Status::Ok();
}

// Writes through scratch; not in place.
Status PlanScratch(PlanContext& ctx) {
  ctx.SetOutput(0, ctx.input_dtype(0), ctx.input_shape(0));
  ctx.BookScratch(static_cast<size_t>(ctx.input_shape(0).elems()) * sizeof(float), 256);
  return Status::Ok();
}
Status RunScratch(RunContext& ctx) {
  const int64_t count = ctx.input(0).elems();
  if (reinterpret_cast<uintptr_t>(ctx.scratch(0)) % 256 != 0) {
    return Error(Code::kFail, "scratch is misaligned");
  }
  for (int64_t i = 0; i < count; ++i) ctx.scratch<float>(0)[i] = ctx.input(0).as<float>()[i];
  for (int64_t i = 0; i < count; ++i) ctx.output(0).as<float>()[i] = 2 * ctx.scratch<float>(0)[i];
  return Status::Ok();
}

Status PlanFlat(PlanContext& ctx) {
  ctx.SetOutput(0, ctx.input_dtype(0), Shape{ctx.input_shape(0).elems()});
  ctx.MakeView(0, 0);
  return Status::Ok();
}
Status RunNever(RunContext&) { return Error(Code::kInternal, "a view was run"); }

// Needs the contents of its second input to know its shape.
Status PlanReshape(PlanContext& ctx) {
  const TensorView* dims = ctx.values(1);
  if (dims == nullptr) return Status::Ok();
  const Shape shape{dims->span<const int64_t>()};
  if (shape.elems() != ctx.input_shape(0).elems()) {
    return Error(Code::kInvalidArgument, "{} cannot become {}", ctx.input_shape(0), shape);
  }
  ctx.SetOutput(0, ctx.input_dtype(0), shape);
  ctx.MakeView(0, 0);
  return Status::Ok();
}

// The positive elements: only the run knows how many.
Status PlanNothing(PlanContext&) { return Status::Ok(); }
Status RunPositive(RunContext& ctx) {
  std::vector<float> kept;
  for (int64_t i = 0; i < ctx.input(0).elems(); ++i) {
    if (ctx.input(0).as<float>()[i] > 0) kept.push_back(ctx.input(0).as<float>()[i]);
  }
  WB_ASSIGN_OR_RETURN(TensorView out,
                      ctx.AllocateOutput(0, DType::kF32, {static_cast<int64_t>(kept.size())}));
  std::copy(kept.begin(), kept.end(), out.as<float>());
  return Status::Ok();
}

// The same, and says how many there are at most.
Status PlanSome(PlanContext& ctx) {
  ctx.SetMost(0, DType::kF32, Shape{ctx.input_shape(0).elems()});
  return Status::Ok();
}

// Its input `times` (an input too) in a row: the contents of an input decide the size.
Status PlanRepeat(PlanContext& ctx) {
  const TensorView* times = ctx.values(1);
  if (times == nullptr) return Status::Ok();
  const int64_t count = times->as<const int64_t>()[0];
  ctx.SetOutput(0, DType::kF32, Shape{count * ctx.input_shape(0).elems()});
  return Status::Ok();
}
Status RunRepeat(RunContext& ctx) {
  const int64_t elems = ctx.input(0).elems();
  for (int64_t i = 0; i < ctx.input(1).as<const int64_t>()[0]; ++i) {
    std::copy_n(ctx.input(0).as<float>(), elems, ctx.output(0).as<float>() + i * elems);
  }
  return Status::Ok();
}

// The two halves of a vector, which may stay where they are.
Status PlanHalves(PlanContext& ctx) {
  const int64_t half = ctx.input_shape(0).elems() / 2;
  for (size_t i = 0; i < 2; ++i) {
    ctx.SetOutput(i, DType::kF32, Shape{half});
    ctx.AllowPartOf(i, 0, i * static_cast<size_t>(half) * sizeof(float));
  }
  return Status::Ok();
}
Status RunHalves(RunContext& ctx) {
  const int64_t half = ctx.input(0).elems() / 2;
  for (size_t i = 0; i < 2; ++i) {
    if (!ctx.wants_output(i)) continue;
    const float* from = ctx.input(0).as<float>() + static_cast<int64_t>(i) * half;
    if (ctx.output(i).as<float>() != from) std::copy_n(from, half, ctx.output(i).as<float>());
  }
  return Status::Ok();
}

// Two vectors, one behind the other, which may be made there.
Status PlanCat(PlanContext& ctx) {
  const int64_t first = ctx.input_shape(0).elems();
  ctx.SetOutput(0, DType::kF32, Shape{first + ctx.input_shape(1).elems()});
  ctx.AllowPiece(0, 0, 0);
  ctx.AllowPiece(1, 0, static_cast<size_t>(first) * sizeof(float));
  return Status::Ok();
}
Status RunCat(RunContext& ctx) {
  float* to = ctx.output(0).as<float>();
  for (size_t i = 0; i < 2; ++i) {
    const TensorView& from = ctx.input(i);
    if (from.as<float>() != to) std::copy_n(from.as<float>(), from.elems(), to);
    to += from.elems();
  }
  return Status::Ok();
}

// Add1 on rows of two elements, which may lie apart.
constexpr size_t kRow = 2 * sizeof(float);
Status PlanRows(PlanContext& ctx) {
  ctx.SetOutput(0, DType::kF32, ctx.input_shape(0));
  ctx.AllowPitch(kRow);
  return Status::Ok();
}
Status RunRows(RunContext& ctx) {
  const size_t pitch = ctx.pitch_bytes() != 0 ? ctx.pitch_bytes() : kRow;
  for (int64_t i = 0; i < ctx.input(0).elems(); ++i) {
    auto* row = reinterpret_cast<float*>(ctx.output(0).data + static_cast<size_t>(i / 2) * pitch);
    row[i % 2] = ctx.input(0).as<float>()[i] + 1;
  }
  return Status::Ok();
}

// Rows of two elements of one vector and of another in turns, which may be made there.
Status PlanWeave(PlanContext& ctx) {
  ctx.SetOutput(0, DType::kF32, Shape{2 * ctx.input_shape(0).elems()});
  for (size_t i = 0; i < 2; ++i) ctx.AllowPitchedPiece(i, 0, i * kRow, kRow, 2 * kRow);
  return Status::Ok();
}
Status RunWeave(RunContext& ctx) {
  for (size_t i = 0; i < 2; ++i) {
    const float* from = ctx.input(i).as<float>();
    float* to = ctx.output(0).as<float>() + 2 * i;
    if (from == to) continue;
    for (int64_t k = 0; k < ctx.input(i).elems(); ++k) to[k / 2 * 4 + k % 2] = from[k];
  }
  return Status::Ok();
}

// A sequence of the input.
Status RunList(RunContext& ctx) {
  SequenceValue list;
  list.element = ValueType::Tensor(DType::kF32);
  WB_ASSIGN_OR_RETURN(Value item, ctx.ShareInput(0));
  list.items.push_back(std::move(item));
  ctx.SetOutputValue(0, Value(std::move(list)));
  return Status::Ok();
}

// A faulty kernel: its result is what was in its scratch before.
Status RunStale(RunContext& ctx) {
  std::copy_n(ctx.scratch<float>(0), ctx.input(0).elems(), ctx.output(0).as<float>());
  return Status::Ok();
}

Status PlanShape(PlanContext& ctx) {
  ctx.SetOutput(0, DType::kI64, Shape{static_cast<int64_t>(ctx.input_shape(0).rank())});
  return Status::Ok();
}
Status RunShape(RunContext& ctx) {
  for (size_t i = 0; i < ctx.input(0).shape.rank(); ++i) {
    ctx.output(0).as<int64_t>()[i] = ctx.input(0).shape[i];
  }
  return Status::Ok();
}

Status PlanLess(PlanContext& ctx) {
  ctx.SetOutput(0, DType::kBool, ctx.input_shape(0));
  return Status::Ok();
}
Status RunLess(RunContext& ctx) {
  *ctx.output(0).as<bool>() = *ctx.input(0).as<int64_t>() < *ctx.input(1).as<int64_t>();
  return Status::Ok();
}

// Adds its constant second input, which it packs (copies) at load.
class PackedAdd final : public kernel::Kernel {
 public:
  Status Prepare(kernel::PrepareContext& ctx) override {
    const graph::Constant* constant = ctx.constant(1);
    if (constant == nullptr) return Error(Code::kInvalidArgument, "input 1 is no constant");
    const TensorView& view = constant->tensor().view();
    WB_ASSIGN_OR_RETURN(packed_, ctx.Pack("test.copy/1", {1}, view.bytes(), [&](std::byte* out) {
      std::memcpy(out, view.data, view.bytes());
      return Status::Ok();
    }));
    ctx.ReplaceInput(1);
    return Status::Ok();
  }
  Status Plan(PlanContext& ctx) const override {
    if (ctx.values(1) != nullptr) return Error(Code::kFail, "the replaced input is still there");
    if (ctx.input_shape(1) != ctx.input_shape(0)) return Error(Code::kFail, "shapes differ");
    return PlanLike(ctx);
  }
  Status Run(RunContext& ctx) const override {
    const auto* packed = reinterpret_cast<const float*>(packed_.data());
    for (int64_t i = 0; i < ctx.input(0).elems(); ++i) {
      ctx.output(0).as<float>()[i] = ctx.input(0).as<float>()[i] + packed[i];
    }
    return Status::Ok();
  }

 private:
  SharedView packed_;
};

constexpr KernelImpl kPacked[] = {
    {"packed", nullptr, [](const graph::NodeRef&) -> Result<std::unique_ptr<kernel::Kernel>> {
       return std::unique_ptr<kernel::Kernel>(std::make_unique<PackedAdd>());
     }}};

Status RunFail(RunContext&) { return Error(Code::kInvalidArgument, "it always fails"); }

constexpr KernelImpl kAdd1[] = {FunctionImpl<RunAdd1, PlanLike>("add1")};
constexpr KernelImpl kAdd[] = {FunctionImpl<RunAdd, PlanLike>("add")};
constexpr KernelImpl kInc[] = {FunctionImpl<RunInc, PlanLike>("inc")};
constexpr KernelImpl kScratch[] = {FunctionImpl<RunScratch, PlanScratch>("scratch")};
constexpr KernelImpl kWide[] = {FunctionImpl<RunWide, PlanLike>("wide")};
constexpr KernelImpl kFlat[] = {FunctionImpl<RunNever, PlanFlat>("flat")};
constexpr KernelImpl kReshape[] = {FunctionImpl<RunNever, PlanReshape>("reshape")};
constexpr KernelImpl kPositive[] = {FunctionImpl<RunPositive, PlanNothing>("positive")};
constexpr KernelImpl kSome[] = {FunctionImpl<RunPositive, PlanSome>("some")};
constexpr KernelImpl kRepeat[] = {FunctionImpl<RunRepeat, PlanRepeat>("repeat")};
constexpr KernelImpl kList[] = {FunctionImpl<RunList, PlanNothing>("list")};
constexpr KernelImpl kHalves[] = {FunctionImpl<RunHalves, PlanHalves>("halves")};
constexpr KernelImpl kCat[] = {FunctionImpl<RunCat, PlanCat>("cat")};
constexpr KernelImpl kRows[] = {FunctionImpl<RunRows, PlanRows>("rows")};
constexpr KernelImpl kWeave[] = {FunctionImpl<RunWeave, PlanWeave>("weave")};
constexpr KernelImpl kStale[] = {FunctionImpl<RunStale, PlanScratch>("stale")};
constexpr KernelImpl kShape[] = {FunctionImpl<RunShape, PlanShape>("shape")};
constexpr KernelImpl kLess[] = {FunctionImpl<RunLess, PlanLess>("less")};
constexpr KernelImpl kFail[] = {FunctionImpl<RunFail, PlanLike>("fail")};

constexpr OpKernels kTable[] = {
    {"test", "Add1", 1, 99, kAdd1},         {"test", "Add", 1, 99, kAdd},
    {"test", "Inc", 1, 99, kInc},           {"test", "Scratch", 1, 99, kScratch},
    {"test", "Flat", 1, 99, kFlat},         {"test", "Reshape", 1, 99, kReshape},
    {"test", "Positive", 1, 99, kPositive}, {"", "Shape", 1, 99, kShape},
    {"test", "Wide", 1, 99, kWide},         {"test", "Less", 1, 99, kLess},
    {"test", "Fail", 1, 99, kFail},         {"test", "Packed", 1, 99, kPacked},
    {"", "Multinomial", 1, 99, kAdd1},      {"test", "Halves", 1, 99, kHalves},
    {"test", "Cat", 1, 99, kCat},           {"test", "Stale", 1, 99, kStale},
    {"test", "Some", 1, 99, kSome},         {"test", "Repeat", 1, 99, kRepeat},
    {"test", "List", 1, 99, kList},         {"test", "Rows", 1, 99, kRows},
    {"test", "Weave", 1, 99, kWeave},
};

}  // namespace

std::vector<kernel::Provider> TestProviders() { return {{"TestProvider", {kTable}}}; }

}  // namespace waybill::exec::testing
