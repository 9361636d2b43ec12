// Einsum of two operands that is a matrix product becomes one: MatMul, or FusedMatMul where a
// matrix is transposed, with Transpose where the labels come in another order.
#include <algorithm>
#include <optional>

#include "graph/infer/rules/math/einsum_equation.h"
#include "graph/rewrite/passes/passes.h"
#include "graph/schema/schema.h"

namespace waybill::graph::rewrite {

namespace {

constexpr int kMatMulVersion = 13;
constexpr int kTransposeVersion = 13;

using infer::EinsumLabels;

bool Holds(const EinsumLabels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

bool AllDifferent(EinsumLabels labels) {
  std::sort(labels.begin(), labels.end());
  return std::adjacent_find(labels.begin(), labels.end()) == labels.end();
}

// Labels of a product [batch..., row, sum] x [batch..., sum, column] = [batch..., row, column].
struct ProductLabels {
  EinsumLabels batch;  // in the output's order
  int row = 0, sum = 0, column = 0;
};

// Every label must be of one of the four kinds, and row, sum and column one label each.
std::optional<ProductLabels> Classify(const infer::EinsumBinding& binding) {
  const EinsumLabels &a = binding.inputs[0], &b = binding.inputs[1], &out = binding.output;
  if (!AllDifferent(a) || !AllDifferent(b) || !AllDifferent(out)) return std::nullopt;
  ProductLabels product;
  EinsumLabels rows, sums, columns;
  for (const int label : out) {
    const bool in_a = Holds(a, label), in_b = Holds(b, label);
    if (in_a && in_b) {
      product.batch.push_back(label);
    } else {
      (in_a ? rows : columns).push_back(label);
    }
  }
  for (const int label : a) {
    if (Holds(out, label)) continue;
    if (!Holds(b, label)) return std::nullopt;  // summed within A alone
    sums.push_back(label);
  }
  for (const int label : b) {
    if (!Holds(out, label) && !Holds(a, label)) return std::nullopt;
  }
  if (rows.size() != 1 || sums.size() != 1 || columns.size() != 1) return std::nullopt;
  product.row = rows[0];
  product.sum = sums[0];
  product.column = columns[0];
  return product;
}

// `batch` with two labels behind it.
EinsumLabels WithMatrix(const EinsumLabels& batch, int first, int second) {
  EinsumLabels labels = batch;
  labels.push_back(first);
  labels.push_back(second);
  return labels;
}

class ProductBuilder {
 public:
  ProductBuilder(Editor& editor, NodeId einsum, const infer::EinsumBinding& binding,
                 const ProductLabels& labels)
      : editor_(editor),
        binding_(binding),
        labels_(labels),
        einsum_(einsum),
        patch_("einsum-to-matmul", einsum,
               Format("{} is a matrix product", editor.graph().node(einsum).Describe())) {}

  void Build() {
    bool trans_a = false, trans_b = false;
    const ValueId a = Matrix(0, labels_.row, labels_.sum, trans_a);
    const ValueId b = Matrix(1, labels_.sum, labels_.column, trans_b);
    const EinsumLabels plain = WithMatrix(labels_.batch, labels_.row, labels_.column);
    const EinsumLabels turned = WithMatrix(labels_.batch, labels_.column, labels_.row);
    const ValueId out = editor_.graph().node(einsum_).outputs[0];
    if (binding_.output == turned) {
      // The transpose of a product is the product of the transposes in the other order.
      Product(b, a, !trans_b, !trans_a, out);
    } else if (binding_.output == plain) {
      Product(a, b, trans_a, trans_b, out);
    } else {
      const ValueId product = NewValue("/product");
      Product(a, b, trans_a, trans_b, product);
      Transpose(product, plain, binding_.output, out);
    }
    patch_.removed = {einsum_};
    editor_.Apply(std::move(patch_));
  }

 private:
  // Operand `i` as [batch..., first, second], or with the last two swapped and `transposed` set.
  ValueId Matrix(size_t i, int first, int second, bool& transposed) {
    const ValueId value = editor_.graph().node(einsum_).inputs[i];
    const EinsumLabels plain = WithMatrix(labels_.batch, first, second);
    const EinsumLabels turned = WithMatrix(labels_.batch, second, first);
    transposed = binding_.inputs[i] == turned;
    if (transposed || binding_.inputs[i] == plain) return value;
    const ValueId moved = NewValue(Format("/operand{}", i));
    Transpose(value, binding_.inputs[i], plain, moved);
    return moved;
  }

  ValueId NewValue(const std::string& suffix) {
    const Node& einsum = editor_.graph().node(einsum_);
    return editor_.AddValue(editor_.graph().value(einsum.outputs[0]).name + suffix);
  }

  Node NewNode(std::string_view domain, std::string_view op, int version) const {
    Node node;
    node.name = editor_.graph().node(einsum_).name;
    node.domain = std::string(domain);
    node.op_type = std::string(op);
    node.since_version = node.opset = version;
    node.schema = schema::Find(domain, op, version);
    return node;
  }

  void Transpose(ValueId from, const EinsumLabels& have, const EinsumLabels& want, ValueId to) {
    Node node = NewNode("", "Transpose", kTransposeVersion);
    std::vector<int64_t> perm;
    for (const int label : want) {
      perm.push_back(std::find(have.begin(), have.end(), label) - have.begin());
    }
    node.attrs.Set("perm", std::move(perm));
    node.inputs = {from};
    node.outputs = {to};
    patch_.inserted.push_back(std::move(node));
  }

  void Product(ValueId a, ValueId b, bool trans_a, bool trans_b, ValueId to) {
    const bool fused = trans_a || trans_b;
    Node node =
        fused ? NewNode("com.microsoft", "FusedMatMul", 1) : NewNode("", "MatMul", kMatMulVersion);
    if (fused) {
      node.attrs.Set("transA", int64_t{trans_a});
      node.attrs.Set("transB", int64_t{trans_b});
      node.attrs.Set("alpha", 1.0f);
    }
    node.inputs = {a, b};
    node.outputs = {to};
    patch_.inserted.push_back(std::move(node));
  }

  Editor& editor_;
  const infer::EinsumBinding& binding_;
  const ProductLabels& labels_;
  NodeId einsum_;
  Patch patch_;
};

// Einsum repeats a dimension of 1 along the sum, MatMul does not: the sums must be equally long.
bool SumsAgree(const infer::EinsumBinding& binding, int label, const SymShape& a,
               const SymShape& b) {
  const auto dim = [&](const EinsumLabels& labels, const SymShape& shape) {
    return shape[static_cast<size_t>(std::find(labels.begin(), labels.end(), label) -
                                     labels.begin())];
  };
  return dim(binding.inputs[0], a).SameAs(dim(binding.inputs[1], b));
}

void Rewrite(Editor& editor, NodeId id) {
  const Node& node = editor.graph().node(id);
  if (node.inputs.size() != 2 || !node.HasOutput(0)) return;
  const ValueType &a = editor.graph().value(node.inputs[0]).type,
                  &b = editor.graph().value(node.inputs[1]).type;
  if (a.dtype != DType::kF32 || !a.shape.has_rank() || !b.shape.has_rank()) return;
  const auto equation = infer::EinsumEquation::Parse(node.attrs.String("equation"));
  if (!equation.ok()) return;
  const auto binding = infer::BindEinsum(*equation, {a.shape.rank(), b.shape.rank()});
  if (!binding.ok()) return;
  const auto labels = Classify(*binding);
  if (!labels || !SumsAgree(*binding, labels->sum, a.shape, b.shape)) return;
  ProductBuilder(editor, id, *binding, *labels).Build();
}

}  // namespace

Status RewriteEinsums(Editor& editor) {
  for (const NodeId id : std::vector<NodeId>(editor.order())) {
    const Node& node = editor.graph().node(id);
    if (node.alive && node.Is("Einsum")) Rewrite(editor, id);
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
