// waybill verify: a model against the outputs that lie beside it.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/files/bytes.h"
#include "tools/values/compare.h"
#include "tools/values/describe.h"
#include "waybill.hpp"

namespace waybill::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<fs::path> DataSets(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().rfind("test_data_set_", 0) == 0) {
      out.push_back(entry.path());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Refuses prefix_N.pb where the model has no N-th value to hold against it.
void CheckIndex(const fs::path& path, const std::string& prefix, size_t count) {
  const std::string name = path.stem().string();
  if (path.extension() != ".pb" || name.rfind(prefix, 0) != 0) return;
  for (size_t i = 0; i < count; ++i) {
    if (name == prefix + std::to_string(i)) return;
  }
  throw ToolError(path.string() + ": the model has " + prefix + "0 to " + prefix +
                  std::to_string(static_cast<int64_t>(count) - 1) + " only");
}

// Reads prefix_0.pb, ... for as many as there are types; entries without a file are nothing.
std::vector<std::optional<Ort::Value>> ReadValues(const fs::path& folder, const char* prefix,
                                                  const std::vector<Ort::TypeInfo>& types) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    CheckIndex(entry.path(), prefix, types.size());
  }
  std::vector<std::optional<Ort::Value>> out;
  for (size_t i = 0; i < types.size(); ++i) {
    const fs::path path = folder / (prefix + std::to_string(i) + ".pb");
    out.emplace_back();
    if (!fs::exists(path)) continue;
    try {
      out.back() = waybill::ValueFromPb(ReadFile(path.string()), types[i]);
    } catch (const Ort::Exception& error) {
      throw ToolError(path.string() + ": " + error.what());
    }
  }
  return out;
}

// Noise of the reference by output, as case.json tells it. Throws for a file that says it
// otherwise.
std::map<std::string, double> ReadNoise(const fs::path& path) {
  std::map<std::string, double> out;
  const Json about = Json::parse(ReadFile(path.string()), nullptr, false);
  if (!about.is_object()) throw ToolError(path.string() + ": it is no JSON object");
  if (!about.contains("reference_noise") || about["reference_noise"].is_null()) return out;
  if (!about["reference_noise"].is_object()) {
    throw ToolError(path.string() + ": reference_noise is no object");
  }
  for (const auto& [output, noise] : about["reference_noise"].items()) {
    if (!noise.is_object() || !noise.contains("maxabs") || !noise["maxabs"].is_number()) {
      throw ToolError(path.string() + ": reference_noise of '" + output + "' has no number maxabs");
    }
    out[output] = noise["maxabs"].get<double>();
  }
  return out;
}

class Case {
 public:
  Case(const Ort::Env& env, const fs::path& folder, const VerifyArgs& args)
      : args_(args), folder_(folder), session_(nullptr), other_(nullptr) {
    const std::string model = (folder / "model.onnx").string();
    session_ = Ort::Session(env, model.c_str(), MakeOptions(args.session, model));
    if (args.compare_threads >= 0) {
      SessionArgs other = args.session;
      other.threads = args.compare_threads;
      other_ = Ort::Session(env, model.c_str(), MakeOptions(other, model));
    }
    if (fs::exists(folder / "case.json")) {
      noise_ = ReadNoise(folder / "case.json");
    }
    input_names_ = session_.GetInputNames();
    output_names_ = session_.GetOutputNames();
    for (size_t i = 0; i < input_names_.size(); ++i) {
      input_types_.push_back(session_.GetInputTypeInfo(i));
    }
    for (size_t i = 0; i < output_names_.size(); ++i) {
      output_types_.push_back(session_.GetOutputTypeInfo(i));
    }
  }

  // The differences of all data sets, one object each.
  Json Run() {
    Json differences = Json::array();
    const std::vector<fs::path> sets = DataSets(folder_);
    if (sets.empty()) throw ToolError("no test_data_set_* in " + folder_.string());
    for (const fs::path& set : sets) RunSet(set, differences);
    return differences;
  }

