// The account of memory, through waybill.h.
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "onnx/model/writer/model_writer.h"
#include "tests/api/api_support.h"
#include "waybill.hpp"

namespace waybill::api_test {
namespace {

using Json = nlohmann::json;

constexpr int64_t kElems = 4096, kBytes = kElems * 4;

// t = x[x], u = t[x], y = u[t]: two values in the slab, both alive at the second step.
std::string Model() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kInt32, {"n"});
  graph.Output("y", onnx::kInt32, {"n"});
  graph.Node("Gather", {"x", "x"}, {"t"});
  graph.Node("Gather", {"t", "x"}, {"u"});
  graph.Node("Gather", {"u", "t"}, {"y"});
  return model.bytes();
}

class MemoryReport : public testing::Test {
 protected:
  std::vector<Ort::Value> Run() {
    const int64_t shape[] = {kElems};
    auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
    const Ort::Value x = Ort::Value::CreateTensor<int32_t>(memory, x_.data(), x_.size(), shape, 1);
    const char *ins[] = {"x"}, *outs[] = {"y"};
    return session_.Run(Ort::RunOptions{nullptr}, ins, &x, 1, outs, 1);
  }

  std::vector<int32_t> x_ = std::vector<int32_t>(kElems, 1);
  Ort::Env env_{ORT_LOGGING_LEVEL_ERROR, "t"};
  const std::string model_ = Model();
  Ort::Session session_{env_, model_.data(), model_.size(), Ort::SessionOptions()};
};

TEST_F(MemoryReport, PlanOfASession) {
  const ShapesByName shapes = {{"x", {kElems}}};
  EXPECT_THROW(MemoryJson(session_), Ort::Exception);  // n is open
  const PlanReport report = GetPlanReport(session_, shapes);
  EXPECT_EQ(report.planned_bytes, 2u * kBytes);
  EXPECT_EQ(report.output_bytes, static_cast<size_t>(kBytes));
  EXPECT_EQ(report.scratch_bytes, 0u);
  EXPECT_EQ(report.peak_step, 1u);
  const Json plan = Json::parse(MemoryJson(session_, shapes))["plan"];
  EXPECT_EQ(plan["planned_bytes"], 2 * kBytes);
  EXPECT_EQ(plan["peak"]["step"], 1);
  ASSERT_EQ(plan["steps"].size(), 3u);
  EXPECT_EQ(plan["steps"][0]["live_bytes"], kBytes);
  EXPECT_EQ(plan["steps"][1]["live_bytes"], 2 * kBytes);
  const std::string csv = PlanCsv(session_, shapes);
  EXPECT_EQ(csv.rfind("id,lower,upper,size,alignment,offset\n", 0), 0u) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_THROW(PlanCsv(session_, {{"z", {1}}}), Ort::Exception);
}

TEST_F(MemoryReport, AccountFollowsTheBytes) {
  EXPECT_EQ(GetMemoryAccount(env_).lease_requests, 0u);
  std::vector<Ort::Value> held = Run();
  held = Run();
  MemoryAccount account = GetMemoryAccount(env_);
  EXPECT_EQ(account.runs, 2u);
  EXPECT_EQ(account.value_requests, 4u);
  EXPECT_EQ(account.values_reused, 2u);
  EXPECT_EQ(account.value_requested_bytes, 4u * kBytes);
  EXPECT_EQ(account.value_saved_bytes, 2u * kBytes);
  EXPECT_EQ(account.lease_requests, 2u);
  EXPECT_EQ(account.leases_reused, 1u);
  EXPECT_EQ(account.lease_requested_bytes, 4u * kBytes);
  EXPECT_EQ(account.lease_saved_bytes, 2u * kBytes);
  EXPECT_EQ(account.slab_peak_leased_bytes, 2u * kBytes);
  EXPECT_GE(account.served_bytes, 4u * kBytes + 2u * kBytes);  // slabs and outputs
  EXPECT_EQ(account.system_calls_avoided, 2u);
  EXPECT_EQ(account.caller_bytes, static_cast<uint64_t>(kBytes));
  EXPECT_GE(account.pool_bytes, 2u * kBytes);
  EXPECT_EQ(account.pool_bytes, account.slab_held_bytes);
  EXPECT_EQ(account.held_bytes,
            account.session_bytes + account.run_bytes + account.caller_bytes + account.pool_bytes);
  EXPECT_GE(account.peak_held_bytes, account.held_bytes);
  held.clear();
  Trim(env_);
  account = GetMemoryAccount(env_);
  EXPECT_EQ(account.caller_bytes, 0u);
  EXPECT_EQ(account.slab_held_bytes, 0u);
  EXPECT_EQ(account.held_bytes, account.session_bytes);
}

