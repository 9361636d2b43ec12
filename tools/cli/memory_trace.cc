#include "tools/cli/memory_trace.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace waybill::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPlan = 1, kMemory = 2;

Json Event(const char* phase, const Json& name, int process, int64_t thread, double time_us) {
  return {{"ph", phase}, {"name", name}, {"pid", process}, {"tid", thread}, {"ts", time_us}};
}

Json Name(const char* kind, int process, int64_t thread, const std::string& text) {
  Json event = Event("M", kind, process, thread, 0);
  event["args"] = {{"name", text}};
  return event;
}

// Draws a plan, and within the steps that run bodies the one that counts: the fullest.
class PlanDrawing {
 public:
  explicit PlanDrawing(Json& events) : events_(events) {}

  // From `start` on, `step_us` a step, where `beside` bytes are alive all the time and the slab is
  // at `base` in that of the main plan.
  void Draw(const Json& plan, double start, double step_us, int64_t beside, int64_t base) {
    for (size_t i = 0; i < plan["steps"].size(); ++i) {
      const Json& step = plan["steps"][i];
      const double at = start + step_us * static_cast<double>(i);
      DrawStep(step, at, step_us, beside);
      if (const Json* body = FullestBody(step)) {
        DrawBody(*body, at, step_us, beside + step["live_bytes"].get<int64_t>(),
                 base + SlabOffset(plan, i));
      }
    }
    for (const Json& buffer : plan["buffers"]) DrawBuffer(buffer, start, step_us, base);
  }

 private:
  void DrawStep(const Json& step, double at, double step_us, int64_t beside) {
    Json bar = Event("X", step["node"], kPlan, 0, at);
    bar["dur"] = step_us;
    bar["args"] = {{"op", step["op"]}, {"mode", step["mode"]}};
    events_.push_back(std::move(bar));
    Json alive = Event("C", "bytes alive", kPlan, 0, at);
    alive["args"] = {{"bytes", beside + step["live_bytes"].get<int64_t>()}};
    events_.push_back(std::move(alive));
  }
  // `alive` counts the body as the bytes alive at its fullest step.
  void DrawBody(const Json& body, double at, double step_us, int64_t alive, int64_t base) {
    const Json& plan = body["plan"];
    if (plan["steps"].empty()) return;
    Json bar = Event("X", body["body"], kPlan, 0, at);
    bar["dur"] = step_us;
    events_.push_back(std::move(bar));
    Draw(plan, at, step_us / static_cast<double>(plan["steps"].size()),
         alive - plan["bound_bytes"].get<int64_t>(), base);
  }
  // In the first lane that is free when it begins.
  void DrawBuffer(const Json& buffer, double start, double step_us, int64_t base) {
    const double first = start + step_us * buffer["first_step"].get<double>();
    const double end = start + step_us * (buffer["last_step"].get<double>() + 1);
    size_t lane = 0;
    while (lane < free_from_.size() && free_from_[lane] > first + step_us / 2) ++lane;
    if (lane == free_from_.size()) {
      free_from_.push_back(0);
      const auto number = static_cast<int64_t>(free_from_.size());
      events_.push_back(Name("thread_name", kPlan, number, "buffers " + std::to_string(number)));
    }
    free_from_[lane] = end;
    Json bar = Event("X", buffer["name"], kPlan, static_cast<int64_t>(lane) + 1, first);
    bar["dur"] = end - first;
    bar["args"] = {{"bytes", buffer["bytes"]}, {"offset", base + buffer["offset"].get<int64_t>()}};
    events_.push_back(std::move(bar));
  }

  static const Json* FullestBody(const Json& step) {
    const Json* fullest = nullptr;
    if (!step.contains("bodies")) return nullptr;
    for (const Json& body : step["bodies"]) {
      if (body["plan"].is_null()) continue;
      const bool counts =
          fullest == nullptr || body["plan"]["bound_bytes"] > (*fullest)["plan"]["bound_bytes"];
      if (counts) fullest = &body;
    }
    return fullest;
  }
  static int64_t SlabOffset(const Json& plan, size_t step) {
    for (const Json& buffer : plan["buffers"]) {
      if (buffer["kind"] == "bodies" && buffer["first_step"] == step) return buffer["offset"];
    }
    return 0;
  }

  Json& events_;
  std::vector<double> free_from_;  // by lane
};

void AddEvents(const Json& trace, Json& events) {
  events.push_back(Name("process_name", kMemory, 0, "memory"));
  std::map<std::string, int64_t> held;  // by purpose, of the heap and of pages
  std::map<uint64_t, int64_t> threads;
  int64_t start_ns = 0;
  for (const Json& from : trace["events"]) {
    const auto time_ns = from["time_ns"].get<int64_t>();
    if (start_ns == 0) start_ns = time_ns;
    const double time_us = static_cast<double>(time_ns - start_ns) / 1e3;
    const int64_t thread =
        threads.emplace(from["thread"].get<uint64_t>(), static_cast<int64_t>(threads.size()))
            .first->second;
    const auto kind = from["kind"].get<std::string>();
    if (kind == "run begin" || kind == "run end") {
      events.push_back(Event(kind == "run begin" ? "B" : "E", "run", kMemory, thread, time_us));
      continue;
    }
    const bool take = kind == "take";
    Json block = Event(take ? "b" : "e", from["tag"], kMemory, thread, time_us);
    block["cat"] = from["source"];
    block["id"] = from["block"];
    if (take) {
      block["args"] = {
          {"bytes", from["bytes"]}, {"align", from["align"]}, {"reused", from["reused"]}};
    }
    events.push_back(std::move(block));
    if (from["source"] != "heap" && from["source"] != "pages") continue;
    const auto bytes = from["bytes"].get<int64_t>();
    held[from["tag"].get<std::string>()] += take ? bytes : -bytes;
    Json counter = Event("C", "bytes held", kMemory, 0, time_us);
    counter["args"] = held;
    events.push_back(std::move(counter));
  }
}

}  // namespace

Json ChromeTrace(const Json& report) {
  Json events = Json::array();
  events.push_back(Name("process_name", kPlan, 0, "plan, 1 us a step"));
  events.push_back(Name("thread_name", kPlan, 0, "steps"));
  PlanDrawing(events).Draw(report["session"]["plan"], 0, 1, 0, 0);
  AddEvents(report["trace"], events);
  return {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}};
}

}  // namespace waybill::tools
