// What the rules of this family know without concrete shapes: symbols travel through shape
// arithmetic, and whatever is unknown degrades instead of failing.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <string>

#include "graph/infer/context.h"

namespace waybill::graph::infer {
namespace {

Dim N() { return Dim::Symbol("n"); }
Dim S() { return Dim::Symbol("s"); }
SymShape Sym(std::vector<Dim> dims) { return SymShape(std::move(dims)); }

// One rule over facts. Values are int64 lists.
class Case {
 public:
  explicit Case(std::string op, int since = 13) {
    node_.op_type = std::move(op);
    node_.since_version = since;
    node_.outputs = {0};
  }
  Case& In(SymShape shape, DType dtype = DType::kF32) {
    types_.push_back(ValueType::Tensor(dtype, std::move(shape)));
    facts_.push_back({&types_.back(), nullptr, nullptr});
    return *this;
  }
  // A list input of which only the symbols are known.
  Case& Symbols(std::vector<Dim> dims) {
    In(Sym({static_cast<int64_t>(dims.size())}), DType::kI64);
    contents_.push_back(std::move(dims));
    facts_.back().contents = &contents_.back();
    return *this;
  }
  Case& Scalar(Dim dim) {
    In(Sym({}), DType::kI64);
    contents_.push_back({std::move(dim)});
    facts_.back().contents = &contents_.back();
    return *this;
  }
  Case& Ints(std::vector<int64_t> ints) {
    const Shape shape{static_cast<int64_t>(ints.size())};
    In(SymShape(shape), DType::kI64);
    ints_.push_back(std::move(ints));
    TensorView view;
    view.dtype = DType::kI64;
    view.shape = shape;
    view.data = reinterpret_cast<std::byte*>(ints_.back().data());
    views_.push_back(view);
    facts_.back().values = &views_.back();
    return *this;
  }
  Case& Omit() {
    facts_.push_back({});
    return *this;
  }
  Case& Attr(std::string name, AttributeValue value) {
    node_.attrs.Set(std::move(name), std::move(value));
    return *this;
  }
  Case& Outputs(size_t count) {
    node_.outputs.assign(count, 0);
    return *this;
  }

  std::string Shape0() {
    Infer();
    return out_[0].shape.ToString();
  }
  // "?" when nothing is known.
  std::string Contents0() {
    Infer();
    return known_[0] ? SymShape(*known_[0]).ToString() : "none";
  }
  std::string ShapeOf(size_t i) {
    Infer();
    return out_[i].shape.ToString();
  }

 private:
  void Infer() {
    node_.inputs.assign(facts_.size(), 0);
    const InferFn rule = FindInferRule("", node_.op_type);
    ASSERT_NE(rule, nullptr);
    InferContext ctx(node_, facts_, std::vector<ValueType>(node_.outputs.size()));
    const Status status = rule(ctx);
    EXPECT_TRUE(status.ok()) << status.ToString();
    out_ = ctx.outputs();
    known_ = ctx.contents();
  }

