// libFuzzer over model reading: reader_fuzz CORPUS_FOLDER (start it from waybill_seeds' folder).
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  waybill::fuzz::ReadTarget(std::as_bytes(std::span(data, size)));
  return 0;
}
