// SkipLayerNormalization and SkipSimplifiedLayerNormalization of f32: a sum, normalized by rows.
#include <memory>
#include <utility>

#include "cpu/kernels/lists.h"
#include "cpu/kernels/row_tasks.h"
#include "cpu/norm/normalize.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::RunContext;

constexpr double kNsPerElem = 0.4;
enum Output : size_t { kNormalized, kMean, kDeviation, kSum };

class SkipNormKernel final : public Kernel {
 public:
  SkipNormKernel(float epsilon, bool centered)
      : table_(Normalize(BestTarget())), epsilon_(epsilon), centered_(centered) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape &x = ctx.input_shape(0), &skip = ctx.input_shape(1);
    if (x.rank() == 0) return Error(Code::kInvalidArgument, "the input is a scalar");
    const int64_t size = x[x.rank() - 1];
    for (size_t i = 2; i < ctx.num_inputs(); ++i) {
      if (!ctx.has_input(i) || ctx.input_shape(i).elems() == size) continue;
      return Error(Code::kInvalidArgument, "input {} has shape {}, rows have {} elements", i,
                   ctx.input_shape(i), size);
    }
    const int64_t elems = x.elems(), skip_elems = skip.elems();
    if (elems != 0 && (skip_elems == 0 || skip_elems % size != 0 || elems % skip_elems != 0)) {
      return Error(Code::kInvalidArgument, "skip of shape {} does not broadcast to {}", skip, x);
    }
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const TensorView& x = ctx.input(0);
    const auto elems = static_cast<size_t>(x.elems());
    if (elems == 0) return Status::Ok();
    const auto size = static_cast<size_t>(x.shape[x.shape.rank() - 1]);
    ForRows(ctx, elems / size, size, kNsPerElem, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row) Row(ctx, row, size);
    });
    return Status::Ok();
  }

 private:
  void Row(const RunContext& ctx, size_t row, size_t size) const {
    const auto floats = [&](size_t i) {
      return ctx.has_input(i) ? ctx.input(i).as<const float>() : nullptr;
    };
    const auto at = [&](size_t output) {
      return ctx.wants_output(output) ? ctx.output(output).as<float>() : nullptr;
    };
    const size_t skip_rows = static_cast<size_t>(ctx.input(1).elems()) / size;
    float* const out = at(kNormalized) + row * size;
    float* const sum = ctx.wants_output(kSum) ? at(kSum) + row * size : out;
    table_.add(floats(0) + row * size, floats(1) + row % skip_rows * size,
               floats(centered_ ? 4 : 3), sum, size);
    const RowMoments moments = MomentsOf(table_, sum, size, centered_, epsilon_);
    if (float* const means = at(kMean)) means[row] = moments.mean;
    if (float* const deviations = at(kDeviation)) deviations[row] = moments.inverse_deviation;
    table_.scale(sum, moments.mean, moments.inverse_deviation, floats(2),
                 centered_ ? floats(3) : nullptr, out, size);
  }

  const NormalizeTable& table_;
  float epsilon_;
  bool centered_;
};

Acceptance Accepts(const graph::NodeRef& node) {
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    WB_REFUSE_IF(node.has_input(i) && node.input_dtype(i) != DType::kF32,
                 "element type {} is not float", DTypeName(node.input_dtype(i)));
  }
  WB_REFUSE_IF(!node.has_output(0), "the normalized output is omitted");
  return Acceptance::Yes();
}

template <bool kCentered>
Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  return std::unique_ptr<Kernel>(
      std::make_unique<SkipNormKernel>(node.attrs().Float("epsilon", 1e-5f), kCentered));
}

constexpr KernelImpl kSkip[] = {{"skip_layer_norm.simd", Accepts, Create<true>}};
constexpr KernelImpl kSkipRms[] = {{"skip_rms_norm.simd", Accepts, Create<false>}};

constexpr std::string_view kMicrosoft = "com.microsoft";
constexpr OpKernels kTable[] = {
    {kMicrosoft, "SkipLayerNormalization", 1, 1 << 30, kSkip},
    {kMicrosoft, "SkipSimplifiedLayerNormalization", 1, 1 << 30, kSkipRms}};

}  // namespace

std::span<const OpKernels> SkipNormKernels() { return kTable; }

}  // namespace waybill::cpu
