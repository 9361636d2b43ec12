#include "tensor/tensor/tensor.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "memory/source/system_source.h"
#include "tensor/value/value.h"

namespace waybill {
namespace {

class TensorTest : public testing::Test {
 protected:
  std::shared_ptr<DeviceLedger> page_ = std::make_shared<DeviceLedger>(Device{});
  std::shared_ptr<MemorySource> source_ = std::make_shared<SystemSource>(page_);
  const std::string long_text_ = std::string(100, 'x');

  void TearDown() override {
    EXPECT_EQ(page_->Snapshot().total.bytes_in_use, 0u);
    EXPECT_EQ(page_->Snapshot().total.takes, page_->Snapshot().total.gives);
  }
};

TEST_F(TensorTest, AllocatesAndShares) {
  Tensor kept;
  {
    auto made = Tensor::Allocate(DType::kF32, {2, 3}, source_, MemoryTag::kOutput);
    ASSERT_TRUE(made.ok());
    made->span<float>()[5] = 7;
    kept = *made;
  }
  EXPECT_EQ(kept.span<float>()[5], 7);
  EXPECT_EQ(kept.view().Describe(), "float [2, 3]");
  EXPECT_EQ(page_->Snapshot().by_tag[static_cast<size_t>(MemoryTag::kOutput)].bytes_in_use, 64u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(kept.view().data) % kBlockAlign, 0u);
}

TEST_F(TensorTest, StringsAreConstructedAndDestroyed) {
  auto made = Tensor::Allocate(DType::kString, {3}, source_, MemoryTag::kOutput);
  ASSERT_TRUE(made.ok());
  for (std::string& text : made->span<std::string>()) {
    EXPECT_TRUE(text.empty());
    text = long_text_;
  }
  auto copy = CopyTensor(made->view(), source_, MemoryTag::kUser);
  ASSERT_TRUE(copy.ok());
  made->span<std::string>()[1] = "changed";
  EXPECT_EQ(copy->span<std::string>()[1], long_text_);
}

TEST_F(TensorTest, EmptyAndScalarTensors) {
  for (const DType dtype : {DType::kF32, DType::kString, DType::kI4}) {
    auto empty = Tensor::Allocate(dtype, {0, 5}, source_, MemoryTag::kUser);
    ASSERT_TRUE(empty.ok());
    EXPECT_EQ(empty->view().elems(), 0);
    EXPECT_NE(empty->view().data, nullptr);
    EXPECT_TRUE(CopyTensor(empty->view(), source_, MemoryTag::kUser).ok());
    auto scalar = Tensor::Allocate(dtype, {}, source_, MemoryTag::kUser);
    ASSERT_TRUE(scalar.ok());
    EXPECT_EQ(scalar->view().elems(), 1);
  }
}

TEST_F(TensorTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(Tensor::BytesFor(DType::kUndefined, {1}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Tensor::BytesFor(static_cast<DType>(99), {1}).status().code(), Code::kInvalidArgument);
  EXPECT_FALSE(Tensor::BytesFor(DType::kF32, {-1}).ok());
  EXPECT_FALSE(Tensor::BytesFor(DType::kF32, {int64_t{1} << 40, int64_t{1} << 40}).ok());
  EXPECT_FALSE(Tensor::BytesFor(DType::kF64, {int64_t{1} << 61}).ok());
  std::byte data[8];
  const auto storage = SharedView::Unowned({data, sizeof(data), {}});
  EXPECT_TRUE(Tensor::Wrap(DType::kF32, {2}, storage).ok());
  const auto wrapped = Tensor::Wrap(DType::kF32, {3}, storage);
  ASSERT_FALSE(wrapped.ok());
  EXPECT_NE(wrapped.status().message().find("12 bytes"), std::string::npos);
  const auto huge = Tensor::Allocate(DType::kU8, {int64_t{1} << 62}, source_, MemoryTag::kUser);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.status().code(), Code::kOutOfMemory);
  EXPECT_NE(huge.status().message().find("uint8 [4611686018427387904]"), std::string::npos);
}

TEST_F(TensorTest, ReshapeSharesBytes) {
  auto made = Tensor::Allocate(DType::kI32, {2, 3}, source_, MemoryTag::kUser);
  ASSERT_TRUE(made.ok());
  auto flat = made->Reshaped({6});
  ASSERT_TRUE(flat.ok());
  EXPECT_EQ(flat->view().data, made->view().data);
  EXPECT_FALSE(made->Reshaped({7}).ok());
  EXPECT_FALSE(made->Reshaped({-6}).ok());
}

TEST_F(TensorTest, ValuesKnowTheirTypes) {
  auto made = Tensor::Allocate(DType::kF32, {2}, source_, MemoryTag::kUser);
  ASSERT_TRUE(made.ok());
  EXPECT_FALSE(Value().defined());
  EXPECT_FALSE(Value(Tensor()).defined());
  const Value tensor(*made);
  EXPECT_EQ(tensor.type().ToString(), "float [2]");
  const Value sequence(SequenceValue{ValueType::Tensor(DType::kF32), {tensor, tensor}});
  EXPECT_EQ(sequence.type().TypeString(), "seq(tensor(float))");
  EXPECT_EQ(sequence.sequence()->items.size(), 2u);
  EXPECT_EQ(sequence.tensor(), nullptr);
  const Value none(OptionalValue{sequence.type(), nullptr});
  EXPECT_EQ(none.type().TypeString(), "optional(seq(tensor(float)))");
  const Value map(MapValue{*made, std::make_shared<const Value>(tensor)});
  EXPECT_EQ(map.type().TypeString(), "map(float,tensor(float))");
  const Value sparse(SparseValue{Shape({4}), *made, *made});
  EXPECT_EQ(sparse.type().TypeString(), "sparse_tensor(float)");
  EXPECT_EQ(sparse.type().ToString(), "sparse float [4]");
}

TEST(ValueType, SameTypeGoesAllTheWayDown) {
  const auto seq = [](DType dtype, SymShape shape = {}) {
    return ValueType::Sequence(ValueType::Tensor(dtype, std::move(shape)));
  };
  EXPECT_TRUE(seq(DType::kF32).SameTypeAs(seq(DType::kF32, SymShape(Shape({1})))));
  EXPECT_FALSE(seq(DType::kF32).SameTypeAs(seq(DType::kF64)));
  EXPECT_FALSE(seq(DType::kF32).SameTypeAs(ValueType::Tensor(DType::kF32)));
  EXPECT_FALSE(ValueType().SameTypeAs(seq(DType::kF32)));
  EXPECT_TRUE(ValueType().SameTypeAs(ValueType()));
}

}  // namespace
}  // namespace waybill
