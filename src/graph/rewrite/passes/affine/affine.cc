#include "graph/rewrite/passes/affine/affine.h"

#include <algorithm>
#include <cmath>

namespace waybill::graph::rewrite {

namespace {

bool AtInference(const Editor& editor, const Node& norm) {
  if (norm.since_version < 7 && norm.attrs.Int("is_test") == 0) return false;
  if (norm.since_version < 9 && norm.attrs.Int("spatial", 1) == 0) return false;
  if (norm.since_version >= 14 && norm.attrs.Int("training_mode") != 0) return false;
  for (size_t i = 1; i < norm.outputs.size(); ++i) {
    if (!norm.HasOutput(i)) continue;
    if (editor.uses(norm.outputs[i]) > 0 || editor.is_output(norm.outputs[i])) return false;
  }
  return true;
}

template <typename T>
std::vector<double> ReadAs(const Tensor& tensor) {
  const auto span = tensor.span<T>();
  return std::vector<double>(span.begin(), span.end());
}

void Classify(Affine& affine) {
  const auto& f = affine.factor;
  affine.uniform = std::all_of(f.begin(), f.end(), [&](double v) { return v == f[0]; });
  affine.scales = !affine.uniform || (!f.empty() && f[0] != 1);
}

Result<std::optional<Affine>> ReadNorm(Editor& editor, const Node& norm, size_t channels) {
  std::optional<Affine> out;
  if (!AtInference(editor, norm)) return out;
  std::vector<double> p[4];  // scale, bias, mean, variance
  for (size_t i = 0; i < 4; ++i) {
    if (!norm.HasInput(i + 1)) return out;
    WB_ASSIGN_OR_RETURN(auto numbers, ReadNumbers(editor, norm.inputs[i + 1], channels));
    if (!numbers) return out;
    p[i] = std::move(*numbers);
  }
  const double epsilon = norm.attrs.Float("epsilon", 1e-5f);
  Affine affine;
  for (size_t c = 0; c < channels; ++c) {
    const double factor = p[0][c] / std::sqrt(p[3][c] + epsilon);
    if (!std::isfinite(factor)) return out;
    affine.factor.push_back(factor);
    affine.shift.push_back(p[1][c] - p[2][c] * factor);
  }
  out = std::move(affine);
  return out;
}

// One number, or one for each channel on the channels' axis.
bool IsPerChannel(const Shape& shape, size_t rank, size_t channel_axis, size_t channels) {
  if (shape.rank() > rank) return false;
  for (size_t i = 0; i < shape.rank(); ++i) {
    const bool here = rank - shape.rank() + i == channel_axis;
    if (shape[i] != 1 && !(here && shape[i] == static_cast<int64_t>(channels))) return false;
  }
  return true;
}

Result<std::optional<Affine>> ReadArithmetic(Editor& editor, const Node& node, size_t constant,
                                             size_t rank, size_t channel_axis, size_t channels) {
  std::optional<Affine> out;
  const Constant* operand = editor.ConstantOf(node.inputs[constant]);
  if (operand == nullptr || !IsPerChannel(operand->shape(), rank, channel_axis, channels)) {
    return out;
  }
  WB_ASSIGN_OR_RETURN(const auto numbers, ReadNumbers(editor, node.inputs[constant], channels));
  if (!numbers) return out;
  Affine affine;
  for (const double v : *numbers) {
    double factor = 1, shift = 0;
    if (node.Is("Add")) {
      shift = v;
    } else if (node.Is("Mul")) {
      factor = v;
    } else if (node.Is("Sub")) {
      factor = constant == 1 ? 1 : -1;
      shift = constant == 1 ? -v : v;
    } else if (node.Is("Div") && constant == 1) {
      factor = 1 / v;
    } else {
      return out;
    }
    if (!std::isfinite(factor) || !std::isfinite(shift)) return out;
    affine.factor.push_back(factor);
    affine.shift.push_back(shift);
  }
  out = std::move(affine);
  return out;
}

}  // namespace

void Affine::Append(const Affine& next) {
  for (size_t c = 0; c < factor.size(); ++c) {
    factor[c] *= next.factor[c];
    shift[c] = shift[c] * next.factor[c] + next.shift[c];
  }
  Classify(*this);
}

Result<std::optional<std::vector<double>>> ReadNumbers(Editor& editor, ValueId id, size_t count) {
  std::optional<std::vector<double>> out;
  const Constant* constant = editor.ConstantOf(id);
  if (constant == nullptr) return out;
  const bool single = constant->is_splat() || constant->shape().elems() == 1;
  if (!single && constant->shape().elems() != static_cast<int64_t>(count)) return out;
  if (constant->dtype() != DType::kF32 && constant->dtype() != DType::kF64) return out;
  // Of a splat only its element is written out; the bytes may lie at an odd address of a file.
  const Constant source = constant->is_splat() ? Constant(constant->tensor()) : *constant;
  WB_ASSIGN_OR_RETURN(const Tensor dense,
                      source.Materialize(editor.options().source, MemoryTag::kFolded));
  out = dense.dtype() == DType::kF32 ? ReadAs<float>(dense) : ReadAs<double>(dense);
  if (single) out->assign(count, std::vector<double>(*out)[0]);
  return out;
}

Result<std::optional<Affine>> ReadAffine(Editor& editor, const Node& node, ValueId input,
                                         size_t rank, size_t channel_axis, size_t channels) {
  std::optional<Affine> out;
  if (!node.domain.empty() || !node.HasOutput(0) || channels == 0) return out;
  if (node.Is("BatchNormalization")) {
    if (channel_axis != 1 || node.inputs[0] != input) return out;
    WB_ASSIGN_OR_RETURN(out, ReadNorm(editor, node, channels));
  } else if (node.inputs.size() == 2 && node.since_version >= 7) {
    const size_t constant = node.inputs[0] == input ? 1 : 0;
    WB_ASSIGN_OR_RETURN(out, ReadArithmetic(editor, node, constant, rank, channel_axis, channels));
  }
  if (out) Classify(*out);
  return out;
}

}  // namespace waybill::graph::rewrite
