// What waybill.h adds.
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/api/api_support.h"
#include "tests/api/models.h"
#include "tests/support/temp_dir.h"
#include "waybill.hpp"

namespace waybill::api_test {
namespace {

using Json = nlohmann::json;

TEST(Waybill, ValuesFromAndToPb) {
  const std::string bytes = onnx::TensorWriter::Of<float>("t", {2, 2}, {1, 2, 3, 4}).bytes();
  const Ort::Value value = ValueFromPb(bytes);
  EXPECT_EQ(value.GetTensorTypeAndShapeInfo().GetShape(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(value.GetTensorData<float>()[2], 3);
  const Ort::Value again = ValueFromPb(ValueToPb(value));
  EXPECT_EQ(again.GetTensorData<float>()[3], 4);

  std::vector<Ort::Value> items;
  items.push_back(ValueFromPb(bytes));
  items.push_back(ValueFromPb(bytes));
  const Ort::Value sequence = Ort::Value::CreateSequence(items);
  const Ort::TypeInfo type = sequence.GetTypeInfo();
  const Ort::Value sequence_again = ValueFromPb(ValueToPb(sequence), type);
  EXPECT_EQ(sequence_again.GetCount(), 2u);

  OrtValue* out = nullptr;
  EXPECT_FAILS(ORT_INVALID_PROTOBUF, "", WaybillValueFromPb(nullptr, "\xff\xff\xff", 3, &out));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", WaybillValueFromPb(nullptr, nullptr, 3, &out));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", WaybillValueFromPb(nullptr, bytes.data(), 1, nullptr));
}

TEST(Waybill, InspectsModels) {
  const test::TempDir dir;
  const Json model = Json::parse(InspectModel(dir.Write("m.onnx", AddOneModel())));
  EXPECT_EQ(model["opsets"][0]["version"], 17);
  EXPECT_EQ(model["inputs"].size(), 1u);
  EXPECT_EQ(model["inputs"][0]["name"], "x");
  EXPECT_EQ(model["inputs"][0]["type"], "tensor(float)");
  EXPECT_EQ(model["inputs"][0]["shape"], Json::parse("[\"batch\", 2]"));
  EXPECT_EQ(model["operators"][0]["op_type"], "Add");
  EXPECT_EQ(model["parameters"]["bytes"], 4);
  EXPECT_EQ(model["metadata"]["key"], "value");
  char* json = nullptr;
  EXPECT_FAILS(ORT_NO_SUCHFILE, "",
               WaybillInspectModel("/no/such.onnx", DefaultAllocator(), &json));
  const std::string garbage = dir.Write("garbage.onnx", "\xff\xff\xff garbage");
  EXPECT_FAILS(ORT_INVALID_PROTOBUF, "",
               WaybillInspectModel(garbage.c_str(), DefaultAllocator(), &json));
}

TEST(Waybill, LevelsAndSettingsShowInThePatches) {
  onnx::ModelWriter model;
  model.Opset("", 13);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {1, 4, 6, 5});
  graph.Initializer(
      onnx::TensorWriter::Of<float>("w", {4, 4, 3, 3}, std::vector<float>(144, 0.5f)));
  graph.Node("Conv", {"x", "w"}, {"c"});
  graph.Node("Conv", {"c", "w"}, {"y"});
  graph.Output("y", onnx::kFloat, {1, 4, 2, 1});
  const std::string bytes = model.bytes();
  const Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "t");
  const auto lays_out = [&](GraphOptimizationLevel level, const char* key = "no.key",
                            const char* value = "") {
    Ort::SessionOptions options;
    options.SetGraphOptimizationLevel(level).AddConfigEntry(key, value);
    const Ort::Session session(env, bytes.data(), bytes.size(), options);
    return PatchesJson(session).find("channels-last") != std::string::npos;
  };
  EXPECT_FALSE(lays_out(ORT_ENABLE_EXTENDED));
  EXPECT_TRUE(lays_out(ORT_ENABLE_LAYOUT));
  EXPECT_TRUE(lays_out(ORT_ENABLE_ALL));
  EXPECT_FALSE(lays_out(ORT_ENABLE_ALL, kWaybillConfigStopAfterPatch, "0"));
  EXPECT_TRUE(lays_out(ORT_ENABLE_ALL, kWaybillConfigReadModel, "1"));
  EXPECT_TRUE(lays_out(ORT_ENABLE_ALL, kWaybillConfigFoldLimitBytes, "1000"));
}

TEST(Waybill, ReportsOfASession) {
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "t");
  const std::string model = AddOneModel();
  Ort::Session session(env, model.data(), model.size(), Ort::SessionOptions());
  const LoadReport load = GetLoadReport(session);
  EXPECT_GT(load.total_ns, 0);
  EXPECT_GE(load.total_ns, load.import_ns);
  EXPECT_EQ(load.shared, 0);
  {
    Ort::Session second(env, model.data(), model.size(), Ort::SessionOptions());
    EXPECT_EQ(GetLoadReport(second).shared, 1);
    EXPECT_EQ(GetLoadReport(second).import_ns, 0);
  }
  // The batch is open, so no plan without a shape or a run.
  EXPECT_THROW(GetPlanReport(session), Ort::Exception);
  const PlanReport plan = GetPlanReport(session, {{"x", {4, 2}}});
  EXPECT_GE(plan.steps, 1u);
  EXPECT_LE(plan.bound_bytes, plan.planned_bytes);
  EXPECT_LE(plan.planned_bytes, plan.no_reuse_bytes);

