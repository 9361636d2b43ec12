#include "kernel/reference/testing/op_case.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "graph/infer/context.h"
#include "graph/schema/schema.h"
#include "kernel/api/invoke.h"
#include "kernel/reference/reference.h"
#include "kernel/reference/testing/filled_source.h"

namespace waybill::kernel {

namespace op_case_internal {
namespace {

// How much of the inputs inference is told.
enum class Told { kTypes, kRanks, kShapes, kValues };

// What is known of `told` must be true of `actual`.
void ExpectNoContradiction(const ValueType& told, const Value& actual, const std::string& what) {
  const ValueType type = actual.type();
  if (told.kind == ValueKind::kUnknown) return;
  ASSERT_EQ(told.kind, type.kind) << what;
  if (told.kind != ValueKind::kTensor) return;
  EXPECT_EQ(DTypeName(told.dtype), DTypeName(type.dtype)) << what;
  if (!told.shape.has_rank()) return;
  ASSERT_EQ(told.shape.rank(), type.shape.rank()) << what << " inferred " << told.ToString();
  for (size_t i = 0; i < type.shape.rank(); ++i) {
    if (told.shape[i].known()) {
      EXPECT_EQ(told.shape[i].value(), type.shape[i].value())
          << what << " axis " << i << " inferred " << told.ToString();
    }
  }
}

ValueType Forget(ValueType type, Told told) {
  if (type.kind != ValueKind::kTensor) return type;
  if (told == Told::kTypes) type.shape = SymShape();
  if (told == Told::kRanks) type.shape = SymShape(std::vector<Dim>(type.shape.rank()));
  return type;
}

// Contents that a rule derives for small integer outputs must be those that came out.
void ExpectSameContents(const std::vector<Dim>& contents, const Value& actual,
                        const std::string& what) {
  const Tensor* tensor = actual.tensor();
  ASSERT_NE(tensor, nullptr) << what;
  ASSERT_EQ(static_cast<int64_t>(contents.size()), tensor->shape().elems()) << what;
  std::vector<int64_t> ints;
  if (tensor->dtype() == DType::kI64) {
    for (const int64_t v : tensor->span<int64_t>()) ints.push_back(v);
  } else if (tensor->dtype() == DType::kI32) {
    for (const int32_t v : tensor->span<int32_t>()) ints.push_back(v);
  } else {
    return;
  }
  for (size_t i = 0; i < ints.size(); ++i) {
    if (!contents[i].known()) continue;
    EXPECT_EQ(contents[i].value(), ints[i]) << what << " contents " << i;
  }
}

// The unused bits of the last byte of a packed tensor are zero.
void ExpectZeroPadding(const Value& actual, const std::string& what) {
  const Tensor* tensor = actual.tensor();
  if (tensor == nullptr) return;
  const size_t bits = static_cast<size_t>(tensor->shape().elems()) * DTypeBits(tensor->dtype());
  if (bits % 8 == 0) return;
  EXPECT_EQ(std::to_integer<unsigned>(tensor->view().data[bits / 8]) >> bits % 8, 0u)
      << what << " has a last byte with padding";
}

// Nothing may be left of what lay in memory before.
void ExpectSameBits(const Value& actual, const Value& expected, const std::string& what) {
  const Tensor* want = expected.tensor();
  if (want == nullptr || want->dtype() == DType::kString) {
    return ExpectSameValue(actual, expected, 0, 0, what);
  }
  ASSERT_NE(actual.tensor(), nullptr) << what;
  const TensorView& got = actual.tensor()->view();
  ASSERT_EQ(got.Describe(), want->view().Describe()) << what;
  if (got.bytes() == 0) return;
  EXPECT_EQ(std::memcmp(got.data, want->view().data, got.bytes()), 0)
      << what << " depends on what lay in memory";
}

// Whose results are other ones each time.
bool IsRandom(const graph::Node& node) {
  const std::string_view op = node.op_type;
  return !node.attrs.Has("seed") &&
         (op.starts_with("Random") || op == "Bernoulli" || op == "Multinomial" || op == "Dropout");
}

}  // namespace

// As import does: a kernel never repeats the defaults of the specification.
void FillDefaults(const graph::schema::OpSchema& schema, graph::Attributes& attrs) {
  using graph::schema::AttrType;
  for (const graph::schema::Attr& attr : schema.attrs) {
    if (attr.fallback == nullptr || attrs.Has(attr.name)) continue;
    const std::string name(attr.name);
    const graph::schema::AttrDefault& value = *attr.fallback;
    switch (attr.type) {
      case AttrType::kInt:
        attrs.Set(name, value.i);
        break;
      case AttrType::kFloat:
        attrs.Set(name, value.f);
        break;
      case AttrType::kString:
        attrs.Set(name, std::string(value.s));
        break;
      case AttrType::kInts:
        attrs.Set(name, std::vector<int64_t>(value.ints.begin(), value.ints.end()));
        break;
      case AttrType::kStrings:
        attrs.Set(name, std::vector<std::string>(value.strings.begin(), value.strings.end()));
        break;
      default:
        break;
    }
  }
}

}  // namespace op_case_internal

OpCase::OpCase(std::string op_type, int since_version, std::string domain)
    : op_type_(std::move(op_type)), domain_(std::move(domain)), since_version_(since_version) {}

OpCase::~OpCase() {
  if (!ran_) ADD_FAILURE() << "the case of " << op_type_ << " was never run";
}

void OpCase::Run() { Outputs(); }

graph::Graph OpCase::Build() const {
  graph::Graph graph;
  graph::Node node;
  node.name = "case";
  node.op_type = op_type_;
  node.domain = domain_;
  node.since_version = since_version_;
  node.opset = since_version_;
  node.attrs = attrs_;
  node.schema = graph::schema::Find(domain_, op_type_, since_version_);
  if (node.schema != nullptr) op_case_internal::FillDefaults(*node.schema, node.attrs);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i].defined()) {
      node.inputs.push_back(graph::kNoValue);
      continue;
    }
    graph::Value value;
    value.name = Format("in{}", i);
    value.type = inputs_[i].type();
    if (std::find(constants_.begin(), constants_.end(), i) != constants_.end()) {
      value.constant = graph::Constant(*inputs_[i].tensor());
    }
    node.inputs.push_back(graph.AddValue(std::move(value)));
  }
  for (size_t i = 0; i < output_types_.size(); ++i) {
    if (output_types_[i].kind == ValueKind::kUnknown) {
      node.outputs.push_back(graph::kNoValue);
      continue;
    }
    graph::Value value;
    value.name = Format("out{}", i);
    value.type = output_types_[i];
    value.type.shape = SymShape();
    node.outputs.push_back(graph.AddValue(std::move(value)));
  }
  graph.AddNode(std::move(node));
  return graph;
}

