#include "graph/rewrite/passes/affine/scale.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/ir/constant_bytes.h"
#include "graph/rewrite/passes/streamed.h"

namespace waybill::graph::rewrite {

namespace {

// Rows are not read in smaller parts: one of more bytes is not worth being put off.
constexpr size_t kMaxUnitBytes = size_t{16} << 20;

// Elements [first, first + elems) of the whole; `first` is a multiple of `inner`.
template <typename T>
void Scale(T* data, size_t first, size_t elems, const std::vector<double>& factors, size_t inner) {
  for (size_t at = 0; at < elems; at += inner) {
    const double factor = factors[(first + at) / inner % factors.size()];
    for (size_t i = at; i < at + inner && i < elems; ++i) {
      data[i] = static_cast<T>(static_cast<double>(data[i]) * factor);
    }
  }
}

class ScaledRows final : public RowSource {
 public:
  ScaledRows(Constant weights, std::vector<double> factors, size_t inner, int64_t multiple,
             int64_t block)
      : weights_(std::move(weights)),
        factors_(std::move(factors)),
        inner_(inner),
        multiple_(multiple),
        block_(block) {}

  int64_t row_multiple() const override { return multiple_; }
  int64_t block_rows() const override { return block_; }

  Result<Tensor> Rows(int64_t begin, int64_t count,
                      std::shared_ptr<MemorySource> memory) const override {
    const Shape& all = weights_.shape();
    const auto row = static_cast<size_t>(all.ElemsBetween(1, all.rank()));
    Tensor out;
    if (weights_.rows() != nullptr) {
      WB_ASSIGN_OR_RETURN(out, weights_.rows()->Rows(begin, count, std::move(memory)));
    } else {
      Shape shape = all;
      shape[0] = count;
      WB_ASSIGN_OR_RETURN(out, Tensor::Allocate(DType::kF32, std::move(shape), std::move(memory),
                                                MemoryTag::kFolded));
      const std::span<const std::byte> from = BytesBehind(begin, count);
      std::memcpy(out.view().data, from.data(), from.size());
    }
    Scale(out.view().as<float>(), static_cast<size_t>(begin) * row,
          static_cast<size_t>(count) * row, factors_, inner_);
    return out;
  }

  std::string maker() const override {
    std::string out =
        Format("scaled/1 {} factors inner {} of {}", factors_.size(), inner_, weights_.shape());
    if (weights_.rows() != nullptr) out += Format(" ({})", weights_.rows()->maker());
    return out;
  }

  std::vector<std::span<const std::byte>> sources() const override {
    std::vector<std::span<const std::byte>> out = SourcesOf(weights_);
    out.push_back(std::as_bytes(std::span<const double>(factors_)));
    return out;
  }

  const SharedView& storage() const override {
    return weights_.rows() != nullptr ? kNoStorage : weights_.tensor().storage();
  }

  std::span<const std::byte> BytesBehind(int64_t begin, int64_t count) const override {
    if (weights_.rows() != nullptr) return weights_.rows()->BytesBehind(begin, count);
    const Shape& all = weights_.shape();
    const size_t row = static_cast<size_t>(all.ElemsBetween(1, all.rank())) * sizeof(float);
    return {weights_.tensor().view().data + static_cast<size_t>(begin) * row,
            static_cast<size_t>(count) * row};
  }

 private:
  Constant weights_;
  std::vector<double> factors_;
  size_t inner_;
  int64_t multiple_, block_;
};

// Undefined where they are small or their rows are too large.
Result<Constant> ScaleAsRows(Editor& editor, const Constant& weights, const Affine& affine,
                             size_t inner) {
  const Shape& shape = weights.shape();
  if (weights.is_splat() || weights.dtype() != DType::kF32 || shape.rank() < 2) return Constant();
  WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(DType::kF32, shape));
  if (bytes < editor.options().stream_bytes || bytes == 0) return Constant();
  const int64_t multiple = weights.rows() != nullptr ? weights.rows()->row_multiple() : 1;
  const size_t unit = bytes / static_cast<size_t>(shape[0]) * static_cast<size_t>(multiple);
  if (unit > kMaxUnitBytes) return Constant();
  const size_t units = std::max<size_t>(BlockBytes(editor.options()) / unit, 1);
  return Constant::OfRows(DType::kF32, shape,
                          std::make_shared<ScaledRows>(weights, affine.factor, inner, multiple,
                                                       static_cast<int64_t>(units) * multiple));
}

}  // namespace

Result<Constant> ScaleWeights(Editor& editor, const Constant& weights, const Affine& affine,
                              size_t inner, bool streamed) {
  if (streamed) {
    WB_ASSIGN_OR_RETURN(Constant rows, ScaleAsRows(editor, weights, affine, inner));
    if (rows.defined()) return rows;
  }
  const auto& source = editor.options().source;
  const bool splat = weights.is_splat() && affine.uniform;
  const Constant held = splat ? Constant(weights.tensor()) : weights;
  WB_ASSIGN_OR_RETURN(const Tensor from, held.Materialize(source, MemoryTag::kFolded));
  WB_ASSIGN_OR_RETURN(Tensor to, CopyTensor(from.view(), source, MemoryTag::kFolded));
  const auto elems = static_cast<size_t>(to.shape().elems());
  if (from.dtype() == DType::kF32) {
    Scale(to.view().as<float>(), 0, elems, affine.factor, inner);
  } else {
    Scale(to.view().as<double>(), 0, elems, affine.factor, inner);
  }
  return splat ? Constant::Splat(std::move(to), weights.shape()) : Constant(std::move(to));
}

}  // namespace waybill::graph::rewrite
