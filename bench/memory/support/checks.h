// Figures beside their targets.
#pragma once

#include <string>

namespace waybill::bench {

// Prints a line for each figure, and remembers whether one was missed.
class Checks {
 public:
  void AtMost(const std::string& what, double value, double most, const char* unit) {
    Line(what, value, unit, value <= most, "<=", most);
  }
  void AtLeast(const std::string& what, double value, double least, const char* unit) {
    Line(what, value, unit, value >= least, ">=", least);
  }
  bool all_met() const { return all_met_; }

 private:
  void Line(const std::string& what, double value, const char* unit, bool met, const char* relation,
            double target);
  bool all_met_ = true;
};

}  // namespace waybill::bench
