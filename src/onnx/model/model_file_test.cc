#include "onnx/model/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "onnx/model/writer/model_writer.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace waybill::onnx {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string SmallModel(std::string_view op_type) {
  ModelWriter model;
  model.Opset("", 17);
  model.graph().Node(op_type, {"x"}, {"y"});
  return model.bytes();
}

TEST(ModelFile, OpensMapsAndReads) {
  const test::TempDir dir;
  const std::string path = dir.Write("m.onnx", SmallModel("Relu"));
  for (const FileAccess access : {FileAccess::kMap, FileAccess::kRead}) {
    const auto model = ModelFile::Open(path, access);
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    EXPECT_EQ((*model)->view().graph.nodes.at(0).op_type, "Relu");
    EXPECT_EQ((*model)->path(), path);
    EXPECT_TRUE((*model)->identity());
  }
}

TEST(ModelFile, ErrorsNameTheFile) {
  const test::TempDir dir;
  EXPECT_EQ(ModelFile::Open(dir / "none.onnx").status().code(), Code::kNoSuchFile);
  const Status bad = ModelFile::Open(dir.Write("bad.onnx", "\x0a")).status();
  EXPECT_EQ(bad.code(), Code::kInvalidProtobuf);
  EXPECT_THAT(bad.message(), HasSubstr("bad.onnx"));
}

TEST(ModelFile, BytesAreCopiedOrBorrowed) {
  std::string bytes = SmallModel("Relu");
  const auto span = std::as_bytes(std::span(bytes.data(), bytes.size()));
  const auto copied = ModelFile::FromCopy(span);
  const auto borrowed = ModelFile::FromBytes(span, nullptr);
  ASSERT_TRUE(copied.ok() && borrowed.ok());
  EXPECT_EQ((*borrowed)->bytes().data(), span.data());
  bytes.replace(bytes.find("Relu"), 4, "Sqrt");
  EXPECT_EQ((*copied)->view().graph.nodes.at(0).op_type, "Relu");
  EXPECT_EQ((*borrowed)->view().graph.nodes.at(0).op_type, "Sqrt");
  EXPECT_TRUE((*copied)->path().empty());
}

TEST(ModelFile, ReplacingTheFileByRenameLeavesAnOpenModelAsItWas) {
  const test::TempDir dir;
  const std::string path = dir.Write("m.onnx", SmallModel("Relu"));
  const auto before = ModelFile::Open(path);
  ASSERT_TRUE(before.ok());
  fs::rename(dir.Write("new.onnx", SmallModel("Sqrt")), path);
  const auto after = ModelFile::Open(path);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ((*before)->view().graph.nodes.at(0).op_type, "Relu");
  EXPECT_EQ((*after)->view().graph.nodes.at(0).op_type, "Sqrt");
}

// A model of `tensors` initializers of `bytes` zero bytes each, most of it a hole in the file.
void WriteSparseModel(const std::string& path, int tensors, uint64_t bytes) {
  std::vector<std::string> heads;
  uint64_t graph_bytes = 0;
  for (int i = 0; i < tensors; ++i) {
    Encoder tensor;  // raw_data last, its contents left to the hole
    tensor.RawBytes(
        TensorWriter("w" + std::to_string(i), kFloat, {static_cast<int64_t>(bytes / 4)}).bytes());
    tensor.Tag(9, WireType::kLength);
    tensor.RawVarint(bytes);
    Encoder head;
    head.Tag(5, WireType::kLength);
    head.RawVarint(tensor.bytes().size() + bytes);
    head.RawBytes(tensor.bytes());
    graph_bytes += head.bytes().size() + bytes;
    heads.push_back(head.bytes());
  }
  Encoder start;
  start.Int(1, 8);
  start.Tag(7, WireType::kLength);
  start.RawVarint(graph_bytes);
  std::ofstream out(path, std::ios::binary);
  out << start.bytes();
  for (const std::string& head : heads) {
    out << head;
    out.seekp(static_cast<std::streamoff>(bytes), std::ios::cur);
  }
  const auto size = static_cast<uint64_t>(out.tellp());
  out.close();
  fs::resize_file(path, size);
}

TEST(ModelFile, ReadingHalfAGibibyteCostsLessThanAMebibyteOfAnonymousMemory) {
  const test::TempDir dir;
  const std::string path = dir / "big.onnx";
  WriteSparseModel(path, 64, uint64_t{8} << 20);
  ASSERT_GE(fs::file_size(path), uint64_t{512} << 20);
  const size_t before = test::AnonymousBytes();
  const auto model = ModelFile::Open(path);
  const size_t after = test::AnonymousBytes();
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_LT(after, before + (size_t{1} << 20));
  ASSERT_EQ((*model)->view().graph.initializers.size(), 64u);
  for (const TensorProtoView& tensor : (*model)->view().graph.initializers) {
    ASSERT_TRUE(tensor.Direct());
    EXPECT_EQ(tensor.Direct()->size(), size_t{8} << 20);
  }
}

TEST(ModelFile, ReadsInlineModelsBetweenTwoAndFourGibibytes) {
  const test::TempDir dir;
  const std::string path = dir / "big.onnx";
  WriteSparseModel(path, 3, uint64_t{1} << 30);
  const auto model = ModelFile::Open(path);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ((*model)->view().graph.initializers.at(2).bytes, size_t{1} << 30);
}

void DecodeAll(const GraphView& graph, size_t& tensors);

void DecodeAll(const TensorProtoView& tensor, size_t& tensors) {
  ++tensors;
  if (tensor.data_type == kString || tensor.payload == TensorProtoView::Payload::kExternal) return;
  std::vector<std::byte> out(tensor.bytes);
  EXPECT_TRUE(tensor.DecodeInto(out).ok());
}

void DecodeAll(const GraphView& graph, size_t& tensors) {
  for (const TensorProtoView& tensor : graph.initializers) DecodeAll(tensor, tensors);
  for (const NodeView& node : graph.nodes) {
    for (const AttributeView& attribute : node.attributes) {
      if (attribute.t) DecodeAll(*attribute.t, tensors);
      if (attribute.g) DecodeAll(*attribute.g, tensors);
    }
  }
}

TEST(ModelFile, ReadsPublishedModels) {
  const fs::path models = fs::path(WAYBILL_TEST_DATA) / "models";
  if (std::string_view(WAYBILL_TEST_DATA).empty() || !fs::exists(models)) {
    GTEST_SKIP() << "no extra test data";
  }
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(models)) {
    if (entry.path().extension() != ".onnx") continue;
    const auto model = ModelFile::Open(entry.path().string());
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    size_t tensors = 0;
    DecodeAll((*model)->view().graph, tensors);
    EXPECT_FALSE((*model)->view().graph.nodes.empty()) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0u);
}

}  // namespace
}  // namespace waybill::onnx
