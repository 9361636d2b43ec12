// The arguments of the programs of this folder: options, a usage text, and how they end.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/guard.h"

namespace waybill::bench {

// What each program takes. A name that begins with "--" is an option, another one is taken by
// position. Variables hold the defaults, outlive this and are set by Run. A size_t and a double are
// positive, an int is not negative.
class Arguments {
 public:
  enum class Kind { kMay, kMust };

  // `text` says what the program shows and when it fails.
  Arguments(std::string program, const std::string& text);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void Add(const std::string& name, std::string& value, const std::string& help, Kind kind);
  void Add(const std::string& name, std::vector<std::string>& values, const std::string& help);
  void Add(const std::string& name, size_t& value, const std::string& help);
  void Add(const std::string& name, int& value, const std::string& help);
  void Add(const std::string& name, double& value, const std::string& help);
  void Add(const std::string& name, bool& flag, const std::string& help);

  // What `body` returns: 0 when all targets are met, 1 when one is missed. 2 when the arguments are
  // wrong or it throws, 0 after --help.
  template <typename Body>
  int Run(int argc, char** argv, const Body& body) {
    if (const std::optional<int> code = Parse(argc, argv)) return *code;
    return Guarded(program_.c_str(), 2, body);
  }

 private:
  struct Parser;
  // The exit code when there is nothing left to do.
  std::optional<int> Parse(int argc, char** argv);

  const std::string program_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace waybill::bench
