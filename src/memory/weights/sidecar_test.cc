#include "memory/weights/sidecar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>
#include <thread>

#include "base/file/page_bytes.h"
#include "memory/buffer/buffer.h"
#include "memory/source/system_source.h"
#include "memory/weights/weight_load.h"
#include "tests/support/temp_dir.h"

namespace waybill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const size_t kPage = PageBytes();
const size_t kBytes = 3 * kPage + 64;

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

// kBytes that depend on `seed`.
SharedView Packed(int seed) {
  Result<Buffer> buffer = Buffer::Allocate(std::make_shared<SystemSource>(), kBytes, kBlockAlign,
                                           MemoryTag::kPackedWeights);
  for (size_t i = 0; i < kBytes; ++i) {
    buffer->view().data[i] = static_cast<std::byte>(i * 7 + static_cast<size_t>(seed));
  }
  return Buffer::Share(std::move(buffer).value());
}

bool Same(const SharedView& a, const SharedView& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

// `source` is borrowed.
SidecarRequest Request(std::string_view maker, std::string_view source,
                       std::optional<FileIdentity> file = {}) {
  return {maker, {{file, 8, Bytes(source)}}, kBytes};
}

class SidecarTest : public ::testing::Test {
 protected:
  // A file with "pack/1" of source "one" and "pack/1" of "two", made of seeds 1 and 2.
  void WriteTwo(std::optional<FileIdentity> file = {}) {
    Sidecar sidecar(path_, "lib 1");
    EXPECT_TRUE(sidecar.Keep(Request("pack/1", "one", file), Packed(1)).in_file);
    EXPECT_TRUE(sidecar.Keep(Request("pack/1", "two", file), Packed(2)).in_file);
    EXPECT_FALSE(std::filesystem::exists(path_)) << "before it is whole";
    sidecar.Finish();
    EXPECT_THAT(sidecar.warnings(), IsEmpty());
  }
  size_t Files() const {
    const std::filesystem::directory_iterator first(dir_.path());
    return static_cast<size_t>(std::distance(begin(first), end(first)));
  }

  const test::TempDir dir_;
  const std::string path_ = dir_ / "m.packed";
};

TEST_F(SidecarTest, WhatWasKeptIsFoundAgain) {
  WriteTwo();
  const std::optional<FileIdentity> before = FileBytes::Open(path_)->identity();
  SharedView kept;
  {
    Sidecar sidecar(path_, "lib 1");
    const auto one = sidecar.Find(Request("pack/1", "one"));
    const auto two = sidecar.Find(Request("pack/1", "two"));
    ASSERT_TRUE(one && two);
    EXPECT_TRUE(Same(*one, Packed(1)));
    EXPECT_TRUE(Same(*two, Packed(2)));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(one->data()) % kPage, 0u);
    kept = *two;
    sidecar.Finish();
    EXPECT_THAT(sidecar.warnings(), IsEmpty());
  }
  EXPECT_EQ(FileBytes::Open(path_)->identity(), before) << "nothing was missing";
  EXPECT_EQ(Files(), 1u);
  std::filesystem::remove(path_);
  EXPECT_TRUE(Same(kept, Packed(2))) << "outlives the sidecar and the file's name";
}

TEST_F(SidecarTest, WhateverDiffersIsNotFound) {
  WriteTwo(FileIdentity{1, 2, 3, 4});
  Sidecar sidecar(path_, "lib 1");
  EXPECT_FALSE(sidecar.Find(Request("pack/2", "one")));
  EXPECT_FALSE(sidecar.Find(Request("pack/1", "six", FileIdentity{1, 2, 4, 4})));
  SidecarRequest changed = Request("pack/1", "one");
  ++changed.bytes;
  EXPECT_FALSE(sidecar.Find(changed));
  changed = Request("pack/1", "one");
  changed.sources.push_back(changed.sources[0]);
  EXPECT_FALSE(sidecar.Find(changed));
  EXPECT_FALSE(Sidecar(path_, "lib 2").Find(Request("pack/1", "one")));
  EXPECT_THAT(sidecar.warnings(), IsEmpty()) << "stale is not damaged";
}

