// Every heap allocation and every block of tensor memory of loading and running a model fails once,
// in turn. Each time the result is out of memory (or success, where the memory was optional), and
// afterwards no tensor byte is left.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kernel/reference/reference.h"
#include "onnx/model/writer/model_writer.h"
#include "session/session.h"
#include "tests/support/alloc/fail_each.h"
#include "tests/support/failing_env.h"

namespace waybill {
namespace {

using onnx::GraphWriter;
using onnx::kFloat;
using onnx::kInt64;
using onnx::ModelWriter;
using onnx::TensorWriter;

// A model with one input "x", float [2, 3], and one output "y".
struct SmallModel {
  const char* name;
  void (*build)(ModelWriter&);
  bool is_open = false;  // the model does not say that there are two rows
};

void Chain(ModelWriter& model) {
  GraphWriter& graph = model.graph();
  graph.Initializer(TensorWriter::Of<float>("w", {3, 2}, {1, 2, 3, 4, 5, 6}));
  graph.Node("MatMul", {"x", "w"}, {"a"});
  graph.Node("Relu", {"a"}, {"b"});
  graph.Node("Softmax", {"b"}, {"y"});
}

void ShapeArithmetic(ModelWriter& model) {
  GraphWriter& graph = model.graph();
  graph.Initializer(TensorWriter::Of<int64_t>("zero", {1}, {0}));
  graph.Initializer(TensorWriter::Of<int64_t>("rest", {1}, {-1}));
  graph.Node("Shape", {"x"}, {"s"});
  graph.Node("Gather", {"s", "zero"}, {"first"});
  graph.Node("Concat", {"first", "rest"}, {"target"}).Int("axis", 0);
  graph.Node("Reshape", {"x", "target"}, {"y"});
}

void Dynamic(ModelWriter& model) {
  GraphWriter& graph = model.graph();
  graph.Node("NonZero", {"x"}, {"where"});
  graph.Node("Cast", {"where"}, {"y"}).Int("to", kFloat);
}

void Branches(ModelWriter& model) {
  GraphWriter then_branch("then"), else_branch("else");
  then_branch.Node("Neg", {"x"}, {"negated"});
  then_branch.Output("negated", kFloat, {2, 3});
  else_branch.Node("Abs", {"x"}, {"absolute"});
  else_branch.Output("absolute", kFloat, {2, 3});
  GraphWriter& graph = model.graph();
  graph.Initializer(TensorWriter::Scalar<float>("limit", 0.0f));
  graph.Node("ReduceMax", {"x"}, {"top"}).Int("keepdims", 0);
  graph.Node("Greater", {"top", "limit"}, {"positive"});
  graph.Node("If", {"positive"}, {"y"})
      .Graph("then_branch", then_branch)
      .Graph("else_branch", else_branch);
}

void Sequences(ModelWriter& model) {
  GraphWriter& graph = model.graph();
  graph.Node("SplitToSequence", {"x"}, {"parts"}).Int("axis", 1);
  graph.Node("ConcatFromSequence", {"parts"}, {"y"}).Int("axis", 0);
}

// Its steps leave the order of the file: all that is wide is made before any of it is read. To find
// that out, sizes are computed from the shape of "x" while it is loaded.
void Fan(ModelWriter& model) {
  GraphWriter& graph = model.graph();
  graph.Node("Shape", {"x"}, {"s"});
  graph.Node("ConstantOfShape", {"s"}, {"y0"});
  const std::vector<std::string> all = {"0", "1", "2", "3"};
  for (const std::string& i : all) {
    graph.Node("Concat", {"x", "x", "x", "x", "x", "x", "x", "x"}, {"wide" + i}).Int("axis", 1);
  }
  for (const std::string& i : all) {
    graph.Node("ReduceMax", {"wide" + i}, {"top" + i}).Ints("axes", {1}).Int("keepdims", 1);
  }
  graph.Node("Sum", {"y0", "top0", "top1", "top2", "top3"}, {"y"});
}

constexpr SmallModel kModels[] = {{"Chain", Chain},         {"ShapeArithmetic", ShapeArithmetic},
                                  {"Dynamic", Dynamic},     {"Branches", Branches},
                                  {"Sequences", Sequences}, {"Fan", Fan, true}};

// Fails where the output is not `expected`, which the first run sets, with whether steps moved.
Status LoadAndRun(const std::shared_ptr<session::Env>& env, const std::string& bytes,
                  std::vector<float>& expected, bool& moves_steps) {
  session::SessionOptions options;
  options.providers.push_back({"CPUExecutionProvider", kernel::reference::AllTables()});
  WB_ASSIGN_OR_RETURN(auto loaded, session::Session::LoadBytes(env, std::as_bytes(std::span(bytes)),
                                                               false, options));
  WB_ASSIGN_OR_RETURN(Tensor x,
                      Tensor::Allocate(DType::kF32, {2, 3}, env->cpu_source(), MemoryTag::kUser));
  for (int i = 0; i < 6; ++i) x.span<float>()[static_cast<size_t>(i)] = static_cast<float>(i - 2);
  const std::string_view inputs[] = {"x"}, outputs[] = {"y"};
  const Value given[] = {Value(x)};
  Value results[1];
  WB_RETURN_IF_ERROR(loaded->Run({}, inputs, given, outputs, results));
  const auto y = results[0].tensor()->span<float>();
  if (expected.empty()) {
    expected.assign(y.begin(), y.end());
    WB_ASSIGN_OR_RETURN(const std::string report, loaded->MemoryJson({}, {}));
    moves_steps = report.find("\"moved_steps\":0") == std::string::npos;
  }
  if (std::equal(y.begin(), y.end(), expected.begin(), expected.end())) return Status::Ok();
  return Error(Code::kFail, "the output is another one");
}

class SessionOom : public ::testing::TestWithParam<SmallModel> {};

TEST_P(SessionOom, EveryFailureIsCleanAndNothingIsLeft) {
  ModelWriter model;
  model.Opset("", 17);
  const onnx::DimWriter rows = GetParam().is_open ? onnx::DimWriter("rows") : onnx::DimWriter(2);
  model.graph().Input("x", kFloat, {rows, 3});
  model.graph().Output("y", onnx::TypeWriter::TensorOfAnyRank(kFloat));
  GetParam().build(model);
  const std::string bytes = model.bytes();

  testing::FailingEnv failing;
  ASSERT_NE(failing.env, nullptr);
  std::vector<float> expected;
  bool moves_steps = false;
  const auto use = [&] { return LoadAndRun(failing.env, bytes, expected, moves_steps); };
  Status last = use();  // everything that is made once per process is made now
  ASSERT_TRUE(last.ok()) << last.ToString();
  EXPECT_EQ(moves_steps, GetParam().is_open);

  testing::FailEachOptions options;
  options.after = [&] { EXPECT_EQ(failing.BytesLeft(), 0u) << failing.env->MemoryJson(); };
  EXPECT_GT(testing::FailEachAllocation(use, options), 50u);
  ASSERT_EQ(failing.sources.size(), 2u);
  // The model's bytes, the input and the output at least.
  EXPECT_GE(testing::FailEachTake(*failing.sources[0], use, options), 3u);
  testing::FailEachTake(*failing.sources[1], use, options);
  last = use();
  EXPECT_TRUE(last.ok()) << last.ToString();
  EXPECT_EQ(failing.BytesLeft(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Models, SessionOom, ::testing::ValuesIn(kModels),
                         [](const auto& model) { return model.param.name; });

}  // namespace
}  // namespace waybill
