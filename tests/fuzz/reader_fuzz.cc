// libFuzzer over reading models and values: reader_fuzz CORPUS_FOLDER (start it from waybill_seeds'
// folder).
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  waybill::fuzz::ReadTarget(input);
  waybill::fuzz::ValueTarget(input);
  return 0;
}