  Node node_;
  std::deque<ValueType> types_;
  std::deque<std::vector<Dim>> contents_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<TensorView> views_;
  std::vector<InputFact> facts_;
  std::vector<ValueType> out_;
  std::vector<std::optional<std::vector<Dim>>> known_;
};

TEST(SymbolicShape, ShapeAndSizeTellContents) {
  EXPECT_EQ(Case("Shape").In(Sym({N(), 3, Dim()})).Contents0(), "[n, 3, ?]");
  EXPECT_EQ(Case("Shape", 15).In(Sym({N(), 3})).Attr("start", int64_t{-1}).Contents0(), "[3]");
  EXPECT_EQ(Case("Shape").In(SymShape()).Shape0(), "[?]");
  EXPECT_EQ(Case("Size").In(Sym({N(), 1})).Contents0(), "[n]");
  EXPECT_EQ(Case("Size").In(Sym({N(), 3})).Contents0(), "[?]");
}

TEST(SymbolicShape, ArithmeticOnLists) {
  EXPECT_EQ(Case("Gather").Symbols({N(), 3, S()}).Ints({-1, 0}).Contents0(), "[s, n]");
  EXPECT_EQ(Case("Unsqueeze").Scalar(N()).Ints({0}).Contents0(), "[n]");
  EXPECT_EQ(Case("Unsqueeze").Scalar(N()).Ints({0}).Shape0(), "[1]");
  EXPECT_EQ(Case("Squeeze").Symbols({S()}).Contents0(), "[s]");
  EXPECT_EQ(Case("Concat")
                .Symbols({N()})
                .Ints({-1, 4})
                .In(Sym({1}), DType::kI64)
                .Attr("axis", int64_t{0})
                .Contents0(),
            "[n, ?, 4, ?]");
  EXPECT_EQ(Case("Slice").Symbols({N(), 3, S()}).Ints({1}).Ints({INT64_MAX}).Contents0(), "[3, s]");
  EXPECT_EQ(Case("Slice")
                .Symbols({N(), 3, S()})
                .Ints({-1})
                .Ints({INT64_MIN})
                .Ints({0})
                .Ints({-1})
                .Contents0(),
            "[s, 3, n]");
  EXPECT_EQ(Case("Split").Symbols({N(), 3, S()}).Ints({1, 2}).Outputs(2).Contents0(), "[n]");
  EXPECT_EQ(Case("Tile").Symbols({N()}).Ints({2}).Contents0(), "[n, n]");
  EXPECT_EQ(Case("Expand").Symbols({N()}).Ints({3}).Contents0(), "[n, n, n]");
}

TEST(SymbolicShape, Reshape) {
  const auto reshape = [](SymShape in, std::vector<int64_t> to) {
    return Case("Reshape", 14).In(std::move(in)).Ints(std::move(to)).Shape0();
  };
  EXPECT_EQ(reshape(Sym({N(), 3, 4}), {0, -1}), "[n, 12]");
  EXPECT_EQ(reshape(Sym({N(), 3, 4}), {-1, 12}), "[?, 12]");
  EXPECT_EQ(reshape(Sym({N(), S(), 8}), {0, 0, 2, 4}), "[n, s, 2, 4]");
  EXPECT_EQ(reshape(Sym({N(), S(), 8}), {0, 0, 2, -1}), "[n, s, 2, 4]");
  EXPECT_EQ(reshape(SymShape(), {0, -1}), "[?, ?]");
  EXPECT_EQ(Case("Reshape", 14).In(Sym({N(), S(), 8})).Symbols({N(), S(), 2, Dim()}).Shape0(),
            "[n, s, 2, 4]");
  EXPECT_EQ(Case("Reshape", 14).In(Sym({N(), S(), 8})).Symbols({Dim(), Dim(), 8}).Shape0(),
            "[?, ?, 8]");
  EXPECT_EQ(Case("Reshape", 14).In(Sym({2, 3})).In(Sym({3}), DType::kI64).Shape0(), "[?, ?, ?]");
  EXPECT_EQ(Case("Reshape", 14).In(Sym({2, 3})).In(SymShape(), DType::kI64).Shape0(), "?");
}

TEST(SymbolicShape, LayoutKeepsSymbols) {
  EXPECT_EQ(Case("Transpose").In(Sym({N(), 3})).Shape0(), "[3, n]");
  EXPECT_EQ(Case("Transpose").In(SymShape()).Attr("perm", std::vector<int64_t>{1, 0}).Shape0(),
            "[?, ?]");
  EXPECT_EQ(Case("Concat").In(Sym({N(), 2})).In(Sym({Dim(), 3})).Attr("axis", int64_t{1}).Shape0(),
            "[n, 5]");
  EXPECT_EQ(Case("Concat").In(Sym({N(), 2})).In(SymShape()).Attr("axis", int64_t{0}).Shape0(),
            "[?, 2]");
  EXPECT_EQ(Case("Split").In(Sym({N(), 6})).Attr("axis", int64_t{1}).Outputs(2).ShapeOf(1),
            "[n, 3]");
  EXPECT_EQ(Case("Split").In(Sym({N(), 6})).Outputs(2).ShapeOf(1), "[?, 6]");
  EXPECT_EQ(Case("Flatten").In(Sym({N(), 3, 4})).Shape0(), "[n, 12]");
  EXPECT_EQ(Case("Squeeze").In(Sym({N(), 1})).Shape0(), "?");
  EXPECT_EQ(Case("Squeeze").In(Sym({N(), 1})).In(Sym({1}), DType::kI64).Shape0(), "[?]");
}

TEST(SymbolicShape, SlicesAndPads) {
  EXPECT_EQ(Case("Slice").In(Sym({N(), 5})).Ints({0}).Ints({INT64_MAX}).Shape0(), "[n, 5]");
  EXPECT_EQ(Case("Slice").In(Sym({N(), 5})).Ints({1}).Ints({3}).Ints({1}).Shape0(), "[n, 2]");
  EXPECT_EQ(Case("Slice").In(Sym({N(), 5})).Ints({1}).Ints({3}).Shape0(), "[?, 5]");
  EXPECT_EQ(Case("Slice")
                .In(Sym({N(), 5, 6}))
                .In(Sym({1}), DType::kI64)
                .In(Sym({1}), DType::kI64)
                .Ints({-1})
                .Shape0(),
            "[n, 5, ?]");
  EXPECT_EQ(Case("Pad").In(Sym({N(), 5})).Ints({0, 1, 0, 2}).Shape0(), "[n, 8]");
  EXPECT_EQ(Case("Pad").In(Sym({N(), 5})).In(SymShape(), DType::kI64).Shape0(), "[?, ?]");
}

TEST(SymbolicShape, SizesFromContents) {
  EXPECT_EQ(Case("Expand").In(Sym({1, 4})).Symbols({N(), S(), 1}).Shape0(), "[n, s, 4]");
  EXPECT_EQ(Case("Expand").In(Sym({1, 4})).In(Sym({3}), DType::kI64).Shape0(), "[?, ?, 4]");
  EXPECT_EQ(Case("ConstantOfShape").Symbols({N(), 3}).Shape0(), "[n, 3]");
  EXPECT_EQ(Case("ConstantOfShape").In(Sym({2}), DType::kI64).Shape0(), "[?, ?]");
  EXPECT_EQ(Case("TopK").In(Sym({N(), 9})).Symbols({S()}).Outputs(2).ShapeOf(1), "[n, s]");
  EXPECT_EQ(Case("OneHot", 11).In(Sym({N()}), DType::kI64).Scalar(S()).In(Sym({2})).Shape0(),
            "[n, s]");
  EXPECT_EQ(Case("NonZero").In(Sym({N(), 3})).Shape0(), "[2, ?]");
}

}  // namespace
}  // namespace waybill::graph::infer
