// Options and config entries: what is honoured, warned of and refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/math/denormals.h"
#include "session/session.h"
#include "tests/support/session_fixture.h"

namespace waybill::session {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

// y = x * 1, on floats [n].
onnx::ModelWriter TimesOne(int64_t opset = 17) {
  onnx::ModelWriter model;
  model.Opset("", opset);
  model.graph().Input("x", onnx::kFloat, {"n"});
  model.graph().Initializer(onnx::TensorWriter::Of<float>("one", {1}, {1}));
  model.graph().Node("Mul", {"x", "one"}, {"y"});
  model.graph().Output("y", onnx::kFloat, {"n"});
  return model;
}

SessionOptions With(const char* key, const char* value) {
  SessionOptions options = ReferenceOptions();
  options.config[key] = value;
  return options;
}

TEST_F(SessionTest, HintsWithoutEffectGiveOneWarningEach) {
  const auto warnings = [&](const SessionOptions& options) {
    log_.clear();
    MustLoad(TimesOne(), options);
    return std::count(log_.begin(), log_.end(), '\n');
  };
  EXPECT_EQ(warnings(ReferenceOptions()), 0);
  for (const auto& [key, value] : std::vector<std::pair<const char*, const char*>>{
           {"session.disable_prepacking", "1"},
           {"session.intra_op_thread_affinities", "1,2"},
           {"session.intra_op.allow_spinning", "0"},
           {"session.inter_op.allow_spinning", "0"},
           {"session.load_model_format", "ort"},
           {"session.max_shape_override", "x:[2,3];model/y:0:[1]"},
           {"session.save_model_format", "nonsense"},
           {"session.use_env_allocators", "1"},
           {"session.use_memory_mapped_ort_model", "1"},
           {"no.such.key", "1"},
           {"session.intra_op.allow_spining", "0"}}) {
    EXPECT_EQ(warnings(With(key, value)), 1) << key;
    EXPECT_THAT(log_, HasSubstr(key));
  }
  for (const auto& [key, value] : std::vector<std::pair<const char*, const char*>>{
           {"session.disable_prepacking", "0"},
           {"session.intra_op_thread_affinities", ""},
           {"session.intra_op.allow_spinning", "1"},
           {"session.inter_op.allow_spinning", "1"},
           {"session.load_model_format", "ONNX"},
           {"session.max_shape_override", ""},
           {"session.save_model_format", ""},
           {"ep.context_enable", "0"},
           {"optimization.disable_specified_optimizers", ""},
           {"session.use_memory_mapped_ort_model", "0"},
           {"session.enable_cpu_mem_arena", "1"},
           {"session.log_id", "name"}}) {
    EXPECT_EQ(warnings(With(key, value)), 0) << key << log_;
  }
  SessionOptions options = ReferenceOptions();
  options.parallel_steps = true;
  options.inter_op_threads = 4;
  options.mem_pattern = options.cpu_mem_arena = false;
  EXPECT_EQ(warnings(options), 4);
  EXPECT_THAT(log_, HasSubstr("4 inter-op threads"));
  options.free_dims_by_name = {{"bach", 2}};
  options.free_dims_by_denotation = {{"DATA_BATCH", 1}};
  EXPECT_EQ(warnings(options), 6);
  EXPECT_THAT(log_, HasSubstr("override bach = 2 has no effect"));
  EXPECT_THAT(log_, HasSubstr("override DATA_BATCH = 1 has no effect"));
  options.severity = Severity::kError;
  EXPECT_EQ(warnings(options), 0) << "the session's own severity counts";
}

TEST_F(SessionTest, WhatWouldChangeResultsOrWriteFilesIsRefused) {
  for (const auto& [key, value] : std::vector<std::pair<const char*, const char*>>{
           {"ep.context_enable", "1"},
           {"optimization.disable_specified_optimizers", "ConstantFolding"},
           {"session.collect_node_memory_stats_to_file", "stats.csv"},
           {"session.debug_layout_transformation", "1"},
           {"session.load_model_format", "ORT"},
           {"session.save_model_format", "ORT"},
           {"session.gqa_value_layout", "BNHS"}}) {
    const Status status = Load(TimesOne(), With(key, value)).status();
    EXPECT_EQ(status.code(), Code::kNotImplemented) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr(key));
  }
  for (const auto& [key, value] :
       std::vector<std::pair<const char*, const char*>>{{"session.set_denormal_as_zero", "yes"},
                                                        {"session.allow_released_opsets_only", "2"},
                                                        {"session.gqa_value_layout", "NBHS"}}) {
    EXPECT_EQ(Load(TimesOne(), With(key, value)).status().code(), Code::kInvalidArgument) << key;
  }
}

