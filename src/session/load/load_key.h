// What decides the result of a load. Sessions whose loads have equal keys share one loaded model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file/file_bytes.h"
#include "memory/weights/content_hash.h"
#include "session/load/config.h"
#include "session/load/model_source.h"
#include "session/options/options.h"
#include "tensor/shape/shape.h"

namespace waybill::session {

// Compared in full. Threads, log and profiling of a session are not in it; cancelling is its
// caller's. Bytes that callers own are told apart by their address, too, since they are used in
// place, and by their contents, since they may be written to between two loads.
struct LoadKey {
  struct Bytes {
    std::string name;
    DType dtype = DType::kUndefined;  // of values
    Shape shape;                      // of values
    const std::byte* data = nullptr;  // null where a copy of the bytes is used
    size_t bytes = 0;
    ContentHash content;
    bool operator==(const Bytes&) const = default;
  };
  struct Table {
    std::string provider;
    const void* first = nullptr;
    size_t size = 0;
    bool operator==(const Table&) const = default;
  };

  std::optional<FileIdentity> file;
  std::string real_path;  // of a file, free of links
  std::string folder;     // of external data, free of links where it exists
  Bytes memory;           // of a model from memory

  OptLevel level = OptLevel::kAll;
  bool denormals_as_zero = false;  // folding computes with it
  Config config;  // without its warnings and what runs, the Env and prewarming go by
  std::map<std::string, int64_t> free_dims_by_name, free_dims_by_denotation;
  std::vector<Bytes> initializers, external_initializers, external_files;
  std::vector<Table> tables;
  uint64_t alone = 0;  // not 0: a load that shares with no other one

  bool operator==(const LoadKey&) const = default;
};

// For unordered containers.
struct LoadKeyHash {
  size_t operator()(const LoadKey& key) const;
};

// `denormals_as_zero`: what the loading thread computes with. Nothing when there is no such file.
// Reads all bytes that come from memory, and none of files.
std::optional<LoadKey> LoadKeyOf(const ModelSource& source, const SessionOptions& options,
                                 const Config& config, bool denormals_as_zero);

}  // namespace waybill::session
