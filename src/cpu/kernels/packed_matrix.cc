#include "cpu/kernels/packed_matrix.h"

#include "base/math/checked.h"

namespace waybill::cpu {

std::optional<size_t> PackedBytes(const GemmF32Table& table, size_t k, size_t n) {
  const auto padded = CheckedAdd(n, table.lanes);
  const auto row = padded ? CheckedMul(*padded, sizeof(float)) : std::nullopt;
  if (!row || !CheckedMul(*row, k)) return std::nullopt;
  return PackedLayout(table, k, n).floats() * sizeof(float);
}

Status PackedMatrix::Pack(kernel::PrepareContext& ctx, bool transposed, float scale) {
  const graph::Constant& b = *ctx.constant(1);
  const auto rows = static_cast<size_t>(b.shape()[0]);
  const auto columns = static_cast<size_t>(b.shape()[1]);
  const size_t k = transposed ? columns : rows;
  const size_t n = transposed ? rows : columns;
  const GemmF32Table& table = GemmF32(BestTarget());
  const auto bytes = PackedBytes(table, k, n);
  if (!bytes) return Error(Code::kOutOfMemory, "a packed {} x {} matrix is too large", k, n);
  layout_ = PackedLayout(table, k, n);
  const std::string maker =
      Format("gemm.f32/1 {} {} x {} nr {} block {} floats {} scale {} transposed {}",
             SimdTargetName(BestTarget()), k, n, layout_.nr(), layout_.block_k(), layout_.floats(),
             scale, transposed);
  const auto fill = [&](std::byte* out) {
    return ctx.ForEachBlock(
        1, transposed ? static_cast<int64_t>(layout_.nr()) : 1,
        [&](int64_t first, const TensorView& part) {
          UnpackedB from;
          from.data = part.data;
          from.half = b.dtype() == DType::kF16;
          from.scale = scale;
          (transposed ? from.first_column : from.first_row) = static_cast<size_t>(first);
          if (!b.is_splat()) {
            from.row_stride = transposed ? 1 : columns;
            from.column_stride = transposed ? columns : 1;
          }
          const size_t now = b.is_splat() ? rows : static_cast<size_t>(part.shape[0]);
          PackBPart(layout_, from, transposed ? k : now, transposed ? now : n,
                    reinterpret_cast<float*>(out));
        });
  };
  WB_ASSIGN_OR_RETURN(packed_, ctx.Pack(maker, {1}, *bytes, fill));
  ctx.ReplaceInput(1);
  return Status::Ok();
}

}  // namespace waybill::cpu
