// Operators that pick, join or expand columns: ArrayFeatureExtractor, FeatureVectorizer,
// OneHotEncoder.
#include <algorithm>
#include <string>

#include "kernel/reference/ml/kernels.h"
#include "kernel/reference/ml/numbers.h"
#include "kernel/reference/ml/rows.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

Status RunArrayFeatureExtractor(RunContext& ctx) {
  const TensorView &x = ctx.input(0), &indices = ctx.input(1), &z = ctx.output(0);
  const int64_t columns = x.shape.rank() == 0 ? 1 : x.shape[x.shape.rank() - 1];
  const int64_t count = indices.elems();
  for (const int64_t index : indices.span<const int64_t>()) {
    if (index < 0 || index >= columns) {
      return Error(Code::kInvalidArgument, "index {} is out of range for {} columns", index,
                   columns);
    }
  }
  if (count == 0) return Error(Code::kInvalidArgument, "there are no indices");
  const int64_t rows = columns == 0 ? 0 : x.elems() / columns;
  return DispatchByWidth(x.dtype, [&]<typename T>() {
    for (int64_t i = 0; i < rows * count; ++i) {
      z.as<T>()[i] = x.as<T>()[i / count * columns + indices.as<const int64_t>()[i % count]];
    }
    return Status::Ok();
  });
}

struct VectorizerParams {
  std::vector<int64_t> widths;
};

Result<VectorizerParams> ParseVectorizer(const graph::NodeRef& node) {
  VectorizerParams p{node.attrs().Ints("inputdimensions")};
  if (p.widths.size() != node.num_inputs()) {
    return Error(Code::kInvalidArgument, "inputdimensions has {} entries for {} inputs",
                 p.widths.size(), node.num_inputs());
  }
  return p;
}

// Narrower inputs are filled with zeros, wider ones cut.
Status RunFeatureVectorizer(const VectorizerParams& p, RunContext& ctx) {
  const TensorView& y = ctx.output(0);
  const int64_t rows = y.shape[0];
  int64_t first = 0;
  for (size_t k = 0; k < p.widths.size(); ++k) {
    const TensorView& x = ctx.input(k);
    const RowsOf shape(x.shape);
    if (shape.rows != rows) {
      return Error(Code::kInvalidArgument, "input {} has {} rows, the first has {}", k, shape.rows,
                   rows);
    }
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t i = 0; i < p.widths[k]; ++i) {
        WriteNumber(y, row * y.shape[1] + first + i,
                    i < shape.columns ? ReadNumber(x, row * shape.columns + i) : 0);
      }
    }
    first += p.widths[k];
  }
  return Status::Ok();
}

struct OneHotParams {
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
  bool zeros = true;  // an unknown category is a row of zeros, not an error
};

Result<OneHotParams> ParseOneHotEncoder(const graph::NodeRef& node) {
  OneHotParams p{node.attrs().Ints("cats_int64s"), node.attrs().Strings("cats_strings"),
                 node.attrs().Int("zeros", 1) != 0};
  if (p.ints.empty() == p.strings.empty()) {
    return Error(Code::kInvalidArgument, "categories must be integers or strings");
  }
  return p;
}

Status RunOneHotEncoder(const OneHotParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &y = ctx.output(0);
  const bool strings = x.dtype == DType::kString;
  if (strings != p.ints.empty()) {
    return Error(Code::kInvalidArgument, "categories do not have the type of X");
  }
  const size_t count = p.ints.size() + p.strings.size();
  std::fill_n(y.as<float>(), y.elems(), 0.0f);
  for (int64_t i = 0; i < x.elems(); ++i) {
    size_t found = count;
    if (strings) {
      const auto& list = p.strings;
      found = static_cast<size_t>(std::find(list.begin(), list.end(), x.as<std::string>()[i]) -
                                  list.begin());
    } else {
      const auto v =
          x.dtype == DType::kI64 ? x.as<const int64_t>()[i] : Saturated<int64_t>(ReadNumber(x, i));
      found = static_cast<size_t>(std::find(p.ints.begin(), p.ints.end(), v) - p.ints.begin());
    }
    if (found < count) {
      y.as<float>()[i * static_cast<int64_t>(count) + static_cast<int64_t>(found)] = 1;
    } else if (!p.zeros) {
      return Error(Code::kInvalidArgument, "element {} is no known category", i);
    }
  }
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kArrayFeatureExtractor[1] = {
    FunctionImpl<RunArrayFeatureExtractor>("array_feature_extractor.reference")};
constinit const KernelImpl kFeatureVectorizer[1] = {
    FunctionImpl<VectorizerParams, ParseVectorizer, RunFeatureVectorizer>(
        "feature_vectorizer.reference")};
constinit const KernelImpl kOneHotEncoder[1] = {
    FunctionImpl<OneHotParams, ParseOneHotEncoder, RunOneHotEncoder>("one_hot_encoder.reference")};

}  // namespace waybill::kernel::reference
