#include "onnx/wire/field_list.h"

#include <bit>
#include <concepts>
#include <cstring>

#include "onnx/wire/varint.h"

namespace waybill::onnx {
namespace {

static_assert(std::endian::native == std::endian::little,
              "payloads are used where they lie, so the host must be little-endian");

// Each moves `*data` behind the value; a value that no longer fits moves it to `end`.
template <typename T>
T Decode(const char** data, const char* end) {
  if constexpr (std::integral<T>) {
    const auto value = DecodeVarint(data, end);
    if (!value) *data = end;
    return static_cast<T>(value.value_or(0));
  } else if constexpr (std::same_as<T, std::string_view>) {
    const auto length = DecodeVarint(data, end);
    if (!length || *length > static_cast<size_t>(end - *data)) {
      *data = end;
      return {};
    }
    const std::string_view out(*data, *length);
    *data += *length;
    return out;
  } else {
    T out{};
    if (static_cast<size_t>(end - *data) < sizeof(T)) {
      *data = end;
      return out;
    }
    std::memcpy(&out, *data, sizeof(T));
    *data += sizeof(T);
    return out;
  }
}

}  // namespace

template <typename T>
void FieldList<T>::Iterator::Step() {
  if (left_ == 0) return;
  while (run_ != end_ && offset_ >= run_->size_bytes) {
    ++run_;
    offset_ = 0;
  }
  value_ = T{};
  if (run_ == end_) return;
  const char* data = run_->data + offset_;
  const char* const end = run_->data + run_->size_bytes;
  if (!run_->packed && !DecodeVarint(&data, end)) data = end;  // the tag
  value_ = Decode<T>(&data, end);
  offset_ = static_cast<size_t>(data - run_->data);
}

template <typename T>
std::vector<T> FieldList<T>::ToVector() const {
  std::vector<T> out;
  out.reserve(count_);
  for (const T& value : *this) out.push_back(value);
  return out;
}

template <typename T>
std::optional<std::span<const std::byte>> FieldList<T>::Contiguous() const {
  if constexpr (std::floating_point<T>) {
    if (runs_.size() == 1 && runs_[0].packed) {
      return std::as_bytes(std::span(runs_[0].data, runs_[0].size_bytes));
    }
  }
  return std::nullopt;
}

template <typename T>
void FieldList<T>::Append(const FieldRun& run, size_t count) {
  if (count == 0) return;
  count_ += count;
  if (!run.packed && !runs_.empty()) {
    FieldRun& last = runs_.back();
    if (!last.packed && last.data + last.size_bytes == run.data) {
      last.size_bytes += run.size_bytes;
      return;
    }
  }
  runs_.push_back(run);
}

template class FieldList<int32_t>;
template class FieldList<int64_t>;
template class FieldList<uint64_t>;
template class FieldList<float>;
template class FieldList<double>;
template class FieldList<std::string_view>;

}  // namespace waybill::onnx
