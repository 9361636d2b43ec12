// The fused operator MatMul: a product with a matrix, a bias and an elementwise epilogue.
#include <array>
#include <optional>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/internal/expression_eval.h"
#include "kernel/reference/internal/kernels.h"

namespace waybill::kernel::reference {

namespace {

constexpr size_t kFirstOperand = 3;

struct MatMulParams {
  bool trans_b = false;
  std::optional<graph::Expression> epilogue;  // of the product (x0) and inputs 3 and on (x1, ...)
};

Result<MatMulParams> ParseMatMul(const graph::NodeRef& node) {
  MatMulParams params;
  params.trans_b = node.attrs().Int("transB") != 0;
  if (const std::string text = node.attrs().String("expr"); !text.empty()) {
    WB_ASSIGN_OR_RETURN(params.epilogue, graph::Expression::Parse(text));
  }
  return params;
}

Status RunMatMul(const MatMulParams& p, RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(1), &y = ctx.output(0);
  const int64_t k = b.shape[p.trans_b ? 1 : 0], n = b.shape[p.trans_b ? 0 : 1];
  const int64_t rows = a.shape.ElemsBetween(0, a.shape.rank() - 1);
  const float* bias = nullptr;
  if (ctx.has_input(2)) {
    if (ctx.input(2).shape != Shape({n})) {
      return Error(Code::kInvalidArgument, "bias {} is not one number for each of {} columns",
                   ctx.input(2).shape, n);
    }
    bias = ctx.input(2).as<const float>();
  }
  for (int64_t row = 0; row < rows; ++row) {
    const float* left = a.as<const float>() + row * k;
    for (int64_t column = 0; column < n; ++column) {
      double sum = bias == nullptr ? 0.0 : bias[column];
      for (int64_t i = 0; i < k; ++i) {
        const int64_t at = p.trans_b ? column * k + i : i * n + column;
        sum += static_cast<double>(left[i]) * static_cast<double>(b.as<const float>()[at]);
      }
      y.as<float>()[row * n + column] = static_cast<float>(sum);
    }
  }
  if (!p.epilogue) return Status::Ok();
  std::array<const TensorView*, graph::kMaxExprInputs> all = {&y};
  size_t count = 1;
  for (size_t i = kFirstOperand; i < ctx.num_inputs(); ++i) {
    if (count == all.size()) {
      return Error(Code::kInvalidArgument, "operands of the epilogue are more than {}",
                   graph::kMaxExprInputs);
    }
    all[count++] = &ctx.input(i);
  }
  const auto operands = std::span(all).first(count);
  WB_RETURN_IF_ERROR(CheckOperands(*p.epilogue, operands, y.shape));
  ApplyExpression(*p.epilogue, operands, y);
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kInternalMatMul[1] = {
    FunctionImpl<MatMulParams, ParseMatMul, RunMatMul>("fused_matmul.reference")};

}  // namespace waybill::kernel::reference
