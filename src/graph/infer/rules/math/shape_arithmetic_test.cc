// Shape arithmetic at load: what the rules say of the elements of small integer tensors.
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "graph/infer/context.h"

namespace waybill::graph::infer {
namespace {

Dim N() { return Dim::Symbol("n"); }

// One node of int64 (or other) tensors of rank 1; `Result` is the text of what is known.
class Arithmetic {
 public:
  explicit Arithmetic(std::string op, int since = 13) {
    node_.op_type = std::move(op);
    node_.since_version = since;
    node_.outputs = {0};
  }
  Arithmetic& Symbols(std::vector<Dim> dims) {
    types_.push_back(
        ValueType::Tensor(DType::kI64, SymShape({Dim(static_cast<int64_t>(dims.size()))})));
    contents_.push_back(std::move(dims));
    facts_.push_back({&types_.back(), nullptr, &contents_.back()});
    return *this;
  }
  Arithmetic& Numbers(std::vector<int64_t> numbers) {
    const Shape shape{static_cast<int64_t>(numbers.size())};
    types_.push_back(ValueType::Tensor(DType::kI64, SymShape(shape)));
    numbers_.push_back(std::move(numbers));
    TensorView view;
    view.dtype = DType::kI64;
    view.shape = shape;
    view.data = reinterpret_cast<std::byte*>(numbers_.back().data());
    views_.push_back(view);
    facts_.push_back({&types_.back(), &views_.back(), nullptr});
    return *this;
  }
  Arithmetic& Bools(std::vector<Dim> dims) {
    Symbols(std::move(dims));
    types_.back().dtype = DType::kBool;
    return *this;
  }
  Arithmetic& Attr(std::string name, int64_t value) {
    node_.attrs.Set(std::move(name), value);
    return *this;
  }
  std::string Result(DType dtype = DType::kI64) {
    InferContext ctx(node_, facts_, {ValueType::Tensor(dtype)});
    const Status status = FindInferRule("", node_.op_type)(ctx);
    if (!status.ok()) return status.ToString();
    if (!ctx.contents()[0]) return "nothing";
    return SymShape(*ctx.contents()[0]).ToString();
  }

 private:
  Node node_;
  std::deque<ValueType> types_;
  std::deque<TensorView> views_;
  std::deque<std::vector<int64_t>> numbers_;
  std::deque<std::vector<Dim>> contents_;
  std::vector<InputFact> facts_;
};

TEST(ShapeArithmetic, NumbersAndNeutralElements) {
  EXPECT_EQ(Arithmetic("Add").Symbols({2, N(), Dim()}).Numbers({3, 0, 1}).Result(), "[5, n, ?]");
  EXPECT_EQ(Arithmetic("Sub").Symbols({5, N(), N()}).Symbols({2, N(), 1}).Result(), "[3, 0, ?]");
  EXPECT_EQ(Arithmetic("Mul").Symbols({3, N(), N()}).Numbers({2, 1, 0}).Result(), "[6, n, 0]");
  EXPECT_EQ(Arithmetic("Div").Symbols({7, N(), N()}).Numbers({2, 1, 2}).Result(), "[3, n, ?]");
  EXPECT_EQ(Arithmetic("Mod").Symbols({7, N()}).Numbers({4, 1}).Result(), "[3, 0]");
  EXPECT_EQ(Arithmetic("Min").Symbols({7, N()}).Numbers({4, 0}).Result(), "[4, 0]");
  EXPECT_EQ(Arithmetic("Max").Symbols({7, N()}).Numbers({4, -1}).Result(), "[7, n]");
  EXPECT_EQ(Arithmetic("Mul").Symbols({3, N()}).Numbers({2}).Result(), "[6, ?]");
}

TEST(ShapeArithmetic, WhatCannotBeTold) {
  EXPECT_EQ(Arithmetic("Sub").Numbers({1}).Numbers({2}).Result(), "nothing");  // negative
  EXPECT_EQ(Arithmetic("Neg").Numbers({-4, 0}).Result(), "[4, 0]");
  EXPECT_EQ(Arithmetic("Div").Numbers({4, 8}).Numbers({0, 2}).Result(), "[?, 4]");
  EXPECT_EQ(Arithmetic("Mul").Numbers({INT64_MAX, 1}).Numbers({2, 2}).Result(), "[?, 2]");
  EXPECT_EQ(Arithmetic("Add").Numbers({1}).Numbers({1}).Result(DType::kF32), "nothing");
}

TEST(ShapeArithmetic, ExpandsOfExporters) {
  // Where(shape == -1, ones, shape): a symbol is never negative.
  EXPECT_EQ(Arithmetic("Equal").Symbols({N(), 3}).Numbers({-1, -1}).Result(DType::kBool), "[0, 0]");
  EXPECT_EQ(Arithmetic("Where", 16).Bools({0, 1}).Numbers({1, 1}).Symbols({N(), 3}).Result(),
            "[n, 1]");
  EXPECT_EQ(Arithmetic("Not").Bools({0, 1}).Result(DType::kBool), "[1, 0]");
  EXPECT_EQ(Arithmetic("Greater").Symbols({N(), 3}).Numbers({-1, 3}).Result(DType::kBool),
            "[1, 0]");
}

TEST(ShapeArithmetic, CastsReductionsRanges) {
  EXPECT_EQ(
      Arithmetic("Cast").Attr("to", static_cast<int64_t>(DType::kI32)).Symbols({N(), 3}).Result(),
      "[n, 3]");
  EXPECT_EQ(Arithmetic("ReduceProd").Attr("keepdims", 0).Symbols({N(), 1, 1}).Result(), "[n]");
  EXPECT_EQ(Arithmetic("ReduceSum").Attr("keepdims", 0).Symbols({2, 3}).Result(), "[5]");
  EXPECT_EQ(Arithmetic("Range", 11).Numbers({1}).Numbers({7}).Numbers({2}).Result(), "[1, 3, 5]");
}

TEST(ShapeArithmetic, RangeToASymbol) {
  Node node;
  node.op_type = "Range";
  node.since_version = 11;
  node.outputs = {0};
  const std::vector<Dim> zero = {0}, limit = {N()}, one = {1};
  const ValueType scalar = ValueType::Tensor(DType::kI64, SymShape(Shape()));
  const InputFact facts[] = {
      {&scalar, nullptr, &zero}, {&scalar, nullptr, &limit}, {&scalar, nullptr, &one}};
  InferContext ctx(node, facts, {ValueType::Tensor(DType::kI64)});
  ASSERT_TRUE(FindInferRule("", "Range")(ctx).ok());
  EXPECT_EQ(ctx.output(0).shape.ToString(), "[n]");
}

}  // namespace
}  // namespace waybill::graph::infer
