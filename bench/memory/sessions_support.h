// What benchmarks of sessions share: models of this size and that, a session and a run through the
// C ABI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "bench/e2e/library.h"

namespace waybill::bench {

constexpr double kMiB = 1024.0 * 1024.0;

// A number that a file of /proc gives in kB.
size_t ReadBytes(const std::string& path, const char* key);
// Of this process.
size_t Anonymous();
double Above(size_t now, size_t before);  // in MiB
std::string ReadFile(const std::string& path);

struct Model {
  std::string name, path;
  size_t weight_bytes = 0;
  bool from_memory = false;
  bool plain = false;  // its weights are in files and are packed as they are
  size_t largest_bytes = 0;
};

// 5 layers, 2048 to 2560 and back: 100 MiB of weights.
Model WriteMlp(const std::filesystem::path& folder, const std::string& name, bool external);
// Convolutions whose scales are folded into their weights while loading: 81 MiB.
Model WriteConvolutions(const std::filesystem::path& folder, const std::string& name);

struct Session {
  OrtSession* handle = nullptr;
  double seconds = 0;
};

// With one thread. `bytes`: of a model from memory. `packed_folder`: where weights are kept packed;
// empty: nowhere.
Session Create(const Library& library, const Model& model, const std::string& bytes,
               const std::string& packed_folder = {});

// One run on small numbers; unknown dimensions are 1, all inputs are float. Gives a hash of the
// first output's bits.
uint64_t Run(const Library& library, OrtSession* session);

}  // namespace waybill::bench
