// What the rules of this family share: arithmetic on dims that may be unknown, list arguments that
// are attributes in old versions and inputs in new ones, and contents of small integer tensors.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/infer/context.h"
#include "graph/infer/dims.h"

namespace waybill::graph::infer {

// No more elements than this are tracked as contents.
inline constexpr int64_t kMaxTrackedElems = 4096;

// A shape of `rank` unknown dims.
SymShape UnknownOfRank(size_t rank);

// The dim that two equal dims have: a known one wins. Errors: both known and different.
Result<Dim> EqualDims(const Dim& a, const Dim& b);

// Output `i` becomes a tensor with the element type of input `like`.
void SetLike(InferContext& ctx, size_t i, SymShape shape, size_t like = 0);

// A list that is the attribute `name`, or else input `input`.
struct ListArg {
  bool given = false;
  std::optional<std::vector<int64_t>> values;  // nothing: given, but not known yet
  std::optional<size_t> count;                 // known even without values
};
ListArg ListOf(const InferContext& ctx, std::string_view name, size_t input);

// One number of any integer or float type from a known input with one element; the nearest int64
// of what is beyond these.
std::optional<int64_t> NumberOf(const InferContext& ctx, size_t input);

// Contents of input `i`, negative numbers as unknown dims; nothing when not even the count is
// known or there are too many.
std::optional<std::vector<Dim>> ContentsOf(const InferContext& ctx, size_t i);
// The same, for an input of rank 1 only.
std::optional<std::vector<Dim>> ContentsOfList(const InferContext& ctx, size_t i);
// Output 0 contains what input 0 contains.
void ForwardContents(InferContext& ctx);

}  // namespace waybill::graph::infer
