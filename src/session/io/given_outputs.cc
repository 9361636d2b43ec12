#include "session/io/given_outputs.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "session/io/small_array.h"

namespace waybill::session {
namespace {

struct Place {
  const std::byte* begin;
  const std::byte* end;
  size_t output;
};

}  // namespace

Status CheckApart(std::span<const std::string_view> names, std::span<const Value> outputs,
                  bool* several) {
  SmallArray<Place, 16> array(outputs.size());
  size_t count = 0, given_count = 0;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const Tensor* const given = outputs[k].tensor();
    given_count += given != nullptr ? 1 : 0;
    const size_t bytes = given != nullptr ? given->view().bytes() : 0;
    if (bytes != 0) array[count++] = {given->view().data, given->view().data + bytes, k};
  }
  if (several != nullptr) *several = given_count > 1;
  if (count < 2) return Status::Ok();
  const std::span<Place> places = array.first(count);
  std::ranges::sort(places, std::less<>(), &Place::begin);
  for (size_t i = 1; i < count; ++i) {
    const Place &one = places[i - 1], &next = places[i];
    if (next.begin >= one.end) continue;
    // An output that is asked for twice may go to one place: the same bytes are written again.
    const bool is_same = names[one.output] == names[next.output];
    if (is_same && one.begin == next.begin && one.end == next.end) continue;
    return Error(Code::kInvalidArgument,
                 "the tensors given for outputs {} ({} bytes) and {} ({} bytes) share bytes; each "
                 "would be written over the other",
                 names[one.output], one.end - one.begin, names[next.output], next.end - next.begin);
  }
  return Status::Ok();
}

}  // namespace waybill::session
