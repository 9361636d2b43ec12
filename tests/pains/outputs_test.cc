// Outputs: where they are written, what shape they tell, and that they are nobody else's bytes.
#include <cstring>
#include <numeric>

#include "tests/pains/loaded.h"
#include "tests/pains/models.h"

namespace waybill::pains {
namespace {

constexpr auto kInts = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;

// y = x + x on floats of any shape of rank 2.
std::string DoubleModel() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("x", onnx::kFloat, {"a", "b"});
  model.graph().Node("Add", {"x", "x"}, {"y"});
  model.graph().Output("y", onnx::kFloat, {"a", "b"});
  return model.bytes();
}

// The places of positive elements: only the run tells how many there are.
std::string PositiveModel() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("x", onnx::kFloat, {"n"});
  model.graph().Initializer(onnx::TensorWriter::Scalar<float>("zero", 0));
  model.graph().Node("Greater", {"x", "zero"}, {"g"});
  model.graph().Node("NonZero", {"g"}, {"y"});
  model.graph().Output("y", onnx::kInt64, {1, "k"});
  return model.bytes();
}

// Runs "x" to "y" into a given value.
OrtStatus* RunInto(OrtSession* session, const OrtValue* x, OrtValue* y, const char* out = "y") {
  const char* in = "x";
  return Api().Run(session, nullptr, &in, &x, 1, &out, 1, &y);
}

TEST(Row55, TooSmallAnOutputIsAnErrorWithBothShapes) {
  const Loaded model(DoubleModel());
  std::vector<float> in(20, 1), place(19, 7);
  const Owned<OrtValue> x = Wrap(in, kFloats, {4, 5}), y = Wrap(place, kFloats, {19, 1});
  for (const char* part : {"y", "[19, 1] in 76 bytes", "[4, 5] needs 80"}) {
    EXPECT_FAILS(ORT_INVALID_ARGUMENT, part, RunInto(model.session.get(), x.get(), y.get()));
  }
  EXPECT_EQ(place, std::vector<float>(19, 7)) << "nothing ran";
  EXPECT_EQ(api_test::ShapeOf(y.get()), (std::vector<int64_t>{19, 1}));
}

TEST(Row55, ABigEnoughOutputIsWrittenAndTellsTheActualShape) {
  const Loaded model(DoubleModel());
  std::vector<float> in(20), place(64, 7);
  std::iota(in.begin(), in.end(), 0.0f);
  const Owned<OrtValue> y = Wrap(place, kFloats, {8, 8});
  const std::vector<std::vector<int64_t>> shapes = {{4, 5}, {2, 10}, {20, 1}, {1, 2}, {8, 8}};
  for (const std::vector<int64_t>& shape : shapes) {
    const auto elems = static_cast<size_t>(shape[0] * shape[1]);
    place.assign(64, 7);
    in.resize(elems, 3);
    const Owned<OrtValue> x = Wrap(in, kFloats, shape);
    ASSERT_OK(RunInto(model.session.get(), x.get(), y.get()));
    EXPECT_EQ(Data<float>(y.get()), place.data());
    EXPECT_EQ(api_test::ShapeOf(y.get()), shape);
    for (size_t i = 0; i < elems; ++i) ASSERT_EQ(place[i], 2 * in[i]);
    for (size_t i = elems; i < place.size(); ++i) ASSERT_EQ(place[i], 7) << "past the output";
  }
}

