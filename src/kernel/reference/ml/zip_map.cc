#include <memory>

#include "kernel/reference/ml/kernels.h"
#include "kernel/reference/ml/rows.h"

namespace waybill::kernel::reference {

namespace {

struct ZipMapParams {
  std::vector<int64_t> int_labels;
  std::vector<std::string> string_labels;
};

Result<ZipMapParams> ParseZipMap(const graph::NodeRef& node) {
  ZipMapParams p{node.attrs().Ints("classlabels_int64s"),
                 node.attrs().Strings("classlabels_strings")};
  if (p.int_labels.empty() == p.string_labels.empty()) {
    return Error(Code::kInvalidArgument, "labels must be integers or strings");
  }
  return p;
}

Status RunZipMap(const ZipMapParams& p, RunContext& ctx) {
  const TensorView& x = ctx.input(0);
  const RowsOf shape(x.shape);
  const size_t labels = p.int_labels.size() + p.string_labels.size();
  if (static_cast<size_t>(shape.columns) != labels) {
    return Error(Code::kInvalidArgument, "X of shape {} has no {} columns, one for each label",
                 x.shape, labels);
  }
  const bool strings = !p.string_labels.empty();
  const Shape row_shape{shape.columns};
  // All maps share one tensor of keys.
  WB_ASSIGN_OR_RETURN(Tensor keys,
                      ctx.AllocateTensor(strings ? DType::kString : DType::kI64, row_shape));
  for (size_t i = 0; i < labels; ++i) {
    if (strings) {
      keys.span<std::string>()[i] = p.string_labels[i];
    } else {
      keys.span<int64_t>()[i] = p.int_labels[i];
    }
  }
  SequenceValue out;
  out.element = ValueType::Map(keys.dtype(), ValueType::Tensor(DType::kF32));
  for (int64_t row = 0; row < shape.rows; ++row) {
    WB_ASSIGN_OR_RETURN(Tensor values, ctx.AllocateTensor(DType::kF32, row_shape));
    const float* const from = x.as<const float>() + row * shape.columns;
    std::copy(from, from + shape.columns, values.span<float>().begin());
    out.items.emplace_back(MapValue{keys, std::make_shared<const Value>(Value(std::move(values)))});
  }
  ctx.SetOutputValue(0, Value(std::move(out)));
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kZipMap[1] = {
    FunctionImpl<ZipMapParams, ParseZipMap, RunZipMap>("zip_map.reference")};

}  // namespace waybill::kernel::reference
