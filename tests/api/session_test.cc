// Sessions through the C interface: making, asking, running, binding.
#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "tests/api/api_support.h"
#include "tests/api/models.h"
#include "tests/support/temp_dir.h"

namespace waybill::api_test {
namespace {

constexpr auto kFloat = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;

std::string Text(char* text) {
  std::string out = text != nullptr ? text : "(null)";
  EXPECT_OK(Api().AllocatorFree(DefaultAllocator(), text));
  return out;
}

TEST(Session, FromFileAndItsErrors) {
  const Owned<OrtEnv> env = NewEnv();
  const test::TempDir dir;
  const std::string path = dir.Write("model.onnx", AddOneModel());
  OrtSession* session = nullptr;
  ASSERT_OK(Api().CreateSession(env.get(), path.c_str(), nullptr, &session));
  Api().ReleaseSession(session);

  EXPECT_FAILS(ORT_NO_SUCHFILE, "Load model from /no/such.onnx failed",
               Api().CreateSession(env.get(), "/no/such.onnx", nullptr, &session));
  const std::string garbage = "this is no model, whatever one makes of it";
  EXPECT_FAILS(
      ORT_INVALID_PROTOBUF, "",
      Api().CreateSessionFromArray(env.get(), garbage.data(), garbage.size(), nullptr, &session));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "No graph was found in the protobuf.",
               Api().CreateSessionFromArray(env.get(), garbage.data(), 0, nullptr, &session));
  const std::string unknown = UnknownOperatorModel();
  const Outcome outcome(
      Api().CreateSessionFromArray(env.get(), unknown.data(), unknown.size(), nullptr, &session));
  EXPECT_NE(outcome.code, ORT_OK);
  EXPECT_NE(outcome.text.find("NoSuchOperator"), std::string::npos) << outcome;
}

// Only a model that is not there is told so; what else cannot be opened is named with its reason.
TEST(Session, FilesThatDoNotOpen) {
  const Owned<OrtEnv> env = NewEnv();
  const test::TempDir dir;
  OrtSession* session = nullptr;
  const std::string external = dir.Write("model.onnx", ExternalModel());
  EXPECT_FAILS(ORT_NO_SUCHFILE, "w.bin",
               Api().CreateSession(env.get(), external.c_str(), nullptr, &session));
  const Outcome folder(Api().CreateSession(env.get(), (dir / "").c_str(), nullptr, &session));
  EXPECT_EQ(folder.code, ORT_NO_SUCHFILE) << folder;
  EXPECT_EQ(folder.text.find("File doesn't exist"), std::string::npos) << folder;
}

TEST(Session, NamesAndTypes) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
  ASSERT_NE(session, nullptr);
  size_t count = 0;
  EXPECT_OK(Api().SessionGetInputCount(session.get(), &count));
  EXPECT_EQ(count, 1u);
  EXPECT_OK(Api().SessionGetOutputCount(session.get(), &count));
  EXPECT_EQ(count, 1u);
  EXPECT_OK(Api().SessionGetOverridableInitializerCount(session.get(), &count));
  EXPECT_EQ(count, 0u);
  char* name = nullptr;
  ASSERT_OK(Api().SessionGetInputName(session.get(), 0, DefaultAllocator(), &name));
  EXPECT_EQ(Text(name), "x");
  ASSERT_OK(Api().SessionGetOutputName(session.get(), 0, DefaultAllocator(), &name));
  EXPECT_EQ(Text(name), "y");
  EXPECT_FAILS(ORT_FAIL, "index out of range",
               Api().SessionGetInputName(session.get(), 1, DefaultAllocator(), &name));
  OrtTypeInfo* type = nullptr;
  EXPECT_FAILS(ORT_FAIL, "index out of range",
               Api().SessionGetOutputTypeInfo(session.get(), 1, &type));
  ASSERT_OK(Api().SessionGetInputTypeInfo(session.get(), 0, &type));
  const OrtTensorTypeAndShapeInfo* info = nullptr;
  ASSERT_OK(Api().CastTypeInfoToTensorInfo(type, &info));
  int64_t dims[2] = {};
  EXPECT_OK(Api().GetDimensions(info, dims, 2));
  EXPECT_EQ(dims[0], -1);
  EXPECT_EQ(dims[1], 2);
  const char* symbols[2] = {};
  EXPECT_OK(Api().GetSymbolicDimensions(info, symbols, 2));
  EXPECT_STREQ(symbols[0], "batch");
  EXPECT_STREQ(symbols[1], "");
  const OrtSequenceTypeInfo* sequence = nullptr;
  EXPECT_OK(Api().CastTypeInfoToSequenceTypeInfo(type, &sequence));
  EXPECT_EQ(sequence, nullptr);
  Api().ReleaseTypeInfo(type);
}

