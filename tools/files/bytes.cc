#include "tools/files/bytes.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace waybill::tools {

std::string ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ToolError(path + ": " + std::strerror(errno != 0 ? errno : EIO));
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) throw ToolError(path + ": cannot be read");
  return bytes;
}

void WriteFile(const std::string& path, const std::string& bytes) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw ToolError(path + ": " + std::strerror(errno != 0 ? errno : EIO));
}

bool EndsWith(const std::string& text, const std::string& suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

}  // namespace waybill::tools
