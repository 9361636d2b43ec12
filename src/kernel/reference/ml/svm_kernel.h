// The kernel functions of support vector machines.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"

namespace waybill::kernel::reference {

struct SvmKernel {
  enum class Kind { kLinear, kPoly, kRbf, kSigmoid } kind = Kind::kLinear;
  double gamma = 0, coef0 = 0, degree = 0;

  // K(x, v): feature(i) is the i-th of `width` numbers of x.
  template <typename Feature>
  double operator()(const float* v, int64_t width, const Feature& feature) const {
    double sum = 0;
    for (int64_t i = 0; i < width; ++i) {
      const double a = feature(i), b = static_cast<double>(v[i]);
      sum += kind == Kind::kRbf ? (a - b) * (a - b) : a * b;
    }
    switch (kind) {
      case Kind::kPoly:
        return std::pow(gamma * sum + coef0, degree);
      case Kind::kRbf:
        return std::exp(-gamma * sum);
      case Kind::kSigmoid:
        return std::tanh(gamma * sum + coef0);
      default:
        return sum;
    }
  }
};

// From kernel_type and kernel_params. Errors: kInvalidArgument for unknown types or too few
// parameters.
inline Result<SvmKernel> ParseSvmKernel(const graph::Attributes& attrs) {
  SvmKernel kernel;
  const std::string type = attrs.String("kernel_type", "LINEAR");
  const std::vector<float> params = attrs.Floats("kernel_params");
  if (type == "POLY") {
    kernel.kind = SvmKernel::Kind::kPoly;
  } else if (type == "RBF") {
    kernel.kind = SvmKernel::Kind::kRbf;
  } else if (type == "SIGMOID") {
    kernel.kind = SvmKernel::Kind::kSigmoid;
  } else if (type != "LINEAR") {
    return Error(Code::kInvalidArgument, "kernel_type is '{}'", type);
  }
  if (params.size() >= 3) {
    kernel.gamma = static_cast<double>(params[0]);
    kernel.coef0 = static_cast<double>(params[1]);
    kernel.degree = static_cast<double>(params[2]);
  } else if (kernel.kind != SvmKernel::Kind::kLinear) {
    return Error(Code::kInvalidArgument, "kernel_params has {} entries", params.size());
  }
  return kernel;
}

}  // namespace waybill::kernel::reference
