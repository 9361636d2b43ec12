#include "memory/plan/csv.h"

#include <charconv>
#include <limits>
#include <optional>

namespace waybill::plan {
namespace {

// Cuts `text` up to `end` (or all of it) off its front.
std::string_view Cut(std::string_view& text, char end) {
  const size_t at = text.find(end);
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return head;
}

std::string_view CutLine(std::string_view& text) {
  std::string_view line = Cut(text, '\n');
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::vector<std::string_view> Fields(std::string_view line) {
  std::vector<std::string_view> fields;
  do {
    fields.push_back(Cut(line, ','));
  } while (!line.empty());
  return fields;
}

struct Columns {
  std::optional<size_t> lower, upper, size, alignment;
};

template <typename T>
Status Read(const std::vector<std::string_view>& fields, std::optional<size_t> column,
            std::string_view name, T& out) {
  if (!column || *column >= fields.size()) {
    return Error(Code::kInvalidArgument, "column {} is missing", name);
  }
  const std::string_view field = fields[*column];
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), out);
  if (error != std::errc() || end != field.data() + field.size()) {
    return Error(Code::kInvalidArgument, "column {} holds '{}', which is no number in range", name,
                 field);
  }
  return {};
}

Result<Lifetime> ReadLine(const std::vector<std::string_view>& fields, const Columns& columns) {
  Lifetime life;
  uint32_t upper = 0;
  WB_RETURN_IF_ERROR(Read(fields, columns.lower, "lower", life.first_step));
  WB_RETURN_IF_ERROR(Read(fields, columns.upper, "upper", upper));
  WB_RETURN_IF_ERROR(Read(fields, columns.size, "size", life.bytes));
  life.align = 1;
  if (columns.alignment) {
    WB_RETURN_IF_ERROR(Read(fields, columns.alignment, "alignment", life.align));
  }
  if (upper <= life.first_step) {
    return Error(Code::kInvalidArgument, "upper {} is not above lower {}", upper, life.first_step);
  }
  life.last_step = upper - 1;
  return life;
}

}  // namespace

Result<std::vector<Lifetime>> ReadCsv(std::string_view text) {
  Columns columns;
  const std::vector<std::string_view> names = Fields(CutLine(text));
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "lower") columns.lower = i;
    if (names[i] == "upper") columns.upper = i;
    if (names[i] == "size") columns.size = i;
    if (names[i] == "alignment") columns.alignment = i;
  }
  if (!columns.lower || !columns.upper || !columns.size) {
    return Error(Code::kInvalidArgument, "line 1 names no columns lower, upper and size");
  }
  std::vector<Lifetime> lives;
  for (size_t line_number = 2; !text.empty(); ++line_number) {
    const std::string_view line = CutLine(text);
    if (line.empty()) continue;
    WB_ASSIGN_OR_RETURN(Lifetime life, ReadLine(Fields(line), columns), "line {}", line_number);
    life.id = static_cast<uint32_t>(lives.size());
    lives.push_back(life);
  }
  return lives;
}

std::string WriteCsv(std::span<const Lifetime> lives, const Placement* placement) {
  std::string out =
      placement ? "id,lower,upper,size,alignment,offset\n" : "id,lower,upper,size,alignment\n";
  for (size_t i = 0; i < lives.size(); ++i) {
    const Lifetime& life = lives[i];
    out += Format("{},{},{},{},{}", life.id, life.first_step, uint64_t{life.last_step} + 1,
                  life.bytes, life.align);
    if (placement) out += Format(",{}", placement->offsets[i]);
    out += '\n';
  }
  return out;
}

}  // namespace waybill::plan