Result<std::vector<Value>> OpCase::Invoke(const graph::NodeRef& node, int fill) const {
  const auto source = std::make_shared<FilledSource>(fill);
  const Provider provider{"reference", reference::AllTables()};
  WB_ASSIGN_OR_RETURN(Selection selection, Select(node, std::span(&provider, 1)));
  PrepareContext prepare(node, source);
  WB_RETURN_IF_ERROR(selection.kernel->Prepare(prepare));
  InvokeOptions options;
  options.source = source;
  return kernel::Invoke(*selection.kernel, node, inputs_, options);
}

void OpCase::CheckInference(const graph::Node& node, std::span<const Value> outputs) const {
  using op_case_internal::Told;
  const graph::infer::InferFn rule = graph::infer::FindInferRule(domain_, op_type_);
  ASSERT_NE(rule, nullptr) << op_type_ << " has no inference rule";
  for (const Told told : {Told::kTypes, Told::kRanks, Told::kShapes, Told::kValues}) {
    std::vector<ValueType> types(inputs_.size());
    std::vector<graph::infer::InputFact> facts(inputs_.size());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].defined()) continue;
      types[i] = op_case_internal::Forget(inputs_[i].type(), told);
      facts[i].type = &types[i];
      const Tensor* tensor = inputs_[i].tensor();
      if (told == Told::kValues && tensor != nullptr) facts[i].values = &tensor->view();
    }
    std::vector<ValueType> known = output_types_;
    for (ValueType& type : known) type.shape = SymShape();
    graph::infer::InferContext ctx(node, facts, std::move(known));
    const Status status = rule(ctx);
    const std::string what = Format("inference of {} (facts {})", op_type_, static_cast<int>(told));
    EXPECT_TRUE(status.ok()) << what << ": " << status.ToString();
    if (!status.ok()) return;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].defined()) continue;
      op_case_internal::ExpectNoContradiction(ctx.output(i), outputs[i],
                                              Format("{}, output {}", what, i));
      if (ctx.contents()[i]) {
        op_case_internal::ExpectSameContents(*ctx.contents()[i], outputs[i],
                                             Format("{}, output {}", what, i));
      }
    }
  }
}

std::vector<Value> OpCase::Outputs() {
  ran_ = true;
  const graph::Graph graph = Build();
  const graph::NodeRef node(graph, graph.node(0));
  Result<std::vector<Value>> outputs = Invoke(node, 0xFF);
  EXPECT_TRUE(outputs.ok()) << op_type_ << ": " << outputs.status().ToString();
  if (!outputs.ok()) return {};
  for (size_t i = 0; i < expected_.size(); ++i) {
    op_case_internal::ExpectZeroPadding((*outputs)[i], Format("{} output {}", op_type_, i));
    if (expected_[i].defined()) {
      ExpectSameValue((*outputs)[i], expected_[i], rtol_, atol_,
                      Format("{} output {}", op_type_, i));
    }
  }
  CheckInference(node.node(), *outputs);
  if (!op_case_internal::IsRandom(node.node())) {
    Result<std::vector<Value>> again = Invoke(node, 0x00);
    EXPECT_TRUE(again.ok()) << op_type_ << ": " << again.status().ToString();
    for (size_t i = 0; again.ok() && i < outputs->size(); ++i) {
      if (!(*outputs)[i].defined()) continue;
      op_case_internal::ExpectSameBits((*again)[i], (*outputs)[i],
                                       Format("{} output {}", op_type_, i));
    }
  }
  return std::move(outputs).value();
}

void OpCase::Fails(Code code, std::string_view words) {
  ran_ = true;
  const graph::Graph graph = Build();
  const Result<std::vector<Value>> outputs = Invoke(graph::NodeRef(graph, graph.node(0)), 0xFF);
  ASSERT_FALSE(outputs.ok()) << op_type_ << " should have failed";
  EXPECT_EQ(CodeName(outputs.status().code()), CodeName(code)) << outputs.status().ToString();
  EXPECT_NE(outputs.status().message().find(words), std::string::npos)
      << "\"" << words << "\" is not in: " << outputs.status().ToString();
}

}  // namespace waybill::kernel