  // What is no set of shapes is the caller's fault.
  const char* const names[] = {"x", "x"};
  const int64_t two[] = {2, 2}, negative[] = {-3, 2};
  const int64_t* const good[] = {two, two};
  const int64_t* const bad[] = {negative};
  const size_t ranks[] = {2, 2};
  WaybillPlanReport none;
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "input x is given twice",
               WaybillSessionGetPlanReport(session, names, good, ranks, 2, &none, sizeof none));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "input x can not have the shape [-3, 2]",
               WaybillSessionGetPlanReport(session, names, bad, ranks, 1, &none, sizeof none));

  std::vector<float> data(6);
  const int64_t shape[] = {3, 2};
  auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  Ort::Value x = Ort::Value::CreateTensor<float>(memory, data.data(), 6, shape, 2);
  const char *ins[] = {"x"}, *outs[] = {"y"};
  (void)session.Run(Ort::RunOptions{nullptr}, ins, &x, 1, outs, 1);
  EXPECT_GE(GetPlanReport(session).steps, 1u);
  for (const std::string& json :
       {PlanJson(session), PatchesJson(session), KernelsJson(session), MemoryJson(env)}) {
    EXPECT_FALSE(Json::parse(json, nullptr, false).is_discarded()) << json;
  }
  EXPECT_EQ(Json::parse(KernelsJson(session))["nodes"][0]["provider"], "CPUExecutionProvider");

  // A caller with an older, shorter struct gets what it knows.
  WaybillPlanReport report;
  std::memset(&report, 0xEE, sizeof report);
  ASSERT_OK(
      WaybillSessionGetPlanReport(session, nullptr, nullptr, nullptr, 0, &report, sizeof(size_t)));
  EXPECT_EQ(report.bound_bytes, static_cast<size_t>(0xEEEEEEEEEEEEEEEEu));

  // There is no plan used last any more, and none for an open size.
  Trim(env);
  OrtStatus* const no_plan =
      WaybillSessionGetPlanReport(session, nullptr, nullptr, nullptr, 0, &report, sizeof report);
  ASSERT_NE(no_plan, nullptr);
  EXPECT_NE(std::string(Ort::GetApi().GetErrorMessage(no_plan)).find("batch"), std::string::npos);
  Ort::GetApi().ReleaseStatus(no_plan);
}

TEST(Waybill, Version) { EXPECT_FALSE(GetVersion().empty()); }

}  // namespace
}  // namespace waybill::api_test
