#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cpu/kernels/testing/against_reference.h"
#include "cpu/typed/loops.h"

namespace waybill::cpu {
namespace {

const std::vector<std::pair<Shape, Shape>> kPairs = {{{}, {}},
                                                     {{5}, {}},
                                                     {{}, {2, 3}},
                                                     {{2, 3}, {3}},
                                                     {{2, 1}, {1, 3}},
                                                     {{3, 40, 7}, {3, 1, 7}},
                                                     {{2, 0, 3}, {3}},
                                                     {{130, 300}, {300}},
                                                     {{300, 130}, {300, 1}},
                                                     {{4, 1, 6}, {4, 5, 6}}};

TEST(CpuTyped, BinaryOperators) {
  for (const char* op : {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"}) {
    const int version = std::string(op).size() > 7 ? 16 : 13;
    for (const DType dtype : {DType::kF32, DType::kI32, DType::kI64}) {
      for (const auto& [a, b] : kPairs) {
        const Tensor x = dtype == DType::kF32 ? RandomWithSpecials(a, 1) : RandomOf(dtype, a, 1);
        const Tensor y = dtype == DType::kF32 ? RandomWithSpecials(b, 1) : RandomOf(dtype, b, 1);
        NodeCase(op, version).In(x).In(y).Outputs({DType::kBool}).Agrees("elementwise.typed");
        if (HasFailure()) return;
      }
    }
  }
  for (const char* op : {"Equal", "And", "Or"}) {
    for (const auto& [a, b] : kPairs) {
      NodeCase(op, std::string(op) == "Equal" ? 13 : 7)
          .In(RandomOf(DType::kBool, a, 1))
          .In(RandomOf(DType::kBool, b, 2))
          .Outputs({DType::kBool})
          .Agrees("elementwise.typed");
    }
  }
  for (const std::string op : {"Add", "Sub", "Mul"}) {
    for (const DType dtype : {DType::kI32, DType::kI64}) {
      for (const auto& [a, b] : kPairs) {
        NodeCase(op, 14)
            .In(RandomOf(dtype, a, 1))
            .In(RandomOf(dtype, b, 2))
            .Outputs({dtype})
            .Agrees("elementwise.typed");
      }
    }
  }
  NodeCase("Add", 14)
      .In(RandomOf(DType::kU8, {2}, 1))
      .In(RandomOf(DType::kU8, {2}, 1))
      .Outputs({DType::kU8})
      .Refused("no fast loop for uint8");
}

TEST(CpuTyped, UnaryOperators) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{3, 37}, Shape{100003}}) {
    for (const char* op : {"Neg", "Abs"}) {
      for (const DType dtype : {DType::kI32, DType::kI64}) {
        NodeCase(op, 13).In(RandomOf(dtype, shape, 1)).Outputs({dtype}).Agrees("elementwise.typed");
      }
    }
    NodeCase("Not", 1)
        .In(RandomOf(DType::kBool, shape, 1))
        .Outputs({DType::kBool})
        .Agrees("elementwise.typed");
  }
  NodeCase("Neg", 13)
      .In(MakeInts({3}, {INT64_MIN, INT64_MAX, 0}))
      .Outputs({DType::kI64})
      .Agrees("elementwise.typed");
  NodeCase("Abs", 13)
      .In(MakeInts({3}, {INT64_MIN, INT64_MAX, 0}))
      .Outputs({DType::kI64})
      .Agrees("elementwise.typed");
}

TEST(CpuTyped, Where) {
  for (const DType dtype : {DType::kF32, DType::kI64, DType::kU8, DType::kF16, DType::kF64}) {
    for (const auto& [a, b] : kPairs) {
      const Tensor ca = RandomOf(DType::kBool, a, 1), cb = RandomOf(DType::kBool, b, 1);
      const Tensor xa = RandomOf(dtype, a, 2), xb = RandomOf(dtype, b, 3);
      const Tensor one = RandomOf(dtype, {}, 4);
      NodeCase("Where", 16).In(ca).In(xa).In(xb).Outputs({dtype}).Agrees("where.typed");
      NodeCase("Where", 16).In(cb).In(xa).In(xb).Outputs({dtype}).Agrees("where.typed");
      NodeCase("Where", 16).In(ca).In(one).In(xb).Outputs({dtype}).Agrees("where.typed");
      NodeCase("Where", 16).In(cb).In(xa).In(one).Outputs({dtype}).Agrees("where.typed");
      NodeCase("Where", 16).In(ca).In(one).In(one).Outputs({dtype}).Agrees("where.typed");
      if (HasFailure()) return;
    }
  }
}

TEST(CpuTyped, Cast) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const DType types[] = {DType::kF32, DType::kI32, DType::kI64, DType::kU8, DType::kBool};
  for (const DType from : types) {
    for (const DType to : types) {
      if (from == to) continue;
      for (const Shape& shape : {Shape{}, Shape{0}, Shape{3, 5}, Shape{100003}}) {
        NodeCase("Cast", 13)
            .In(RandomOf(from, shape, 1))
            .Attr("to", static_cast<int64_t>(to))
            .Outputs({to})
            .Agrees("cast.typed");
      }
    }
  }
  for (const DType to : types) {
    if (to == DType::kF32) continue;
    NodeCase("Cast", 13)
        .In(MakeFloats({15}, {NAN, kInf, -kInf, 2147483647.0f, -2147483648.0f, 3e9f, -3e9f, 1e19f,
                              -1e19f, 9.2233715e18f, 300.7f, -1.5f, 0.99f, -0.0f, 1e-40f}))
        .Attr("to", static_cast<int64_t>(to))
        .Outputs({to})
        .Agrees("cast.typed");
  }
}

// The kernels take the best target; the others compute the same.
TEST(CpuTyped, TargetsAgree) {
  const Tensor a = RandomOf(DType::kI32, {77}, 1), b = RandomOf(DType::kI32, {77}, 2);
  for (size_t op = 0; op < kNumTypedOps; ++op) {
    std::vector<int32_t> first;
    for (const SimdTarget target : AvailableTargets()) {
      const BinaryRowFn fn = TypedRow(target, static_cast<TypedOp>(op), DType::kI32);
      if (fn == nullptr) continue;
      std::vector<int32_t> out(77, 0);
      fn({a.view().data, 1}, {b.view().data, 1}, out.data(), 77);
      if (first.empty()) first = out;
      EXPECT_EQ(out, first);
    }
  }
  for (const SimdTarget target : AvailableTargets()) {
    for (const DType to : {DType::kF32, DType::kI64, DType::kU8, DType::kBool}) {
      std::vector<int64_t> out(77, 0), want(77, 0);
      CastRow(target, DType::kI32, to)(a.view().data, out.data(), 77);
      CastRow(SimdTarget::kBaseline, DType::kI32, to)(a.view().data, want.data(), 77);
      EXPECT_EQ(out, want);
    }
    std::vector<int32_t> out(77, 0);
    const Tensor c = RandomOf(DType::kBool, {77}, 3);
    WhereRow(target, 4)({c.view().data, 1}, {a.view().data, 1}, {b.view().data, 1}, out.data(), 77);
    for (size_t i = 0; i < 77; ++i) {
      EXPECT_EQ(out[i], (c.span<bool>()[i] ? a : b).span<int32_t>()[i]);
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
