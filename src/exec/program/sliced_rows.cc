#include "exec/program/sliced_rows.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "exec/program/evaluator.h"
#include "graph/ir/constant_bytes.h"

namespace waybill::exec {

namespace {

using Bytes = std::span<const std::byte>;

// Rows are not read in smaller parts: one of more bytes is not worth being put off.
constexpr size_t kMaxUnitBytes = size_t{16} << 20;

// An input of the node: whole for every row, or one row of it for each `rows_each` of the output.
struct Part {
  graph::Constant constant;
  ValueType type;
  int64_t rows_each = 0;  // 0: whole
};

size_t RowBits(const graph::Constant& constant) {
  const Shape& shape = constant.shape();
  return static_cast<size_t>(shape.ElemsBetween(1, shape.rank())) * DTypeBits(constant.dtype());
}

// Rows of a dense constant, in place.
Result<Tensor> Cut(const Tensor& from, size_t row_bits, int64_t begin, int64_t count) {
  Shape shape = from.shape();
  shape[0] = count;
  WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(from.dtype(), shape));
  const SharedView& all = from.storage();
  const size_t offset = static_cast<size_t>(begin) * row_bits / 8;
  const size_t there = from.view().bytes();
  if (offset > there || bytes > there - offset) {
    return Error(Code::kInternal, "{} rows from {} are not in {} {}", count, begin,
                 DTypeName(from.dtype()), from.shape());
  }
  return Tensor::Wrap(from.dtype(), shape,
                      SharedView(all.owner(), {from.view().data + offset, bytes, all.device()}));
}

class SlicedRows final : public graph::RowSource {
 public:
  SlicedRows(graph::Node node, ValueType output, Shape shape, std::vector<Part> parts,
             std::vector<kernel::Provider> providers)
      : node_(std::move(node)),
        output_(std::move(output)),
        shape_(std::move(shape)),
        parts_(std::move(parts)),
        providers_(std::move(providers)) {}

  // False when a unit of rows is too large.
  bool Divide(size_t block_bytes) {
    for (const Part& part : parts_) {
      if (part.rows_each == 0) continue;
      if (part.rows_each >= shape_[0]) return false;
      // A row of a sub-byte type may begin within a byte; that every eighth begins a byte is
      // enough.
      const bool whole_bytes = RowBits(part.constant) % 8 == 0;
      multiple_ = std::lcm(multiple_, part.rows_each * (whole_bytes ? 1 : 8));
      if (part.constant.rows() != nullptr) {
        multiple_ = std::lcm(multiple_, part.constant.rows()->row_multiple());
      }
    }
    const size_t row =
        static_cast<size_t>(shape_.ElemsBetween(1, shape_.rank())) * DTypeBits(output_.dtype) / 8;
    const size_t unit = row * static_cast<size_t>(multiple_);
    if (multiple_ >= shape_[0] || unit == 0 || unit > kMaxUnitBytes) return false;
    block_ = static_cast<int64_t>(std::max<size_t>(block_bytes / unit, 1)) * multiple_;
    return true;
  }

  int64_t row_multiple() const override { return multiple_; }
  int64_t block_rows() const override { return block_; }

  Result<Tensor> Rows(int64_t begin, int64_t count,
                      std::shared_ptr<MemorySource> memory) const override {
    graph::Graph graph;
    graph::Node node = node_;
    size_t next = 0;
    for (graph::ValueId& input : node.inputs) {
      if (input == graph::kNoValue) continue;
      const Part& part = parts_[next++];
      graph::Value value;
      value.type = part.type;
      WB_ASSIGN_OR_RETURN(value.constant, Slice(part, begin, count, memory));
      value.type.shape = SymShape(value.constant.shape());
      input = graph.AddValue(std::move(value));
    }
    graph::Value value;
    value.type = output_;
    Shape shape = shape_;
    shape[0] = count;
    value.type.shape = SymShape(shape);
    node.outputs = {graph.AddValue(std::move(value))};
    const graph::NodeId id = graph.AddNode(std::move(node));
    WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(output_.dtype, shape));
    KernelEvaluator evaluator(providers_, std::move(memory));
    WB_ASSIGN_OR_RETURN(const std::vector<graph::Constant> made,
                        evaluator.Evaluate(graph, graph.node(id), bytes));
    if (made.size() != 1 || made[0].dtype() != output_.dtype || made[0].shape() != shape) {
      return Error(Code::kInternal, "rows {} to {} of {} do not come out as {} {}", begin,
                   begin + count, node_.Describe(), DTypeName(output_.dtype), shape);
    }
    return made[0].tensor();
  }

  std::string maker() const override {
    const graph::Attributes& attrs = node_.attrs;
    std::string out = Format("{}-{}/1 axis {} block {} saturate {} round '{}' gives {} {}",
                             node_.op_type, node_.since_version, attrs.Int("axis", 1),
                             attrs.Int("block_size"), attrs.Int("saturate", 1),
                             attrs.String("round_mode"), DTypeName(output_.dtype), shape_);
    for (const Part& part : parts_) {
      const graph::Constant& from = part.constant;
      out += Format(" of {} {}{}", DTypeName(from.dtype()), from.shape(),
                    from.is_splat() ? " splat" : "");
      if (from.rows() != nullptr) out += Format(" ({})", from.rows()->maker());
    }
    return out;
  }

