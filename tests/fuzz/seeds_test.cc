#include "tests/fuzz/seeds.h"

#include <gtest/gtest.h>

#include "kernel/reference/reference.h"
#include "memory/source/hub.h"
#include "onnx/model/model_view.h"
#include "onnx/model/value_view.h"
#include "session/session.h"
#include "tests/fuzz/limited_source.h"
#include "tests/fuzz/mutate.h"

namespace waybill::fuzz {
namespace {

TEST(Seeds, AllOfThemRead) {
  for (const auto& [name, contents] : SeedModels()) {
    const auto model = onnx::ReadModel(std::as_bytes(std::span(contents.data(), contents.size())));
    EXPECT_TRUE(model.ok()) << name << ": " << model.status().ToString();
  }
}

// A seed that does not load leads nowhere but to its own refusal.
TEST(Seeds, AllButOneLoad) {
  const auto env = session::Env::Create({});
  ASSERT_TRUE(env.ok());
  session::SessionOptions options;
  options.level = session::OptLevel::kNone;
  options.providers.push_back({"CPUExecutionProvider", kernel::reference::AllTables()});
  for (const auto& [name, contents] : SeedModels()) {
    const auto bytes = std::as_bytes(std::span(contents.data(), contents.size()));
    const auto loaded = session::Session::LoadBytes(*env, bytes, true, options);
    EXPECT_EQ(loaded.ok(), name != "external.onnx") << name << ": " << loaded.status().ToString();
  }
}

TEST(LimitDeathTest, CoversTensorMemory) {
  const auto env = session::Env::Create({.wrap_source = LimitedSource::Wrap});
  ASSERT_TRUE(env.ok());
  SetAllocationLimit(1 << 20);
  MemorySource &heap = *(*env)->cpu_source(), &slabs = *(*env)->hub().slabs;
  EXPECT_DEATH((void)heap.Take(2 << 20, 64, MemoryTag::kUser), "over the limit");
  EXPECT_DEATH((void)slabs.Take(2 << 20, 64, MemoryTag::kSlab), "over the limit");
  const auto allowed = heap.Take(1 << 20, 64, MemoryTag::kUser);
  ASSERT_TRUE(allowed.ok());
  heap.Give(*allowed, MemoryTag::kUser);
}

TEST(Seeds, ValuesRead) {
  const auto values = SeedValues();
  const std::string& sequence = values.at(0).second;
  const auto read =
      onnx::ReadSequenceProto(std::as_bytes(std::span(sequence.data(), sequence.size())));
  EXPECT_TRUE(read.ok()) << read.status().ToString();
}

TEST(Mutate, IsDecidedByItsArguments) {
  const std::vector<std::string> files = {std::string(100, 'a'), "other"};
  EXPECT_EQ(Mutate(files, 0, 7), Mutate(files, 0, 7));
  EXPECT_NE(Mutate(files, 0, 7), Mutate(files, 0, 8));
}

}  // namespace
}  // namespace waybill::fuzz