TEST(Session, FreeDimensionOverrideChangesTheShape) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSessionOptions> options = NewOptions();
  EXPECT_OK(Api().AddFreeDimensionOverrideByName(options.get(), "batch", 5));
  EXPECT_OK(Api().AddFreeDimensionOverrideByName(options.get(), "unused", 9));
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel(), options.get());
  ASSERT_NE(session, nullptr);
  OrtTypeInfo* type = nullptr;
  ASSERT_OK(Api().SessionGetInputTypeInfo(session.get(), 0, &type));
  const OrtTensorTypeAndShapeInfo* info = nullptr;
  EXPECT_OK(Api().CastTypeInfoToTensorInfo(type, &info));
  int64_t dims[2] = {};
  EXPECT_OK(Api().GetDimensions(info, dims, 2));
  EXPECT_EQ(dims[0], 5);
  Api().ReleaseTypeInfo(type);
}

// Names come from files: a message stays whole, on one line and of bounded length whatever they
// are.
TEST(Session, NamesInMessagesArePrintable) {
  using namespace std::string_literals;
  const Owned<OrtEnv> env = NewEnv();
  const auto message = [&](const std::string& node, const std::string& op_type,
                           const std::string& output) {
    onnx::ModelWriter model;
    model.Opset("", 17);
    model.graph().Input("x", onnx::kFloat, {2});
    model.graph().Node(op_type, {"x"}, {"y"}).Name(node);
    model.graph().Output(output, onnx::kFloat, {2});
    const std::string bytes = model.bytes();
    OrtSession* session = nullptr;
    const Outcome outcome(
        Api().CreateSessionFromArray(env.get(), bytes.data(), bytes.size(), nullptr, &session));
    EXPECT_NE(outcome.code, ORT_OK);
    EXPECT_EQ(session, nullptr);
    return outcome.text;
  };
  const auto holds = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string odd = message("a\0b\n c\x1b[31m"s, "NoSuchOperator", "y");
  EXPECT_TRUE(holds(odd, "a\\x00b\\n c\\x1b[31m")) << odd;
  EXPECT_TRUE(holds(odd, "NoSuchOperator")) << odd;
  const std::string accent = message("conv\xC3\xA9", "NoSuchOperator", "y");
  EXPECT_TRUE(holds(accent, "conv\xC3\xA9")) << accent;
  const std::string huge = message(std::string(100000, 'n') + "end", "NoSuchOperator", "y");
  EXPECT_LT(huge.size(), 1000u);
  EXPECT_TRUE(holds(huge, "nnn...nnn")) << huge;
  EXPECT_TRUE(holds(huge, "NoSuchOperator")) << huge;
  // The name of a value, which no description of a node bounds.
  const std::string value = message("n", "Relu", "\x1b]0;" + std::string(100000, 'w'));
  EXPECT_LT(value.size(), 10000u);
  EXPECT_TRUE(holds(value, "\\x1b]0;www")) << value;
  EXPECT_TRUE(holds(value, "is not defined")) << value;
}

