#include "exec/program/constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "exec/testing/sample.h"
#include "memory/weights/weight_load.h"

namespace waybill::exec {
namespace {

using testing::AsFloats;
using testing::Builder;
using testing::Floats;
using ::testing::HasSubstr;

constexpr int64_t kMany = 2048;  // floats: 8 KiB

Tensor Many(float with) { return Floats({kMany}, std::vector<float>(kMany, with)); }

// Builds, with what let_go was told by value.
struct Built {
  explicit Built(const graph::Graph& graph, WeightLoad* weights = nullptr, bool pack = true) {
    providers = testing::TestProviders();
    BuildOptions options;
    options.providers = providers;
    options.source = heap;
    options.weights = weights;
    options.pack = pack;
    options.let_go = [&](const graph::Graph&, graph::ValueId id, const graph::Constant& instead) {
      let_go.emplace(id, instead);
    };
    auto built = Program::Build(graph, options, report);
    status = built.status();
    if (built.ok()) program = std::move(*built);
  }
  const TensorView& Placed(graph::ValueId id) const {
    for (const PlacedConstant& constant : program->constants()) {
      if (program->slots()[constant.slot].value == id) return constant.tensor.view();
    }
    static const TensorView nothing;
    return nothing;
  }

  std::shared_ptr<MemorySource> heap = testing::Heap();
  std::vector<kernel::Provider> providers;
  std::map<graph::ValueId, graph::Constant> let_go;
  BuildReport report;
  Status status;
  std::unique_ptr<Program> program;
};

TEST(Constants, LargeOnesThatNobodyReadsAreLetGo) {
  Builder b;
  const auto x = b.Input("x");
  const auto packed = b.Constant("packed", Many(1));
  const auto small = b.Constant("small", Floats({2}, {1, 2}));
  const auto both = b.Constant("both", Many(2));
  const auto unread = b.Constant("unread", Many(3));
  const auto kept = b.Constant("kept", Many(4));
  const auto out = b.Constant("out", Many(5));
  auto y = b.Op("Packed", {x, packed}, "a");
  y = b.Op("Packed", {y, small}, "b");
  y = b.Op("Packed", {y, both}, "c");
  y = b.Op("Add", {y, both}, "d");
  b.Output(b.Op("Add", {y, kept}, "e"));
  b.Output(b.Op("Packed", {x, out}, "f"));
  b.Output(out);
  const Built built(b.graph());
  ASSERT_TRUE(built.status.ok()) << built.status.ToString();
  ASSERT_EQ(built.let_go.size(), 2u);
  for (const auto id : {packed, unread}) {
    const auto found = built.let_go.find(id);
    ASSERT_NE(found, built.let_go.end());
    EXPECT_EQ(found->second.shape(), Shape({kMany}));
    EXPECT_EQ(found->second.tensor().view().data, nullptr);
  }
  EXPECT_EQ(built.Placed(kept).data, b.graph().value(kept).constant.tensor().view().data);
}

graph::GraphPtr AddingBody() {
  Builder b;
  b.Output(b.Op("Packed", {b.Constant("made", Many(1)), b.Constant("packed", Many(2))}, "y"));
  return b.ptr();
}

TEST(Constants, OfABodyThatSeveralNodesHoldNoneIsLetGo) {
  for (const bool twice : {false, true}) {
    Builder b;
    const auto cond = b.Input("cond", DType::kBool);
    const auto y = b.Add("y");
    graph::Node& node = b.Node("If", {cond}, {y}, "");
    node.attrs.Set("then_branch", AddingBody());
    node.attrs.Set("else_branch", twice ? node.attrs.Subgraph("then_branch") : AddingBody());
    b.Output(y);
    const Built built(b.graph());
    ASSERT_TRUE(built.status.ok()) << built.status.ToString();
    EXPECT_EQ(built.let_go.empty(), twice);
  }
}

TEST(Constants, ProgramsShareWhatTheyPack) {
  WeightStore store;
  std::vector<std::unique_ptr<Built>> programs;
  for (int i = 0; i < 3; ++i) {
    Builder b;
    const auto x = b.Input("x");
    b.Output(b.Op("Packed", {x, b.Constant("c", Many(i == 2 ? 8.0f : 7.0f))}, "y"));
    WeightLoad load(store);
    programs.push_back(std::make_unique<Built>(b.graph(), &load));
    ASSERT_TRUE(programs.back()->status.ok());
    EXPECT_EQ(load.Counts().packed_made_bytes, i == 1 ? 0u : kMany * sizeof(float));
    EXPECT_EQ(load.Counts().packed_shared_bytes, i == 1 ? kMany * sizeof(float) : 0u);
  }
  EXPECT_EQ(store.Stats().entries, 2u);
  programs.clear();
  EXPECT_EQ(store.Stats().entries, 0u);
}

TEST(Constants, ProgramsShareWhatWasMadeWhileLoading) {
  WeightStore store;
  std::vector<std::unique_ptr<Built>> programs;
  std::vector<const std::byte*> places;
  std::vector<graph::GraphPtr> graphs;
  for (int i = 0; i < 2; ++i) {
    Builder b;
    const auto x = b.Input("x");
    const auto c = b.Constant("c", Many(7));
    const auto splat = b.Add("splat");
    b.graph().value(splat).constant = graph::Constant::Splat(Floats({1}, {3}), {kMany});
    b.Output(b.Op("Add", {b.Op("Add", {x, c}, "s"), splat}, "y"));
    WeightLoad load(store);
    programs.push_back(std::make_unique<Built>(b.graph(), &load));
    ASSERT_TRUE(programs.back()->status.ok());
    places.push_back(programs.back()->Placed(c).data);
    places.push_back(programs.back()->Placed(splat).data);
    EXPECT_EQ(programs.back()->Placed(splat).as<float>()[kMany - 1], 3);
    graphs.push_back(b.ptr());
  }
  EXPECT_EQ(places[0], places[2]);
  EXPECT_EQ(places[1], places[3]);
  EXPECT_EQ(store.Stats().entries, 2u);
}

TEST(Constants, BytesOfTheCallerStayWhereTheyAreAndAreNotShared) {
  WeightStore store;
  const Tensor mine = Many(7);
  WeightLoad load(store);
  load.AddRange({mine.view().data, mine.view().bytes()}, WeightOrigin::kCaller);
  Builder b;
  const auto x = b.Input("x");
  const auto c = b.Constant("c", mine);
  b.Output(b.Op("Add", {x, c}, "y"));
  const Built added(b.graph(), &load);
  ASSERT_TRUE(added.status.ok());
  EXPECT_EQ(added.Placed(c).data, mine.view().data);
  EXPECT_EQ(store.Stats().entries, 0u);
  EXPECT_EQ(load.Counts().caller_bytes, 0u);
  Builder p;
  p.Output(p.Op("Packed", {p.Input("x"), p.Constant("c", mine)}, "y"));
  const Built first(p.graph(), &load), second(p.graph(), &load);
  EXPECT_EQ(load.Counts().caller_bytes, kMany * sizeof(float));  // packed once
}

TEST(Constants, WithoutPackingKernelsSeeSmallOnesOnly) {
  Builder b;
  const auto x = b.Input("x");
  b.Output(b.Op("Packed", {x, b.Constant("c", Floats({2}, {1, 2}))}, "y"));
  EXPECT_TRUE(Built(b.graph(), nullptr, false).status.ok());
  Builder large;
  large.Output(large.Op("Packed", {large.Input("x"), large.Constant("c", Many(1))}, "y"));
  EXPECT_THAT(Built(large.graph(), nullptr, false).status.message(), HasSubstr("no constant"));
  Builder plain;
  const auto c = plain.Constant("c", Many(1));
  plain.Output(plain.Op("Add", {plain.Input("x"), c}, "y"));
  const Built built(plain.graph(), nullptr, false);
  ASSERT_TRUE(built.status.ok());
  EXPECT_EQ(built.Placed(c).data, plain.graph().value(c).constant.tensor().view().data);
}

}  // namespace
}  // namespace waybill::exec
