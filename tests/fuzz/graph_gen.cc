#include "tests/fuzz/graph_gen.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "base/text/format.h"
#include "onnx/model/writer/model_writer.h"

namespace waybill::fuzz {
namespace {

using Dims = std::vector<int64_t>;
constexpr int64_t kMaxElems = 4096;

int64_t Elems(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

struct Var {
  std::string name;
  Dims dims;
};

class Generator {
 public:
  explicit Generator(Choices& choices) : c_(choices), symbolic_(choices.Chance(30)) {
    model_.Opset("", 17);
  }

  GeneratedModel Build(size_t max_nodes) {
    const int64_t num_inputs = c_.Between(1, 3);
    for (int64_t i = 0; i < num_inputs; ++i) AddInput(Format("in{}", i));
    const int64_t nodes = c_.Between(1, static_cast<int64_t>(std::max<size_t>(max_nodes, 1)));
    for (int64_t i = 0; i < nodes; ++i) AddOperator();
    const int64_t num_outputs = c_.Between(1, 3);
    for (int64_t i = 0; i < num_outputs; ++i) {
      const Var var = i == 0 ? vars_.back() : Pick();
      if (!produced_.count(var.name) || named_.count(var.name)) continue;
      named_.insert(var.name);
      AddOutput(var.name);
    }
    if (out_.outputs.empty()) AddOutput(Emit("Relu", {Pick().name}, vars_.back().dims).name);
    out_.bytes = model_.bytes();
    return std::move(out_);
  }

 private:
  using Step = void (Generator::*)();

  Var Pick() { return vars_[c_.Below(vars_.size())]; }

  void AddInput(const std::string& name) {
    Dims dims(static_cast<size_t>(c_.Between(0, 4)));
    for (int64_t& dim : dims) dim = c_.Between(1, 7);
    onnx::ShapeWriter shape;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (symbolic_ && c_.Chance(50)) {
        shape.emplace_back(Format("{}_d{}", name, i));
      } else {
        shape.emplace_back(dims[i]);
      }
    }
    model_.graph().Input(name, onnx::kFloat, shape);
    out_.inputs.push_back({name, dims});
    vars_.push_back({name, dims});
  }

  void AddOutput(const std::string& name) {
    model_.graph().Output(name, onnx::TypeWriter::TensorOfAnyRank(onnx::kFloat));
    out_.outputs.push_back(name);
  }

  onnx::NodeWriter& Node(const std::string& op, const std::vector<std::string>& inputs,
                         const std::string& output) {
    return model_.graph().Node(op, inputs, {output}).Name(Format("/{}_{}", op, output));
  }

  // A node with one output, which later steps may read.
  Var Emit(const std::string& op, const std::vector<std::string>& inputs, Dims dims) {
    return Declare(op, inputs, std::move(dims), nullptr);
  }
  template <typename Attrs>
  Var Declare(const std::string& op, const std::vector<std::string>& inputs, Dims dims,
              const Attrs& attrs) {
    Var var{Format("v{}", next_++), std::move(dims)};
    onnx::NodeWriter& node = Node(op, inputs, var.name);
    if constexpr (!std::is_same_v<Attrs, std::nullptr_t>) attrs(node);
    produced_.insert(var.name);
    vars_.push_back(var);
    return var;
  }

  std::string Floats(const Dims& dims) {
    std::vector<float> values(static_cast<size_t>(Elems(dims)));
    for (float& value : values) value = c_.Unit();
    const std::string name = Format("w{}", next_++);
    model_.graph().Initializer(onnx::TensorWriter::Of<float>(name, dims, values));
    return name;
  }
  std::string Ints(const std::vector<int64_t>& values) {
    const std::string name = Format("k{}", next_++);
    model_.graph().Initializer(
        onnx::TensorWriter::Of<int64_t>(name, {static_cast<int64_t>(values.size())}, values));
    return name;
  }

  void AddOperator() {
    static constexpr Step kSteps[] = {
        &Generator::Unary,     &Generator::Unary,   &Generator::Binary,   &Generator::Binary,
        &Generator::Reshape,   &Generator::Reshape, &Generator::Permute,  &Generator::Concat,
        &Generator::Slice,     &Generator::Reduce,  &Generator::MatMul,   &Generator::Conv,
        &Generator::Unsqueeze, &Generator::Squeeze, &Generator::Softmax,  &Generator::Constant,
        &Generator::DeadEnd,   &Generator::Shaped,  &Generator::Identity, &Generator::Choose};
    (this->*kSteps[c_.Below(std::size(kSteps))])();
  }

  void Unary() {
    static constexpr const char* kOps[] = {"Relu", "Neg",  "Abs",       "Sigmoid",
                                           "Tanh", "Erf",  "Softplus",  "Floor",
                                           "Ceil", "Sign", "HardSwish", "Exp"};
    const Var x = Pick();
    Emit(kOps[c_.Below(std::size(kOps))], {x.name}, x.dims);
  }

  void Identity() {
    const Var x = Pick();
    Emit(c_.Chance(50) ? "Identity" : "Dropout", {x.name}, x.dims);
  }

  // The other operand: a constant that broadcasts, or a value of the same shape.
  void Binary() {
    static constexpr const char* kOps[] = {"Add", "Sub", "Mul", "Max", "Min"};
    const Var x = Pick();
    std::string other = x.name;
    if (c_.Chance(60)) {
      Dims dims(x.dims.end() - c_.Between(0, static_cast<int64_t>(x.dims.size())), x.dims.end());
      for (int64_t& dim : dims) dim = c_.Chance(30) ? 1 : dim;
      other = Floats(dims);
    } else {
      for (const Var& var : vars_) {
        if (var.dims == x.dims && c_.Chance(50)) other = var.name;
      }
    }
    const bool swap = c_.Chance(50);
    Emit(kOps[c_.Below(std::size(kOps))], {swap ? other : x.name, swap ? x.name : other}, x.dims);
  }

  void Reshape() {
    const Var x = Pick();
    const int64_t elems = Elems(x.dims);
    Dims dims;
    for (int64_t left = elems; dims.size() < 4;) {
      std::vector<int64_t> divisors;
      for (int64_t d = 1; d <= left; ++d) {
        if (left % d == 0) divisors.push_back(d);
      }
      const int64_t d = divisors[c_.Below(divisors.size())];
      dims.push_back(dims.size() == 3 ? left : d);
      left /= d;
      if (left == 1) break;
    }
    if (Elems(dims) != elems) dims = {elems};
    Dims target = dims;
    if (c_.Chance(50)) target[c_.Below(target.size())] = -1;
    Emit("Reshape", {x.name, Ints(target)}, dims);
  }

  void Permute() {
    const Var x = Pick();
    std::vector<int64_t> perm(x.dims.size());
    std::iota(perm.begin(), perm.end(), 0);
    for (size_t i = perm.size(); i > 1; --i) std::swap(perm[i - 1], perm[c_.Below(i)]);
    Dims dims;
    for (const int64_t axis : perm) dims.push_back(x.dims[static_cast<size_t>(axis)]);
    Declare("Transpose", {x.name}, dims, [&](auto& n) { n.Ints("perm", perm); });
  }

  void Concat() {
    const Var x = Pick();
    if (x.dims.empty() || Elems(x.dims) * 2 > kMaxElems) return;
    const auto axis = static_cast<size_t>(c_.Below(x.dims.size()));
    Dims other = x.dims, dims = x.dims;
    other[axis] = c_.Between(1, 3);
    dims[axis] += other[axis];
    Declare("Concat", {x.name, Floats(other)}, dims,
            [&](auto& n) { n.Int("axis", static_cast<int64_t>(axis)); });
  }

  void Slice() {
    const Var x = Pick();
    if (x.dims.empty()) return;
    const auto axis = static_cast<size_t>(c_.Below(x.dims.size()));
    const int64_t begin = c_.Between(0, x.dims[axis] - 1);
    const int64_t end = c_.Between(begin + 1, x.dims[axis]);
    Dims dims = x.dims;
    dims[axis] = end - begin;
    Emit("Slice", {x.name, Ints({begin}), Ints({end}), Ints({static_cast<int64_t>(axis)})}, dims);
  }

  void Reduce() {
    static constexpr const char* kOps[] = {"ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1"};
    const Var x = Pick();
    if (x.dims.empty()) return;
    const auto axis = static_cast<size_t>(c_.Below(x.dims.size()));
    const bool keep = c_.Chance(50);
    Dims dims = x.dims;
    if (keep) {
      dims[axis] = 1;
    } else {
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    }
    Declare(kOps[c_.Below(std::size(kOps))], {x.name}, dims,
            [&](auto& n) { n.Ints("axes", {static_cast<int64_t>(axis)}).Int("keepdims", keep); });
  }

  void MatMul() {
    const Var x = Pick();
    if (x.dims.empty()) return;
    const int64_t columns = c_.Between(1, 40);
    Dims dims = x.dims;
    dims.back() = columns;
    if (Elems(dims) > kMaxElems) return;
    if (dims.size() == 2 && c_.Chance(50)) {
      Emit("Gemm", {x.name, Floats({x.dims.back(), columns}), Floats({columns})}, dims);
    } else {
      Emit("MatMul", {x.name, Floats({x.dims.back(), columns})}, dims);
    }
  }

  void Conv() {
    const Var x = Pick();
    if (x.dims.size() != 4) return;
    const int64_t out_channels = c_.Between(1, 20), kernel = c_.Chance(50) ? 3 : 1;
    Dims dims = x.dims;
    dims[1] = out_channels;
    if (Elems(dims) > kMaxElems) return;
    std::vector<std::string> inputs = {x.name, Floats({out_channels, x.dims[1], kernel, kernel})};
    if (c_.Chance(50)) inputs.push_back(Floats({out_channels}));
    const int64_t pad = kernel / 2;
    const Var y = Declare("Conv", inputs, dims, [&](auto& n) {
      n.Ints("pads", {pad, pad, pad, pad});
    });
    if (c_.Chance(50)) {
      const std::string positive = Emit("Abs", {Floats({out_channels})}, {out_channels}).name;
      Emit("BatchNormalization",
           {y.name, Floats({out_channels}), Floats({out_channels}), Floats({out_channels}),
            positive},
           dims);
    }
    if (c_.Chance(60)) Emit("Relu", {vars_.back().name}, vars_.back().dims);
  }

  void Unsqueeze() {
    const Var x = Pick();
    if (x.dims.size() >= 5) return;
    const auto axis = static_cast<size_t>(c_.Below(x.dims.size() + 1));
    Dims dims = x.dims;
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    Emit("Unsqueeze", {x.name, Ints({static_cast<int64_t>(axis)})}, dims);
  }

  void Squeeze() {
    const Var x = Pick();
    const auto one = std::find(x.dims.begin(), x.dims.end(), 1);
    if (one == x.dims.end()) return;
    const int64_t axis = one - x.dims.begin();
    Dims dims = x.dims;
    dims.erase(dims.begin() + axis);
    Emit("Squeeze", {x.name, Ints({axis})}, dims);
  }

  void Softmax() {
    const Var x = Pick();
    if (x.dims.empty()) return;
    const int64_t axis =
        c_.Between(-static_cast<int64_t>(x.dims.size()), static_cast<int64_t>(x.dims.size()) - 1);
    Declare(c_.Chance(50) ? "Softmax" : "LogSoftmax", {x.name}, x.dims,
            [&](auto& n) { n.Int("axis", axis); });
  }

  // A chain over constants only, for folding.
  void Constant() {
    const Dims dims = {c_.Between(1, 5), c_.Between(1, 5)};
    const Var sum = Emit("Add", {Floats(dims), Floats(dims)}, dims);
    Emit("Mul", {sum.name, Floats({})}, dims);
  }

  // A result that nobody has to read.
  void DeadEnd() {
    const Var x = Pick();
    model_.graph().Node("Abs", {x.name}, {Format("dead{}", next_++)});
  }

  // A target shape computed in the graph, as exporters write flatten.
  void Shaped() {
    const Var x = Pick();
    if (x.dims.empty()) return;
    const std::string shape = Format("s{}", next_++), first = Format("s{}", next_++),
                      target = Format("s{}", next_++);
    Node("Shape", {x.name}, shape);
    Node("Gather", {shape, Ints({0})}, first);
    Node("Concat", {first, Ints({-1})}, target).Int("axis", 0);
    Emit("Reshape", {x.name, target}, {x.dims[0], Elems(x.dims) / x.dims[0]});
  }

  void Choose() {
    const Var x = Pick();
    const std::string condition = Format("c{}", next_++);
    Node("Less", {x.name, Floats({})}, condition);
    Emit("Where", {condition, x.name, Floats({})}, x.dims);
  }

  Choices& c_;
  bool symbolic_;
  onnx::ModelWriter model_;
  GeneratedModel out_;
  std::vector<Var> vars_;
  std::set<std::string> produced_, named_;
  int64_t next_ = 0;
};

}  // namespace

GeneratedModel GenerateModel(Choices& choices, size_t max_nodes) {
  return Generator(choices).Build(max_nodes);
}

}  // namespace waybill::fuzz