TEST(Session, Metadata) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
  ASSERT_NE(session, nullptr);
  OrtModelMetadata* metadata = nullptr;
  ASSERT_OK(Api().SessionGetModelMetadata(session.get(), &metadata));
  OrtAllocator* allocator = DefaultAllocator();
  char* text = nullptr;
  EXPECT_OK(Api().ModelMetadataGetProducerName(metadata, allocator, &text));
  EXPECT_EQ(Text(text), "tests");
  EXPECT_OK(Api().ModelMetadataGetGraphName(metadata, allocator, &text));
  EXPECT_EQ(Text(text), "graph");
  EXPECT_OK(Api().ModelMetadataGetDomain(metadata, allocator, &text));
  EXPECT_EQ(Text(text), "test.domain");
  EXPECT_OK(Api().ModelMetadataGetDescription(metadata, allocator, &text));
  EXPECT_EQ(Text(text), "about the model");
  EXPECT_OK(Api().ModelMetadataGetGraphDescription(metadata, allocator, &text));
  EXPECT_EQ(Text(text), "about the graph");
  int64_t version = 0;
  EXPECT_OK(Api().ModelMetadataGetVersion(metadata, &version));
  EXPECT_EQ(version, 7);
  EXPECT_OK(Api().ModelMetadataLookupCustomMetadataMap(metadata, allocator, "key", &text));
  EXPECT_EQ(Text(text), "value");
  EXPECT_OK(Api().ModelMetadataLookupCustomMetadataMap(metadata, allocator, "missing", &text));
  EXPECT_EQ(text, nullptr);
  char** keys = nullptr;
  int64_t count = 0;
  ASSERT_OK(Api().ModelMetadataGetCustomMetadataMapKeys(metadata, allocator, &keys, &count));
  ASSERT_EQ(count, 2);
  for (int64_t i = 0; i < count; ++i) EXPECT_OK(Api().AllocatorFree(allocator, keys[i]));
  EXPECT_OK(Api().AllocatorFree(allocator, keys));
  Api().ReleaseModelMetadata(metadata);

  const Owned<OrtSession> plain = NewSession(env.get(), TwoOutputsModel());
  ASSERT_OK(Api().SessionGetModelMetadata(plain.get(), &metadata));
  EXPECT_OK(Api().ModelMetadataGetVersion(metadata, &version));
  EXPECT_EQ(version, INT64_MAX);
  ASSERT_OK(Api().ModelMetadataGetCustomMetadataMapKeys(metadata, allocator, &keys, &count));
  EXPECT_EQ(keys, nullptr);
  EXPECT_EQ(count, 0);
  Api().ReleaseModelMetadata(metadata);
}

TEST(Session, OptionsThatMakeItFail) {
  const Owned<OrtEnv> env = NewEnv();
  const std::string model = AddOneModel();
  OrtSession* session = nullptr;
  const auto create = [&](const OrtSessionOptions* options) {
    return Api().CreateSessionFromArray(env.get(), model.data(), model.size(), options, &session);
  };
  const Owned<OrtSessionOptions> shared = NewOptions();
  EXPECT_OK(Api().DisablePerSessionThreads(shared.get()));
  EXPECT_FAILS(ORT_FAIL, "", create(shared.get()));
  const Owned<OrtSessionOptions> no_cpu = NewOptions();
  EXPECT_OK(Api().AddSessionConfigEntry(no_cpu.get(), "session.disable_cpu_ep_fallback", "1"));
  EXPECT_FAILS(ORT_FAIL, "", create(no_cpu.get()));
  const Owned<OrtSessionOptions> cancelled = NewOptions();
  EXPECT_OK(Api().SessionOptionsSetLoadCancellationFlag(cancelled.get(), true));
  EXPECT_FAILS(ORT_MODEL_LOAD_CANCELED, "", create(cancelled.get()));
  EXPECT_OK(Api().SessionOptionsSetLoadCancellationFlag(cancelled.get(), false));
  ASSERT_OK(create(cancelled.get()));
  Api().ReleaseSession(session);
}

TEST(Session, ProfilingIsOff) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
  char* file = nullptr;
  ASSERT_OK(Api().SessionEndProfiling(session.get(), DefaultAllocator(), &file));
  EXPECT_EQ(Text(file), "");
  uint64_t start = 1;
  EXPECT_OK(Api().SessionGetProfilingStartTimeNs(session.get(), &start));
  EXPECT_EQ(start, 0u);
}

// One run with one input and one output.
OrtStatus* RunOne(OrtSession* session, const char* input, const OrtValue* value, const char* output,
                  OrtValue** out, const OrtRunOptions* options = nullptr) {
  return Api().Run(session, options, &input, &value, 1, &output, 1, out);
}

TEST(Run, FreshAndPreallocatedOutputs) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
  ASSERT_NE(session, nullptr);
  std::vector<float> in = {1, 2, 3, 4};
  const Owned<OrtValue> x = Wrap(in, kFloat, {2, 2});
  OrtValue* fresh = nullptr;
  ASSERT_OK(RunOne(session.get(), "x", x.get(), "y", &fresh));
  EXPECT_EQ(ShapeOf(fresh), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(Data<float>(fresh)[3], 5);
  EXPECT_EQ(in, (std::vector<float>{1, 2, 3, 4}));
  Api().ReleaseValue(fresh);

  std::vector<float> place(4, 0);
  const Owned<OrtValue> y = Wrap(place, kFloat, {2, 2});
  OrtValue* given = y.get();
  ASSERT_OK(RunOne(session.get(), "x", x.get(), "y", &given));
  EXPECT_EQ(given, y.get());
  EXPECT_EQ(place, (std::vector<float>{2, 3, 4, 5}));

  std::vector<float> small(2, 0);
  const Owned<OrtValue> wrong = Wrap(small, kFloat, {1, 2});
  given = wrong.get();
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", RunOne(session.get(), "x", x.get(), "y", &given));
}

