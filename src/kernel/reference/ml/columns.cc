// Operators that treat each number of a matrix by itself or with its row: Binarizer, Scaler,
// Imputer, Normalizer.
#include <algorithm>
#include <cmath>

#include "kernel/reference/ml/kernels.h"
#include "kernel/reference/ml/numbers.h"
#include "kernel/reference/ml/rows.h"
#include "kernel/reference/support/for_each.h"

namespace waybill::kernel::reference {

namespace {

struct BinarizerParams {
  double threshold;
};

Result<BinarizerParams> ParseBinarizer(const graph::NodeRef& node) {
  return BinarizerParams{static_cast<double>(node.attrs().Float("threshold"))};
}

Status RunBinarizer(const BinarizerParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &y = ctx.output(0);
  for (int64_t i = 0; i < x.elems(); ++i) WriteNumber(y, i, ReadNumber(x, i) > p.threshold ? 1 : 0);
  return Status::Ok();
}

struct ScalerParams {
  std::vector<float> offset, scale;
};

Result<ScalerParams> ParseScaler(const graph::NodeRef& node) {
  return ScalerParams{node.attrs().Floats("offset"), node.attrs().Floats("scale")};
}

// A list with one entry for all columns or one for each.
Status CheckPerColumn(size_t entries, int64_t columns, const char* name) {
  if (entries == 1 || static_cast<int64_t>(entries) == columns) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} has {} entries for {} columns", name, entries, columns);
}

Status RunScaler(const ScalerParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &y = ctx.output(0);
  const RowsOf shape(x.shape);
  if (!p.offset.empty()) {
    WB_RETURN_IF_ERROR(CheckPerColumn(p.offset.size(), shape.columns, "offset"));
  }
  if (!p.scale.empty()) {
    WB_RETURN_IF_ERROR(CheckPerColumn(p.scale.size(), shape.columns, "scale"));
  }
  const auto entry = [&](const std::vector<float>& list, int64_t i, double fallback) {
    if (list.empty()) return fallback;
    return static_cast<double>(list[list.size() == 1 ? 0 : static_cast<size_t>(i % shape.columns)]);
  };
  for (int64_t i = 0; i < x.elems(); ++i) {
    WriteNumber(y, i, (ReadNumber(x, i) - entry(p.offset, i, 0)) * entry(p.scale, i, 1));
  }
  return Status::Ok();
}

struct ImputerParams {
  std::vector<float> floats;
  std::vector<int64_t> ints;
  double replaced_float;
  int64_t replaced_int;
};

Result<ImputerParams> ParseImputer(const graph::NodeRef& node) {
  const graph::Attributes& attrs = node.attrs();
  return ImputerParams{attrs.Floats("imputed_value_floats"), attrs.Ints("imputed_value_int64s"),
                       static_cast<double>(attrs.Float("replaced_value_float")),
                       attrs.Int("replaced_value_int64")};
}

Status RunImputer(const ImputerParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &y = ctx.output(0);
  const RowsOf shape(x.shape);
  const auto column = [&](size_t entries, int64_t i) {
    return entries == 1 ? size_t{0} : static_cast<size_t>(i % shape.columns);
  };
  if (x.dtype == DType::kF32 || x.dtype == DType::kF64) {
    WB_RETURN_IF_ERROR(CheckPerColumn(p.floats.size(), shape.columns, "imputed_value_floats"));
    for (int64_t i = 0; i < x.elems(); ++i) {
      const double v = ReadNumber(x, i);
      const bool replace = v == p.replaced_float || (std::isnan(v) && std::isnan(p.replaced_float));
      WriteNumber(y, i, replace ? static_cast<double>(p.floats[column(p.floats.size(), i)]) : v);
    }
    return Status::Ok();
  }
  WB_RETURN_IF_ERROR(CheckPerColumn(p.ints.size(), shape.columns, "imputed_value_int64s"));
  for (int64_t i = 0; i < x.elems(); ++i) {
    const int64_t v = x.dtype == DType::kI64 ? x.as<const int64_t>()[i] : x.as<const int32_t>()[i];
    const int64_t out = v == p.replaced_int ? p.ints[column(p.ints.size(), i)] : v;
    if (y.dtype == DType::kI64) {
      y.as<int64_t>()[i] = out;
    } else {
      y.as<int32_t>()[i] = static_cast<int32_t>(out);
    }
  }
  return Status::Ok();
}

enum class Norm { kMax, kL1, kL2 };

struct NormalizerParams {
  Norm norm = Norm::kMax;
};

Result<NormalizerParams> ParseNormalizer(const graph::NodeRef& node) {
  const std::string norm = node.attrs().String("norm", "MAX");
  if (norm == "MAX") return NormalizerParams{Norm::kMax};
  if (norm == "L1") return NormalizerParams{Norm::kL1};
  if (norm == "L2") return NormalizerParams{Norm::kL2};
  return Error(Code::kInvalidArgument, "norm is '{}'", norm);
}

Status RunNormalizer(const NormalizerParams& p, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &y = ctx.output(0);
  const RowsOf shape(x.shape);
  for (int64_t row = 0; row < shape.rows; ++row) {
    double size = 0;
    for (int64_t i = 0; i < shape.columns; ++i) {
      const double v = ReadNumber(x, row * shape.columns + i);
      if (p.norm == Norm::kMax) {
        size = i == 0 ? v : std::max(size, v);
      } else {
        size += p.norm == Norm::kL1 ? std::fabs(v) : v * v;
      }
    }
    if (p.norm == Norm::kL2) size = std::sqrt(size);
    for (int64_t i = row * shape.columns; i < (row + 1) * shape.columns; ++i) {
      const double v = ReadNumber(x, i);
      WriteNumber(y, i, size == 0 ? v : v / size);
    }
  }
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kBinarizer[1] = {
    FunctionImpl<BinarizerParams, ParseBinarizer, RunBinarizer>("binarizer.reference")};
constinit const KernelImpl kScaler[1] = {
    FunctionImpl<ScalerParams, ParseScaler, RunScaler>("scaler.reference")};
constinit const KernelImpl kImputer[1] = {
    FunctionImpl<ImputerParams, ParseImputer, RunImputer>("imputer.reference")};
constinit const KernelImpl kNormalizer[1] = {
    FunctionImpl<NormalizerParams, ParseNormalizer, RunNormalizer>("normalizer.reference")};

}  // namespace waybill::kernel::reference
