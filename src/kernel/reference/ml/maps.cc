// Operators that take maps: DictVectorizer and CastMap.
#include <algorithm>
#include <charconv>
#include <numeric>

#include "kernel/reference/ml/kernels.h"
#include "kernel/reference/ml/numbers.h"
#include "kernel/reference/ml/rows.h"

namespace waybill::kernel::reference {

namespace {

// Keys and values of a map input, as two vectors of equal length.
struct MapViews {
  TensorView keys, values;
};

Result<MapViews> ViewsOf(RunContext& ctx) {
  const MapValue* map = ctx.input_value(0).map();
  const Tensor* values = map != nullptr && map->values ? map->values->tensor() : nullptr;
  if (values == nullptr || values->shape().elems() != map->keys.shape().elems()) {
    return Error(Code::kInvalidArgument, "input 0 is no map of single values");
  }
  return MapViews{map->keys.view(), values->view()};
}

void CopyElement(const TensorView& from, int64_t i, const TensorView& to, int64_t j) {
  if (from.dtype == DType::kString) {
    to.as<std::string>()[j] = from.as<const std::string>()[i];
  } else if (from.dtype == DType::kI64 && to.dtype == DType::kI64) {
    to.as<int64_t>()[j] = from.as<const int64_t>()[i];
  } else {
    WriteNumber(to, j, ReadNumber(from, i));
  }
}

struct DictParams {
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
};

Result<DictParams> ParseDictVectorizer(const graph::NodeRef& node) {
  DictParams p{node.attrs().Ints("int64_vocabulary"), node.attrs().Strings("string_vocabulary")};
  if (p.ints.empty() == p.strings.empty()) {
    return Error(Code::kInvalidArgument, "the vocabulary must be integers or strings");
  }
  return p;
}

Status RunDictVectorizer(const DictParams& p, RunContext& ctx) {
  WB_ASSIGN_OR_RETURN(const MapViews map, ViewsOf(ctx));
  const TensorView& y = ctx.output(0);
  if ((map.keys.dtype == DType::kString) != p.ints.empty()) {
    return Error(Code::kInvalidArgument, "the vocabulary does not have the type of the keys");
  }
  if (map.values.dtype != y.dtype) {
    return Error(Code::kInvalidArgument, "values are {}, the output is {}",
                 DTypeName(map.values.dtype), DTypeName(y.dtype));
  }
  for (int64_t i = 0; i < y.elems(); ++i) {
    if (y.dtype == DType::kString) {
      y.as<std::string>()[i].clear();
    } else {
      WriteNumber(y, i, 0);
    }
  }
  for (int64_t k = 0; k < map.keys.elems(); ++k) {
    int64_t at = 0;
    if (p.ints.empty()) {
      const std::string& key = map.keys.as<const std::string>()[k];
      at = std::find(p.strings.begin(), p.strings.end(), key) - p.strings.begin();
    } else {
      const int64_t key = map.keys.as<const int64_t>()[k];
      at = std::find(p.ints.begin(), p.ints.end(), key) - p.ints.begin();
    }
    if (at < y.elems()) CopyElement(map.values, k, y, at);
  }
  return Status::Ok();
}

struct CastMapParams {
  DType to = DType::kF32;
  bool sparse = false;
  int64_t max_map = 1;
};

Result<CastMapParams> ParseCastMap(const graph::NodeRef& node) {
  CastMapParams p;
  const std::string to = node.attrs().String("cast_to", "TO_FLOAT");
  if (to == "TO_STRING") {
    p.to = DType::kString;
  } else if (to == "TO_INT64") {
    p.to = DType::kI64;
  } else if (to != "TO_FLOAT") {
    return Error(Code::kInvalidArgument, "cast_to is '{}'", to);
  }
  const std::string form = node.attrs().String("map_form", "DENSE");
  if (form != "DENSE" && form != "SPARSE") {
    return Error(Code::kInvalidArgument, "map_form is '{}'", form);
  }
  p.sparse = form == "SPARSE";
  p.max_map = node.attrs().Int("max_map", 1);
  return p;
}

// One value, parsed from or printed as text where the types ask for it.
Status CastElement(const TensorView& from, int64_t i, const TensorView& to, int64_t j) {
  if ((from.dtype == DType::kString) == (to.dtype == DType::kString)) {
    CopyElement(from, i, to, j);
    return Status::Ok();
  }
  if (to.dtype == DType::kString) {
    to.as<std::string>()[j] = Format("{}", ReadNumber(from, i));
    return Status::Ok();
  }
  const std::string& text = from.as<const std::string>()[i];
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return Error(Code::kInvalidArgument, "'{}' is no number", text);
  }
  WriteNumber(to, j, value);
  return Status::Ok();
}

Status RunCastMap(const CastMapParams& p, RunContext& ctx) {
  WB_ASSIGN_OR_RETURN(const MapViews map, ViewsOf(ctx));
  if (map.keys.dtype != DType::kI64) {
    return Error(Code::kInvalidArgument, "keys are {}", DTypeName(map.keys.dtype));
  }
  const int64_t count = map.keys.elems();
  const int64_t* const keys = map.keys.as<const int64_t>();
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
  const int64_t width = p.sparse ? p.max_map : count;
  if (width < 0) return Error(Code::kInvalidArgument, "max_map is {}", width);
  WB_ASSIGN_OR_RETURN(const TensorView y, ctx.AllocateOutput(0, p.to, Shape{1, width}));
  for (int64_t i = 0; i < width && p.to != DType::kString; ++i) WriteNumber(y, i, 0);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t from = order[static_cast<size_t>(i)], at = p.sparse ? keys[from] : i;
    if (at < 0 || at >= width) {
      return Error(Code::kInvalidArgument, "key {} is out of range [0, {})", at, width);
    }
    WB_RETURN_IF_ERROR(CastElement(map.values, from, y, at));
  }
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kDictVectorizer[1] = {
    FunctionImpl<DictParams, ParseDictVectorizer, RunDictVectorizer>("dict_vectorizer.reference")};
constinit const KernelImpl kCastMap[1] = {
    FunctionImpl<CastMapParams, ParseCastMap, RunCastMap>("cast_map.reference")};

}  // namespace waybill::kernel::reference