TEST_F(SessionTest, MalformedHintsFail) {
  for (const auto& [key, values] : std::vector<std::pair<const char*, std::vector<const char*>>>{
           {"session.max_shape_override",
            {"x", "x:", "x:[", "x:[2", "x:2,3", "x:[2,]", "x:[0]", "x:[-1]", "x:[n]", "x:[2]y:[3",
             ":[2]", "x:[2];y", "x:[2];;y:[3]", "x:[99999999999999999999]"}},
           {"session.intra_op_thread_affinities", {"a", "0", "1,", "1;;2", "3-", "3-2", "-1"}}}) {
    for (const char* value : values) {
      const Status status = Load(TimesOne(), With(key, value)).status();
      EXPECT_EQ(status.code(), Code::kFail) << key << " = " << value << status.ToString();
      EXPECT_THAT(status.message(), HasSubstr(key));
    }
  }
}

TEST_F(SessionTest, UnreleasedOpsetsAreRefusedOnRequest) {
  EXPECT_TRUE(Load(TimesOne(28)).ok());
  EXPECT_THAT(log_, HasSubstr("opset 28 of domain 'ai.onnx' is not released"));
  EXPECT_TRUE(Load(TimesOne(28), With("session.allow_released_opsets_only", "0")).ok());
  const Status status =
      Load(TimesOne(28), With("session.allow_released_opsets_only", "1")).status();
  EXPECT_EQ(status.code(), Code::kFail);
  EXPECT_THAT(status.message(), HasSubstr("opset 28"));
  EXPECT_TRUE(Load(TimesOne(27), With("session.allow_released_opsets_only", "1")).ok());
  onnx::ModelWriter ml = TimesOne();
  ml.Opset("ai.onnx.ml", 6);
  EXPECT_EQ(Load(ml, With("session.allow_released_opsets_only", "1")).status().code(), Code::kFail);
}

TEST_F(SessionTest, DenormalsAsZeroInRunsOnly) {
  if (!kDenormalsCanBeZero) GTEST_SKIP();
  const std::vector<float> small(64, 1e-40f);
  const auto result = [&](const SessionOptions& options) {
    const auto session = MustLoad(TimesOne(), options);
    std::vector<Value> out;
    EXPECT_TRUE(Run(*session, {"x"}, {Floats({64}, small)}, {"y"}, out).ok());
    EXPECT_FALSE(DenormalsAreZero()) << "the caller's mode is back";
    return AsFloats(out[0]);
  };
  EXPECT_THAT(result(ReferenceOptions()), Each(1e-40f));
  EXPECT_THAT(result(With("session.set_denormal_as_zero", "1")), Each(0.0f));
  EXPECT_THAT(result(With("session.set_denormal_as_zero", "0")), Each(1e-40f));
}

// Level 3 is between "extended" and "all": it lays images out channels last.
TEST_F(SessionTest, LayoutIsALevelOfItsOwn) {
  onnx::ModelWriter model;
  model.Opset("", 13);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {1, 4, 6, 5});
  graph.Initializer(
      onnx::TensorWriter::Of<float>("w", {4, 4, 3, 3}, std::vector<float>(144, 0.5f)));
  graph.Node("Conv", {"x", "w"}, {"c"});
  graph.Node("Conv", {"c", "w"}, {"y"});
  graph.Output("y", onnx::kFloat, {1, 4, 2, 1});
  const auto patches = [&](OptLevel level) {
    SessionOptions options = ReferenceOptions();
    options.level = level;
    return MustLoad(model, options)->PatchesJson();
  };
  EXPECT_EQ(patches(OptLevel::kExtended).find("channels-last"), std::string::npos);
  EXPECT_THAT(patches(OptLevel::kLayout), HasSubstr("channels-last"));
}

}  // namespace
}  // namespace waybill::session
