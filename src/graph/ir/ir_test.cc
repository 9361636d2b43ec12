#include <gtest/gtest.h>

#include <cstring>

#include "graph/ir/constant_bytes.h"
#include "graph/ir/graph.h"
#include "memory/source/system_source.h"

namespace waybill::graph {
namespace {

TEST(Attributes, TypedReads) {
  Attributes attrs;
  attrs.Set("axis", int64_t{-1});
  attrs.Set("alpha", 0.5f);
  attrs.Set("perm", std::vector<int64_t>{1, 0});
  attrs.Set("mode", std::string("linear"));
  EXPECT_EQ(attrs.Int("axis", 7), -1);
  EXPECT_EQ(attrs.Int("alpha", 7), 7) << "another type reads as absent";
  EXPECT_EQ(attrs.Float("alpha"), 0.5f);
  EXPECT_EQ(attrs.Ints("perm"), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(attrs.String("mode"), "linear");
  EXPECT_TRUE(attrs.Ints("none").empty());
  EXPECT_EQ(attrs.Subgraph("body"), nullptr);
  attrs.Set("axis", int64_t{3});
  EXPECT_EQ(attrs.all().size(), 4u);
  EXPECT_EQ(attrs.Int("axis"), 3);
  attrs.Remove("axis");
  EXPECT_FALSE(attrs.Has("axis"));
}

TEST(Constant, SplatMaterializes) {
  const auto source = std::make_shared<SystemSource>(nullptr);
  auto element = Tensor::Allocate(DType::kF32, Shape{}, source, MemoryTag::kFolded);
  ASSERT_TRUE(element.ok());
  element->span<float>()[0] = 2.5f;
  const Constant splat = Constant::Splat(*element, Shape{3, 5});
  EXPECT_TRUE(splat.is_splat());
  EXPECT_EQ(splat.shape(), (Shape{3, 5}));
  auto dense = splat.Materialize(source, MemoryTag::kFolded);
  ASSERT_TRUE(dense.ok());
  for (const float value : dense->span<float>()) EXPECT_EQ(value, 2.5f);
  auto empty = Constant::Splat(*element, Shape{0, 5}).Materialize(source, MemoryTag::kFolded);
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->shape(), (Shape{0, 5}));
}

TEST(Constant, MisalignedBytesAreCopied) {
  const auto source = std::make_shared<SystemSource>(nullptr);
  alignas(8) std::byte bytes[12] = {};
  const float value = 7.0f;
  std::memcpy(bytes + 1, &value, sizeof value);
  auto odd = Tensor::Wrap(DType::kF32, Shape{1}, SharedView::Unowned({bytes + 1, 4, {}}));
  ASSERT_TRUE(odd.ok());
  auto dense = Constant(*odd).Materialize(source, MemoryTag::kWeights);
  ASSERT_TRUE(dense.ok());
  EXPECT_NE(dense->view().data, bytes + 1);
  EXPECT_EQ(dense->span<float>()[0], 7.0f);
  auto even = Tensor::Wrap(DType::kF32, Shape{1}, SharedView::Unowned({bytes, 4, {}}));
  ASSERT_TRUE(even.ok());
  auto same = Constant(*even).Materialize(source, MemoryTag::kWeights);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->view().data, bytes) << "aligned constants are never copied";
}

// Of a splat the one element, whatever its shape; of what was let go nothing.
TEST(Constant, SourcesAreTheBytesThatAreHeld) {
  float values[] = {1, 2, 3};
  auto dense =
      Tensor::Wrap(DType::kF32, Shape{3},
                   SharedView::Unowned({reinterpret_cast<std::byte*>(values), sizeof values, {}}));
  ASSERT_TRUE(dense.ok());
  const auto of_dense = SourcesOf(Constant(*dense));
  ASSERT_EQ(of_dense.size(), 1u);
  EXPECT_EQ(of_dense[0].data(), reinterpret_cast<std::byte*>(values));
  EXPECT_EQ(of_dense[0].size(), sizeof values);

  auto element =
      Tensor::Wrap(DType::kF32, Shape{},
                   SharedView::Unowned({reinterpret_cast<std::byte*>(values), sizeof(float), {}}));
  ASSERT_TRUE(element.ok());
  const auto of_splat = SourcesOf(Constant::Splat(*element, Shape{3, 5}));
  ASSERT_EQ(of_splat.size(), 1u);
  EXPECT_EQ(of_splat[0].size(), sizeof(float));

  auto gone =
      Tensor::Wrap(DType::kF32, Shape{3}, SharedView::Unowned({nullptr, sizeof values, {}}));
  ASSERT_TRUE(gone.ok());
  EXPECT_TRUE(SourcesOf(Constant(*gone)).empty());
}

Node MakeNode(std::string op, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
  Node node;
  node.op_type = std::move(op);
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return node;
}

TEST(Graph, NodesAndConsumers) {
  Graph graph;
  const ValueId x = graph.AddValue({"x"});
  const ValueId y = graph.AddValue({"y"});
  const ValueId z = graph.AddValue({"z"});
  const NodeId add = graph.AddNode(MakeNode("Add", {x, x}, {y}));
  auto body = std::make_shared<Graph>();
  body->captures.push_back({x, body->AddValue({"x"})});
  Node loop = MakeNode("Loop", {kNoValue, y}, {z, kNoValue});
  loop.attrs.Set("body", body);
  const NodeId last = graph.AddNode(std::move(loop));
  graph.outputs = {z};

  EXPECT_EQ(graph.value(y).producer, add);
  const auto uses = graph.Consumers();
  EXPECT_EQ(uses[x], (std::vector<NodeId>{add, add, last}));
  EXPECT_EQ(uses[y], (std::vector<NodeId>{last}));
  EXPECT_TRUE(uses[z].empty());
  EXPECT_TRUE(graph.IsOutput(z));
  EXPECT_FALSE(graph.node(last).HasInput(0));
  EXPECT_FALSE(graph.node(last).HasOutput(1));

  graph.RemoveNode(add);
  EXPECT_EQ(graph.order(), (std::vector<NodeId>{last}));
  EXPECT_FALSE(graph.node(add).alive);
}

TEST(Node, Describe) {
  Node node;
  node.name = "/l1/conv";
  node.op_type = "Conv";
  node.since_version = 11;
  EXPECT_EQ(node.Describe(), "/l1/conv (Conv-11)");
  node.name.clear();
  node.domain = "com.microsoft";
  EXPECT_EQ(node.Describe(), "(unnamed) (com.microsoft:Conv-11)");
}

}  // namespace
}  // namespace waybill::graph
