// Files for tests: a folder that is removed at the end, and reading and writing whole files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace waybill::test {

// A fresh folder under the system's temporary folder, removed with its contents by the destructor.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Path of `name` inside, as text.
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  // Writes a file inside (its folders are made) and returns its path.
  std::string Write(std::string_view name, std::string_view contents) const;

 private:
  std::filesystem::path path_;
};

void WriteFile(const std::string& path, std::string_view contents);
std::string ReadWholeFile(const std::string& path);

}  // namespace waybill::test
