// A hostile file as a session sees it: import, inference, selection, packing and the program, at
// level none.
#include <memory>

#include "kernel/reference/reference.h"
#include "session/session.h"
#include "tests/fuzz/limited_source.h"
#include "tests/fuzz/target.h"

namespace waybill::fuzz {

void LoadTarget(std::span<const std::byte> input) {
  static const auto env = session::Env::Create(
      {.severity = session::Severity::kError, .wrap_source = LimitedSource::Wrap});
  if (!env.ok()) return;
  session::SessionOptions options;
  options.level = session::OptLevel::kNone;
  options.providers.push_back({"CPUExecutionProvider", kernel::reference::AllTables()});
  [[maybe_unused]] const auto loaded = session::Session::LoadBytes(*env, input, true, options);
}

}  // namespace waybill::fuzz
