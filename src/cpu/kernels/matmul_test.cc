// MatMul, FusedMatMul, Gemm and the internal MatMul against their reference kernels.
#include <gtest/gtest.h>

#include <array>

#include "cpu/kernels/testing/matrix_case.h"

namespace waybill::cpu {
namespace {

MatrixCase Make(std::string op, int version, std::vector<Tensor> inputs, std::string domain = {}) {
  MatrixCase c;
  c.op = std::move(op);
  c.version = version;
  c.inputs = std::move(inputs);
  c.domain = std::move(domain);
  return c;
}

Tensor Floats(const Shape& shape) {
  return Random(shape, static_cast<uint32_t>(shape.elems()) + 1);
}

void ExpectClose(const MatrixCase& c, const std::string& impl) { c.Agrees(impl, 1e-5, 3e-5); }

TEST(MatMulKernel, RunTimeShapes) {
  const std::pair<Shape, Shape> cases[] = {{{3}, {3}},
                                           {{3}, {3, 4}},
                                           {{2, 3}, {3}},
                                           {{2, 5, 3}, {3}},
                                           {{5, 70}, {70, 1}},
                                           {{2, 5, 3}, {3, 9}},
                                           {{2, 5, 3}, {2, 3, 9}},
                                           {{2, 1, 5, 3}, {4, 3, 9}},
                                           {{5, 3}, {4, 3, 9}},
                                           {{3, 1, 3}, {3, 3, 1}},
                                           {{0, 5, 3}, {3, 9}},
                                           {{2, 5, 0}, {2, 0, 9}},
                                           {{6, 40, 32}, {6, 32, 40}},
                                           {{4, 30, 30}, {1, 30, 17}},
                                           {{130, 130}, {130, 130}},
                                           {{2, 130, 130}, {2, 130, 130}},
                                           {{1, 600}, {600, 700}}};
  for (const auto& [a, b] : cases) {
    ExpectClose(Make("MatMul", 13, {Floats(a), Floats(b)}), "matmul.pack_at_run");
    if (b.rank() != 2) continue;
    MatrixCase packed = Make("MatMul", 13, {Floats(a), Floats(b)});
    packed.constants = {1};
    ExpectClose(packed, "matmul.packed");
  }
}

TEST(MatMulKernel, Fused) {
  for (const int flags : {0, 1, 2, 3}) {
    for (const bool batch_a : {false, true}) {
      for (const bool batch_b : {false, true}) {
        // [batch, m, k] x [batch, k, n], or with the batch behind the first matrix axis.
        const int64_t batch = 3, m = 5, k = 17, n = 6;
        const auto shape = [&](int64_t rows, int64_t columns, bool trans, bool apart) {
          if (trans) std::swap(rows, columns);
          return apart ? Shape{rows, batch, columns} : Shape{batch, rows, columns};
        };
        MatrixCase c = Make("FusedMatMul", 1,
                            {Floats(shape(m, k, (flags & 1) != 0, batch_a)),
                             Floats(shape(k, n, (flags & 2) != 0, batch_b))},
                            "com.microsoft");
        c.Int("transA", flags & 1).Int("transB", (flags & 2) / 2);
        c.Int("transBatchA", batch_a).Int("transBatchB", batch_b);
        c.Real("alpha", 0.125f);
        ExpectClose(c, "matmul.pack_at_run");
      }
    }
  }
  MatrixCase c = Make("FusedMatMul", 1, {Floats({2, 4, 9}), Floats({7, 9})}, "com.microsoft");
  c.Int("transB", 1).constants = {1};
  c.Real("alpha", -2.0f);
  ExpectClose(c, "matmul.packed");
}

TEST(GemmKernel, EveryForm) {
  const Shape c_shapes[] = {{}, {1}, {9}, {1, 9}, {5, 1}, {5, 9}, {1, 1}};
  for (const int flags : {0, 1, 2, 3}) {
    for (size_t i = 0; i <= std::size(c_shapes); ++i) {
      for (const bool constant : {false, true}) {
        const bool trans_a = (flags & 1) != 0, trans_b = (flags & 2) != 0;
        std::vector<Tensor> inputs = {Floats(trans_a ? Shape{12, 5} : Shape{5, 12}),
                                      Floats(trans_b ? Shape{9, 12} : Shape{12, 9})};
        if (i > 0) inputs.push_back(Floats(c_shapes[i - 1]));
        MatrixCase c = Make("Gemm", 13, inputs);
        c.Int("transA", trans_a).Int("transB", trans_b);
        if (constant) c.constants = {1};
        const std::string impl = constant && !trans_a ? "gemm.packed" : "gemm.pack_at_run";
        ExpectClose(c, impl);
        c.Real("alpha", 0.5f);
        c.Real("beta", i % 3 == 0 ? 0.0f : -1.5f);
        ExpectClose(c, impl);
      }
    }
  }
  Make("Gemm", 13, {Floats({2, 3}), Floats({4, 3})}).Fails("does not fit");
  Make("Gemm", 13, {Floats({2, 3}), Floats({3, 4}), Floats({3, 4})}).Fails("does not broadcast");
  ExpectClose(Make("Gemm", 13, {Floats({2, 0}), Floats({0, 3}), Floats({3})}), "gemm.pack_at_run");
}

TEST(FusedMatMulKernel, EpiloguesAndOperands) {
  struct One {
    const char* expression;
    std::vector<Shape> operands;
  };
  const One cases[] = {
      {"", {}},
      {"Relu(x0)", {}},
      {"Clip(x0,-1,2)", {}},
      {"Add(x0,x1)", {{2, 50, 37}}},
      {"Add(x1,x0);Relu(t0)", {{2, 50, 37}}},
      {"Add(x0,x1);Clip(t0,-1,1.5)", {{2, 50, 37}}},
      {"Add(x0,x1);Relu(t0)", {{50, 37}}},
      {"Add(x0,x1)", {{37}}},
      {"Add(x0,x1)", {{2, 50, 1}}},
      {"Add(x0,x1)", {{2, 1, 37}}},
      {"Add(x0,x1)", {{2, 1, 1}}},
      {"Mul(x0,x1);Add(t0,x2);Sigmoid(t1);Mul(t1,t2)", {{}, {1, 50, 37}}},
      {"Div(x0,1.4142135);Erf(t0);Add(t1,1);Mul(x0,t2);Mul(t3,0.5)", {}},
  };
  for (const One& one : cases) {
    for (const bool bias : {false, true}) {
      for (const bool trans_b : {false, true}) {
        MatrixCase c = Make("MatMul", 1,
                            {Floats({2, 50, 12}), Floats(trans_b ? Shape{37, 12} : Shape{12, 37}),
                             bias ? Floats({37}) : Tensor()},
                            "waybill");
        for (const Shape& shape : one.operands) c.inputs.push_back(Floats(shape));
        c.Text("expr", one.expression).Int("transB", trans_b);
        SCOPED_TRACE(one.expression);
        ExpectClose(c, "fused_matmul.pack_at_run");
        c.constants = {1};
        ExpectClose(c, "fused_matmul.packed");
      }
    }
  }
}

// Shapes at which the product takes other ways, and rows that are shared by threads.
TEST(FusedMatMulKernel, MatricesThatAreNotPacked) {
  const std::array<int64_t, 3> sizes[] = {{1, 600, 700}, {3, 70, 1}, {1, 1, 1},    {0, 5, 4},
                                          {4, 0, 5},     {4, 5, 0},  {7, 300, 33}, {260, 64, 90}};
  for (const auto& [m, k, n] : sizes) {
    for (const bool trans_b : {false, true}) {
      MatrixCase c = Make("MatMul", 1,
                          {Floats({m, k}), Floats(trans_b ? Shape{n, k} : Shape{k, n}), Floats({n}),
                           Floats({m, n})},
                          "waybill");
      c.Text("expr", "Add(x0,x1);Relu(t0)").Int("transB", trans_b);
      ExpectClose(c, "fused_matmul.pack_at_run");
    }
  }
}

TEST(FusedMatMulKernel, WrongOperands) {
  MatrixCase c =
      Make("MatMul", 1, {Floats({2, 3}), Floats({3, 4}), Tensor(), Floats({3})}, "waybill");
  c.Text("expr", "Add(x0,x1)").constants = {1};
  c.Fails("does not broadcast");
  MatrixCase bias = Make("MatMul", 1, {Floats({2, 3}), Floats({3, 4}), Floats({1})}, "waybill");
  bias.constants = {1};
  bias.Fails("bias");
  for (MatrixCase* wrong : {&c, &bias}) wrong->constants = {};
  c.Fails("does not broadcast");
  bias.Fails("bias");
  Make("MatMul", 1, {Floats({2, 3}), Floats({4, 3})}, "waybill").Fails("can not be multiplied");
}

}  // namespace
}  // namespace waybill::cpu