 private:
  void RunSet(const fs::path& set, Json& differences) {
    std::vector<const char*> names;
    std::vector<Ort::Value> inputs;
    std::vector<std::optional<Ort::Value>> files = ReadValues(set, "input_", input_types_);
    for (size_t i = 0; i < files.size(); ++i) {
      if (!files[i]) continue;
      names.push_back(input_names_[i].c_str());
      inputs.push_back(std::move(*files[i]));
    }
    const std::vector<std::optional<Ort::Value>> expected =
        ReadValues(set, "output_", output_types_);
    if (std::none_of(expected.begin(), expected.end(),
                     [](const auto& v) { return v.has_value(); })) {
      throw ToolError("no output_*.pb in " + set.string());
    }
    std::vector<const char*> output_names;
    for (const std::string& name : output_names_) output_names.push_back(name.c_str());
    const auto run = [&](Ort::Session& session) {
      return session.Run(Ort::RunOptions{nullptr}, names.data(), inputs.data(), inputs.size(),
                         output_names.data(), output_names.size());
    };
    const std::string label = set.filename().string();
    const std::vector<Ort::Value> got = run(session_);
    for (size_t i = 0; i < got.size(); ++i) {
      if (!expected[i]) continue;
      if (const auto difference = Compare(got[i], *expected[i], ToleranceOf(output_names_[i]))) {
        differences.push_back({{"data_set", label},
                               {"output", output_names_[i]},
                               {"reason", difference->reason},
                               {"where", difference->where},
                               {"got", difference->got},
                               {"expected", difference->want},
                               {"error", difference->largest_error}});
      }
    }
    std::vector<Ort::Value> last;
    for (size_t i = 1; i < args_.runs; ++i) last = run(session_);
    if (!last.empty()) {
      ExpectSame(got, last, label, "other bits in run " + std::to_string(args_.runs), differences);
    }
    if (args_.compare_threads >= 0) {
      ExpectSame(got, run(other_), label,
                 "other bits with " + std::to_string(args_.compare_threads) + " threads",
                 differences);
    }
  }

  void ExpectSame(const std::vector<Ort::Value>& a, const std::vector<Ort::Value>& b,
                  const std::string& label, const std::string& reason, Json& differences) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (BitEqual(a[i], b[i])) continue;
      differences.push_back(
          {{"data_set", label}, {"output", output_names_[i]}, {"reason", reason}});
    }
  }

  Tolerance ToleranceOf(const std::string& output) const {
    Tolerance tolerance;
    tolerance.top1 = args_.top1;
    if (args_.rtol || args_.atol) {
      tolerance.relative = args_.rtol.value_or(0);
      tolerance.absolute = args_.atol.value_or(0);
      tolerance.of_largest = tolerance.of_largest_half = tolerance.of_largest_bfloat = 0;
    } else if (const auto noise = noise_.find(output); noise != noise_.end()) {
      tolerance.absolute = std::max(tolerance.absolute, 10 * noise->second);
    }
    return tolerance;
  }

  const VerifyArgs& args_;
  fs::path folder_;
  Ort::Session session_, other_;
  std::map<std::string, double> noise_;
  std::vector<std::string> input_names_, output_names_;
  std::vector<Ort::TypeInfo> input_types_, output_types_;
};

void Print(const std::string& name, const Json& result, bool quiet) {
  if (result.contains("failed")) {
    std::printf("FAIL %s: %s\n", name.c_str(), result["failed"].get<std::string>().c_str());
    return;
  }
  if (result["differences"].empty()) {
    if (!quiet) std::printf("ok   %s\n", name.c_str());
    return;
  }
  std::printf("DIFF %s\n", name.c_str());
  for (const Json& d : result["differences"]) {
    std::printf("  %s %s: %s", d["data_set"].get<std::string>().c_str(),
                d["output"].get<std::string>().c_str(), d["reason"].get<std::string>().c_str());
    if (d.contains("where")) {
      std::printf("; at %s got %s, expected %s", d["where"].get<std::string>().c_str(),
                  d["got"].get<std::string>().c_str(), d["expected"].get<std::string>().c_str());
      if (d["error"].get<double>() != 0) std::printf(", off by %.3g", d["error"].get<double>());
    }
    std::printf("\n");
  }
}

}  // namespace

int Verify(const VerifyArgs& args) {
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "waybill");
  size_t passed = 0;
  Json all = Json::object();
  for (const std::string& name : args.cases) {
    Json result;
    try {
      result["differences"] = Case(env, name, args).Run();
    } catch (const std::exception& error) {
      result = {{"failed", error.what()}};
    }
    const bool good = result.contains("differences") && result["differences"].empty();
    passed += good ? 1 : 0;
    if (args.json) {
      result["passed"] = good;
      all["cases"][name] = result;
    } else {
      Print(name, result, args.quiet);
      std::fflush(stdout);
    }
  }
  if (args.json) {
    all["passed"] = passed;
    all["failed"] = args.cases.size() - passed;
    std::printf("%s\n", all.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  } else if (args.cases.size() > 1) {
    std::printf("%zu of %zu cases passed\n", passed, args.cases.size());
  }
  return passed == args.cases.size() ? 0 : 1;
}

}  // namespace waybill::tools
