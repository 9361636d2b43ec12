// The internal QLinearGlobalAveragePool.
#include <algorithm>
#include <cmath>

#include "cpu/kernels/quant/constants.h"
#include "cpu/kernels/quant/lists.h"
#include "cpu/quant/bytes.h"
#include "kernel/api/kernel.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::RunContext;

constexpr size_t kXZero = 2, kYZero = 4;

class ByteAveragePool final : public Kernel {
 public:
  explicit ByteAveragePool(const graph::NodeRef& node)
      : channels_last_(node.attrs().Int("channels_last") != 0),
        x_zero_(IntegerAt(*node.constant(kXZero), 0)),
        y_zero_(IntegerAt(*node.constant(kYZero), 0)),
        factor_(static_cast<double>(ConstantAt<float>(*node.constant(1), 0)) /
                ConstantAt<float>(*node.constant(3), 0)) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape& x = ctx.input_shape(0);
    if (x.rank() < 3) return Error(Code::kInvalidArgument, "{} has no spatial axes", x);
    const int64_t channels = x[channels_last_ ? x.rank() - 1 : 1];
    ctx.BookScratch(static_cast<size_t>(channels) * sizeof(int32_t));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    if (ctx.input(0).dtype == DType::kI8) {
      Pool<int8_t>(ctx);
    } else {
      Pool<uint8_t>(ctx);
    }
    return Status::Ok();
  }

 private:
  template <typename T>
  void Pool(RunContext& ctx) const {
    const TensorView& x = ctx.input(0);
    const size_t rank = x.shape.rank();
    const auto images = static_cast<size_t>(x.shape[0]);
    const auto channels = static_cast<size_t>(x.shape[channels_last_ ? rank - 1 : 1]);
    const auto size = static_cast<size_t>(channels_last_ ? x.shape.ElemsBetween(1, rank - 1)
                                                         : x.shape.ElemsBetween(2, rank));
    const double to_y = factor_ / static_cast<double>(size);
    const auto shift = static_cast<double>(static_cast<int64_t>(size) * x_zero_);
    auto* sums = ctx.scratch<int32_t>(0);
    for (size_t image = 0; image < images; ++image) {
      const T* in = x.as<const T>() + image * size * channels;
      T* out = ctx.output(0).as<T>() + image * channels;
      Sum(in, size, channels, sums);
      for (size_t c = 0; c < channels; ++c) {
        out[c] = Clamp<T>(std::nearbyint((sums[c] - shift) * to_y) + y_zero_);
      }
    }
  }

  template <typename T>
  void Sum(const T* in, size_t size, size_t channels, int32_t* sums) const {
    if (channels_last_) {
      ByteFnsOf<T>(BestTarget()).sum_rows(in, size, channels, sums);
      return;
    }
    for (size_t c = 0; c < channels; ++c) {
      int32_t sum = 0;
      for (size_t i = 0; i < size; ++i) sum += in[c * size + i];
      sums[c] = sum;
    }
  }

  template <typename T>
  static T Clamp(double value) {
    // NaN, the mean of nothing, becomes the lowest value.
    const double low = T(-1) < T(0) ? -128 : 0;
    return static_cast<T>(value >= low ? std::min(value, low + 255) : low);
  }

  bool channels_last_;
  int32_t x_zero_, y_zero_;
  double factor_;
};

// Images up to this size can not make a sum of bytes overflow.
constexpr int64_t kMaxPixels = int64_t{1} << 22;

Acceptance AcceptsPool(const graph::NodeRef& node) {
  const DType dtype = node.input_dtype(0);
  WB_REFUSE_IF(!IsByte(dtype), "{} is no 8-bit integer", DTypeName(dtype));
  WB_REFUSE_IF(node.input_dtype(kYZero) != dtype, "input and output differ in type");
  const SymShape& x = node.input_type(0).shape;
  WB_REFUSE_IF(!x.has_rank() || x.rank() < 3, "there are no spatial axes");
  const size_t first = node.attrs().Int("channels_last") != 0 ? 1 : 2;
  int64_t pixels = 1;
  for (size_t i = first; i < first + x.rank() - 2; ++i) {
    WB_REFUSE_IF(!x[i].known() || x[i].value() > kMaxPixels, "the spatial size is not known");
    pixels *= x[i].value();
    WB_REFUSE_IF(pixels > kMaxPixels, "the images are too large");
  }
  for (const size_t scale : {1, 3}) {
    if (Acceptance a = AcceptsSpread(node, scale, DType::kF32, 1, "a scale"); !a.ok()) return a;
  }
  for (const size_t zero : {kXZero, kYZero}) {
    if (Acceptance a = AcceptsSpread(node, zero, dtype, 1, "a zero point"); !a.ok()) return a;
  }
  return Acceptance::Yes();
}

constexpr KernelImpl kPool[] = {{"qlinear_global_average_pool.simd", AcceptsPool,
                                 [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
                                   return std::unique_ptr<Kernel>(
                                       std::make_unique<ByteAveragePool>(node));
                                 }}};
constexpr OpKernels kOps[] = {{graph::kInternalDomain, "QLinearGlobalAveragePool", 1, 1, kPool}};

}  // namespace

std::span<const OpKernels> QLinearPoolKernels() { return kOps; }

}  // namespace waybill::cpu
