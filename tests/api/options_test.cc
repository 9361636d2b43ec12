// Session and run options.
#include "tests/api/api_support.h"

namespace waybill::api_test {
namespace {

TEST(SessionOptions, EnumsAreChecked) {
  const Owned<OrtSessionOptions> options = NewOptions();
  EXPECT_OK(Api().SetSessionExecutionMode(options.get(), ORT_PARALLEL));
  ExecutionMode mode = ORT_SEQUENTIAL;
  EXPECT_OK(Api().GetSessionExecutionMode(options.get(), &mode));
  EXPECT_EQ(mode, ORT_PARALLEL);
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "execution_mode is not valid",
               Api().SetSessionExecutionMode(options.get(), static_cast<ExecutionMode>(3)));
  for (const auto level : {ORT_DISABLE_ALL, ORT_ENABLE_BASIC, ORT_ENABLE_EXTENDED,
                           ORT_ENABLE_LAYOUT, ORT_ENABLE_ALL}) {
    EXPECT_OK(Api().SetSessionGraphOptimizationLevel(options.get(), level));
  }
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "graph_optimization_level is not valid",
               Api().SetSessionGraphOptimizationLevel(options.get(),
                                                      static_cast<GraphOptimizationLevel>(4)));
}

TEST(SessionOptions, PlainSetters) {
  const Owned<OrtSessionOptions> options = NewOptions();
  OrtSessionOptions* o = options.get();
  for (const int threads : {-1, 0, 1, 2}) {
    EXPECT_OK(Api().SetIntraOpNumThreads(o, threads));
    EXPECT_OK(Api().SetInterOpNumThreads(o, threads));
  }
  int enabled = 0;
  EXPECT_OK(Api().GetMemPatternEnabled(o, &enabled));
  EXPECT_EQ(enabled, 1);
  EXPECT_OK(Api().DisableMemPattern(o));
  EXPECT_OK(Api().GetMemPatternEnabled(o, &enabled));
  EXPECT_EQ(enabled, 0);
  EXPECT_OK(Api().EnableMemPattern(o));
  EXPECT_OK(Api().EnableCpuMemArena(o));
  EXPECT_OK(Api().DisableCpuMemArena(o));
  EXPECT_OK(Api().SetSessionLogId(o, "id"));
  EXPECT_OK(Api().SetSessionLogVerbosityLevel(o, 1));
  EXPECT_OK(Api().SetSessionLogSeverityLevel(o, 3));
  EXPECT_OK(Api().DisableProfiling(o));
  EXPECT_OK(Api().AddFreeDimensionOverride(o, "DATA_BATCH", 1));
  EXPECT_OK(Api().AddFreeDimensionOverrideByName(o, "batch", 1));
  EXPECT_OK(Api().SetDeterministicCompute(o, true));
  EXPECT_OK(Api().SetOptimizedModelFilePath(o, "/tmp/never-written.onnx"));
}

TEST(SessionOptions, ConfigEntries) {
  const Owned<OrtSessionOptions> options = NewOptions();
  OrtSessionOptions* o = options.get();
  EXPECT_OK(Api().AddSessionConfigEntry(o, "unknown.key", "value"));
  EXPECT_OK(Api().AddSessionConfigEntry(o, std::string(1024, 'k').c_str(), "x"));
  EXPECT_OK(Api().AddSessionConfigEntry(o, "long", std::string(2999, 'v').c_str()));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "empty or longer than maximum length 1024",
               Api().AddSessionConfigEntry(o, "", "x"));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "empty or longer than maximum length 1024",
               Api().AddSessionConfigEntry(o, std::string(1025, 'k').c_str(), "x"));
  int has = 0;
  EXPECT_OK(Api().HasSessionConfigEntry(o, "unknown.key", &has));
  EXPECT_EQ(has, 1);
  EXPECT_OK(Api().HasSessionConfigEntry(o, "other", &has));
  EXPECT_EQ(has, 0);
  size_t size = 0;
  EXPECT_OK(Api().GetSessionConfigEntry(o, "unknown.key", nullptr, &size));
  EXPECT_EQ(size, 6u);
  char text[6];
  size = 5;
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "",
               Api().GetSessionConfigEntry(o, "unknown.key", text, &size));
  size = 6;
  EXPECT_OK(Api().GetSessionConfigEntry(o, "unknown.key", text, &size));
  EXPECT_STREQ(text, "value");
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "Session config entry 'k' was not found.",
               Api().GetSessionConfigEntry(o, "k", nullptr, &size));
  OrtKeyValuePairs* pairs = nullptr;
  ASSERT_OK(Api().GetSessionOptionsConfigEntries(o, &pairs));
  EXPECT_STREQ(Api().GetKeyValue(pairs, "unknown.key"), "value");
  Api().ReleaseKeyValuePairs(pairs);
}

