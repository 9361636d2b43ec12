// ModelStore: the loaded models of a process, each shared by all sessions whose loads are the same.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status/result.h"
#include "memory/weights/once_map.h"
#include "session/load/load.h"
#include "session/load/load_key.h"
#include "session/load/model_source.h"

namespace waybill::session {

// Thread-safe; loads of different models do not wait for each other. A model goes with its last
// session, which may outlive the store.
class ModelStore {
 public:
  struct Opened {
    std::shared_ptr<const Loaded> model;
    bool shared = false;  // it was there already
  };

  // A model that fits `source` and the options, loaded if there is none. Files are looked at, not
  // read, to see that they are still as they were loaded. Of several callers at once, one loads.
  // `place` is asked by a load. Errors: those of the load; kCancelled when options.cancel_load is
  // set.
  Result<Opened> Open(Env& env, const ModelSource& source, const SessionOptions& options,
                      const Config& config, LoadPlace& place);

  // All models that are loaded now.
  std::vector<std::shared_ptr<const Loaded>> Live() const { return models_.Live(); }

 private:
  OnceMap<LoadKey, Loaded, LoadKeyHash> models_;
  std::atomic<uint64_t> loads_alone_{0};
};

}  // namespace waybill::session
