// WeightStore: constants in the form that kernels read, made once for all who need the same.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file/file_bytes.h"
#include "base/status/result.h"
#include "memory/buffer/view.h"
#include "memory/weights/content_hash.h"
#include "memory/weights/once_map.h"

namespace waybill {

// Which bytes: those at a place of a file in one state, or any with these contents.
struct SourceId {
  std::optional<FileIdentity> file;
  uint64_t offset = 0;  // in the file
  uint64_t bytes = 0;
  ContentHash content;  // without a file
  bool operator==(const SourceId&) const = default;
};

// How constants were made of others. Equal recipes make equal bytes.
struct WeightRecipe {
  // The maker's name and version, and all that decides the bytes but the sources: sizes, layout,
  // instruction set.
  std::string maker;
  std::vector<SourceId> sources;
  bool operator==(const WeightRecipe&) const = default;
};

struct WeightRecipeHash {
  size_t operator()(const WeightRecipe& recipe) const;
};

struct WeightStoreStats {
  uint64_t entries = 0, bytes = 0;  // held now
  uint64_t saved_bytes = 0;         // that requests beyond the first would hold otherwise
  uint64_t made = 0, shared = 0;    // requests so far that made an entry, and that found one
};

// Thread-safe. What it gives is immutable, goes with its last owner and may outlive the store.
class WeightStore {
 public:
  struct Made {
    SharedView bytes;
    bool in_file = false;  // pages of a file, which this process has not taken from the system
  };
  using Make = std::function<Result<Made>()>;
  struct Found {
    SharedView bytes;  // keeps the entry
    bool made = false, in_file = false;
  };

  // The bytes of `recipe`, made by `make` if nobody holds them; looked up before anything is made.
  // Errors: those of `make`; kCancelled when `cancel` becomes true in a wait for another maker.
  Result<Found> FindOrMake(const WeightRecipe& recipe, const Make& make,
                           const std::atomic<bool>* cancel = nullptr);

  WeightStoreStats Stats() const;

 private:
  struct Entry {
    explicit Entry(Made made) : bytes(std::move(made.bytes)), in_file(made.in_file) {}
    SharedView bytes;
    bool in_file;
    mutable std::atomic<uint64_t> owners{0};
  };
  struct Owner;  // one of an entry, for as long as any copy of what it was given lives

  OnceMap<WeightRecipe, Entry, WeightRecipeHash> entries_;
  std::atomic<uint64_t> made_{0}, shared_{0};
};

}  // namespace waybill
