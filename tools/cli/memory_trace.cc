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

void AddPlan(const Json& plan, Json& events) {
  events.push_back(Name("process_name", kPlan, 0, "plan, 1 us a step"));
  events.push_back(Name("thread_name", kPlan, 0, "steps"));
  double step = 0;
  for (const Json& at : plan["steps"]) {
    Json bar = Event("X", at["node"], kPlan, 0, step);
    bar["dur"] = 1;
    bar["args"] = {{"op", at["op"]}, {"mode", at["mode"]}};
    events.push_back(std::move(bar));
    Json alive = Event("C", "bytes alive", kPlan, 0, step);
    alive["args"] = {{"bytes", at["live_bytes"]}};
    events.push_back(std::move(alive));
    ++step;
  }
  // A buffer is drawn in the first lane that is free when it begins.
  std::vector<double> free_from;
  for (const Json& buffer : plan["buffers"]) {
    const auto first = buffer["first_step"].get<double>();
    const auto end = buffer["last_step"].get<double>() + 1;
    size_t lane = 0;
    while (lane < free_from.size() && free_from[lane] > first) ++lane;
    if (lane == free_from.size()) {
      free_from.push_back(0);
      const auto number = static_cast<int64_t>(free_from.size());
      events.push_back(Name("thread_name", kPlan, number, "buffers " + std::to_string(number)));
    }
    free_from[lane] = end;
    Json bar = Event("X", buffer["name"], kPlan, static_cast<int64_t>(lane) + 1, first);
    bar["dur"] = end - first;
    bar["args"] = {{"bytes", buffer["bytes"]}, {"offset", buffer["offset"]}};
    events.push_back(std::move(bar));
  }
}

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
  AddPlan(report["session"]["plan"], events);
  AddEvents(report["trace"], events);
  return {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}};
}

}  // namespace waybill::tools
