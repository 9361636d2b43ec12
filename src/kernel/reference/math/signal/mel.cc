// MelWeightMatrix: triangles with peak 1 between neighbouring points of the mel scale, over the
// bins of a one-sided spectrum.
#include <algorithm>
#include <cmath>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/math/tables.h"
#include "kernel/reference/support/compute.h"
#include "kernel/reference/support/cut_float.h"

namespace waybill::kernel::reference {

namespace {

double Mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double Hertz(double mel) { return 700 * (std::pow(10.0, mel / 2595) - 1); }

struct MelScale {
  double lowest, step;  // in mel
  int64_t dft_length, sample_rate;

  // Spectrum bin of point `i`.
  int64_t Bin(int64_t i) const {
    const double hertz = Hertz(lowest + step * static_cast<double>(i));
    const double bin =
        std::floor(static_cast<double>(dft_length + 1) * hertz / static_cast<double>(sample_rate));
    return CutFloat<int64_t>(bin);
  }
};

// Height of the triangle over (low, center, high) at `bin`.
double Triangle(int64_t low, int64_t center, int64_t high, int64_t bin) {
  if (bin == center) return 1;
  if (bin >= low && bin < center) {
    return static_cast<double>(bin - low) / static_cast<double>(center - low);
  }
  if (bin > center && bin < high) {
    return static_cast<double>(high - bin) / static_cast<double>(high - center);
  }
  return 0;
}

int64_t ReadInt(const TensorView& view) {
  return view.dtype == DType::kI32 ? int64_t{view.as<int32_t>()[0]} : view.as<int64_t>()[0];
}

Result<double> ReadFloat(const TensorView& view) {
  double value = 0;
  WB_RETURN_IF_ERROR(DispatchDType(view.dtype, FloatTypes{}, [&]<typename T>() {
    value = static_cast<double>(view.as<T>()[0]);
    return Status::Ok();
  }));
  return value;
}

Status RunMel(RunContext& ctx) {
  for (size_t i = 0; i < 5; ++i) {
    if (ctx.input(i).elems() != 1) {
      return Error(Code::kInvalidArgument, "input {} must be a scalar, its shape is {}", i,
                   ctx.input(i).shape);
    }
  }
  const TensorView& out = ctx.output(0);
  const int64_t bins = out.shape[0], bands = out.shape[1];
  const int64_t rate = ReadInt(ctx.input(2));
  if (rate < 1) return Error(Code::kInvalidArgument, "sample_rate is {}", rate);
  WB_ASSIGN_OR_RETURN(const double low, ReadFloat(ctx.input(3)));
  WB_ASSIGN_OR_RETURN(const double high, ReadFloat(ctx.input(4)));
  const MelScale scale{Mel(low), (Mel(high) - Mel(low)) / static_cast<double>(bands + 2),
                       ReadInt(ctx.input(1)), rate};
  return DispatchDType(out.dtype, NumericTypes{}, [&]<typename T>() {
    for (int64_t band = 0; band < bands; ++band) {
      const int64_t left = scale.Bin(band), center = scale.Bin(band + 1),
                    right = scale.Bin(band + 2);
      for (int64_t bin = 0; bin < bins; ++bin) {
        const double value = Triangle(left, center, right, bin);
        T& cell = out.as<T>()[bin * bands + band];
        if constexpr (std::is_integral_v<T>) cell = CutFloat<T>(value);
        if constexpr (!std::is_integral_v<T>) cell = static_cast<T>(value);
      }
    }
    return Status::Ok();
  });
}

constexpr KernelImpl kMel[] = {FunctionImpl<RunMel>("mel_weight_matrix.reference")};

constexpr OpKernels kTable[] = {{.op_type = "MelWeightMatrix", .impls = kMel}};

}  // namespace

KernelTable MelKernels() { return kTable; }

}  // namespace waybill::kernel::reference
