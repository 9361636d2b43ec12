#include <cmath>

#include "kernel/reference/ml/kernels.h"
#include "kernel/reference/ml/post_transform.h"
#include "kernel/reference/ml/rows.h"
#include "kernel/reference/ml/svm_kernel.h"

namespace waybill::kernel::reference {

namespace {

struct SvmRegressorParams {
  SvmKernel kernel;
  std::vector<float> coefficients, supports;
  int64_t support_count = 0;
  double rho = 0;
  bool one_class = false;
  PostTransform post = PostTransform::kNone;
};

Result<SvmRegressorParams> ParseSvmRegressor(const graph::NodeRef& node) {
  const graph::Attributes& attrs = node.attrs();
  SvmRegressorParams p;
  WB_ASSIGN_OR_RETURN(p.kernel, ParseSvmKernel(attrs));
  WB_ASSIGN_OR_RETURN(p.post, ParsePostTransform(attrs.String("post_transform", "NONE")));
  p.coefficients = attrs.Floats("coefficients");
  p.supports = attrs.Floats("support_vectors");
  p.support_count = attrs.Int("n_supports");
  p.one_class = attrs.Int("one_class") != 0;
  const std::vector<float> rho = attrs.Floats("rho");
  if (rho.size() > 1 || p.support_count < 0) {
    return Error(Code::kInvalidArgument, "{} rho, n_supports is {}", rho.size(), p.support_count);
  }
  if (!rho.empty()) p.rho = static_cast<double>(rho[0]);
  if (p.support_count > 0 && (static_cast<int64_t>(p.coefficients.size()) != p.support_count ||
                              static_cast<int64_t>(p.supports.size()) % p.support_count != 0)) {
    return Error(Code::kInvalidArgument, "{} coefficients and {} numbers for {} support vectors",
                 p.coefficients.size(), p.supports.size(), p.support_count);
  }
  return p;
}

Status RunSvmRegressor(const SvmRegressorParams& p, RunContext& ctx) {
  const TensorView& x = ctx.input(0);
  const RowsOf shape(x.shape);
  const auto width =
      static_cast<int64_t>(p.support_count > 0 ? p.supports.size() : p.coefficients.size()) /
      (p.support_count > 0 ? p.support_count : 1);
  if (width != shape.columns) {
    return Error(Code::kInvalidArgument, "X has {} columns, the vectors have {}", shape.columns,
                 width);
  }
  for (int64_t row = 0; row < shape.rows; ++row) {
    const auto feature = [&](int64_t i) { return ReadNumber(x, row * width + i); };
    double sum = p.rho;
    if (p.support_count == 0) {
      sum += p.kernel(p.coefficients.data(), width, feature);
    }
    for (int64_t k = 0; k < p.support_count; ++k) {
      sum += static_cast<double>(p.coefficients[static_cast<size_t>(k)]) *
             p.kernel(p.supports.data() + k * width, width, feature);
    }
    if (p.one_class) sum = sum > 0 ? 1 : -1;
    Apply(p.post, {&sum, 1});
    ctx.output(0).as<float>()[row] = static_cast<float>(sum);
  }
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kSvmRegressor[1] = {
    FunctionImpl<SvmRegressorParams, ParseSvmRegressor, RunSvmRegressor>(
        "svm_regressor.reference")};

}  // namespace waybill::kernel::reference