TEST_F(SidecarTest, SourcesAreToldByTheirPlaceWithoutReadingThemElseByTheirContents) {
  WriteTwo(FileIdentity{1, 2, 3, 4});
  Sidecar sidecar(path_, "lib 1");
  // As long as "one": were it read, it would not fit.
  EXPECT_TRUE(sidecar.Find(Request("pack/1", "xxx", FileIdentity{1, 2, 3, 4})));
  // Copied elsewhere, or of unknown state.
  const auto moved = sidecar.Find(Request("pack/1", "two", FileIdentity{9, 9, 9, 4}));
  ASSERT_TRUE(moved);
  EXPECT_TRUE(Same(*moved, Packed(2)));
  EXPECT_TRUE(sidecar.Find(Request("pack/1", "two")));
}

TEST_F(SidecarTest, ANewFileHasWhatTheLoadUsedOfTheOldOne) {
  WriteTwo();
  {
    Sidecar sidecar(path_, "lib 1");
    EXPECT_TRUE(sidecar.Find(Request("pack/1", "two")));
    sidecar.Keep(Request("pack/1", "six"), Packed(6));
    // Made by a load without a file, and asked for twice.
    for (int i = 0; i < 2; ++i) sidecar.Include(Request("pack/2", "six"), Packed(7));
    sidecar.Finish();
  }
  Sidecar sidecar(path_, "lib 1");
  EXPECT_FALSE(sidecar.Find(Request("pack/1", "one")));
  for (const auto& [maker, source, seed] :
       {std::tuple("pack/1", "two", 2), {"pack/1", "six", 6}, {"pack/2", "six", 7}}) {
    const auto found = sidecar.Find(Request(maker, source));
    ASSERT_TRUE(found) << maker << source;
    EXPECT_TRUE(Same(*found, Packed(seed)));
  }
}

// Looks for both entries of `contents` and makes anew what is not there.
void ExpectUsedWithCare(const std::string& path, const std::string& contents,
                        const std::string& what, bool damaged_bytes_only) {
  test::WriteFile(path, contents);
  {
    Sidecar sidecar(path, "lib 1");
    size_t found = 0;
    for (const auto& [source, seed] : {std::pair("one", 1), {"two", 2}}) {
      const auto bytes = sidecar.Find(Request("pack/1", source));
      found += bytes.has_value();
      if (bytes) {
        EXPECT_TRUE(Same(*bytes, Packed(seed))) << what;
      } else {
        sidecar.Keep(Request("pack/1", source), Packed(seed));
      }
    }
    EXPECT_EQ(found, damaged_bytes_only ? 1u : 0u) << what;
    sidecar.Finish();
    ASSERT_EQ(sidecar.warnings().size(), 1u) << what;
    EXPECT_THAT(sidecar.warnings()[0], HasSubstr(path));
  }
  Sidecar again(path, "lib 1");
  EXPECT_TRUE(again.Find(Request("pack/1", "one")) && again.Find(Request("pack/1", "two"))) << what;
  EXPECT_THAT(again.warnings(), IsEmpty()) << what;
}

TEST_F(SidecarTest, DamageIsNamedOnceAndMadeGood) {
  WriteTwo();
  const std::string good = test::ReadWholeFile(path_);
  const auto flipped = [&](size_t at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    return bytes;
  };
  for (size_t at = 0; at < sizeof(SidecarHead); at += 3) {
    ExpectUsedWithCare(path_, flipped(at), "head " + std::to_string(at), false);
  }
  SidecarHead head;
  std::memcpy(&head, good.data(), sizeof(head));
  for (size_t at = head.index_offset; at < good.size(); at += 11) {
    ExpectUsedWithCare(path_, flipped(at), "index " + std::to_string(at), false);
  }
  for (const size_t at : {kPage, kPage + kBytes - 1, 5 * kPage, 5 * kPage + kBytes - 1}) {
    ExpectUsedWithCare(path_, flipped(at), "bytes " + std::to_string(at), true);
  }
}

