#include "onnx/external/external_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "onnx/external/location.h"
#include "onnx/model/writer/model_writer.h"
#include "tests/support/temp_dir.h"

namespace waybill::onnx {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string ModelWith(const TensorWriter& tensor) {
  ModelWriter model;
  model.Opset("", 17);
  model.graph().Initializer(tensor);
  model.graph().Node("Relu", {"w"}, {"y"});
  return model.bytes();
}

// Four bytes of the file at `location`.
std::string FourBytesModel(std::string_view location, int64_t offset = -1, int64_t length = -1) {
  return ModelWith(TensorWriter("w", kUint8, {4}).External(location, offset, length));
}

std::shared_ptr<const ModelFile> MustOpen(const std::string& path) {
  auto model = ModelFile::Open(path);
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return *model;
}

std::shared_ptr<const ModelFile> FromMemory(const std::string& bytes) {
  auto model = ModelFile::FromCopy(std::as_bytes(std::span(bytes.data(), bytes.size())));
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return *model;
}

// The first initializer's bytes as text, or the error.
std::string Resolve(const ModelFile& model, ExternalData::Options options = {}) {
  ExternalData data(model, std::move(options));
  const auto bytes = data.Resolve(model.view().graph.initializers.at(0));
  if (!bytes.ok()) return bytes.status().ToString();
  return {reinterpret_cast<const char*>(bytes->bytes.data()), bytes->bytes.size()};
}

std::string ResolveFile(const std::string& path) { return Resolve(*MustOpen(path)); }

TEST(ExternalData, ReadsRangesOfTheFileBesideTheModel) {
  const test::TempDir dir;
  dir.Write("sub/w.data", "0123456789");
  EXPECT_EQ(ResolveFile(dir.Write("a.onnx", FourBytesModel("sub/w.data", 3, 4))), "3456");
  EXPECT_EQ(ResolveFile(dir.Write("b.onnx", FourBytesModel("sub/w.data", 6))), "6789");
  EXPECT_EQ(ResolveFile(dir.Write("c.onnx", FourBytesModel("./sub/../sub/w.data"))), "0123");
}

TEST(ExternalData, FindsTheFolderOfARelativeModelPath) {
  const test::TempDir dir;
  dir.Write("w.data", "abcd");
  dir.Write("m.onnx", FourBytesModel("w.data"));
  const fs::path before = fs::current_path();
  fs::current_path(dir.path());
  const std::string found = ResolveFile("m.onnx");
  fs::current_path(before);
  EXPECT_EQ(found, "abcd");
}

TEST(ExternalData, TheBytesOutliveTheResolver) {
  const test::TempDir dir;
  dir.Write("w.data", "abcd");
  const auto model = MustOpen(dir.Write("m.onnx", FourBytesModel("w.data")));
  SharedBytes kept;
  {
    ExternalData data(*model, {});
    auto bytes = data.Resolve(model->view().graph.initializers.at(0));
    ASSERT_TRUE(bytes.ok());
    kept = *bytes;
  }
  fs::remove(dir / "w.data");
  EXPECT_EQ(std::to_integer<char>(kept.bytes[3]), 'd');
}

TEST(ExternalData, OpensEachFileOnce) {
  const test::TempDir dir;
  dir.Write("w.data", "abcdefgh");
  ModelWriter writer;
  writer.graph().Initializer(TensorWriter("a", kUint8, {4}).External("w.data", 0, 4));
  writer.graph().Initializer(TensorWriter("b", kUint8, {4}).External("./w.data", 4, 4));
  const auto model = MustOpen(dir.Write("m.onnx", writer.bytes()));
  ExternalData data(*model, {});
  const auto a = data.Resolve(model->view().graph.initializers.at(0));
  const auto b = data.Resolve(model->view().graph.initializers.at(1));
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->bytes.data() + 4, b->bytes.data());
}

TEST(ExternalData, OtherKeysAreIgnored) {
  const test::TempDir dir;
  dir.Write("w.data", "abcd");
  TensorWriter tensor("w", kUint8, {4});
  tensor.External("w.data").ExternalEntry("checksum", "0").ExternalEntry("basepath", "/x");
  tensor.ExternalEntry("prepacked_0", "y").ExternalEntry("colour", "blue");
  EXPECT_EQ(ResolveFile(dir.Write("m.onnx", ModelWith(tensor))), "abcd");
}

TEST(ExternalData, BoolsBecomeZeroAndOne) {
  const test::TempDir dir;
  dir.Write("w.data", std::string("\0\5\1\0", 4));
  const TensorWriter tensor = TensorWriter("w", kBool, {4}).External("w.data");
  EXPECT_EQ(ResolveFile(dir.Write("m.onnx", ModelWith(tensor))), std::string("\0\1\1\0", 4));
}

