// Malformed models, each by name, with the words its error must hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "onnx/model/model_view.h"
#include "onnx/model/writer/model_writer.h"

namespace waybill::onnx {
namespace {

using ::testing::HasSubstr;

struct Case {
  const char* name;
  std::function<std::string()> make;
  std::vector<std::string> words;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string Field(uint32_t number, std::string_view bytes) {
  Encoder out;
  out.Bytes(number, bytes);
  return out.bytes();
}

std::string Good() {
  ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("x", kFloat, {2}).Output("y", kFloat, {2});
  model.graph().Initializer(TensorWriter::Of<float>("w", {2}, {1, 2}));
  model.graph().Node("Add", {"x", "w"}, {"y"}).Name("n").Ints("k", {1, 2});
  return model.bytes();
}

std::string WithInitializer(const TensorWriter& tensor) {
  ModelWriter model;
  model.graph().Initializer(tensor);
  return model.bytes();
}

std::string WithTensorFields(const std::function<void(Encoder&)>& fill) {
  TensorWriter tensor("w", kFloat, {1});
  fill(tensor.encoder());
  return WithInitializer(tensor);
}

std::string WithAttribute(const std::function<void(Encoder&)>& fill) {
  Encoder attribute;
  fill(attribute);
  ModelWriter model;
  model.graph().Node("Op", {"x"}, {"y"}).AttributeBytes(attribute.bytes());
  return model.bytes();
}

std::string WithGraphField(uint32_t number, std::string_view bytes) {
  ModelWriter model;
  model.graph().encoder().Bytes(number, bytes);
  return model.bytes();
}

std::string WithSparse(const TensorWriter& values, const TensorWriter& indices,
                       const std::vector<int64_t>& dims) {
  ModelWriter model;
  model.graph().SparseInitializer(SparseTensorWriter(values, indices, dims));
  return model.bytes();
}

std::string NestedTypes(int levels) {
  TypeWriter type = TypeWriter::Tensor(kFloat, {});
  for (int i = 0; i < levels; ++i) type = TypeWriter::Sequence(type);
  ModelWriter model;
  model.graph().Input("x", type);
  return model.bytes();
}

std::string NestedGraphs(int levels) {
  GraphWriter graph("inner");
  for (int i = 0; i < levels; ++i) {
    GraphWriter outer("outer");
    outer.Node("If", {"c"}, {"y"}).Graph("then_branch", graph);
    graph = outer;
  }
  ModelWriter model;
  model.graph().Node("If", {"c"}, {"y"}).Graph("then_branch", graph);
  return model.bytes();
}

const TensorWriter kValues = TensorWriter::Of<float>("s", {2}, {1, 2});
const TensorWriter kIndices = TensorWriter::Of<int64_t>("", {2}, {0, 3});

std::vector<Case> WireCases() {
  return {
      {"empty_file", [] { return std::string(); }, {"0 bytes", "no ONNX model"}},
      {"no_graph", [] { return std::string("\x08\x08"); }, {"hold no graph"}},
      {"text_file", [] { return std::string("#!/bin/sh\necho hello\n"); }, {"ModelProto"}},
      {"truncated_file",
       [] { return Good().substr(0, Good().size() - 5); },
       {"ModelProto.graph", "runs past the end"}},
      {"truncated_tag", [] { return Good() + "\x80"; }, {"tag", "cut off"}},
      {"wrong_wire_type_of_graph",
       [] { return std::string("\x38\x01", 2); },
       {"ModelProto.graph", "varint", "length-delimited"}},
      {"wrong_wire_type_of_version",
       [] { return Field(1, "x") + Good(); },
       {"ModelProto.ir_version", "length-delimited", "varint"}},
      {"wrong_wire_type_of_dims",
       [] { return WithTensorFields([](Encoder& out) { out.Float(1, 1); }); },
       {"TensorProto.dims", "32-bit", "varint"}},
      {"wrong_wire_type_of_raw_data",
       [] { return WithTensorFields([](Encoder& out) { out.Int(9, 1); }); },
       {"TensorProto.raw_data", "varint"}},
      {"wrong_wire_type_of_attribute_float",
       [] { return WithAttribute([](Encoder& out) { out.Double(2, 1); }); },
       {"AttributeProto.f", "64-bit", "32-bit"}},
      {"length_beyond_the_message",
       [] {
         return WithTensorFields([](Encoder& out) {
           out.Tag(9, WireType::kLength);
           out.RawVarint(1'000'000);
         });
       },
       {"TensorProto.raw_data", "length 1000000", "0 bytes are left"}},
      {"length_of_four_gibibytes_and_one",
       [] {
         return WithTensorFields([](Encoder& out) {
           out.Tag(9, WireType::kLength);
           out.RawVarint((uint64_t{1} << 32) + 1);
           out.RawBytes("x");
         });
       },
       {"length 4294967297", "4 GiB"}},
      {"length_of_all_ones",
       [] {
         Encoder out;
         out.Tag(7, WireType::kLength);
         out.RawVarint(~uint64_t{0});
         return out.bytes();
       },
       {"ModelProto.graph", "4 GiB"}},
      {"length_varint_too_long",
       [] { return "\x3a" + std::string(10, '\xff') + "\x01" + std::string(20, 'x'); },
       {"ModelProto.graph", "longer than ten bytes"}},
      {"group", [] { return std::string("\x0b\x0c") + Good(); }, {"field 1 is a group"}},
      {"unknown_group",
       [] { return std::string("\xfb\x06\xfc\x06") + Good(); },
       {"field 111 is a group"}},
      {"wire_type_seven", [] { return std::string("\x0f") + Good(); }, {"unknown wire type 7"}},
      {"field_number_zero",
       [] { return std::string("\x02\x00", 2) + Good(); },
       {"0 is no valid field number"}},
      {"nesting_101_types", [] { return NestedTypes(48); }, {"nest deeper than 100"}},
      {"nesting_101_graphs", [] { return NestedGraphs(33); }, {"nest deeper than 100"}},
      {"packed_floats_not_whole",
       [] { return WithTensorFields([](Encoder& out) { out.Bytes(4, "abc"); }); },
       {"TensorProto.float_data", "3 bytes"}},
      {"packed_varint_cut_off",
       [] { return WithTensorFields([](Encoder& out) { out.Bytes(7, "\x80"); }); },
       {"TensorProto.int64_data", "cut off"}},
      {"rank_beyond_reason",
       [] { return WithTensorFields([](Encoder& out) { out.Bytes(1, std::string(2000, '\1')); }); },
       {"TensorProto.dims", "more than 1024"}},
      {"too_many_tiny_messages",
       [] {
         std::string infos;
         for (int i = 0; i < 500'000; ++i) infos += std::string("\x6a\x00", 2);
         return Field(7, infos);
       },
       {"GraphProto.value_info", "too many messages"}},
      {"error_inside_a_function",
       [] { return Good() + Field(25, Field(7, std::string("\x08\x01", 2))); },
       {"NodeProto.input", "FunctionProto.node", "ModelProto.functions"}},
  };
}

std::vector<Case> TensorCases() {
  return {
      {"no_data_type",
       [] { return WithInitializer(TensorWriter("w", kUndefined, {1}).Raw("abcd")); },
       {"'w'", "no data_type"}},
      {"unknown_data_type",
       [] { return WithInitializer(TensorWriter("w", 77, {1}).Raw("abcd")); },
       {"'w'", "unknown data_type", "77"}},
      {"negative_data_type",
       [] { return WithInitializer(TensorWriter("w", -1, {1}).Raw("abcd")); },
       {"unknown data_type"}},
      {"negative_dimension",
       [] {
         return WithInitializer(TensorWriter("w", kFloat, {2, -1}).Raw("abcd"));
       },
       {"'w'", "negative dimension", "[2, -1]"}},
      {"element_count_overflow",
       [] {
         return WithInitializer(TensorWriter("w", kFloat, {INT64_MAX, INT64_MAX}).Raw("abcd"));
       },
       {"element count", "overflows"}},
      {"byte_count_overflow",
       [] { return WithInitializer(TensorWriter("w", kDouble, {int64_t{1} << 62}).Raw("abcd")); },
       {"size in bytes", "overflows"}},
      {"short_raw_data",
       [] { return WithInitializer(TensorWriter("w", kFloat, {2}).Raw("abcd")); },
       {"'w'", "4 bytes of raw_data", "needs 8"}},
      {"short_typed_data",
       [] {
         return WithInitializer(TensorWriter("w", kFloat, {3}).FloatData({1, 2}));
       },
       {"2 entries in float_data", "needs 3"}},
      {"long_typed_data",
       [] {
         return WithInitializer(TensorWriter("w", kFloat, {}).FloatData({1, 2}));
       },
       {"2 entries in float_data", "needs 1"}},
      {"short_packed_int4",
       [] {
         return WithInitializer(TensorWriter("w", kInt4, {5}).Int32Data({1, 2}));
       },
       {"2 entries in int32_data", "needs 3"}},
      {"complex_with_one_part",
       [] { return WithInitializer(TensorWriter("w", kComplex64, {1}).FloatData({1})); },
       {"needs 2"}},
      {"no_payload",
       [] { return WithInitializer(TensorWriter("w", kFloat, {2})); },
       {"'w'", "no data for its 2 elements"}},
      {"two_payloads",
       [] { return WithInitializer(TensorWriter("w", kFloat, {1}).FloatData({1}).Raw("abcd")); },
       {"both raw_data and float_data"}},
      {"payload_in_the_wrong_field",
       [] { return WithInitializer(TensorWriter("w", kFloat, {1}).Int64Data({1})); },
       {"int64_data", "float_data belongs"}},
      {"strings_in_raw_data",
       [] { return WithInitializer(TensorWriter("w", kString, {1}).Raw("abcd")); },
       {"strings in raw_data"}},
      {"segment",
       [] { return WithTensorFields([](Encoder& out) { out.Bytes(3, ""); }); },
       {"segment", "not supported"}},
      {"nameless_initializer",
       [] { return WithInitializer(TensorWriter("", kFloat, {}).FloatData({1})); },
       {"initializer has no name"}},
      {"unknown_data_location",
       [] { return WithTensorFields([](Encoder& out) { out.Int(14, 9); }); },
       {"unknown data_location 9"}},
      {"external_and_inline",
       [] { return WithInitializer(TensorWriter("w", kFloat, {1}).External("f").FloatData({1})); },
       {"both external data and data in the model"}},
      {"external_strings",
       [] { return WithInitializer(TensorWriter("w", kString, {1}).External("f")); },
       {"strings have no raw layout"}},
  };
}

std::vector<Case> SparseCases() {
  return {
      {"sparse_index_out_of_range",
       [] { return WithSparse(kValues, kIndices, {3}); },
       {"index 3 of entry 1", "'s'", "outside of [3]"}},
      {"sparse_index_twice",
       [] {
         return WithSparse(kValues, TensorWriter::Of<int64_t>("", {2}, {1, 1}), {4});
       },
       {"entry 1", "does not come after"}},
      {"sparse_index_type",
       [] {
         return WithSparse(kValues, TensorWriter::Of<float>("", {2}, {1, 2}), {4});
       },
       {"not INT64"}},
      {"sparse_index_count",
       [] { return WithSparse(kValues, TensorWriter::Of<int64_t>("", {1}, {1}), {4}); },
       {"indices of shape [1]"}},
      {"sparse_without_shape",
       [] { return WithSparse(kValues, kIndices, {}); },
       {"no dense shape"}},
      {"sparse_zero_dimension",
       [] {
         return WithSparse(kValues, kIndices, {4, 0});
       },
       {"dense shape [4, 0]"}},
      {"sparse_shape_overflow",
       [] {
         return WithSparse(kValues, kIndices, {INT64_MAX, INT64_MAX});
       },
       {"element count", "overflows"}},
      {"sparse_nameless",
       [] {
         return WithSparse(TensorWriter::Of<float>("", {2}, {1, 2}), kIndices, {4});
       },
       {"sparse initializer has no name"}},
  };
}

std::vector<Case> GraphCases() {
  return {
      {"node_without_op_type", [] { return WithGraphField(1, Field(1, "x")); }, {"no op_type"}},
      {"node_without_values",
       [] { return WithGraphField(1, Field(4, "Relu")); },
       {"Relu", "neither inputs nor outputs"}},
      {"nameless_attribute",
       [] { return WithAttribute([](Encoder& out) { out.Int(3, 1); }); },
       {"attribute has no name"}},
      {"attribute_of_unknown_type",
       [] {
         return WithAttribute([](Encoder& out) {
           out.Bytes(1, "a");
           out.Int(20, 15);
         });
       },
       {"attribute 'a'", "unknown type 15"}},
      {"attribute_without_value",
       [] { return WithAttribute([](Encoder& out) { out.Bytes(1, "a"); }); },
       {"neither a type nor a value"}},
      {"attribute_with_two_values",
       [] {
         return WithAttribute([](Encoder& out) {
           out.Bytes(1, "a");
           out.Int(3, 1);
           out.Float(2, 1);
         });
       },
       {"several values and no type"}},
      {"tensor_attribute_without_tensor",
       [] {
         return WithAttribute([](Encoder& out) {
           out.Bytes(1, "a");
           out.Int(20, kAttrTensor);
         });
       },
       {"is a TENSOR without a value"}},
      {"bad_tensor_in_attribute",
       [] {
         ModelWriter model;
         model.graph()
             .Node("Constant", {}, {"c"})
             .Tensor("value", TensorWriter("", kFloat, {2}).Raw("abc"));
         return model.bytes();
       },
       {"attribute 'value'", "3 bytes of raw_data", "NodeProto.attribute"}},
      {"unknown_element_type_of_an_input",
       [] {
         ModelWriter model;
         model.graph().Input("x", 99, {1});
         return model.bytes();
       },
       {"unknown element type 99", "'x'"}},
      {"unknown_key_type_of_a_map",
       [] {
         ModelWriter model;
         model.graph().Input("x", TypeWriter::Map(-3, TypeWriter::Tensor(kFloat, {})));
         return model.bytes();
       },
       {"key of a map", "-3"}},
      {"nameless_function",
       [] { return Good() + Field(25, Field(10, "domain")); },
       {"function has no name"}},
      {"error_in_a_subgraph",
       [] {
         GraphWriter branch("branch");
         branch.Initializer(TensorWriter("w", kFloat, {2}).Raw("abc"));
         ModelWriter model;
         model.graph().Node("If", {"c"}, {"y"}).Name("choose").Graph("then_branch", branch);
         return model.bytes();
       },
       {"'w'", "graph 'branch'", "node 'choose' (If)"}},
  };
}

class Malformed : public ::testing::TestWithParam<Case> {};

TEST_P(Malformed, IsRefusedInClearWords) {
  const std::string bytes = GetParam().make();
  const auto model = ReadModel(std::as_bytes(std::span(bytes.data(), bytes.size())));
  ASSERT_FALSE(model.ok());
  EXPECT_TRUE(model.status().code() == Code::kInvalidProtobuf ||
              model.status().code() == Code::kInvalidGraph);
  for (const std::string& word : GetParam().words) {
    EXPECT_THAT(model.status().message(), HasSubstr(word));
  }
}

std::string NameOf(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Wire, Malformed, ::testing::ValuesIn(WireCases()), NameOf);
INSTANTIATE_TEST_SUITE_P(Tensor, Malformed, ::testing::ValuesIn(TensorCases()), NameOf);
INSTANTIATE_TEST_SUITE_P(Sparse, Malformed, ::testing::ValuesIn(SparseCases()), NameOf);
INSTANTIATE_TEST_SUITE_P(Graph, Malformed, ::testing::ValuesIn(GraphCases()), NameOf);

TEST(MalformedModels, TheUnbrokenModelsRead) {
  for (const std::string& bytes : {Good(), NestedTypes(47), NestedGraphs(32)}) {
    const auto model = ReadModel(std::as_bytes(std::span(bytes.data(), bytes.size())));
    EXPECT_TRUE(model.ok()) << model.status().ToString();
  }
}

TEST(MalformedModels, EveryTruncationOfAModelIsRefused) {
  const std::string whole = Good();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string bytes = whole.substr(0, size);  // its own block, so that asan sees overreads
    const std::vector<std::byte> block(reinterpret_cast<const std::byte*>(bytes.data()),
                                       reinterpret_cast<const std::byte*>(bytes.data()) + size);
    EXPECT_FALSE(ReadModel(block).ok()) << size;
  }
}

}  // namespace
}  // namespace waybill::onnx