TEST_F(SidecarTest, NothingBeyondTheFilesEndIsBelieved) {
  WriteTwo();
  const std::string good = test::ReadWholeFile(path_);
  for (const size_t bytes : {size_t{0}, size_t{1}, sizeof(SidecarHead) - 1, sizeof(SidecarHead),
                             size_t{4096}, good.size() / 2, good.size() - 1}) {
    ExpectUsedWithCare(path_, good.substr(0, bytes), "first " + std::to_string(bytes), false);
  }
  ExpectUsedWithCare(path_, good + "x", "one more", false);
  ExpectUsedWithCare(path_, std::string(good.size(), '\0'), "zeros", false);
  // Hashes that fit do not make places right.
  SidecarHead head;
  std::memcpy(&head, good.data(), sizeof(head));
  const auto entries = ReadSidecarIndex(Bytes(good), head);
  ASSERT_TRUE(entries.ok());
  const auto with = [&](uint64_t offset, uint64_t bytes) {
    std::vector<SidecarEntry> wrong = *entries;
    wrong[1].offset = offset;
    wrong[1].bytes = bytes;
    const std::string index = EncodeSidecarIndex(wrong);
    const SidecarHead sealed = SealSidecarHead(head, index);
    std::string file = good.substr(0, head.index_offset) + index;
    std::memcpy(file.data(), &sealed, sizeof(sealed));
    return file;
  };
  EXPECT_EQ(with((*entries)[1].offset, kBytes), good);
  for (const auto& [offset, bytes] : {std::pair<uint64_t, uint64_t>(0, kBytes),
                                      {4096 + 1, kBytes},
                                      {1 << 30, kBytes},
                                      {~uint64_t{4095}, kBytes},
                                      {4096, 1 << 30},
                                      {4096, ~uint64_t{0}}}) {
    ExpectUsedWithCare(path_, with(offset, bytes), Format("{} at {}", bytes, offset), false);
  }
}

TEST_F(SidecarTest, AFolderThatCanNotBeWrittenToIsAWarning) {
  const std::string file = dir_.Write("file", "text");
  for (const std::string& folder : {file, dir_ / "none", std::string("/proc")}) {
    Sidecar sidecar(folder + "/m.packed", "lib 1");
    for (int i = 0; i < 3; ++i) {
      const SharedView mine = Packed(i);
      const WeightStore::Made kept = sidecar.Keep(Request("pack/1", "one"), mine);
      EXPECT_EQ(kept.bytes.data(), mine.data());
      EXPECT_FALSE(kept.in_file);
    }
    sidecar.Finish();
    EXPECT_THAT(sidecar.warnings(), ElementsAre(HasSubstr("are not kept in " + folder)));
  }
  EXPECT_EQ(Files(), 1u);
}

TEST_F(SidecarTest, AFullDiskIsAWarningAndLeavesTheOldFile) {
  WriteTwo();
  const std::string before = test::ReadWholeFile(path_);
  rlimit old_limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  rlimit limit = old_limit;
  limit.rlim_cur = 6 * kPage;
  auto* old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  Sidecar sidecar(path_, "lib 1");
  const SharedView mine = Packed(5);
  const WeightStore::Made first = sidecar.Keep(Request("pack/1", "four"), Packed(4));
  const WeightStore::Made second = sidecar.Keep(Request("pack/1", "five"), mine);
  sidecar.Finish();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_TRUE(first.in_file);
  EXPECT_TRUE(Same(first.bytes, Packed(4))) << "pages of a file that came to nothing";
  EXPECT_EQ(second.bytes.data(), mine.data());
  EXPECT_EQ(sidecar.warnings().size(), 1u);
  EXPECT_EQ(test::ReadWholeFile(path_), before);
  EXPECT_EQ(Files(), 1u);
}

