#include "tests/fuzz/seeds.h"

#include <gtest/gtest.h>

#include "onnx/model/model_view.h"
#include "onnx/model/value_view.h"
#include "tests/fuzz/mutate.h"

namespace waybill::fuzz {
namespace {

TEST(Seeds, AllOfThemRead) {
  for (const auto& [name, contents] : SeedModels()) {
    const auto model = onnx::ReadModel(std::as_bytes(std::span(contents.data(), contents.size())));
    EXPECT_TRUE(model.ok()) << name << ": " << model.status().ToString();
  }
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
