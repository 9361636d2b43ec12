// External data files whose contents are in memory of the caller's, used where they lie.
#include <memory>
#include <vector>

#include "onnx/model/writer/model_writer.h"
#include "tests/api/api_support.h"
#include "tests/support/process.h"
#include "waybill.hpp"

namespace waybill::api_test {
namespace {

constexpr int64_t kRows = 8 << 10, kColumns = 1 << 10;
constexpr size_t kBytes = static_cast<size_t>(kRows * kColumns) * sizeof(float);

// y = the rows of a table in the external file "table.bin" that i names.
std::string TableModel() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("i", onnx::kInt64, {1});
  graph.Initializer(onnx::TensorWriter("table", onnx::kFloat, {kRows, kColumns})
                        .External("table.bin", 0, kBytes));
  graph.Node("Gather", {"table", "i"}, {"y"});
  graph.Output("y", onnx::kFloat, {1, kColumns});
  return model.bytes();
}

void Count(void* releases) { ++*static_cast<int*>(releases); }

float RowOf(OrtSession* session, int64_t row) {
  std::vector<int64_t> number = {row};
  const Owned<OrtValue> i = Wrap(number, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, {1});
  const char *input = "i", *output = "y";
  const OrtValue* feed = i.get();
  OrtValue* y = nullptr;
  EXPECT_OK(Api().Run(session, nullptr, &input, &feed, 1, &output, 1, &y));
  const Owned<OrtValue> owner(y, Api().ReleaseValue);
  return y != nullptr ? Data<float>(y)[kColumns - 1] : -1;
}

// Row 31: no copy, and the bytes are kept until the last session is gone, in any order.
TEST(ExternalFile, IsUsedInPlaceAndReleasedOnceAfterTheLastSession) {
  std::vector<float> table(kBytes / sizeof(float), 7);
  table.back() = 9;
  int releases = 0;
  const Owned<OrtEnv> env = NewEnv();
  Owned<OrtSessionOptions> options = NewOptions();
  ASSERT_OK(WaybillSessionOptionsAddExternalFile(options.get(), "table.bin", table.data(), kBytes,
                                                 Count, &releases));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "'table.bin' was added already",
               WaybillSessionOptionsAddExternalFile(options.get(), "table.bin", table.data(),
                                                    kBytes, Count, &releases));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "location is empty",
               WaybillSessionOptionsAddExternalFile(options.get(), "", table.data(), kBytes, Count,
                                                    &releases));
  const size_t before = test::AnonymousBytes();
  Owned<OrtSession> first = NewSession(env.get(), TableModel(), options.get());
  Owned<OrtSession> second = NewSession(env.get(), TableModel(), options.get());
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(RowOf(first.get(), kRows - 1), 9);
  EXPECT_LE(test::AnonymousBytes(), before + (size_t{2} << 20)) << "the table is 32 MiB";
  options.reset();
  first.reset();
  EXPECT_EQ(releases, 0);
  EXPECT_EQ(RowOf(second.get(), 0), 7);
  second.reset();
  EXPECT_EQ(releases, 1);
}

// Sessions share what the first of them loaded; each has its own promise to keep.
TEST(ExternalFile, EachSessionHoldsTheFileOfItsOwnOptions) {
  std::vector<float> table(kBytes / sizeof(float), 7);
  const Owned<OrtEnv> env = NewEnv();
  int releases[2] = {};
  Owned<OrtSession> sessions[2] = {{nullptr, nullptr}, {nullptr, nullptr}};
  for (int i = 0; i < 2; ++i) {
    const Owned<OrtSessionOptions> options = NewOptions();
    ASSERT_OK(WaybillSessionOptionsAddExternalFile(options.get(), "table.bin", table.data(), kBytes,
                                                   Count, &releases[i]));
    sessions[i] = NewSession(env.get(), TableModel(), options.get());
  }
  sessions[0].reset();
  EXPECT_EQ(releases[1], 0) << "the second session is there";
  EXPECT_EQ(RowOf(sessions[1].get(), 0), 7);
  sessions[1].reset();
  EXPECT_EQ(releases[0], 1);
  EXPECT_EQ(releases[1], 1);
}

TEST(ExternalFile, OptionsAndTheirClonesHoldItToo) {
  std::vector<float> table(2);
  int releases = 0;
  Owned<OrtSessionOptions> options = NewOptions();
  ASSERT_OK(WaybillSessionOptionsAddExternalFile(options.get(), "w.bin", table.data(), 8, Count,
                                                 &releases));
  OrtSessionOptions* clone = nullptr;
  ASSERT_OK(Api().CloneSessionOptions(options.get(), &clone));
  options.reset();
  EXPECT_EQ(releases, 0);
  Api().ReleaseSessionOptions(clone);
  EXPECT_EQ(releases, 1);
}

TEST(ExternalFile, OfCxxIsASharedVector) {
  auto file = std::make_shared<const std::vector<char>>(kBytes, '\0');
  const std::weak_ptr<const std::vector<char>> alive = file;
  Ort::SessionOptions options;
  AddExternalFile(options, "table.bin", std::move(file));
  EXPECT_THROW(
      AddExternalFile(options, "table.bin", std::make_shared<const std::vector<char>>(8, '\0')),
      Ort::Exception);
  const Owned<OrtEnv> env = NewEnv();
  Owned<OrtSession> session = NewSession(env.get(), TableModel(), options);
  ASSERT_NE(session, nullptr);
  options = Ort::SessionOptions(nullptr);
  EXPECT_EQ(RowOf(session.get(), 5), 0);
  session.reset();
  EXPECT_TRUE(alive.expired());
}

}  // namespace
}  // namespace waybill::api_test