// What a run made for a binding is the binding's until it gives it up, then its callers'.
TEST_F(MemoryReport, BindingsHoldWhatRunsMadeForThem) {
  const auto balances = [&](const MemoryAccount& account) {
    return account.held_bytes == account.session_bytes + account.run_bytes + account.caller_bytes +
                                     account.binding_bytes + account.pool_bytes;
  };
  std::vector<Ort::Value> held = Run();
  auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  const int64_t shape[] = {kElems};
  const Ort::Value x = Ort::Value::CreateTensor<int32_t>(memory, x_.data(), x_.size(), shape, 1);
  std::optional<Ort::IoBinding> binding(session_);
  binding->BindInput("x", x);
  binding->BindOutput("y", memory);
  EXPECT_EQ(GetMemoryAccount(env_).binding_bytes, 0u);
  for (int i = 0; i < 2; ++i) {
    session_.Run(Ort::RunOptions{nullptr}, *binding);
    const MemoryAccount account = GetMemoryAccount(env_);
    EXPECT_EQ(account.binding_bytes, static_cast<uint64_t>(kBytes));
    EXPECT_EQ(account.caller_bytes, static_cast<uint64_t>(kBytes));
    EXPECT_TRUE(balances(account));
  }
  const Json holders = Json::parse(MemoryJson(env_))["holders"];
  EXPECT_EQ(holders[3]["holder"], "binding");
  EXPECT_EQ(holders[3]["values"], 1);
  {
    const std::vector<Ort::Value> outputs = binding->GetOutputValues();
    binding->ClearBoundOutputs();
    EXPECT_EQ(GetMemoryAccount(env_).binding_bytes, 0u);
    EXPECT_EQ(GetMemoryAccount(env_).caller_bytes, 2u * kBytes);
  }
  binding->BindOutput("y", held[0]);
  session_.Run(Ort::RunOptions{nullptr}, *binding);
  EXPECT_EQ(GetMemoryAccount(env_).binding_bytes, 0u) << "it is the caller's";
  binding->BindOutput("y", memory);
  session_.Run(Ort::RunOptions{nullptr}, *binding);
  EXPECT_EQ(GetMemoryAccount(env_).binding_bytes, static_cast<uint64_t>(kBytes));
  binding.reset();
  EXPECT_EQ(GetMemoryAccount(env_).binding_bytes, 0u);
  EXPECT_TRUE(balances(GetMemoryAccount(env_)));
}

TEST_F(MemoryReport, TraceTellsEveryBlock) {
  (void)Run();
  EXPECT_EQ(Json::parse(MemoryTraceJson(env_))["events"].size(), 0u);
  SetMemoryTrace(env_, true);
  { const auto outputs = Run(); }
  SetMemoryTrace(env_, false);
  (void)Run();
  const Json trace = Json::parse(MemoryTraceJson(env_));
  EXPECT_EQ(trace["on"], false);
  EXPECT_EQ(trace["lost"], 0);
  std::string kinds, block;
  for (const Json& event : trace["events"]) {
    if (event["source"] == "slabs") continue;
    if (event.contains("tag") && event["tag"] == "user") continue;
    kinds += event["kind"].get<std::string>() + ";";
    if (event["kind"] == "take") {
      EXPECT_EQ(event["tag"], "output");
      EXPECT_EQ(event["bytes"], kBytes);
      EXPECT_EQ(event["reused"], false);
      block = event["block"].get<std::string>();
    }
    if (event["kind"] == "give") {
      EXPECT_EQ(event["block"], block);
    }
  }
  EXPECT_EQ(kinds, "run begin;take;run end;give;");
}

TEST_F(MemoryReport, OlderCallersAndWrongArguments) {
  WaybillMemoryAccount account;
  std::memset(&account, 0xEE, sizeof account);
  ASSERT_OK(WaybillEnvGetMemoryAccount(env_, &account, sizeof(uint64_t)));
  EXPECT_EQ(account.peak_held_bytes, 0xEEEEEEEEEEEEEEEEu);
  char* text = nullptr;
  OrtAllocator* allocator = DefaultAllocator();
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "'env' is NULL",
               WaybillEnvGetMemoryAccount(nullptr, &account, sizeof account));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "'out' is NULL", WaybillEnvGetMemoryAccount(env_, nullptr, 0));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "'env' is NULL", WaybillEnvSetMemoryTrace(nullptr, 1));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "'env' is NULL",
               WaybillEnvGetMemoryTraceJson(nullptr, allocator, &text));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "'json' is NULL",
               WaybillEnvGetMemoryTraceJson(env_, allocator, nullptr));
  EXPECT_FAILS(
      ORT_INVALID_ARGUMENT, "'input_names' is NULL",
      WaybillSessionGetMemoryJson(session_, nullptr, nullptr, nullptr, 1, allocator, &text));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "'session' is NULL",
               WaybillSessionGetPlanCsv(nullptr, nullptr, nullptr, nullptr, 0, allocator, &text));
}

// What a session counted stays when it is gone.
TEST_F(MemoryReport, AccountOutlivesSessions) {
  (void)Run();
  {
    Ort::Session other(env_, model_.data(), model_.size(), Ort::SessionOptions());
    std::swap(session_, other);
    (void)Run();
    std::swap(session_, other);
  }
  const MemoryAccount account = GetMemoryAccount(env_);
  EXPECT_EQ(account.runs, 2u);
  EXPECT_EQ(account.value_requests, 4u);
}

}  // namespace
}  // namespace waybill::api_test
