#include <cmath>
#include <vector>

#include "graph/rewrite/passes/passes.h"

namespace waybill::graph::rewrite {

namespace {

// y = x * factor + shift, by channel.
struct Affine {
  std::vector<double> factor, shift;
  bool uniform = false;  // one factor and one shift for all channels
};

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

// The elements of a constant of `count` float or double elements; empty when it is not that.
Result<std::vector<double>> ReadVector(Editor& editor, ValueId id, size_t count) {
  const Constant* constant = editor.ConstantOf(id);
  std::vector<double> none;
  if (constant == nullptr || constant->shape().elems() != static_cast<int64_t>(count)) return none;
  if (constant->dtype() != DType::kF32 && constant->dtype() != DType::kF64) return none;
  WB_ASSIGN_OR_RETURN(const Tensor dense,
                      constant->Materialize(editor.options().source, MemoryTag::kFolded));
  return dense.dtype() == DType::kF32 ? ReadAs<float>(dense) : ReadAs<double>(dense);
}

// The normalisation as factor and shift; without factors when a parameter is not constant.
Result<Affine> ReadNorm(Editor& editor, const Node& norm, size_t channels) {
  std::vector<double> p[4];  // scale, bias, mean, variance
  bool splat = true;
  for (size_t i = 0; i < 4; ++i) {
    if (!norm.HasInput(i + 1)) return Affine();
    WB_ASSIGN_OR_RETURN(p[i], ReadVector(editor, norm.inputs[i + 1], channels));
    if (p[i].size() != channels) return Affine();
    splat = splat && editor.ConstantOf(norm.inputs[i + 1])->is_splat();
  }
  const double epsilon = norm.attrs.Float("epsilon", 1e-5f);
  Affine out;
  out.uniform = splat;
  for (size_t c = 0; c < channels; ++c) {
    const double factor = p[0][c] / std::sqrt(p[3][c] + epsilon);
    if (!std::isfinite(factor)) return Affine();
    out.factor.push_back(factor);
    out.shift.push_back(p[1][c] - p[2][c] * factor);
  }
  return out;
}

template <typename T>
void Scale(const TensorView& from, const TensorView& to, const std::vector<double>& factor) {
  const size_t per_channel = static_cast<size_t>(from.elems()) / factor.size();
  const T* in = from.as<T>();
  T* out = to.as<T>();
  for (size_t i = 0; i < factor.size() * per_channel; ++i) {
    out[i] = static_cast<T>(static_cast<double>(in[i]) * factor[i / per_channel]);
  }
}

// The filter times the factors of its output channels; a splat stays one where it can.
Result<Constant> ScaleFilter(Editor& editor, const Constant& filter, const Affine& affine) {
  const auto& source = editor.options().source;
  const bool splat = filter.is_splat() && affine.uniform;
  Tensor from = filter.tensor();
  if (!splat) {
    WB_ASSIGN_OR_RETURN(from, filter.Materialize(source, MemoryTag::kFolded));
  }
  WB_ASSIGN_OR_RETURN(Tensor to,
                      Tensor::Allocate(from.dtype(), from.shape(), source, MemoryTag::kFolded));
  const std::vector<double> factor = splat ? std::vector<double>{affine.factor[0]} : affine.factor;
  if (from.dtype() == DType::kF32) {
    Scale<float>(from.view(), to.view(), factor);
  } else {
    Scale<double>(from.view(), to.view(), factor);
  }
  return splat ? Constant::Splat(std::move(to), filter.shape()) : Constant(std::move(to));
}

Result<Constant> MakeBias(Editor& editor, DType dtype, const std::vector<double>& old,
                          const Affine& affine) {
  const Shape shape{static_cast<int64_t>(affine.factor.size())};
  WB_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(dtype, shape, editor.options().source, MemoryTag::kFolded));
  for (size_t c = 0; c < affine.factor.size(); ++c) {
    const double bias = (old.empty() ? 0.0 : old[c] * affine.factor[c]) + affine.shift[c];
    if (dtype == DType::kF32) {
      out.span<float>()[c] = static_cast<float>(bias);
    } else {
      out.span<double>()[c] = bias;
    }
  }
  return Constant(std::move(out));
}

Status Fold(Editor& editor, NodeId conv_id, NodeId norm_id) {
  Graph& graph = editor.graph();
  const Node norm = graph.node(norm_id);
  Node conv = graph.node(conv_id);
  const Constant* filter = conv.HasInput(1) ? editor.ConstantOf(conv.inputs[1]) : nullptr;
  if (filter == nullptr || filter->shape().rank() < 3 || filter->shape().elems() == 0) {
    return Status::Ok();
  }
  if (filter->dtype() != DType::kF32 && filter->dtype() != DType::kF64) return Status::Ok();
  const auto channels = static_cast<size_t>(filter->shape()[0]);
  WB_ASSIGN_OR_RETURN(const Affine affine, ReadNorm(editor, norm, channels));
  if (affine.factor.empty()) return Status::Ok();
  std::vector<double> old_bias;
  if (conv.HasInput(2)) {
    WB_ASSIGN_OR_RETURN(old_bias, ReadVector(editor, conv.inputs[2], channels));
    if (old_bias.empty()) return Status::Ok();
  }
  WB_ASSIGN_OR_RETURN(Constant scaled, ScaleFilter(editor, *filter, affine));
  WB_ASSIGN_OR_RETURN(Constant bias, MakeBias(editor, scaled.dtype(), old_bias, affine));
  const std::string name = graph.value(norm.outputs[0]).name;
  Patch patch("fold-batch-norm", norm_id,
              Format("{} takes over {}", conv.Describe(), norm.Describe()));
  conv.inputs.resize(3, kNoValue);
  conv.inputs[1] = editor.AddConstant(name + "/filter", std::move(scaled));
  conv.inputs[2] = editor.AddConstant(name + "/bias", std::move(bias));
  conv.outputs = {norm.outputs[0]};
  patch.inserted.push_back(std::move(conv));
  patch.removed = {norm_id, conv_id};
  editor.Apply(std::move(patch));
  return Status::Ok();
}

}  // namespace

Status FoldBatchNorms(Editor& editor) {
  const Graph& graph = editor.graph();
  for (const NodeId id : std::vector<NodeId>(editor.order())) {
    const Node& conv = graph.node(id);
    if (!conv.alive || !conv.Is("Conv") || !conv.HasOutput(0)) continue;
    const NodeId reader = editor.SingleReader(conv.outputs[0]);
    if (reader == kNoNode) continue;
    const Node& norm = graph.node(reader);
    if (!norm.Is("BatchNormalization") || !norm.HasOutput(0) || norm.inputs[0] != conv.outputs[0] ||
        !AtInference(editor, norm)) {
      continue;
    }
    WB_RETURN_IF_ERROR(Fold(editor, id, reader));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