  std::vector<Bytes> sources() const override {
    std::vector<Bytes> out;
    for (const Part& part : parts_) {
      for (const Bytes bytes : graph::SourcesOf(part.constant)) out.push_back(bytes);
    }
    return out;
  }

  const SharedView& storage() const override {
    const graph::Constant& from = parts_[0].constant;
    return from.rows() != nullptr ? kNoStorage : from.tensor().storage();
  }

  // Those of the data; scales are small.
  Bytes BytesBehind(int64_t begin, int64_t count) const override {
    const graph::Constant& from = parts_[0].constant;
    if (from.rows() != nullptr) return from.rows()->BytesBehind(begin, count);
    const size_t bits = RowBits(from), all = from.tensor().view().bytes();
    const size_t first = static_cast<size_t>(begin) * bits / 8;
    const size_t last = std::min((static_cast<size_t>(begin + count) * bits + 7) / 8, all);
    return {from.tensor().view().data + first, last - first};
  }

 private:
  static Result<graph::Constant> Slice(const Part& part, int64_t begin, int64_t count,
                                       const std::shared_ptr<MemorySource>& memory) {
    const graph::Constant& from = part.constant;
    if (part.rows_each == 0) return from;
    const int64_t first = begin / part.rows_each;
    const int64_t rows = (begin + count + part.rows_each - 1) / part.rows_each - first;
    if (from.rows() != nullptr) {
      WB_ASSIGN_OR_RETURN(Tensor tensor, from.rows()->Rows(first, rows, memory));
      return graph::Constant(std::move(tensor));
    }
    if (from.is_splat()) {
      Shape shape = from.shape();
      shape[0] = rows;
      return graph::Constant::Splat(from.tensor(), std::move(shape));
    }
    WB_ASSIGN_OR_RETURN(Tensor tensor, Cut(from.tensor(), RowBits(from), first, rows));
    return graph::Constant(std::move(tensor));
  }

  graph::Node node_;
  ValueType output_;
  Shape shape_;
  std::vector<Part> parts_;  // of the inputs that are there
  std::vector<kernel::Provider> providers_;
  int64_t multiple_ = 1, block_ = 1;
};

// Rows of the output that one row of a scale or zero point belongs to; 0: it belongs to all.
int64_t RowsOfScale(const graph::Node& node, const Shape& data, const Shape& scale) {
  int64_t axis = node.attrs.Int("axis", 1);
  if (axis < 0) axis += static_cast<int64_t>(data.rank());
  if (scale.elems() == 1 && scale.rank() <= 1) return 0;
  const int64_t block = node.attrs.Int("block_size");
  if (scale.rank() == 1 && block == 0) return axis == 0 ? 1 : 0;
  return axis == 0 ? block : 1;
}

// One for all, one for each entry of an axis, or one for each block. What does not fit is left to
// the kernel, which says why: it would see parts only, that fit.
bool ScaleFits(const graph::Node& node, const Shape& data, const Shape& scale) {
  const int64_t block = node.attrs.Int("block_size");
  if (block < 0 || scale.elems() <= 0) return false;
  if (block > 0 ? scale.rank() != data.rank() : scale.rank() > 1) return false;
  const int64_t each = RowsOfScale(node, data, scale);
  return each == 0 || scale[0] == data[0] / each + (data[0] % each != 0 ? 1 : 0);
}

}  // namespace

Result<graph::Constant> DeferRows(const graph::NodeRef& node,
                                  std::span<const kernel::Provider> providers, size_t block_bytes) {
  const graph::Node& of = node.node();
  const bool dequantize = of.Is("DequantizeLinear");
  if ((!dequantize && !of.Is("Cast")) || of.outputs.size() != 1 || !of.HasOutput(0)) {
    return graph::Constant();
  }
  std::vector<Part> parts;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    if (!node.has_input(i)) continue;
    const graph::Constant* constant = node.constant(i);
    if (constant == nullptr || constant->dtype() == DType::kString) return graph::Constant();
    parts.push_back({*constant, node.input_type(i), i == 0 ? 1 : 0});
  }
  if (parts.empty() || parts[0].constant.is_splat()) return graph::Constant();
  const Shape data = parts[0].constant.shape();
  const DType data_type = parts[0].constant.dtype();
  if (data.rank() < 2 || data.elems() == 0) return graph::Constant();
  for (size_t i = 1; i < parts.size(); ++i) {
    const Shape& scale = parts[i].constant.shape();
    if (!dequantize || !ScaleFits(of, data, scale)) return graph::Constant();
    if (scale != parts[1].constant.shape()) return graph::Constant();  // that of the zero points
    parts[i].rows_each = RowsOfScale(of, data, scale);
  }
  const DType dtype = node.output_dtype(0);
  if (dtype == data_type || dtype == DType::kString || DTypeBits(dtype) < 8) {
    return graph::Constant();
  }
  auto rows = std::make_shared<SlicedRows>(
      of, node.output_type(0), data, std::move(parts),
      std::vector<kernel::Provider>(providers.begin(), providers.end()));
  if (!rows->Divide(block_bytes)) return graph::Constant();
  return graph::Constant::OfRows(dtype, data, std::move(rows));
}

}  // namespace waybill::exec