TEST(Run, BuffersAtAnyAddress) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
  ASSERT_NE(session, nullptr);
  std::vector<char> in(17), out(17);
  const float numbers[] = {1, 2, 3, 4};
  std::memcpy(in.data() + 1, numbers, 16);
  const Owned<OrtMemoryInfo> info = CpuInfo();
  const int64_t shape[] = {2, 2};
  OrtValue *x = nullptr, *y = nullptr;
  ASSERT_OK(
      Api().CreateTensorWithDataAsOrtValue(info.get(), in.data() + 1, 16, shape, 2, kFloat, &x));
  ASSERT_OK(
      Api().CreateTensorWithDataAsOrtValue(info.get(), out.data() + 1, 16, shape, 2, kFloat, &y));
  OrtValue* given = y;
  ASSERT_OK(RunOne(session.get(), "x", x, "y", &given));
  float results[4];
  std::memcpy(results, out.data() + 1, 16);
  EXPECT_EQ(results[3], 5);
  Api().ReleaseValue(x);
  Api().ReleaseValue(y);
}

TEST(Run, SameOutputTwice) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
  ASSERT_NE(session, nullptr);
  std::vector<float> in = {1, 2};
  const Owned<OrtValue> x = Wrap(in, kFloat, {1, 2});
  const char* input = "x";
  const OrtValue* value = x.get();
  const char* outputs[] = {"y", "y"};
  OrtValue* made[2] = {};
  ASSERT_OK(Api().Run(session.get(), nullptr, &input, &value, 1, outputs, 2, made));
  EXPECT_NE(made[0], made[1]);
  EXPECT_EQ(Data<float>(made[1])[1], 3);
  Api().ReleaseValue(made[0]);
  Api().ReleaseValue(made[1]);
}

TEST(Run, WhatIsRefused) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
  ASSERT_NE(session, nullptr);
  std::vector<float> in = {1, 2};
  std::vector<double> doubles = {1, 2};
  const Owned<OrtValue> x = Wrap(in, kFloat, {1, 2});
  const Owned<OrtValue> wrong_type = Wrap(doubles, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, {1, 2});
  const Owned<OrtValue> wrong_shape = Wrap(in, kFloat, {2, 1});
  const Owned<OrtValue> wrong_rank = Wrap(in, kFloat, {2});
  OrtValue* out = nullptr;
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "Invalid input name: n",
               RunOne(session.get(), "n", x.get(), "y", &out));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "Invalid output name: n",
               RunOne(session.get(), "x", x.get(), "n", &out));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "input name cannot be empty",
               RunOne(session.get(), "", x.get(), "y", &out));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", RunOne(session.get(), "x", nullptr, "y", &out));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", RunOne(session.get(), "x", wrong_type.get(), "y", &out));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", RunOne(session.get(), "x", wrong_shape.get(), "y", &out));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", RunOne(session.get(), "x", wrong_rank.get(), "y", &out));
  const char* input = "x";
  const OrtValue* value = x.get();
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "At least one output should be requested.",
               Api().Run(session.get(), nullptr, &input, &value, 1, nullptr, 0, &out));
  const char* output = "y";
  EXPECT_NE(Outcome(Api().Run(session.get(), nullptr, nullptr, nullptr, 0, &output, 1, &out)).code,
            ORT_OK);
  EXPECT_EQ(out, nullptr);
}

TEST(Run, TerminateFlag) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
  ASSERT_NE(session, nullptr);
  std::vector<float> in = {1, 2};
  const Owned<OrtValue> x = Wrap(in, kFloat, {1, 2});
  OrtRunOptions* options = nullptr;
  ASSERT_OK(Api().CreateRunOptions(&options));
  EXPECT_OK(Api().RunOptionsSetTerminate(options));
  OrtValue* out = nullptr;
  EXPECT_FAILS(ORT_FAIL, "Exiting due to terminate flag being set to true.",
               RunOne(session.get(), "x", x.get(), "y", &out, options));
  EXPECT_OK(Api().RunOptionsUnsetTerminate(options));
  EXPECT_OK(RunOne(session.get(), "x", x.get(), "y", &out, options));
  Api().ReleaseValue(out);
  Api().ReleaseRunOptions(options);
}

