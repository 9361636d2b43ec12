// Where a plan is fullest: the step, what is alive there and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exec/plan/fullest.h"
#include "exec/plan/plan.h"
#include "exec/program/program.h"

namespace waybill::session {

// What a buffer has to do with a step during which it is alive.
enum class Role : uint8_t {
  kRead,     // the step reads it
  kWritten,  // the step writes it
  kScratch,  // the step works in it
  kWaiting,  // only later steps read it
  kBody,     // a body of the step works in it
};
// "read", "written", "scratch", "waiting", "body".
std::string_view RoleName(Role role);

struct AliveBuffer {
  const exec::PlannedBuffer* buffer = nullptr;
  Role role = Role::kWaiting;
  std::optional<uint32_t> next_reader;  // the first later step that reads it
};

// Something that could make the peak smaller, with the bytes that it is about.
struct Remedy {
  std::string_view kind;  // "waiting", "in place", "scratch", "node", "placement": static text
  size_t bytes = 0;
  std::string text;  // a sentence for people
};

struct Peak {
  const exec::Program* program = nullptr;  // whose step it is
  uint32_t step = 0;
  size_t bytes = 0;                // alive at the step, each buffer rounded up to its alignment
  std::vector<AliveBuffer> alive;  // largest first
  std::vector<Remedy> remedies;    // largest first; empty when nothing is planned, and inside
  // Where the step runs bodies that are planned with it: of the fullest of them, whose remedies are
  // above. Null where nothing of it is in the slab.
  std::unique_ptr<Peak> inside;
  std::string_view body;  // of one that is inside: its name in the step that runs it, static text
};

// "then branch", "else branch", "body".
std::string_view BodyName(const exec::Step& step, size_t body);

// The first of the fullest steps. `plan` is one of `program`; the result points into it.
Peak FindPeak(const exec::Program& program, const exec::Plan& plan);

}  // namespace waybill::session
