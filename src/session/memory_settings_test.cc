// Entries about plans and the memory of runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/source/hub.h"
#include "session/session.h"
#include "tests/support/session_fixture.h"

namespace waybill::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = x * w * w on floats [n, 2]; the first product lies in the slab.
onnx::ModelWriter TwoProducts() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("x", onnx::kFloat, {"n", 2});
  model.graph().Initializer(onnx::TensorWriter::Of<float>("w", {2, 2}, {1, 1, 0, 1}));
  model.graph().Node("MatMul", {"x", "w"}, {"h"});
  model.graph().Node("MatMul", {"h", "w"}, {"y"});
  model.graph().Output("y", onnx::kFloat, {"n", 2});
  return model;
}

SessionOptions With(const char* key, const char* value) {
  SessionOptions options = ReferenceOptions();
  options.config[key] = value;
  return options;
}

class MemorySettings : public SessionTest {
 protected:
  uint64_t SlabTakes() const {
    uint64_t takes = 0;
    for (const DeviceUse& use : env_->hub().ledger->Snapshot()) {
      takes += use.by_tag[static_cast<size_t>(MemoryTag::kSlab)].takes;
    }
    return takes;
  }
  // Of a run on n rows of {1, 2}.
  std::vector<float> RunRows(Session& session, int64_t n) {
    std::vector<float> x;
    for (int64_t i = 0; i < n; ++i) x.insert(x.end(), {1, 2});
    std::vector<Value> out;
    const Status status = Run(session, {"x"}, {Floats({n, 2}, x)}, {"y"}, out);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return status.ok() ? AsFloats(out[0]) : std::vector<float>();
  }
};

TEST_F(MemorySettings, PrewarmedShapesTakeNothingInTheirFirstRun) {
  const auto cold = MustLoad(TwoProducts());
  EXPECT_EQ(SlabTakes(), 0u);
  RunRows(*cold, 1000);
  EXPECT_GT(SlabTakes(), 0u);
  env_->hub().Trim();

  const auto warm = MustLoad(TwoProducts(), With("waybill.prewarm", "x:[3,2]|x:[1000,2]"));
  const uint64_t takes = SlabTakes();
  EXPECT_THAT(RunRows(*warm, 3), ElementsAre(1, 4, 1, 4, 1, 4));
  RunRows(*warm, 1000);
  EXPECT_EQ(SlabTakes(), takes);
  // Both share the model, whose plan for 1000 rows is the cold run's.
  EXPECT_THAT(*warm->PlanJson(), HasSubstr("\"hits\":3,\"misses\":2"));
}

// y = x + Range(0, n, 1) on ints [n]: the range is computed when a plan is made.
onnx::ModelWriter AddsRange() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("x", onnx::kInt64, {"n"});
  model.graph().Initializer(onnx::TensorWriter::Of<int64_t>("zero", {}, {0}));
  model.graph().Initializer(onnx::TensorWriter::Of<int64_t>("one", {}, {1}));
  model.graph().Node("Size", {"x"}, {"size"});
  model.graph().Node("Range", {"zero", "size", "one"}, {"range"});
  model.graph().Node("Add", {"x", "range"}, {"y"});
  model.graph().Output("y", onnx::kInt64, {"n"});
  return model;
}

TEST_F(MemorySettings, ATrimGivesPlansAndTheirConstantsUp) {
  const auto session = MustLoad(AddsRange());
  ASSERT_NE(session, nullptr);
  const auto in_use = [&] { return env_->hub().ledger->Snapshot()[0].total.bytes_in_use; };
  const auto run = [&] {
    std::vector<Value> out;
    const Status status = Run(*session, {"x"}, {Ints({3}, {10, 20, 30})}, {"y"}, out);
    EXPECT_TRUE(status.ok()) << status.ToString();
  };
  const size_t loaded = in_use();
  run();
  EXPECT_GT(in_use(), loaded);
  EXPECT_THAT(*session->PlanJson(), HasSubstr("\"plans\":1"));
  env_->Trim();
  EXPECT_EQ(in_use(), loaded);
  EXPECT_EQ(session->PlanJson().status().code(), Code::kInvalidArgument);  // n is open
  run();
  EXPECT_THAT(*session->PlanJson(), HasSubstr("\"evictions\":1"));
}

TEST_F(MemorySettings, PrewarmWantsShapesThatFit) {
  for (const char* text :
       {"x", "x:", "x:[3,2", "x:[3,]", "x:[-1,2]", ":[3,2]", "x:[3,2]|", "2", "x:[3,2];", "x:[a,2]",
        "x:[3]", "z:[3,2]", "x:[3,5]", "x:[3,2];x:[3,2]", "1" /* n is open */}) {
    const Status status = Load(TwoProducts(), With("waybill.prewarm", text)).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << text << status.ToString();
    EXPECT_THAT(status.ToString(), HasSubstr("waybill.prewarm"));
  }
  SessionOptions options = With("waybill.prewarm", "1");
  options.free_dims_by_name = {{"n", 4}};
  EXPECT_TRUE(Load(TwoProducts(), options).ok());
  EXPECT_TRUE(Load(TwoProducts(), With("waybill.prewarm", "0")).ok());
}

TEST_F(MemorySettings, PlansAreBoundedByNumberAndBytes) {
  for (const auto& [key, value, kept] : {std::tuple("waybill.plan_cache_plans", "3", 3),
                                         std::tuple("waybill.plan_cache_bytes", "1", 1)}) {
    const auto session = MustLoad(TwoProducts(), With(key, value));
    for (int64_t n = 1; n <= 8; ++n) RunRows(*session, n);
    EXPECT_THAT(*session->PlanJson(), HasSubstr(Format("\"plans\":{},", kept))) << key;
    EXPECT_THAT(*session->PlanJson(), HasSubstr(Format("\"evictions\":{},", 8 - kept))) << key;
  }
  EXPECT_EQ(Load(TwoProducts(), With("waybill.plan_cache_plans", "-1")).status().code(),
            Code::kInvalidArgument);
}

TEST_F(MemorySettings, WithoutReuseAndPoisonedNothingChanges) {
  for (const char* key : {"waybill.no_reuse", "waybill.poison_freed", "waybill.plan_templates"}) {
    const auto session = MustLoad(TwoProducts(), With(key, "1"));
    EXPECT_THAT(RunRows(*session, 1), ElementsAre(1, 4));
    EXPECT_EQ(Load(TwoProducts(), With(key, "yes")).status().code(), Code::kInvalidArgument);
  }
}

TEST_F(MemorySettings, WhereTheyAreNotReadTheyAreRefusedWithTheirPlace) {
  for (const auto& [key, place] : std::vector<std::pair<const char*, const char*>>{
           {"memory.enable_memory_arena_shrinkage", "run config entry"},
           {"memory.limit", "run config entry"},
           {"max_mem", "arena"},
           {"arena.max_mem", "arena"},
           {"arena.nonsense", "no such setting of an arena"},
           {"initial_chunk_size_bytes", "arena"},
           {"gpu_mem_limit", "waybill.memory_budget_bytes"},
           {"session.memory_limit", "waybill.memory_budget_bytes"}}) {
    const Status status = Load(TwoProducts(), With(key, "0")).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << key;
    EXPECT_THAT(status.message(), HasSubstr(Format("session config entry {} ", key)));
    EXPECT_THAT(status.message(), HasSubstr(place));
  }
}

}  // namespace
}  // namespace waybill::session
