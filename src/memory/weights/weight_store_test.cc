#include "memory/weights/weight_store.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
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

Result<SharedView> FilledView(std::byte with, size_t bytes = 64) {
  WB_ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(std::make_shared<SystemSource>(), bytes,
                                                      kBlockAlign, MemoryTag::kPackedWeights));
  std::memset(buffer.view().data, std::to_integer<int>(with), bytes);
  return Buffer::Share(std::move(buffer));
}

Result<WeightStore::Made> Filled(std::byte with) {
  WB_ASSIGN_OR_RETURN(SharedView view, FilledView(with));
  return WeightStore::Made{std::move(view)};
}

WeightRecipe Recipe(const char* maker, uint64_t content) {
  WeightRecipe recipe;
  recipe.maker = maker;
  recipe.sources.push_back({{}, 0, 8, {{content, 0}}});
  return recipe;
}

std::span<const std::byte> Bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(WeightStore, EqualRecipesGiveOneBlockThatGoesWithItsLastOwner) {
  WeightStore store;
  int makes = 0;
  const auto make = [&] {
    ++makes;
    return Filled(std::byte{1});
  };
  {
    const auto a = store.FindOrMake(Recipe("pack/1", 7), make);
    const auto b = store.FindOrMake(Recipe("pack/1", 7), make);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_TRUE(a->made);
    EXPECT_FALSE(b->made);
    EXPECT_EQ(a->bytes.data(), b->bytes.data());
    const SharedView copy = a->bytes;  // of what one owner has: saves nothing
    const WeightStoreStats stats = store.Stats();
    EXPECT_EQ(stats.entries, 1u);
    EXPECT_EQ(stats.bytes, 64u);
    EXPECT_EQ(stats.saved_bytes, 64u);
    EXPECT_EQ(stats.made, 1u);
    EXPECT_EQ(stats.shared, 1u);
  }
  EXPECT_EQ(store.Stats().entries, 0u);
  EXPECT_EQ(store.Stats().bytes, 0u);
  EXPECT_TRUE(store.FindOrMake(Recipe("pack/1", 7), make)->made);
  EXPECT_EQ(makes, 2);
}

TEST(WeightStore, WhateverDiffersParts) {
  WeightStore store;
  WeightRecipe base = Recipe("pack/1", 7);
  const auto held = store.FindOrMake(base, [] { return Filled(std::byte{1}); });
  WeightRecipe changes[] = {base, base, base, base, base};
  changes[0].maker = "pack/2";
  changes[1].sources[0].content.words[1] = 1;
  changes[2].sources[0].bytes = 9;
  changes[3].sources[0].file = FileIdentity{1, 2, 3, 4};
  changes[4].sources.push_back(changes[4].sources[0]);
  for (const WeightRecipe& recipe : changes) {
    EXPECT_TRUE(store.FindOrMake(recipe, [] { return Filled(std::byte{2}); })->made);
  }
}

