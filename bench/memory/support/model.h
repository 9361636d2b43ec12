// A model of the test data with its inputs, through the public interface.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "onnxruntime_cxx_api.h"

namespace waybill::bench {

// Folders below `root` with a model.onnx, by name; only those in `wanted` unless that is empty.
// Throws std::runtime_error for a wanted one that is not there.
std::vector<std::string> FindModels(const std::string& root,
                                    const std::vector<std::string>& wanted);

// Owns its session and the memory of its inputs. Not thread-safe.
class Model {
 public:
  // Reads test_data_set_0/input_N.pb beside the model. Throws Ort::Exception, std::runtime_error.
  Model(Ort::Env& env, const std::string& folder, const Ort::SessionOptions& options);

  Ort::Session& session() { return session_; }

  // Runs with outputs made by the session; those of the run before are released first.
  void Run();
  // Runs into the outputs of the run before.
  void RunInPlace();
  void ReleaseOutputs() { outputs_.clear(); }
  // Of the outputs in hand.
  size_t OutputBytes() const;

  // New contents for all inputs: random numbers for floats, the given elements in another order for
  // all other types, whose values may be indices.
  void Randomize(std::mt19937& random);

 private:
  Ort::Session session_;
  std::vector<std::string> input_names_, output_names_;
  std::vector<const char*> fed_, fetched_;
  std::vector<Ort::Value> inputs_, outputs_;
};

}  // namespace waybill::bench