TEST_F(SidecarTest, ALoadThatFailsLeavesNothing) {
  { Sidecar(path_, "lib 1").Keep(Request("pack/1", "one"), Packed(1)); }
  EXPECT_EQ(Files(), 0u);
}

TEST_F(SidecarTest, LoadsReadItBeforeTheyMakeAnything) {
  const std::string source(64, 's');
  int makes = 0;
  const auto make = [&]() -> Result<SharedView> {
    ++makes;
    return Packed(3);
  };
  const WeightRequest request{"pack/1", {Bytes(source)}, kBytes, WeightForm::kPacked};
  const WeightRequest small{"pack/1", {Bytes(source)}, 64, WeightForm::kPacked};
  for (int process = 0; process < 2; ++process) {
    WeightStore store;
    Sidecar sidecar(path_, "lib 1");
    WeightLoad load(store, nullptr, &sidecar);
    std::vector<SharedView> held;
    for (int i = 0; i < 2; ++i) {
      const auto bytes = load.FindOrMake(request, make);
      ASSERT_TRUE(bytes.ok());
      held.push_back(*bytes);
      EXPECT_TRUE(Same(*bytes, Packed(3)));
      EXPECT_EQ(load.OriginOf({bytes->data(), kBytes}), WeightOrigin::kMapped);
    }
    EXPECT_EQ(load.Counts().packed_in_file_bytes, kBytes);
    EXPECT_EQ(load.Counts().packed_made_bytes + load.Counts().packed_shared_bytes, 0u);
    sidecar.Finish();
    EXPECT_EQ(makes, 1);
  }
  EXPECT_LT(std::filesystem::file_size(path_), 2 * kBytes) << "it is there once";
  // Small ones are not worth a page.
  WeightStore store;
  Sidecar sidecar(path_, "lib 1");
  WeightLoad load(store, nullptr, &sidecar);
  EXPECT_TRUE(load.FindOrMake(small, make).ok());
  EXPECT_EQ(makes, 2);
}

TEST_F(SidecarTest, AStoreThatHasTheBytesAlreadyStillFillsTheFile) {
  const std::string source(64, 's');
  const WeightRequest request{"pack/1", {Bytes(source)}, kBytes, WeightForm::kPacked};
  const auto make = []() -> Result<SharedView> { return Packed(3); };
  WeightStore store;
  WeightLoad plain(store);
  const auto held = plain.FindOrMake(request, make);
  Sidecar sidecar(path_, "lib 1");
  WeightLoad load(store, nullptr, &sidecar);
  EXPECT_EQ(load.FindOrMake(request, make)->data(), held->data());
  EXPECT_EQ(load.Counts().packed_shared_bytes, kBytes);
  sidecar.Finish();
  EXPECT_TRUE(Sidecar(path_, "lib 1").Find({"pack/1", {{{}, 0, Bytes(source)}}, kBytes}));
}

TEST_F(SidecarTest, ThreadsFindAndKeepAtOnce) {
  for (int round = 0; round < 2; ++round) {
    Sidecar sidecar(path_, "lib 1");
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        const std::string source = "source " + std::to_string(t / 2);
        const SidecarRequest request = Request("pack/1", source);
        const auto found = sidecar.Find(request);
        EXPECT_EQ(found.has_value(), round == 1);
        const SharedView bytes = found ? *found : sidecar.Keep(request, Packed(t / 2)).bytes;
        EXPECT_TRUE(Same(bytes, Packed(t / 2)));
      });
    }
    for (std::thread& thread : threads) thread.join();
    sidecar.Finish();
    EXPECT_THAT(sidecar.warnings(), IsEmpty());
  }
}

}  // namespace
}  // namespace waybill
