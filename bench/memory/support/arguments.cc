#include "bench/memory/support/arguments.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace waybill::bench {

namespace {

// The message of CLI11's own check has the largest double in it, with all its digits.
CLI::Validator Positive() {
  const auto check = [](const std::string& text) {
    double number = 0;
    const bool good = CLI::detail::lexical_cast(text, number) && number > 0;
    return good ? std::string() : text + " is no number above 0";
  };
  return {check, "ABOVE 0"};
}

}  // namespace

struct Arguments::Parser {
  CLI::App app;

  template <typename T>
  CLI::Option* Add(const std::string& name, T& value, const std::string& help) {
    return app.add_option(name, value, help)->capture_default_str();
  }
};

Arguments::Arguments(std::string program, const std::string& text)
    : program_(std::move(program)), parser_(new Parser{CLI::App(text, program_)}) {
  parser_->app.footer(
      "Exit codes: 0 all targets are met, 1 one is missed, 2 wrong arguments or another failure.");
}

Arguments::~Arguments() = default;

void Arguments::Add(const std::string& name, std::string& value, const std::string& help,
                    Kind kind) {
  parser_->app.add_option(name, value, help)->required(kind == Kind::kMust);
}

void Arguments::Add(const std::string& name, std::vector<std::string>& values,
                    const std::string& help) {
  parser_->app.add_option(name, values, help);
}

void Arguments::Add(const std::string& name, size_t& value, const std::string& help) {
  parser_->Add(name, value, help)->check(Positive());
}

void Arguments::Add(const std::string& name, int& value, const std::string& help) {
  parser_->Add(name, value, help)->check(CLI::NonNegativeNumber);
}

void Arguments::Add(const std::string& name, double& value, const std::string& help) {
  parser_->Add(name, value, help)->check(Positive());
}

void Arguments::Add(const std::string& name, bool& flag, const std::string& help) {
  parser_->app.add_flag(name, flag, help);
}

std::optional<int> Arguments::Parse(int argc, char** argv) {
  try {
    parser_->app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = parser_->app.exit(error) == 0;
    return asked_for_help ? 0 : 2;
  }
}

}  // namespace waybill::bench