TEST(Row55, BindingsTellTheActualShape) {
  const Loaded model(DoubleModel());
  std::vector<float> in(20, 1), place(64, 7);
  OrtIoBinding* made = nullptr;
  ASSERT_OK(Api().CreateIoBinding(model.session.get(), &made));
  const Owned<OrtIoBinding> binding(made, Api().ReleaseIoBinding);
  ASSERT_OK(Api().BindOutput(made, "y", Wrap(place, kFloats, {64, 1}).get()));
  const std::vector<std::vector<int64_t>> shapes = {{4, 5}, {1, 2}, {5, 4}};
  for (const std::vector<int64_t>& shape : shapes) {
    ASSERT_OK(Api().BindInput(made, "x", Wrap(in, kFloats, shape).get()));
    ASSERT_OK(Api().RunWithBinding(model.session.get(), nullptr, made));
    OrtValue** values = nullptr;
    size_t count = 0;
    OrtAllocator* allocator = api_test::DefaultAllocator();
    ASSERT_OK(Api().GetBoundOutputValues(made, allocator, &values, &count));
    EXPECT_EQ(api_test::ShapeOf(values[0]), shape);
    EXPECT_EQ(Data<float>(values[0]), place.data());
    Api().ReleaseValue(values[0]);
    EXPECT_OK(Api().AllocatorFree(allocator, values));
  }
}

TEST(Row55, OutputsOfUnknownSizeFitOrSayWhatTheyNeed) {
  const Loaded model(PositiveModel());
  std::vector<float> in = {1, -1, 2, 3, -5};
  std::vector<int64_t> place(5, -7);
  const Owned<OrtValue> x = Wrap(in, kFloats, {5}), y = Wrap(place, kInts, {1, 5});
  ASSERT_OK(RunInto(model.session.get(), x.get(), y.get()));
  EXPECT_EQ(api_test::ShapeOf(y.get()), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(place, (std::vector<int64_t>{0, 2, 3, -7, -7}));
  std::vector<int64_t> small(2, -7);
  const Owned<OrtValue> too_small = Wrap(small, kInts, {1, 2});
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "[1, 2] in 16 bytes, the output [1, 3] needs 24",
               RunInto(model.session.get(), x.get(), too_small.get()));
  // A wrong type is known before the run.
  std::vector<float> floats(5, 7);
  const Owned<OrtValue> wrong = Wrap(floats, kFloats, {1, 5});
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "Unexpected output data type for y",
               RunInto(model.session.get(), x.get(), wrong.get()));
}

TEST(CaseA1, KeptOutputsOfAPassThroughStayWhatTheyWere) {
  const Loaded model(PassThroughModel());
  std::vector<float> fed(3);
  const Owned<OrtValue> x = Wrap(fed, kFloats, {3});
  std::vector<Owned<OrtValue>> kept;
  for (int run = 0; run < 3; ++run) {
    fed.assign(3, static_cast<float>(run));
    kept.push_back(RunOne(model.session.get(), "same", x.get(), "same"));
  }
  fed.assign(3, 99);
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(Data<float>(kept[static_cast<size_t>(run)].get())[2], static_cast<float>(run));
    EXPECT_NE(Data<float>(kept[static_cast<size_t>(run)].get()), fed.data());
  }
}

// Sequences and optionals hand tensors through; the caller's, the model's own, and one in two
// outputs.
std::string SequencesModel() {
  const onnx::TypeWriter sequence =
      onnx::TypeWriter::Sequence(onnx::TypeWriter::TensorOfAnyRank(onnx::kFloat));
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("s", sequence);
  graph.Initializer(onnx::TensorWriter::Of<float>("own", {2}, {5, 6}));
  graph.Node("Identity", {"s"}, {"same"});
  graph.Node("SequenceInsert", {"s", "own"}, {"more"});
  graph.Node("Identity", {"more"}, {"again"});
  for (const char* name : {"same", "more", "again"}) graph.Output(name, sequence);
  return model.bytes();
}

