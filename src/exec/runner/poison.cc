#include "exec/runner/poison.h"

#include <cstring>

namespace waybill::exec {

namespace {

constexpr int kPoison = 0xFF;

}  // namespace

void PoisonFresh(const BufferView& bytes) {
  if (bytes.bytes != 0) std::memset(bytes.data, kPoison, bytes.bytes);
}

void PoisonDead(const Plan& plan, uint32_t step, std::byte* base) {
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.life.last_step != step || buffer.life.bytes == 0 || buffer.kept) continue;
    std::memset(base + buffer.offset, kPoison, buffer.life.bytes);
  }
}

}  // namespace waybill::exec
