// f16 operators through f32 kernels against the f16 reference kernels.
#include <gtest/gtest.h>

#include "cpu/kernels/testing/matrix_case.h"
#include "tensor/dtype/types.h"

namespace waybill::cpu {
namespace {

Tensor Halves(const Shape& shape, uint32_t seed) {
  const Tensor wide = Random(shape, seed);
  Tensor out = RandomOf(DType::kF16, shape, seed);
  for (size_t i = 0; i < wide.span<float>().size(); ++i) {
    out.span<Half>()[i] = Half(wide.span<float>()[i]);
  }
  return out;
}

MatrixCase Make(std::string op, int version, std::vector<Tensor> inputs, std::string domain = {}) {
  MatrixCase c;
  c.op = std::move(op);
  c.version = version;
  c.domain = std::move(domain);
  c.inputs = std::move(inputs);
  c.outputs = {DType::kF16};
  return c;
}

void ExpectClose(const MatrixCase& c) { c.Agrees("half.through_float", 2e-3, 2e-3); }

TEST(HalfKernel, Elementwise) {
  for (const char* op : {"Add", "Sub", "Mul", "Div"}) {
    ExpectClose(Make(op, 14, {Halves({3, 17}, 1), Halves({17}, 2)}));
    ExpectClose(Make(op, 14, {Halves({}, 1), Halves({2, 1}, 2)}));
    ExpectClose(Make(op, 14, {Halves({0, 3}, 1), Halves({3}, 2)}));
  }
  for (const char* op : {"Sigmoid", "Tanh", "Relu"}) {
    ExpectClose(Make(op, op == std::string("Relu") ? 14 : 13, {Halves({70001}, 3)}));
  }
}

TEST(HalfKernel, Products) {
  for (const bool constant : {false, true}) {
    MatrixCase matmul = Make("MatMul", 13, {Halves({2, 5, 24}, 1), Halves({24, 33}, 2)});
    MatrixCase gemm = Make("Gemm", 13, {Halves({5, 24}, 1), Halves({33, 24}, 2), Halves({33}, 3)});
    gemm.Int("transB", 1);
    if (constant) gemm.constants = {1, 2};
    if (!constant) ExpectClose(matmul);
    ExpectClose(gemm);
  }
  ExpectClose(Make("Einsum", 12, {Halves({2, 5, 8}, 1), Halves({2, 7, 8}, 2)})
                  .Text("equation", "bid,bjd->bij"));
}

TEST(HalfMatMul, ConstantMatrix) {
  const std::pair<Shape, Shape> cases[] = {
      {{2, 5, 24}, {24, 33}}, {{24}, {24, 33}}, {{1, 16}, {16, 3000}}, {{70, 9}, {9, 900}},
      {{0, 9}, {9, 7}},       {{3, 0}, {0, 7}}, {{3, 9}, {9, 0}},      {{150, 600}, {600, 100}}};
  for (const auto& [a, b] : cases) {
    MatrixCase c = Make("MatMul", 13, {Halves(a, 1), Halves(b, 2)});
    c.constants = {1};
    c.Agrees("matmul.half", 4e-3, 2e-2);
  }
}

TEST(HalfKernel, SmallConstantsAreSeenByValue) {
  MatrixCase add = Make("Add", 14, {Halves({3, 17}, 1), Halves({17}, 2)});
  add.constants = {1};
  ExpectClose(add);
}

TEST(HalfKernel, OtherTypesAreRefused) {
  MatrixCase c = Make("Add", 14, {Halves({3}, 1), Halves({3}, 2)});
  c.inputs = {RandomOf(DType::kBF16, {3}, 1), RandomOf(DType::kBF16, {3}, 2)};
  c.outputs = {DType::kBF16};
  c.Refused("no input is float16");
}

}  // namespace
}  // namespace waybill::cpu
