// What the loaded models of a process hold, and what sharing them saves.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace waybill {
struct WeightCounts;
class WeightLoad;
}  // namespace waybill

namespace waybill::session {

class Env;
struct Loaded;

// Bytes of a model's constants, by where they are. Each place is counted once for the model.
struct WeightBytesUse {
  uint64_t mapped = 0;  // pages of files, read in place; those of packed weights too
  uint64_t read = 0;    // in copies of files and of models from memory
  uint64_t caller = 0;  // the caller's, used in place
  uint64_t placed = 0;  // folded, aligned or written out while loading
  uint64_t packed = 0;  // in the form that kernels read, in memory of this process
  uint64_t shared = 0;  // of placed and packed: those that another model had made before
};

struct ModelUse {
  std::string model;  // its path, or "bytes"
  uint64_t sessions_live = 0, sessions_created = 0;
  WeightBytesUse bytes;
  uint64_t first_added = 0;    // bytes that the first session added; each further one adds none
  uint64_t saved = 0;          // that the live sessions would hold more if each held its own
  uint64_t caller_packed = 0;  // bytes of the caller's that were packed or copied
  // Why no other session shares the model; empty: those with the same options do.
  std::string why_alone;
  // Initializers that models with other options or of other files do not share, and why. Those that
  // loading made are shared, but for small ones and texts, which are not named.
  std::vector<std::pair<std::string, std::string>> not_shared;
};

// All models that are loaded now, by name. Thread-safe; a snapshot.
std::vector<ModelUse> ModelUses(Env& env);

// For loading: what the constants of the program come to; fills `not_shared` too.
void CountWeights(const WeightLoad& weights, Loaded& loaded);

}  // namespace waybill::session
