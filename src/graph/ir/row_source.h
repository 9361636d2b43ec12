// RowSource: the contents of a constant that is not written out: rows of it are made of other
// constants when somebody reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status/result.h"
#include "memory/buffer/view.h"
#include "memory/source/source.h"
#include "tensor/tensor/tensor.h"

namespace waybill::graph {

// Rows are entries along axis 0 of a shape of rank 1 or more. Thread-safe and immutable.
class RowSource {
 public:
  virtual ~RowSource() = default;

  // Rows [begin, begin + count), written out in memory from `memory`, tagged kFolded, that nobody
  // else holds; each row has the same bits whatever the others are. `begin` is a multiple of
  // row_multiple(), and so is `count` unless the rows end there.
  // Errors: kOutOfMemory; those of the kernels that compute them.
  virtual Result<Tensor> Rows(int64_t begin, int64_t count,
                              std::shared_ptr<MemorySource> memory) const = 0;

  virtual int64_t row_multiple() const = 0;
  // How many rows to read at a time; a multiple of row_multiple().
  virtual int64_t block_rows() const = 0;

  // What decides the contents: how they are made, with a version, and of which bytes. The bytes
  // live as long as the RowSource.
  virtual std::string maker() const = 0;
  virtual std::vector<std::span<const std::byte>> sources() const = 0;
  // The most of these bytes as this source holds them; empty when it holds another source.
  virtual const SharedView& storage() const = 0;
  // Those of the bytes that only the rows [begin, begin + count) are made of.
  virtual std::span<const std::byte> BytesBehind(int64_t begin, int64_t count) const = 0;

 protected:
  inline static const SharedView kNoStorage;
};

}  // namespace waybill::graph
