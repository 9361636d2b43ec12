// Whole files, and errors that a user reads.
#pragma once

#include <stdexcept>
#include <string>

namespace waybill::tools {

// What went wrong, in words for the user. `usage` is set when the command line is to blame: the
// command then ends with 2 instead of 1.
class ToolError : public std::runtime_error {
 public:
  explicit ToolError(const std::string& text, bool usage = false)
      : std::runtime_error(text), usage_(usage) {}
  bool usage() const { return usage_; }

 private:
  bool usage_;
};

// Throws ToolError naming the path.
std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& bytes);
bool EndsWith(const std::string& text, const std::string& suffix);

}  // namespace waybill::tools