TEST(SessionOptions, TypedConfigEntries) {
  const Owned<OrtSessionOptions> options = NewOptions();
  OrtSessionOptions* o = options.get();
  const auto add = [&](const char* key, const char* value) {
    return Api().AddSessionConfigEntry(o, key, value);
  };
  EXPECT_OK(add("session.execution_mode", "ORT_Parallel"));
  ExecutionMode mode = ORT_SEQUENTIAL;
  EXPECT_OK(Api().GetSessionExecutionMode(o, &mode));
  EXPECT_EQ(mode, ORT_PARALLEL);
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", add("session.execution_mode", "1"));
  EXPECT_OK(add("session.graph_optimization_level", "enable_basic"));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", add("session.graph_optimization_level", "99"));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", add("session.graph_optimization_level", "ORT_ENABLE_ALL"));
  EXPECT_OK(add("session.intra_op_num_threads", "2"));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", add("session.intra_op_num_threads", "two"));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", add("session.intra_op_num_threads", "99999999999"));
  EXPECT_OK(add("session.enable_mem_pattern", "false"));
  int enabled = 1;
  EXPECT_OK(Api().GetMemPatternEnabled(o, &enabled));
  EXPECT_EQ(enabled, 0);
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", add("session.enable_mem_pattern", "no"));
  EXPECT_FAILS(ORT_NOT_IMPLEMENTED, "EnableProfiling", add("session.enable_profiling", "1"));
}

TEST(SessionOptions, CloneIsIndependent) {
  const Owned<OrtSessionOptions> options = NewOptions();
  EXPECT_OK(Api().AddSessionConfigEntry(options.get(), "a", "1"));
  OrtSessionOptions* clone = nullptr;
  ASSERT_OK(Api().CloneSessionOptions(options.get(), &clone));
  EXPECT_OK(Api().AddSessionConfigEntry(clone, "b", "2"));
  int has = 0;
  EXPECT_OK(Api().HasSessionConfigEntry(clone, "a", &has));
  EXPECT_EQ(has, 1);
  EXPECT_OK(Api().HasSessionConfigEntry(options.get(), "b", &has));
  EXPECT_EQ(has, 0);
  Api().ReleaseSessionOptions(clone);
}

TEST(RunOptions, DefaultsAndSetters) {
  OrtRunOptions* o = nullptr;
  ASSERT_OK(Api().CreateRunOptions(&o));
  int level = 7;
  EXPECT_OK(Api().RunOptionsGetRunLogSeverityLevel(o, &level));
  EXPECT_EQ(level, -1);
  EXPECT_OK(Api().RunOptionsGetRunLogVerbosityLevel(o, &level));
  EXPECT_EQ(level, 0);
  const char* tag = nullptr;
  EXPECT_OK(Api().RunOptionsGetRunTag(o, &tag));
  EXPECT_STREQ(tag, "");
  EXPECT_OK(Api().RunOptionsSetRunLogSeverityLevel(o, 2));
  EXPECT_OK(Api().RunOptionsSetRunLogVerbosityLevel(o, 3));
  EXPECT_OK(Api().RunOptionsSetRunTag(o, "tag"));
  EXPECT_OK(Api().RunOptionsGetRunTag(o, &tag));
  EXPECT_STREQ(tag, "tag");
  EXPECT_OK(Api().RunOptionsSetTerminate(o));
  EXPECT_OK(Api().RunOptionsUnsetTerminate(o));
  EXPECT_OK(Api().RunOptionsDisableProfiling(o));
  EXPECT_FAILS(ORT_NOT_IMPLEMENTED, "RunOptionsEnableProfiling",
               Api().RunOptionsEnableProfiling(o, "p"));
  EXPECT_OK(Api().AddRunConfigEntry(o, "k", "v"));
  EXPECT_STREQ(Api().GetRunConfigEntry(o, "k"), "v");
  EXPECT_EQ(Api().GetRunConfigEntry(o, "x"), nullptr);
  Api().ReleaseRunOptions(o);
}

}  // namespace
}  // namespace waybill::api_test