TEST(WeightStore, SixteenThreadsMakeEachBlockOnce) {
  WeightStore store;
  std::atomic<int> makes{0};
  std::vector<std::vector<SharedView>> held(16);
  std::vector<std::thread> threads;
  for (auto& mine : held) {
    threads.emplace_back([&] {
      for (uint64_t i = 0; i < 50; ++i) {
        const auto make = [&] {
          ++makes;
          return Filled(static_cast<std::byte>(i));
        };
        mine.push_back(store.FindOrMake(Recipe("pack/1", i), make)->bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(makes, 50);
  for (size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(held[0][i].data()[63], static_cast<std::byte>(i));
    for (const auto& mine : held) EXPECT_EQ(mine[i].data(), held[0][i].data());
  }
}

TEST(WeightStore, WhatItGaveOutlivesIt) {
  SharedView view;
  {
    WeightStore store;
    view = store.FindOrMake(Recipe("pack/1", 1), [] { return Filled(std::byte{3}); })->bytes;
  }
  EXPECT_EQ(view.data()[5], std::byte{3});
}

TEST(WeightLoad, BytesOfAFileAreToldByTheirPlaceOthersByTheirContents) {
  WeightStore store;
  WeightLoad load(store);
  const std::string file = "0123456789", other = "0123456789", mine = "abcdef";
  const FileIdentity identity{1, 2, 3, 10};
  load.AddFile(Bytes(file), FileAccess::kRead, identity);
  load.AddRange(Bytes(mine), WeightOrigin::kCaller);
  const SourceId in_file = load.IdOf(Bytes(file).subspan(2, 4));
  EXPECT_EQ(in_file.file, identity);
  EXPECT_EQ(in_file.offset, 2u);
  EXPECT_EQ(in_file.bytes, 4u);
  EXPECT_EQ(load.IdOf(Bytes(other).subspan(2, 4)).content, HashContent(Bytes(file).subspan(2, 4)));
  EXPECT_EQ(load.OriginOf(Bytes(file)), WeightOrigin::kRead);
  EXPECT_EQ(load.OriginOf(Bytes(mine).subspan(1)), WeightOrigin::kCaller);
  EXPECT_EQ(load.OriginOf(Bytes(other)), WeightOrigin::kOwn);
}

TEST(WeightLoad, RangesMayOverlap) {
  WeightStore store;
  WeightLoad load(store);
  const std::string bytes(100, 'x');
  load.AddRange(Bytes(bytes), WeightOrigin::kCaller);
  load.AddRange(Bytes(bytes).subspan(0, 5), WeightOrigin::kCaller);
  load.AddRange(Bytes(bytes).subspan(10, 10), WeightOrigin::kCaller);
  EXPECT_EQ(load.OriginOf(Bytes(bytes).subspan(0, 50)), WeightOrigin::kCaller);
  EXPECT_EQ(load.OriginOf(Bytes(bytes).subspan(10, 90)), WeightOrigin::kCaller);
}

TEST(WeightLoad, CountsWhatItMadeAndWhatWasThere) {
  WeightStore store;
  WeightLoad first(store), second(store);
  const auto make = [] { return FilledView(std::byte{1}); };
  const std::string source = "source";
  const WeightRequest request{"pack/1", {Bytes(source)}, 64, WeightForm::kPacked};
  const auto a = first.FindOrMake(request, make);
  const auto b = second.FindOrMake(request, make);
  EXPECT_EQ(first.Counts().packed_made_bytes, 64u);
  EXPECT_EQ(first.Counts().packed_shared_bytes, 0u);
  EXPECT_EQ(second.Counts().packed_made_bytes, 0u);
  EXPECT_EQ(second.Counts().packed_shared_bytes, 64u);
}

TEST(WeightLoad, CountsOnceWhatSeveralNodesRead) {
  WeightStore store;
  WeightLoad first(store), second(store);
  const auto make = [] { return FilledView(std::byte{1}); };
  const std::string source = "source";
  const WeightRequest request{"pack/1", {Bytes(source)}, 64, WeightForm::kPacked};
  std::vector<Result<SharedView>> kept;
  for (int node = 0; node < 2; ++node) kept.push_back(first.FindOrMake(request, make));
  for (int node = 0; node < 2; ++node) kept.push_back(second.FindOrMake(request, make));
  EXPECT_EQ(first.Counts().packed_made_bytes, 64u);
  EXPECT_EQ(first.Counts().packed_shared_bytes, 0u);
  EXPECT_EQ(second.Counts().packed_made_bytes, 0u);
  EXPECT_EQ(second.Counts().packed_shared_bytes, 64u);
}

size_t ResidentPages(std::span<const std::byte> bytes) {
  std::vector<unsigned char> pages(bytes.size() / PageBytes());
  // mincore tells what the page cache has; what this process has mapped is in its page tables only.
  size_t resident = 0;
  FILE* map = std::fopen("/proc/self/pagemap", "rb");
  for (size_t i = 0; map != nullptr && i < pages.size(); ++i) {
    uint64_t entry = 0;
    const auto address = reinterpret_cast<uintptr_t>(bytes.data()) + i * PageBytes();
    if (std::fseek(map, static_cast<long>(address / PageBytes() * 8), SEEK_SET) != 0) break;
    if (std::fread(&entry, sizeof entry, 1, map) != 1) break;
    resident += entry >> 63;
  }
  if (map != nullptr) std::fclose(map);
  return resident;
}

TEST(WeightLoad, ForgottenBytesOfAMappedFileLeaveMemoryAndComeBack) {
  const test::TempDir dir;
  std::string text(64 * PageBytes(), 'x');
  const std::string path = dir.Write("w", text);
  WeightStore store;
  WeightLoad load(store);
  const FileBytes file = *FileBytes::Open(path);
  load.AddFile(file.bytes(), FileAccess::kMap, file.identity());
  const auto sum = [&] {
    return std::accumulate(
        file.bytes().begin(), file.bytes().end(), size_t{0},
        [](size_t part, std::byte b) { return part + std::to_integer<size_t>(b); });
  };
  const size_t before = sum();
  ASSERT_EQ(ResidentPages(file.bytes()), 64u);
  load.Forget(file.bytes().subspan(100, 32 * PageBytes()));  // 31 whole pages
  EXPECT_EQ(ResidentPages(file.bytes()), 33u);
  EXPECT_EQ(sum(), before);
}

TEST(WeightLoad, OtherBytesAreNotForgotten) {
  WeightStore store;
  WeightLoad load(store);
  std::vector<std::byte> mine(16 * PageBytes(), std::byte{7});
  load.AddRange(mine, WeightOrigin::kCaller);
  load.Forget(mine);
  std::vector<std::byte> unknown(16 * PageBytes(), std::byte{7});
  load.Forget(unknown);
  EXPECT_EQ(mine[5000], std::byte{7});
  EXPECT_EQ(unknown[5000], std::byte{7});
}

}  // namespace
}  // namespace waybill
