#include "exec/program/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "exec/program/evaluator.h"
#include "exec/testing/sample.h"

namespace waybill::exec {
namespace {

using testing::AsFloats;
using testing::Builder;
using ::testing::ElementsAre;
using testing::Fixture;
using testing::Floats;
using ::testing::HasSubstr;
using testing::Ints;

// A float tensor whose bytes lie one past an aligned address, as in a mapped file.
Tensor Misaligned(const std::vector<float>& values) {
  Tensor bytes = testing::MakeTensor<uint8_t>(
      DType::kU8, {static_cast<int64_t>(values.size() * sizeof(float) + 1)}, {0});
  const SharedView odd = *bytes.storage().Slice(1, values.size() * sizeof(float));
  std::memcpy(odd.data(), values.data(), values.size() * sizeof(float));
  return *Tensor::Wrap(DType::kF32, {static_cast<int64_t>(values.size())}, odd);
}

TEST(Program, MisalignedConstantsAreCopiedAndCounted) {
  Builder b;
  const auto x = b.Input("x");
  b.Output(b.Op("Add", {x, b.Constant("odd", Misaligned({1, 2}))}, "y"));
  Fixture f(b.graph());
  EXPECT_EQ(f.report.copied_constant_bytes, 8u);
  EXPECT_GE(f.ledger->Snapshot()[0].by_tag[static_cast<size_t>(MemoryTag::kWeights)].bytes_in_use,
            8u);
  std::vector<Value> out;
  ASSERT_TRUE(f.Run({Floats({2}, {10, 20})}, out).ok());
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(11, 22));
}

TEST(Program, ReplacedConstantsAreDroppedUnlessSomebodyElseReadsThem) {
  for (const bool shared : {false, true}) {
    Builder b;
    const auto x = b.Input("x");
    const auto c = b.Constant("c", Misaligned({1, 2}));
    b.Output(b.Op("Packed", {x, c}, "y"));
    if (shared) b.Output(b.Op("Add", {x, c}, "z"));
    Fixture f(b.graph());
    ASSERT_TRUE(f.status.ok()) << f.status.ToString();
    EXPECT_EQ(f.report.dropped_constants, shared ? 0u : 1u);
    EXPECT_EQ(f.report.copied_constant_bytes, shared ? 8u : 0u);
    if (shared) continue;
    std::vector<Value> out;
    const Status status = f.Run({Floats({2}, {10, 20})}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_THAT(AsFloats(out[0]), ElementsAre(11, 22));
  }
}

TEST(Program, SplatsAreWrittenOutForTheirReaders) {
  Builder b;
  const auto x = b.Input("x");
  const auto c = b.Add("c");
  b.graph().value(c).constant = graph::Constant::Splat(Floats({1}, {7}), {3});
  b.Output(b.Op("Add", {x, c}, "y"));
  Fixture f(b.graph());
  std::vector<Value> out;
  ASSERT_TRUE(f.Run({Floats({3}, {1, 2, 3})}, out).ok());
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(8, 9, 10));
}

TEST(Program, KernelsThatLackAreNamed) {
  Builder b;
  b.Output(b.Op("Nothing", {b.Input("x")}, "y"));
  Fixture f(b.graph());
  EXPECT_EQ(f.status.code(), Code::kNotImplemented);
  EXPECT_THAT(f.status.message(), HasSubstr("Nothing"));
}

TEST(Program, CancelStopsTheBuild) {
  Builder b;
  b.Output(b.Op("Add1", {b.Input("x")}, "y"));
  const std::atomic<bool> cancel = true;
  BuildOptions options;
  options.cancel = &cancel;
  BuildReport report;
  EXPECT_EQ(Program::Build(b.graph(), options, report).status().code(), Code::kCancelled);
}

class EvaluatorTest : public ::testing::Test {
 protected:
  Result<std::vector<graph::Constant>> Evaluate(size_t max_bytes = 1000) {
    return evaluator_.Evaluate(b_.graph(), b_.graph().node(0), max_bytes);
  }
  Builder b_;
  std::vector<kernel::Provider> providers_ = testing::TestProviders();
  KernelEvaluator evaluator_{providers_, testing::Heap()};
};

TEST_F(EvaluatorTest, ComputesConstants) {
  b_.Op("Add1", {b_.Constant("c", Floats({2}, {1, 2}))}, "y");
  const auto result = Evaluate();
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  ASSERT_EQ(result->size(), 1u);
  EXPECT_THAT(AsFloats(Value((*result)[0].tensor())), ElementsAre(2, 3));
  EXPECT_EQ(Evaluate(7).status().code(), Code::kInvalidArgument);
}

TEST_F(EvaluatorTest, RefusesInputsAndDraws) {
  b_.Op("Add1", {b_.Input("x")}, "y");
  EXPECT_EQ(Evaluate().status().code(), Code::kInvalidArgument);
  Builder draws;
  draws.Op("Multinomial", {draws.Constant("c", Floats({2}, {1, 2}))}, "y", DType::kF32, "");
  EXPECT_EQ(evaluator_.Evaluate(draws.graph(), draws.graph().node(0), 1000).status().code(),
            Code::kNotImplemented);
}

TEST_F(EvaluatorTest, ConstantOfShapeIsASplatWhateverItsSize) {
  b_.Op("ConstantOfShape", {b_.Constant("dims", Ints({2}, {1 << 20, 1 << 20}))}, "y", DType::kF32,
        "");
  const auto result = Evaluate(16);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_TRUE((*result)[0].is_splat());
  EXPECT_EQ((*result)[0].shape(), (Shape{1 << 20, 1 << 20}));
}

}  // namespace
}  // namespace waybill::exec