TEST(Run, ArenaShrinkageGivesMemoryBack) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
  ASSERT_NE(session, nullptr);
  std::vector<float> in = {1, 2};
  const Owned<OrtValue> x = Wrap(in, kFloat, {1, 2});
  OrtRunOptions* options = nullptr;
  ASSERT_OK(Api().CreateRunOptions(&options));
  OrtValue* out = nullptr;
  for (const char* value : {"gpu:0", "cpu:0;gpu:0", "cpu"}) {
    EXPECT_OK(Api().AddRunConfigEntry(options, "memory.enable_memory_arena_shrinkage", value));
    EXPECT_FAILS(ORT_INVALID_ARGUMENT, "there is no memory of device",
                 RunOne(session.get(), "x", x.get(), "y", &out, options));
  }
  for (const char* value : {"cpu:0", "cpu:0;", ""}) {
    EXPECT_OK(Api().AddRunConfigEntry(options, "memory.enable_memory_arena_shrinkage", value));
    EXPECT_OK(Api().AddRunConfigEntry(options, "unknown", "entry"));
    ASSERT_OK(RunOne(session.get(), "x", x.get(), "y", &out, options));
    Api().ReleaseValue(std::exchange(out, nullptr));
  }
  EXPECT_OK(Api().AddRunConfigEntry(options, "memory.enable_memory_arena_shrinkages", "cpu:0"));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "memory.enable_memory_arena_shrinkages",
               RunOne(session.get(), "x", x.get(), "y", &out, options));
  Api().ReleaseRunOptions(options);
}

TEST(Run, SequencesComeOut) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), SequenceModel());
  ASSERT_NE(session, nullptr);
  OrtTypeInfo* type = nullptr;
  ASSERT_OK(Api().SessionGetOutputTypeInfo(session.get(), 0, &type));
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  EXPECT_OK(Api().GetOnnxTypeFromTypeInfo(type, &kind));
  EXPECT_EQ(kind, ONNX_TYPE_SEQUENCE);
  Api().ReleaseTypeInfo(type);
  std::vector<float> in = {1, 2};
  OrtValue* out = nullptr;
  {
    const Owned<OrtValue> x = Wrap(in, kFloat, {2});
    ASSERT_OK(RunOne(session.get(), "x", x.get(), "s", &out));
  }
  in.assign(2, 0);  // the result is not over the caller's bytes
  size_t count = 0;
  EXPECT_OK(Api().GetValueCount(out, &count));
  EXPECT_EQ(count, 2u);
  OrtValue* item = nullptr;
  ASSERT_OK(Api().GetValue(out, 1, DefaultAllocator(), &item));
  EXPECT_EQ(Data<float>(item)[1], 2);
  Api().ReleaseValue(item);
  Api().ReleaseValue(out);
}