TEST(Row56, TensorsInSequencesAreNobodyElses) {
  const Loaded model(SequencesModel());
  ASSERT_NE(model.session, nullptr);
  std::vector<float> one = {1, 2};
  const Owned<OrtValue> item = Wrap(one, kFloats, {2});
  const OrtValue* items[] = {item.get()};
  OrtValue* made = nullptr;
  ASSERT_OK(Api().CreateValue(items, 1, ONNX_TYPE_SEQUENCE, &made));
  const Owned<OrtValue> s(made, Api().ReleaseValue);
  const auto tensors = [](const OrtValue* sequence) {
    size_t count = 0;
    EXPECT_OK(Api().GetValueCount(sequence, &count));
    std::vector<Owned<OrtValue>> out;
    for (size_t i = 0; i < count; ++i) {
      OrtValue* value = nullptr;
      EXPECT_OK(
          Api().GetValue(sequence, static_cast<int>(i), api_test::DefaultAllocator(), &value));
      out.emplace_back(value, Api().ReleaseValue);
    }
    return out;
  };
  const char *in = "s", *names[] = {"same", "more", "again"};
  const OrtValue* given = s.get();
  for (int run = 0; run < 2; ++run) {
    OrtValue* out[3] = {};
    ASSERT_OK(Api().Run(model.session.get(), nullptr, &in, &given, 1, names, 3, out));
    const Owned<OrtValue> same(out[0], Api().ReleaseValue), more(out[1], Api().ReleaseValue),
        again(out[2], Api().ReleaseValue);
    ASSERT_EQ(tensors(same.get()).size(), 1u);
    ASSERT_EQ(tensors(more.get()).size(), 2u);
    EXPECT_EQ(Data<float>(tensors(more.get())[1].get())[1], 6) << "run " << run;
    // Writing to all that came out changes nothing that went in, nor what the next run gives.
    std::vector<const void*> places = {Data<void>(tensors(s.get())[0].get())};
    for (const OrtValue* sequence : {same.get(), more.get(), again.get()}) {
      for (const Owned<OrtValue>& tensor : tensors(sequence)) {
        void* data = nullptr;
        ASSERT_OK(Api().GetTensorMutableData(tensor.get(), &data));
        EXPECT_EQ(std::count(places.begin(), places.end(), data), 0);
        places.push_back(data);
        std::memset(data, 0xEE, 2 * sizeof(float));
      }
    }
    EXPECT_EQ(Data<float>(tensors(s.get())[0].get())[0], 1);
  }
}

TEST(Row56, AnOutputAskedForTwiceIsTwoValues) {
  const Loaded model(DoubleModel());
  std::vector<float> in = {1, 2}, place(4, 7);
  const Owned<OrtValue> x = Wrap(in, kFloats, {1, 2}), y = Wrap(place, kFloats, {2, 2});
  const char *input = "x", *outputs[] = {"y", "y", "y"};
  const OrtValue* given = x.get();
  OrtValue* out[3] = {nullptr, nullptr, y.get()};
  ASSERT_OK(Api().Run(model.session.get(), nullptr, &input, &given, 1, outputs, 3, out));
  EXPECT_NE(Data<float>(out[0]), Data<float>(out[1]));
  for (OrtValue* value : out) {
    EXPECT_EQ(Data<float>(value)[1], 4);
    EXPECT_EQ(api_test::ShapeOf(value), (std::vector<int64_t>{1, 2}));
  }
  EXPECT_EQ(place, (std::vector<float>{2, 4, 7, 7}));
  Api().ReleaseValue(out[0]);
  Api().ReleaseValue(out[1]);
}