TEST(ExternalData, LocationsThatMayNotBeAreRefusedByName) {
  const test::TempDir dir;
  dir.Write("secret", "abcd");
  const auto refusal = [&](std::string_view location) {
    return ResolveFile(dir.Write("in/m.onnx", FourBytesModel(location)));
  };
  EXPECT_THAT(refusal(""), HasSubstr("location '' is empty"));
  EXPECT_THAT(refusal("../secret"), AllOf(HasSubstr("'../secret'"), HasSubstr("'..'")));
  EXPECT_THAT(refusal("a/../../secret"), HasSubstr("leaves the model's folder"));
  EXPECT_THAT(refusal("/etc/passwd"), AllOf(HasSubstr("/etc/passwd"), HasSubstr("absolute")));
  EXPECT_THAT(refusal("\\\\host\\share"), HasSubstr("absolute"));
  EXPECT_THAT(refusal("C:\\w.data"), HasSubstr("Windows drive"));
  EXPECT_THAT(refusal(std::string("a\0b", 3)), HasSubstr("NUL"));
  EXPECT_THAT(refusal("none.data"), AllOf(HasSubstr("NoSuchFile"), HasSubstr("none.data")));
}

TEST(ExternalData, LinksMayNotLeadOutOfTheFolder) {
  const test::TempDir dir;
  dir.Write("secret", "abcd");
  dir.Write("outside/w", "abcd");
  const std::string model = dir.Write("in/m.onnx", FourBytesModel("link"));
  fs::create_symlink("../secret", dir / "in/link");
  EXPECT_THAT(ResolveFile(model), AllOf(HasSubstr("'link' leads to"), HasSubstr("outside")));
  fs::create_directory_symlink("../outside", dir / "in/folder");
  EXPECT_THAT(ResolveFile(dir.Write("in/n.onnx", FourBytesModel("folder/w"))),
              HasSubstr("outside"));
  dir.Write("inner/w", "abcd");
  dir.Write("in-side/w", "abcd");  // a folder whose name begins like the model's
  fs::create_symlink("../in-side/w", dir / "in/near");
  EXPECT_THAT(ResolveFile(dir.Write("in/o.onnx", FourBytesModel("near"))), HasSubstr("outside"));
}

TEST(ExternalData, LinksInsideTheFolderAndHardLinksLoad) {
  const test::TempDir dir;
  dir.Write("in/real/w", "abcd");
  fs::create_symlink("real/w", dir / "in/link");
  EXPECT_EQ(ResolveFile(dir.Write("in/m.onnx", FourBytesModel("link"))), "abcd");
  dir.Write("elsewhere", "efgh");
  fs::create_hard_link(dir / "elsewhere", dir / "in/hard");
  EXPECT_EQ(ResolveFile(dir.Write("in/n.onnx", FourBytesModel("hard"))), "efgh");
}

TEST(ExternalData, TheHuggingFaceCacheLoads) {
  const test::TempDir dir;
  dir.Write("blobs/a", FourBytesModel("model.onnx_data"));
  dir.Write("blobs/b", "abcd");
  dir.Write("other/c", "efgh");
  fs::create_directories(dir / "snap");
  fs::create_symlink("../blobs/a", dir / "snap/model.onnx");
  fs::create_symlink("../blobs/b", dir / "snap/model.onnx_data");
  EXPECT_EQ(ResolveFile(dir / "snap/model.onnx"), "abcd");
  // Only the folder of the model's own file is let in, and only for a model that is a link.
  fs::remove(dir / "snap/model.onnx_data");
  fs::create_symlink("../other/c", dir / "snap/model.onnx_data");
  EXPECT_THAT(ResolveFile(dir / "snap/model.onnx"), HasSubstr("outside"));
  fs::remove(dir / "snap/model.onnx_data");
  fs::create_symlink("../blobs/b", dir / "snap/model.onnx_data");
  fs::remove(dir / "snap/model.onnx");
  fs::copy_file(dir / "blobs/a", dir / "snap/model.onnx");
  EXPECT_THAT(ResolveFile(dir / "snap/model.onnx"), HasSubstr("outside"));
}

// What was allowed is a place; a folder that changes into a link after that leads nowhere.
TEST(ExternalData, FoldersThatBecomeLinksLaterAreNotFollowed) {
  const test::TempDir dir;
  dir.Write("secrets/w", "abcd");
  dir.Write("in/real/w", "efgh");
  const auto path = ResolveLocation(dir / "in", "", "real/w");
  ASSERT_TRUE(path.ok()) << path.status().ToString();
  ASSERT_TRUE(FileBytes::Open(*path, FileAccess::kMap, false).ok());
  fs::rename(dir / "in/real", dir / "in/moved");
  fs::create_directory_symlink("../secrets", dir / "in/real");
  EXPECT_FALSE(FileBytes::Open(*path, FileAccess::kMap, false).ok());
  fs::rename(dir / "in", dir / "away");
  fs::create_directories(dir / "other");
  fs::rename(dir / "secrets", dir / "other/real");
  fs::create_directory_symlink("other", dir / "in");
  EXPECT_FALSE(FileBytes::Open(*path, FileAccess::kMap, false).ok());
}

