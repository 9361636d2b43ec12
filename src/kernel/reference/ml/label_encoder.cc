#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "kernel/reference/ml/kernels.h"
#include "kernel/reference/ml/numbers.h"
#include "kernel/reference/ml/rows.h"

namespace waybill::kernel::reference {

namespace {

// A list of keys or values of one kind: strings, integers or floats.
struct LabelList {
  enum class Kind { kNone, kStrings, kInts, kFloats } kind = Kind::kNone;
  std::vector<std::string> strings;
  std::vector<int64_t> ints;
  std::vector<double> floats;

  size_t size() const { return strings.size() + ints.size() + floats.size(); }
};

LabelList Strings(std::vector<std::string> v) {
  LabelList out;
  out.kind = LabelList::Kind::kStrings;
  out.strings = std::move(v);
  return out;
}
LabelList Ints(std::vector<int64_t> v) {
  LabelList out;
  out.kind = LabelList::Kind::kInts;
  out.ints = std::move(v);
  return out;
}
LabelList Floats(std::vector<double> v) {
  LabelList out;
  out.kind = LabelList::Kind::kFloats;
  out.floats = std::move(v);
  return out;
}

// Attribute tensors may be misaligned in a mapped file.
template <typename T, typename To>
std::vector<To> Elements(const Tensor& t) {
  std::vector<To> out(static_cast<size_t>(t.shape().elems()));
  for (size_t i = 0; i < out.size(); ++i) {
    T v;
    std::memcpy(&v, t.view().data + i * sizeof(T), sizeof(T));
    out[i] = static_cast<To>(v);
  }
  return out;
}

Result<LabelList> FromTensor(const Tensor& t) {
  switch (t.dtype()) {
    case DType::kString: {
      const auto span = t.span<std::string>();
      return Strings(std::vector<std::string>(span.begin(), span.end()));
    }
    case DType::kI64:
      return Ints(Elements<int64_t, int64_t>(t));
    case DType::kI32:
      return Ints(Elements<int32_t, int64_t>(t));
    case DType::kI16:
      return Ints(Elements<int16_t, int64_t>(t));
    case DType::kF32:
      return Floats(Elements<float, double>(t));
    case DType::kF64:
      return Floats(Elements<double, double>(t));
    default:
      return Error(Code::kInvalidArgument, "labels are {}", DTypeName(t.dtype()));
  }
}

// `prefix`_tensor, _strings, _int64s or _floats.
Result<LabelList> FromAttributes(const graph::Attributes& attrs, const std::string& prefix) {
  if (const Tensor* t = attrs.Get<Tensor>(prefix + "_tensor")) return FromTensor(*t);
  if (auto v = attrs.Strings(prefix + "_strings"); !v.empty()) return Strings(std::move(v));
  if (auto v = attrs.Ints(prefix + "_int64s"); !v.empty()) return Ints(std::move(v));
  const auto floats = attrs.Floats(prefix + "_floats");
  if (!floats.empty()) return Floats(std::vector<double>(floats.begin(), floats.end()));
  return Error(Code::kInvalidArgument, "there are no {}", prefix);
}

struct EncoderParams {
  std::map<std::string, size_t> by_string;
  std::map<int64_t, size_t> by_int;
  std::map<double, size_t> by_float;
  std::optional<size_t> by_nan;
  LabelList values;
  LabelList fallback;  // one entry of the values' kind
};

void SetKeys(const LabelList& keys, EncoderParams& p) {
  for (size_t i = 0; i < keys.strings.size(); ++i) p.by_string.emplace(keys.strings[i], i);
  for (size_t i = 0; i < keys.ints.size(); ++i) p.by_int.emplace(keys.ints[i], i);
  for (size_t i = 0; i < keys.floats.size(); ++i) {
    if (!std::isnan(keys.floats[i])) {
      p.by_float.emplace(keys.floats[i], i);
    } else if (!p.by_nan) {
      p.by_nan = i;
    }
  }
}

LabelList DefaultOf(const graph::Attributes& attrs, LabelList::Kind kind) {
  switch (kind) {
    case LabelList::Kind::kStrings:
      return Strings({attrs.String("default_string", "_Unused")});
    case LabelList::Kind::kInts:
      return Ints({attrs.Int("default_int64", -1)});
    default:
      return Floats({static_cast<double>(attrs.Float("default_float", -0.0f))});
  }
}

// Keys or values of version 1: a list of classes against their indices.
Result<EncoderParams> ParseClasses(const graph::NodeRef& node) {
  EncoderParams p;
  std::vector<std::string> classes = node.attrs().Strings("classes_strings");
  std::vector<int64_t> indices(classes.size());
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int64_t>(i);
  const bool from_strings = node.input_dtype(0) == DType::kString;
  SetKeys(from_strings ? Strings(classes) : Ints(indices), p);
  p.values = from_strings ? Ints(indices) : Strings(classes);
  p.fallback = DefaultOf(node.attrs(), p.values.kind);
  return p;
}

Result<EncoderParams> ParseLabelEncoder(const graph::NodeRef& node) {
  if (node.since_version() < 2) return ParseClasses(node);
  EncoderParams p;
  WB_ASSIGN_OR_RETURN(const LabelList keys, FromAttributes(node.attrs(), "keys"));
  WB_ASSIGN_OR_RETURN(p.values, FromAttributes(node.attrs(), "values"));
  if (keys.size() != p.values.size()) {
    return Error(Code::kInvalidArgument, "{} keys have {} values", keys.size(), p.values.size());
  }
  SetKeys(keys, p);
  p.fallback = DefaultOf(node.attrs(), p.values.kind);
  const Tensor* given = node.attrs().Get<Tensor>("default_tensor");
  if (given != nullptr && given->defined()) {
    WB_ASSIGN_OR_RETURN(LabelList one, FromTensor(*given));
    if (one.kind != p.values.kind || one.size() != 1) {
      return Error(Code::kInvalidArgument, "default_tensor is {}", given->view().Describe());
    }
    p.fallback = std::move(one);
  }
  return p;
}

// CategoryMapper: one list of strings and one of integers; the input's type says which are keys.
Result<EncoderParams> ParseCategoryMapper(const graph::NodeRef& node) {
  EncoderParams p;
  LabelList strings = Strings(node.attrs().Strings("cats_strings"));
  LabelList ints = Ints(node.attrs().Ints("cats_int64s"));
  if (strings.size() != ints.size()) {
    return Error(Code::kInvalidArgument, "{} strings have {} integers", strings.size(),
                 ints.size());
  }
  const bool from_strings = node.input_dtype(0) == DType::kString;
  SetKeys(from_strings ? strings : ints, p);
  p.values = std::move(from_strings ? ints : strings);
  p.fallback = DefaultOf(node.attrs(), p.values.kind);
  return p;
}

template <typename Map, typename Key>
std::optional<size_t> Find(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional<size_t>(found->second);
}

// The position of element `i` among the keys.
std::optional<size_t> Position(const EncoderParams& p, const TensorView& x, int64_t i) {
  switch (x.dtype) {
    case DType::kString:
      return Find(p.by_string, x.as<const std::string>()[i]);
    case DType::kI64:
      return Find(p.by_int, x.as<const int64_t>()[i]);
    case DType::kI32:
      return Find(p.by_int, int64_t{x.as<const int32_t>()[i]});
    case DType::kI16:
      return Find(p.by_int, int64_t{x.as<const int16_t>()[i]});
    default: {
      const double v = ReadNumber(x, i);
      return std::isnan(v) ? p.by_nan : Find(p.by_float, v);
    }
  }
}

Status RunLabelEncoder(const EncoderParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &y = ctx.output(0);
  for (int64_t i = 0; i < x.elems(); ++i) {
    const std::optional<size_t> found = Position(p, x, i);
    const LabelList& from = found ? p.values : p.fallback;
    const size_t at = found.value_or(0);
    if (from.kind == LabelList::Kind::kStrings) {
      y.as<std::string>()[i] = from.strings[at];
    } else if (from.kind == LabelList::Kind::kFloats) {
      WriteNumber(y, i, from.floats[at]);
    } else if (y.dtype == DType::kI64) {
      y.as<int64_t>()[i] = from.ints[at];
    } else {
      WriteNumber(y, i, static_cast<double>(from.ints[at]));
    }
  }
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kLabelEncoder[1] = {
    FunctionImpl<EncoderParams, ParseLabelEncoder, RunLabelEncoder>("label_encoder.reference")};
constinit const KernelImpl kCategoryMapper[1] = {
    FunctionImpl<EncoderParams, ParseCategoryMapper, RunLabelEncoder>("category_mapper.reference")};

}  // namespace waybill::kernel::reference
