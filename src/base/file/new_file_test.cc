#include "base/file/new_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/temp_dir.h"

namespace waybill {
namespace {

using ::testing::HasSubstr;

std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

size_t FilesIn(const test::TempDir& dir) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    ++count;
  }
  return count;
}

TEST(NewFile, AppearsAsAWhole) {
  const test::TempDir dir;
  const std::string path = dir.Write("m", "old"), large(size_t{200} << 10, 'x');
  auto file = NewFile::Create(path);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  for (const std::string& part : {std::string("a"), large, std::string("b"), std::string()}) {
    ASSERT_TRUE(file->Write(Bytes(part)).ok());
  }
  EXPECT_EQ(test::ReadWholeFile(path), "old") << "until the end";
  EXPECT_EQ(file->size(), large.size() + 2);
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_EQ(test::ReadWholeFile(path), "a" + large + "b");
  EXPECT_EQ(FilesIn(dir), 1u);
  const mode_t mask = umask(0);
  umask(mask);
  struct stat info {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0666 & ~mask) << "as other programs make files";
}

TEST(NewFile, WhatWasWrittenIsMappedAndWrittenOver) {
  const test::TempDir dir;
  const size_t page = 4096;
  std::shared_ptr<const std::byte> mapped;
  {
    auto file = NewFile::Create(dir / "m");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Write(Bytes(std::string(16 * page, 'a') + "tail")).ok());
    const auto map = file->Map(16 * page, 4);
    ASSERT_TRUE(map.ok()) << map.status().ToString();
    mapped = *map;
    EXPECT_TRUE(file->WriteAt(16 * page + 1, Bytes("ou")).ok());
    EXPECT_EQ(file->WriteAt(16 * page + 1, Bytes("long")).code(), Code::kInvalidArgument);
    EXPECT_EQ(file->Map(0, 17 * page).status().code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(FilesIn(dir), 0u);
  EXPECT_EQ(std::memcmp(mapped.get(), "toul", 4), 0) << "the mapping outlives the file";
}

TEST(NewFile, LeavesNothingBehind) {
  const test::TempDir dir;
  {
    auto file = NewFile::Create(dir / "m");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Write(Bytes("text")).ok());
  }
  EXPECT_EQ(FilesIn(dir), 0u);
}

TEST(NewFile, TwoAtATime) {
  const test::TempDir dir;
  auto one = NewFile::Create(dir / "m"), two = NewFile::Create(dir / "m");
  ASSERT_TRUE(one.ok() && two.ok());
  ASSERT_TRUE(one->Write(Bytes("one")).ok());
  ASSERT_TRUE(two->Write(Bytes("two")).ok());
  ASSERT_TRUE(two->Commit().ok());
  ASSERT_TRUE(one->Commit().ok());
  EXPECT_EQ(test::ReadWholeFile(dir / "m"), "one");
}

TEST(NewFile, SaysWhatCanNotBeWritten) {
  const test::TempDir dir;
  const std::string missing = dir / "no/such/folder";
  EXPECT_EQ(NewFile::Create(missing).status().code(), Code::kFail);
  EXPECT_THAT(NewFile::Create(missing).status().message(), HasSubstr(missing));
  EXPECT_EQ(NewFile::Create(dir.path().string()).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(NewFile::Create("/dev/null").status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace waybill