TEST(Run, FromSeveralThreads) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
  ASSERT_NE(session, nullptr);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        std::vector<float> in(2 * static_cast<size_t>(t + 1), static_cast<float>(t));
        const Owned<OrtValue> x = Wrap(in, kFloat, {t + 1, 2});
        OrtValue* out = nullptr;
        if (Outcome(RunOne(session.get(), "x", x.get(), "y", &out)).code != ORT_OK ||
            Data<float>(out)[1] != static_cast<float>(t + 1)) {
          ++wrong;
        }
        Api().ReleaseValue(out);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Binding, InputsOutputsAndNames) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), TwoOutputsModel());
  ASSERT_NE(session, nullptr);
  OrtIoBinding* binding = nullptr;
  ASSERT_OK(Api().CreateIoBinding(session.get(), &binding));
  std::vector<float> a = {1, 2, 3}, b = {10, 20, 30}, place(3, 0);
  const Owned<OrtValue> va = Wrap(a, kFloat, {3}), vb = Wrap(b, kFloat, {3}),
                        vp = Wrap(place, kFloat, {3});
  EXPECT_FAILS(ORT_FAIL, "Failed to find input name in the mapping: nope",
               Api().BindInput(binding, "nope", va.get()));
  EXPECT_OK(Api().BindInput(binding, "a", va.get()));
  EXPECT_OK(Api().BindInput(binding, "b", vb.get()));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", Api().RunWithBinding(session.get(), nullptr, binding));
  EXPECT_OK(Api().BindOutput(binding, "sum", vp.get()));
  const Owned<OrtMemoryInfo> cpu = CpuInfo();
  EXPECT_OK(Api().BindOutputToDevice(binding, "difference", cpu.get()));
  EXPECT_OK(Api().SynchronizeBoundInputs(binding));
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(Api().RunWithBinding(session.get(), nullptr, binding));
  }
  EXPECT_OK(Api().SynchronizeBoundOutputs(binding));
  EXPECT_EQ(place[2], 33);
  OrtValue** values = nullptr;
  size_t count = 0;
  ASSERT_OK(Api().GetBoundOutputValues(binding, DefaultAllocator(), &values, &count));
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(Data<float>(values[0]), place.data());
  EXPECT_EQ(Data<float>(values[1])[0], -9);
  for (size_t i = 0; i < count; ++i) Api().ReleaseValue(values[i]);
  EXPECT_OK(Api().AllocatorFree(DefaultAllocator(), values));
  char* names = nullptr;
  size_t* lengths = nullptr;
  ASSERT_OK(Api().GetBoundOutputNames(binding, DefaultAllocator(), &names, &lengths, &count));
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(std::string(names, lengths[0] + lengths[1]), "sumdifference");
  EXPECT_OK(Api().AllocatorFree(DefaultAllocator(), names));
  EXPECT_OK(Api().AllocatorFree(DefaultAllocator(), lengths));
  EXPECT_OK(Api().BindOutput(binding, "nowhere", vp.get()));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "Invalid output name: nowhere",
               Api().RunWithBinding(session.get(), nullptr, binding));
  Api().ClearBoundInputs(binding);
  Api().ClearBoundOutputs(binding);
  Api().ReleaseIoBinding(binding);
}

TEST(ExternalData, FilesFromMemory) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSessionOptions> options = NewOptions();
  std::vector<float> weights = {100, 200};
  const char* names[] = {"w.bin"};
  char* buffers[] = {reinterpret_cast<char*>(weights.data())};
  const size_t lengths[] = {8};
  ASSERT_OK(
      Api().AddExternalInitializersFromFilesInMemory(options.get(), names, buffers, lengths, 1));
  const Owned<OrtSession> session = NewSession(env.get(), ExternalModel(), options.get());
  ASSERT_NE(session, nullptr);
  weights.assign(2, 0);  // the session does not need the caller's buffer any more
  std::vector<float> in = {1, 2};
  const Owned<OrtValue> x = Wrap(in, kFloat, {2});
  OrtValue* out = nullptr;
  ASSERT_OK(RunOne(session.get(), "x", x.get(), "y", &out));
  EXPECT_EQ(Data<float>(out)[1], 202);
  Api().ReleaseValue(out);
}

// Whatever is released first, what is left works.
TEST(Lifetimes, AnyOrderOfRelease) {
  OrtEnv* env = nullptr;
  ASSERT_OK(Api().CreateEnv(ORT_LOGGING_LEVEL_ERROR, "t", &env));
  const std::string model = AddOneModel();
  OrtSessionOptions* options = nullptr;
  ASSERT_OK(Api().CreateSessionOptions(&options));
  OrtSession* session = nullptr;
  ASSERT_OK(Api().CreateSessionFromArray(env, model.data(), model.size(), options, &session));
  Api().ReleaseSessionOptions(options);
  Api().ReleaseEnv(env);
  OrtIoBinding* binding = nullptr;
  ASSERT_OK(Api().CreateIoBinding(session, &binding));
  std::vector<float> in = {1, 2};
  Owned<OrtValue> x = Wrap(in, kFloat, {1, 2});
  OrtValue* out = nullptr;
  ASSERT_OK(RunOne(session, "x", x.get(), "y", &out));
  OrtTypeInfo* type = nullptr;
  ASSERT_OK(Api().SessionGetInputTypeInfo(session, 0, &type));
  Api().ReleaseSession(session);
  x.reset();
  EXPECT_EQ(Data<float>(out)[1], 3);
  Api().ReleaseValue(out);
  Api().ReleaseTypeInfo(type);
  Api().ReleaseIoBinding(binding);
}

}  // namespace
}  // namespace waybill::api_test