// A model's link that leads to another file than the one that was opened lets no folder in.
TEST(ExternalData, ALinkThatChangedLetsNoFolderIn) {
  const test::TempDir dir;
  dir.Write("blobs/a", FourBytesModel("w"));
  dir.Write("secrets/a", "not the model");
  dir.Write("secrets/w", "abcd");
  fs::create_directories(dir / "snap");
  fs::create_symlink("../blobs/a", dir / "snap/m.onnx");
  fs::create_symlink("../secrets/w", dir / "snap/w");
  const auto model = MustOpen(dir / "snap/m.onnx");
  EXPECT_EQ(LinkedFolder(*model), fs::canonical(dir / "blobs").string());
  fs::remove(dir / "snap/m.onnx");
  fs::create_symlink("../secrets/a", dir / "snap/m.onnx");
  EXPECT_EQ(LinkedFolder(*model), "");
  EXPECT_THAT(Resolve(*model), HasSubstr("outside"));
}

TEST(ExternalData, RangesAreCheckedAgainstTheFileAndTheTensor) {
  const test::TempDir dir;
  dir.Write("w.data", "0123456789");
  const auto refusal = [&](const std::string& bytes) {
    return ResolveFile(dir.Write("m.onnx", bytes));
  };
  EXPECT_THAT(refusal(FourBytesModel("w.data", 7)), HasSubstr("4 bytes at offset 7"));
  EXPECT_THAT(refusal(FourBytesModel("w.data", 11)), HasSubstr("which has 10"));
  EXPECT_THAT(refusal(FourBytesModel("w.data", INT64_MAX, 4)), HasSubstr("at offset"));
  EXPECT_THAT(refusal(FourBytesModel("w.data", 0, 5)), HasSubstr("has length 5"));
  const auto entry = [](std::string_view key, std::string_view value) {
    return ModelWith(TensorWriter("w", kUint8, {4}).External("w.data").ExternalEntry(key, value));
  };
  EXPECT_THAT(refusal(entry("offset", "-1")), HasSubstr("offset '-1' is no number"));
  EXPECT_THAT(refusal(entry("offset", "0x10")), HasSubstr("'0x10' is no number"));
  EXPECT_THAT(refusal(entry("length", "99999999999999999999")), HasSubstr("is no number"));
  EXPECT_THAT(refusal(entry("length", "")), HasSubstr("length '' is no number"));
  fs::create_directories(dir / "folder");
  EXPECT_THAT(refusal(FourBytesModel("folder")), HasSubstr("directory"));
  EXPECT_THAT(refusal(FourBytesModel("folder/..")), HasSubstr("outside"));
}

TEST(ExternalData, ModelsFromMemoryTakeBuffersOrAFolder) {
  const auto model = FromMemory(FourBytesModel("w.data", 2));
  EXPECT_THAT(Resolve(*model), AllOf(HasSubstr("'w.data'"), HasSubstr("from memory")));
  const std::string buffer = "0123456789";
  ExternalData::Options options;
  options.buffers["w.data"] = {std::as_bytes(std::span(buffer.data(), buffer.size())), nullptr};
  EXPECT_EQ(Resolve(*model, options), "2345");
  const test::TempDir dir;
  dir.Write("w.data", "abcdefgh");
  ExternalData::Options folder;
  folder.base_dir = dir.path().string();
  EXPECT_EQ(Resolve(*model, folder), "cdef");
  const auto escaping = FromMemory(FourBytesModel("../w.data"));
  EXPECT_THAT(Resolve(*escaping, folder), HasSubstr("'..'"));
}

TEST(ExternalData, FilesBeyondFourGibibytesWork) {
  const test::TempDir dir;
  const uint64_t size = (uint64_t{5} << 30) + 4;
  const std::string path = dir.Write("w.data", "");
  fs::resize_file(path, size - 4);
  {
    FILE* file = std::fopen(path.c_str(), "ab");
    ASSERT_NE(file, nullptr);
    std::fwrite("tail", 1, 4, file);
    std::fclose(file);
  }
  const std::string model =
      dir.Write("m.onnx", FourBytesModel("w.data", static_cast<int64_t>(size) - 4, 4));
  EXPECT_EQ(ResolveFile(model), "tail");
  const int64_t elems = (int64_t{1} << 32) + 8;
  const auto huge = MustOpen(dir.Write(
      "huge.onnx", ModelWith(TensorWriter("w", kUint8, {elems}).External("w.data", 4, elems))));
  ExternalData data(*huge, {});
  const auto bytes = data.Resolve(huge->view().graph.initializers.at(0));
  ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
  EXPECT_EQ(bytes->bytes.size(), static_cast<size_t>(elems));
}

}  // namespace
}  // namespace waybill::onnx
