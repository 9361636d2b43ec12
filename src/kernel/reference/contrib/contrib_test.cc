#include <cmath>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

constexpr const char* kMicrosoft = "com.microsoft";

TEST(FusedMatMulTest, TransposesMatricesAndBatches) {
  OpCase("FusedMatMul", 1, kMicrosoft)
      .In<float>({1, 2}, {1, 2})
      .In<float>({2, 2}, {1, 2, 3, 4})
      .Attr("transB", 1)
      .Attr("alpha", 0.5f)
      .Expect<float>({1, 2}, {2.5, 5.5})
      .Run();
  // [rows, batch, columns]: the batch stands in the middle.
  OpCase("FusedMatMul", 1, kMicrosoft)
      .In<float>({1, 2, 1}, {3, 5})
      .In<float>({2, 1, 1}, {10, 100})
      .Attr("transBatchA", 1)
      .Expect<float>({2, 1, 1}, {30, 500})
      .Run();
}

TEST(SkipNormTest, AddsThenNormalizes) {
  OpCase("SkipSimplifiedLayerNormalization", 1, kMicrosoft)
      .In<float>({1, 2}, {1, 2})
      .In<float>({1, 2}, {2, 2})
      .In<float>({2}, {1, 1})
      .Attr("epsilon", 0.0f)
      .Expect<float>({1, 2}, {3 / std::sqrt(12.5f), 4 / std::sqrt(12.5f)})
      .NoOut()
      .NoOut()
      .Expect<float>({1, 2}, {3, 4})
      .Run();
  OpCase("SkipLayerNormalization", 1, kMicrosoft)
      .In<float>({2, 1, 2}, {1, 3, 2, 4})
      .In<float>({1, 2}, {0, 0})
      .In<float>({2}, {1, 1})
      .In<float>({2}, {0, 5})
      .Attr("epsilon", 0.0f)
      .Expect<float>({2, 1, 2}, {-1, 6, -1, 6})
      .Run();
}

TEST(MultiHeadAttentionTest, PastBiasAndPadding) {
  // Equal scores: the mean of the allowed values.
  OpCase("MultiHeadAttention", 1, kMicrosoft)
      .In<float>({1, 1, 1}, {0})
      .In<float>({1, 1, 1}, {1})
      .In<float>({1, 1, 1}, {4})
      .In<float>({3}, {0, 0, 2})
      .Omit()
      .Omit()
      .In<float>({1, 1, 1, 1}, {1})
      .In<float>({1, 1, 1, 1}, {2})
      .Attr("num_heads", 1)
      .Expect<float>({1, 1, 1}, {4})
      .Expect<float>({1, 1, 2, 1}, {1, 1})
      .Expect<float>({1, 1, 2, 1}, {2, 6})
      .Run();
  OpCase("MultiHeadAttention", 1, kMicrosoft)
      .In<float>({1, 1, 1}, {0})
      .In<float>({1, 2, 1}, {1, 1})
      .In<float>({1, 2, 1}, {4, 8})
      .Omit()
      .In<int32_t>({1, 2}, {0, 1})
      .Attr("num_heads", 1)
      .Expect<float>({1, 1, 1}, {8})
      .Run();
}

TEST(MultiHeadAttentionTest, RefusesByName) {
  OpCase("MultiHeadAttention", 1, kMicrosoft)
      .In<float>({1, 1, 1}, {0})
      .In<float>({1, 1, 1}, {1})
      .In<float>({1, 1, 1}, {4})
      .Omit()
      .Omit()
      .Omit()
      .Omit()
      .Omit()
      .In<int32_t>({1}, {0})
      .Attr("num_heads", 1)
      .Out(DType::kF32)
      .Fails(Code::kNotImplemented, "past_sequence_length");
}

TEST(MsRotaryEmbeddingTest, TakesPositionsSecond) {
  OpCase("RotaryEmbedding", 1, kMicrosoft)
      .In<Half>({1, 2, 2}, {1, 2, 3, 4})
      .In<int64_t>({1, 2}, {0, 1})
      .In<Half>({2, 1}, {1, 0})
      .In<Half>({2, 1}, {0, 1})
      .Expect<Half>({1, 2, 2}, {1, 2, -4, 3})
      .Run();
}

TEST(GeluTest, VariantsAndBias) {
  OpCase("BiasGelu", 1, kMicrosoft)
      .In<float>({1, 2}, {0, 1})
      .In<float>({2}, {1, -1})
      .Expect<float>({1, 2}, {0.8413447, 0})
      .Run();
  OpCase("FastGelu", 1, kMicrosoft).In<float>({1}, {1}).Expect<float>({1}, {0.841192}).Run();
  OpCase("QuickGelu", 1, kMicrosoft)
      .In<float>({1}, {1})
      .Attr("alpha", 1.0f)
      .Expect<float>({1}, {0.7310586})
      .Run();
}

TEST(FusedConvTest, AddsThenActivates) {
  OpCase("FusedConv", 1, kMicrosoft)
      .In<float>({1, 1, 2}, {1, -3})
      .In<float>({1, 1, 1}, {1})
      .Omit()
      .In<float>({1, 1, 2}, {1, 1})
      .Attr("activation", "Relu")
      .Expect<float>({1, 1, 2}, {2, 0})
      .Run();
}

TEST(IntegerMatMulTest, ScalesAndZeroPoints) {
  OpCase("MatMulIntegerToFloat", 1, kMicrosoft)
      .In<uint8_t>({1, 2}, {130, 126})
      .In<int8_t>({2, 1}, {3, 1})
      .In<float>({}, {0.5})
      .In<float>({1}, {2})
      .In<uint8_t>({}, {128})
      .Expect<float>({1, 1}, {4})
      .Run();
  OpCase("DynamicQuantizeMatMul", 1, kMicrosoft)
      .In<float>({1, 2}, {0, 255})
      .In<int8_t>({2, 1}, {3, 2})
      .In<float>({1}, {1})
      .Expect<float>({1, 1}, {510})
      .Run();
}

}  // namespace
}  // namespace waybill::kernel
