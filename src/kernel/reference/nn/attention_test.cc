#include <cmath>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

// Weight of the second of two keys whose scores differ by `d`.
float Second(float d) { return 1 / (1 + std::exp(-d)); }

TEST(AttentionTest, WeighsValuesBySoftmaxOfScores) {
  const float w = Second(1);
  OpCase("Attention", 23)
      .In<float>({1, 1, 1, 1}, {1})
      .In<float>({1, 1, 2, 1}, {1, 2})
      .In<float>({1, 1, 2, 1}, {10, 20})
      .Expect<float>({1, 1, 1, 1}, {10 * (1 - w) + 20 * w})
      .Run();
}

TEST(AttentionTest, PastComesFirstAndIsPassedOn) {
  OpCase("Attention", 23)
      .In<float>({1, 1, 1}, {0})
      .In<float>({1, 1, 1}, {5})
      .In<float>({1, 1, 1}, {6})
      .Omit()
      .In<float>({1, 1, 1, 1}, {3})
      .In<float>({1, 1, 1, 1}, {4})
      .Attr("q_num_heads", 1)
      .Attr("kv_num_heads", 1)
      .Attr("is_causal", 1)
      .Expect<float>({1, 1, 1}, {5})
      .Expect<float>({1, 1, 2, 1}, {3, 5})
      .Expect<float>({1, 1, 2, 1}, {4, 6})
      .Run();
}

TEST(AttentionTest, CausalityAndMasksHideKeys) {
  OpCase("Attention", 23)
      .In<float>({1, 1, 2, 1}, {0, 0})
      .In<float>({1, 1, 2, 1}, {1, 1})
      .In<float>({1, 1, 2, 1}, {2, 4})
      .Attr("is_causal", 1)
      .Expect<float>({1, 1, 2, 1}, {2, 3})
      .Run();
  OpCase("Attention", 23)
      .In<float>({1, 1, 2, 1}, {0, 0})
      .In<float>({1, 1, 2, 1}, {1, 1})
      .In<float>({1, 1, 2, 1}, {2, 4})
      .In<bool>({2, 2}, {false, true, false, false})
      .Expect<float>({1, 1, 2, 1}, {4, 0})
      .Run();
}

TEST(AttentionTest, QueryHeadsShareKeyHeads) {
  OpCase("Attention", 24)
      .In<float>({1, 2, 1, 1}, {0, 0})
      .In<float>({1, 1, 1, 1}, {1})
      .In<float>({1, 1, 1, 1}, {7})
      .Expect<float>({1, 2, 1, 1}, {7, 7})
      .Run();
  OpCase("Attention", 24)
      .In<float>({1, 3, 1, 1}, {0, 0, 0})
      .In<float>({1, 2, 1, 1}, {1, 1})
      .In<float>({1, 2, 1, 1}, {7, 7})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "do not fit");
}

TEST(RotaryEmbeddingTest, RotatesHalvesOrPairs) {
  OpCase("RotaryEmbedding", 23)
      .In<float>({1, 1, 1, 4}, {1, 2, 3, 4})
      .In<float>({2, 2}, {1, 1, 0, 0})
      .In<float>({2, 2}, {0, 0, 1, 1})
      .In<int64_t>({1, 1}, {1})
      .Expect<float>({1, 1, 1, 4}, {-3, -4, 1, 2})
      .Run();
  OpCase("RotaryEmbedding", 23)
      .In<float>({1, 1, 1, 4}, {1, 2, 3, 4})
      .In<float>({2, 1}, {1, 0})
      .In<float>({2, 1}, {0, 1})
      .In<int64_t>({1, 1}, {1})
      .Attr("interleaved", 1)
      .Attr("rotary_embedding_dim", 2)
      .Expect<float>({1, 1, 1, 4}, {-2, 1, 3, 4})
      .Run();
  OpCase("RotaryEmbedding", 23)
      .In<float>({1, 1, 1, 2}, {1, 2})
      .In<float>({2, 1}, {1, 0})
      .In<float>({2, 1}, {0, 1})
      .In<int64_t>({1, 1}, {2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "outside the caches");
}

}  // namespace
}  // namespace waybill::kernel
