#include "bench/memory/support/checks.h"

#include <cstdio>

namespace waybill::bench {

void Checks::Line(const std::string& what, double value, const char* unit, bool met,
                  const char* relation, double target) {
  std::printf("  %-58s %10.2f %-4s (%s %.2f)%s\n", what.c_str(), value, unit, relation, target,
              met ? "" : "  MISSED");
  all_met_ = all_met_ && met;
}

}  // namespace waybill::bench
