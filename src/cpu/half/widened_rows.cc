#include "cpu/half/widened_rows.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cpu/simd/half.h"
#include "cpu/simd/target.h"

namespace waybill::cpu {

namespace {

// Of f32: what is written out at a time, and from how much on.
constexpr size_t kBlockBytes = size_t{1} << 20;

size_t RowElems(const Shape& shape) {
  return static_cast<size_t>(shape.ElemsBetween(1, shape.rank()));
}

class WidenedRows final : public graph::RowSource {
 public:
  explicit WidenedRows(Tensor half) : half_(std::move(half)) {}

  int64_t row_multiple() const override { return 1; }
  int64_t block_rows() const override {
    const size_t row = RowElems(half_.shape()) * sizeof(float);
    return static_cast<int64_t>(std::max<size_t>(kBlockBytes / std::max<size_t>(row, 1), 1));
  }

  Result<Tensor> Rows(int64_t begin, int64_t count,
                      std::shared_ptr<MemorySource> memory) const override {
    Shape shape = half_.shape();
    shape[0] = count;
    WB_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(DType::kF32, std::move(shape),
                                                     std::move(memory), MemoryTag::kFolded));
    const std::span<const std::byte> from = BytesBehind(begin, count);
    const size_t elems = from.size() / sizeof(uint16_t);
    // The bytes of a file may be misaligned.
    uint16_t part[256];
    for (size_t i = 0; i < elems; i += std::size(part)) {
      const size_t n = std::min(elems - i, std::size(part));
      std::memcpy(part, from.data() + i * sizeof(uint16_t), n * sizeof(uint16_t));
      HalfFunctions(BestTarget()).to_float(part, out.view().as<float>() + i, n);
    }
    return out;
  }

  std::string maker() const override { return Format("widened/1 {}", half_.shape()); }
  std::vector<std::span<const std::byte>> sources() const override {
    return {{half_.view().data, half_.view().bytes()}};
  }
  const SharedView& storage() const override { return half_.storage(); }
  std::span<const std::byte> BytesBehind(int64_t begin, int64_t count) const override {
    const size_t row = RowElems(half_.shape()) * sizeof(uint16_t);
    return {half_.view().data + static_cast<size_t>(begin) * row, static_cast<size_t>(count) * row};
  }

 private:
  Tensor half_;
};

}  // namespace

bool IsWidenedByRows(const graph::NodeRef& node, size_t i) {
  const std::string_view op = node.node().op_type;
  if (i != 1 || (op != "MatMul" && op != "Gemm" && op != "Conv")) return false;
  const graph::Constant* half = node.constant(i);
  return half != nullptr && half->dtype() == DType::kF16 && !half->is_splat() &&
         half->rows() == nullptr && half->shape().rank() >= 2 &&
         half->tensor().view().bytes() >= kBlockBytes / 2;
}

Result<graph::Constant> WidenByRows(const graph::Constant& half) {
  return graph::Constant::OfRows(DType::kF32, half.shape(),
                                 std::make_shared<WidenedRows>(half.tensor()));
}

}  // namespace waybill::cpu
