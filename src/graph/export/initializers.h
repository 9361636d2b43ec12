// Initializers as fields of a GraphProto whose bytes are not held: a small head, and the constant's
// own bytes behind it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/export/export.h"
#include "graph/export/names.h"

namespace waybill::graph::exporting {

class InitializerFields {
 public:
  // Options are borrowed.
  explicit InitializerFields(const ExportOptions& options) : options_(options) {}

  // One more field. Bytes of a constant for the external file go there now.
  // Errors: those of the external sink.
  Status Add(const std::string& name, const Constant& constant);

  // Bytes that all fields take.
  uint64_t size() const { return size_; }
  // Errors: those of the sink.
  Status Write(const ByteSink& sink) const;

 private:
  struct Field {
    std::string head;
    const Constant* content = nullptr;  // what stands behind the head; null: nothing
  };
  // Where the bytes begin in the external file.
  Result<uint64_t> WriteExternal(const Constant& constant, uint64_t bytes);

  const ExportOptions& options_;
  std::vector<Field> fields_;
  uint64_t size_ = 0;
  uint64_t external_size_ = 0;
  std::map<std::pair<const void*, uint64_t>, uint64_t> offsets_;  // of contents that are there
};

}  // namespace waybill::graph::exporting
