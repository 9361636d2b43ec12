#include "base/file/file_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/temp_dir.h"

namespace waybill {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Text(const FileBytes& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(FileBytes, MapsAndReadsTheSameBytes) {
  const test::TempDir dir;
  const std::string path = dir.Write("a", "hello");
  for (const FileAccess access : {FileAccess::kMap, FileAccess::kRead}) {
    const Result<FileBytes> file = FileBytes::Open(path, access);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    EXPECT_EQ(Text(*file), "hello");
    EXPECT_EQ(file->identity().size_bytes, 5u);
    EXPECT_EQ(file->access(), access);
  }
}

TEST(FileBytes, AnEmptyFileIsEmptyBytes) {
  const test::TempDir dir;
  const std::string path = dir.Write("empty", "");
  for (const FileAccess access : {FileAccess::kMap, FileAccess::kRead}) {
    const Result<FileBytes> file = FileBytes::Open(path, access);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    EXPECT_TRUE(file->bytes().empty());
  }
}

TEST(FileBytes, ErrorsNameThePathAndTheReason) {
  const test::TempDir dir;
  const Status missing = FileBytes::Open(dir / "none").status();
  EXPECT_EQ(missing.code(), Code::kNoSuchFile);
  EXPECT_THAT(missing.message(), AllOf(HasSubstr("none"), HasSubstr("No such file")));
  EXPECT_THAT(FileBytes::Open(dir.path().string()).status().message(), HasSubstr("directory"));
  const std::string fifo = dir / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(FileBytes::Open(fifo).status().message(), HasSubstr("not a regular file"));
}

TEST(FileBytes, LinksAreFollowedOnlyWhenAsked) {
  const test::TempDir dir;
  dir.Write("a", "hello");
  std::filesystem::create_symlink("a", dir / "link");
  EXPECT_TRUE(FileBytes::Open(dir / "link").ok());
  EXPECT_FALSE(FileBytes::Open(dir / "link", FileAccess::kMap, false).ok());
}

TEST(FileBytes, NoComponentIsALinkWhenLinksAreNotFollowed) {
  const test::TempDir dir;
  const std::string root = std::filesystem::canonical(dir.path()).string();
  dir.Write("real/sub/a", "hello");
  std::filesystem::create_directory_symlink("real", dir / "link");
  const auto open = [&](const std::string& path) {
    return FileBytes::Open(path, FileAccess::kMap, false);
  };
  const Result<FileBytes> plain = open(root + "/real//sub/a");
  ASSERT_TRUE(plain.ok()) << plain.status().ToString();
  EXPECT_EQ(Text(*plain), "hello");
  EXPECT_FALSE(open(root + "/link/sub/a").ok());
  EXPECT_FALSE(open(root + "/real/none/a").ok());
  EXPECT_FALSE(open("/").ok());
  EXPECT_THAT(open(root + "/real/sub").status().message(), HasSubstr("directory"));
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  EXPECT_TRUE(open("real/sub/a").ok());
  EXPECT_FALSE(open("link/sub/a").ok());
  std::filesystem::current_path(before);
}

TEST(FileBytes, ReadsIntoBlocksOfTheCaller) {
  const test::TempDir dir;
  const std::string path = dir.Write("a", "hello");
  size_t taken = 0;
  const TakeBytes take = [&](size_t bytes) -> Result<std::shared_ptr<std::byte>> {
    taken += bytes;
    return TakeBlock({}, bytes);
  };
  const Result<FileBytes> file = FileBytes::Open(path, FileAccess::kRead, true, take);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(Text(*file), "hello");
  EXPECT_EQ(taken, 5u);
  const TakeBytes refuse = [](size_t) -> Result<std::shared_ptr<std::byte>> {
    return Error(Code::kOutOfMemory, "nothing left");
  };
  EXPECT_EQ(FileBytes::Open(path, FileAccess::kRead, true, refuse).status().code(),
            Code::kOutOfMemory);
}

TEST(FileBytes, ReplacingTheFileByRenameLeavesAMappingAsItWas) {
  const test::TempDir dir;
  const std::string path = dir.Write("a", "before");
  const Result<FileBytes> before = FileBytes::Open(path);
  ASSERT_TRUE(before.ok());
  std::filesystem::rename(dir.Write("b", "after!"), path);
  const Result<FileBytes> after = FileBytes::Open(path);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(Text(*before), "before");
  EXPECT_EQ(Text(*after), "after!");
  EXPECT_NE(before->identity(), after->identity());
}

TEST(FileBytes, CopiesKeepTheBytesAlive) {
  const test::TempDir dir;
  FileBytes copy;
  {
    Result<FileBytes> file = FileBytes::Open(dir.Write("a", "hello"));
    ASSERT_TRUE(file.ok());
    copy = *file;
  }
  std::filesystem::remove(dir / "a");
  EXPECT_EQ(Text(copy), "hello");
}

}  // namespace
}  // namespace waybill