// Who gives an input's own bytes for an output asks for them to be overwritten: the results are
// those of separate bytes, also where one output lies over two inputs or beside its input's start.
TEST(Row56, OutputsOverInputsAreAskedForAndRight) {
  onnx::ModelWriter writer;
  writer.Opset("", 17);
  onnx::GraphWriter& graph = writer.graph();
  graph.Input("a", onnx::kFloat, {2, 2});
  graph.Input("b", onnx::kFloat, {2, 2});
  graph.Node("MatMul", {"a", "b"}, {"product"});
  graph.Node("Identity", {"a"}, {"same"});
  graph.Output("product", onnx::kFloat, {2, 2});
  graph.Output("same", onnx::kFloat, {2, 2});
  const Loaded model(writer.bytes());
  ASSERT_NE(model.session, nullptr);
  // Places of product and same, in floats from where a (at 0) and b (at 4) begin.
  for (const auto& [product_at, same_at] : std::vector<std::pair<size_t, size_t>>{
           {0, 8}, {4, 0}, {2, 8}, {8, 4}, {8, 2}, {0, 4}, {4, 8}}) {
    std::vector<float> bytes = {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0};
    const Owned<OrtMemoryInfo> cpu = api_test::CpuInfo();
    const auto at = [&](size_t offset) {
      const int64_t shape[] = {2, 2};
      OrtValue* value = nullptr;
      EXPECT_OK(Api().CreateTensorWithDataAsOrtValue(cpu.get(), bytes.data() + offset, 16, shape, 2,
                                                     kFloats, &value));
      return Owned<OrtValue>(value, Api().ReleaseValue);
    };
    const Owned<OrtValue> a = at(0), b = at(4), product = at(product_at), same = at(same_at);
    const char *in[] = {"a", "b"}, *out[] = {"product", "same"};
    const OrtValue* inputs[] = {a.get(), b.get()};
    OrtValue* outputs[] = {product.get(), same.get()};
    ASSERT_OK(Api().Run(model.session.get(), nullptr, in, inputs, 2, out, 2, outputs));
    const std::vector<float> expected = {19, 22, 43, 50}, expected_same = {1, 2, 3, 4};
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(bytes[product_at + i], expected[i]) << product_at << " " << same_at;
      EXPECT_EQ(bytes[same_at + i], expected_same[i]) << product_at << " " << same_at;
    }
  }
}

// y = x + x, then z = y + the tensor in "held", a sequence or an optional.
std::string HeldModel(const onnx::TypeWriter& held, const char* op) {
  onnx::ModelWriter model;
  model.Opset("", 18);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {2});
  graph.Input("held", held);
  graph.Initializer(onnx::TensorWriter::Scalar<int64_t>("first", 0));
  graph.Node("Add", {"x", "x"}, {"y"});
  const bool in_sequence = std::string_view(op) == "SequenceAt";
  graph.Node(
      op,
      in_sequence ? std::vector<std::string>{"held", "first"} : std::vector<std::string>{"held"},
      {"t"});
  graph.Node("Add", {"y", "t"}, {"z"});
  for (const char* name : {"y", "z"}) graph.Output(name, onnx::kFloat, {2});
  return model.bytes();
}

TEST(Row56, OutputsOverTensorsInContainersAreRight) {
  const auto floats = onnx::TypeWriter::TensorOfAnyRank(onnx::kFloat);
  for (const bool in_sequence : {true, false}) {
    const Loaded model(in_sequence
                           ? HeldModel(onnx::TypeWriter::Sequence(floats), "SequenceAt")
                           : HeldModel(onnx::TypeWriter::Optional(floats), "OptionalGetElement"));
    ASSERT_NE(model.session, nullptr);
    std::vector<float> in = {1, 2}, bytes = {10, 20}, result(2);
    const Owned<OrtValue> x = Wrap(in, kFloats, {2}), item = Wrap(bytes, kFloats, {2}),
                          y = Wrap(bytes, kFloats, {2}), z = Wrap(result, kFloats, {2});
    const OrtValue* items[] = {item.get()};
    OrtValue* sequence = nullptr;
    ASSERT_OK(Api().CreateValue(items, 1, ONNX_TYPE_SEQUENCE, &sequence));
    const Owned<OrtValue> made(sequence, Api().ReleaseValue);
    const char *names[] = {"x", "held"}, *out[] = {"y", "z"};
    const OrtValue* inputs[] = {x.get(), in_sequence ? made.get() : item.get()};
    OrtValue* outputs[] = {y.get(), z.get()};
    ASSERT_OK(Api().Run(model.session.get(), nullptr, names, inputs, 2, out, 2, outputs));
    EXPECT_EQ(bytes, (std::vector<float>{2, 4})) << in_sequence;
    EXPECT_EQ(result, (std::vector<float>{12, 24})) << in_sequence;
  }
}

}  // namespace
}  // namespace waybill::pains
