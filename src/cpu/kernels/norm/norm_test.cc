#include <gtest/gtest.h>

#include "cpu/kernels/testing/against_reference.h"

namespace waybill::cpu {
namespace {

TEST(CpuSoftmax, EveryAxisAndVersion) {
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    const std::string impl = std::string(op) == "Softmax" ? "softmax.simd" : "log_softmax.simd";
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 3, 4}, Shape{3, 17, 130}, Shape{0, 3},
                               Shape{3, 0}, Shape{2, 16, 3, 500}}) {
      const auto rank = static_cast<int64_t>(shape.rank());
      for (int64_t axis = -rank; axis < std::max<int64_t>(rank, 1); ++axis) {
        const Tensor x = Random(shape, 1);
        NodeCase(op, 13).In(x).Attr("axis", axis).Agrees(impl);
        NodeCase(op, 11).In(x).Attr("axis", axis).Agrees(impl);
        if (HasFailure()) return;
      }
    }
    NodeCase(op, 13).In(RandomWithSpecials({40, 30}, 2)).Attr("axis", int64_t{-1}).Agrees(impl);
    NodeCase(op, 13).In(RandomWithSpecials({40, 30}, 2)).Attr("axis", int64_t{0}).Agrees(impl);
    NodeCase(op, 13).In(Random({3}, 1)).Attr("axis", int64_t{1}).Fails("axis 1");
    NodeCase(op, 13)
        .In(RandomOf(DType::kF64, {3}, 1))
        .Outputs({DType::kF64})
        .Refused("double is not float");
  }
}

TEST(CpuLayerNorm, RowsStatisticsAndBroadcasts) {
  for (const Shape& shape :
       {Shape{4}, Shape{3, 7}, Shape{2, 5, 768}, Shape{300, 257}, Shape{0, 4}}) {
    const int64_t size = shape[shape.rank() - 1];
    const Tensor x = Random(shape, 1), scale = Random({size}, 2), bias = Random({size}, 3);
    NodeCase("LayerNormalization", 17)
        .In(x)
        .In(scale)
        .In(bias)
        .Near(1e-5, 1e-5)
        .Agrees("layer_norm.simd");
    NodeCase("LayerNormalization", 17).In(x).In(scale).Near(1e-5, 1e-5).Agrees("layer_norm.simd");
    NodeCase("RMSNormalization", 23).In(x).In(scale).Near(1e-5, 1e-5).Agrees("rms_norm.simd");
  }
  NodeCase("LayerNormalization", 17)
      .In(Random({2, 3, 5}, 1))
      .In(Random({3, 5}, 2))
      .In(Random({3, 5}, 3))
      .Attr("axis", int64_t{1})
      .Attr("epsilon", 0.1f)
      .Outputs({DType::kF32, DType::kF32, DType::kF32})
      .Near(1e-5, 1e-5)
      .Agrees("layer_norm.simd");
  NodeCase("LayerNormalization", 17)
      .In(Random({2, 3, 5}, 1))
      .In(Random({1, 3, 1}, 2))
      .In(Random({5}, 3))
      .Attr("axis", int64_t{1})
      .Near(1e-5, 1e-5)
      .Agrees("layer_norm.simd");
  NodeCase("LayerNormalization", 17)
      .In(Random({2, 3}, 1))
      .In(Random({4}, 2))
      .Fails("not broadcast");
}

TEST(CpuAxisNorm, EveryAxis) {
  for (const Shape& shape : {Shape{5}, Shape{3, 7}, Shape{2, 96, 33}, Shape{2, 3, 5, 40},
                             Shape{1, 300, 257}, Shape{2, 0, 3}, Shape{2, 3, 0}, Shape{4, 1, 6}}) {
    for (int64_t axis = 0; axis < static_cast<int64_t>(shape.rank()); ++axis) {
      const int64_t size = shape[static_cast<size_t>(axis)];
      const Tensor x = Random(shape, 1), scale = Random({1, size, 1}, 2), bias = Random({size}, 3);
      for (const bool with_bias : {false, true}) {
        NodeCase c("LayerNormalization", 1, "waybill");
        c.In(x).In(scale);
        if (with_bias) c.In(bias);
        c.Attr("axis", axis - static_cast<int64_t>(shape.rank())).Attr("epsilon", 1e-3f);
        c.Near(1e-5, 1e-5).Agrees("axis_norm.simd");
      }
    }
  }
  NodeCase("LayerNormalization", 1, "waybill")
      .In(Random({2, 3}, 1))
      .In(Random({3}, 2))
      .Attr("axis", int64_t{0})
      .Attr("epsilon", 0.0f)
      .Fails("one for each of 2 places");
}

TEST(CpuSkipNorm, WithAndWithoutBiasAndSum) {
  const std::string ms = "com.microsoft";
  const Tensor x = Random({2, 5, 70}, 1), gamma = Random({70}, 3), beta = Random({70}, 4);
  for (const Shape& skip : {Shape{2, 5, 70}, Shape{1, 5, 70}, Shape{5, 70}}) {
    NodeCase("SkipLayerNormalization", 1, ms)
        .In(x)
        .In(Random(skip, 2))
        .In(gamma)
        .In(beta)
        .In(Random({70}, 5))
        .Outputs({DType::kF32, DType::kF32, DType::kF32, DType::kF32})
        .Near(1e-5, 1e-5)
        .Agrees("skip_layer_norm.simd");
    NodeCase("SkipLayerNormalization", 1, ms)
        .In(x)
        .In(Random(skip, 2))
        .In(gamma)
        .Near(1e-5, 1e-5)
        .Agrees("skip_layer_norm.simd");
    NodeCase("SkipSimplifiedLayerNormalization", 1, ms)
        .In(x)
        .In(Random(skip, 2))
        .In(gamma)
        .In(Random({70}, 5))
        .Outputs({DType::kF32, DType::kUndefined, DType::kUndefined, DType::kF32})
        .Near(1e-5, 1e-5)
        .Agrees("skip_rms_norm.simd");
  }
  NodeCase("SkipLayerNormalization", 1, ms)
      .In(x)
      .In(x)
      .In(Random({7}, 1))
      .Fails("rows have 70 elements");
}

TEST(CpuChannelNorm, InstanceGroupAndBatch) {
  for (const Shape& shape : {Shape{2, 4, 9}, Shape{1, 8, 33, 20}, Shape{3, 4}, Shape{0, 4, 3}}) {
    const int64_t channels = shape[1];
    const Tensor x = Random(shape, 1), scale = Random({channels}, 2), bias = Random({channels}, 3);
    if (shape.rank() > 2) {
      NodeCase("InstanceNormalization", 6)
          .In(x)
          .In(scale)
          .In(bias)
          .Near(1e-5, 1e-5)
          .Agrees("instance_norm.simd");
      for (const int64_t groups : {1, 2, 4}) {
        NodeCase("GroupNormalization", 21)
            .In(x)
            .In(scale)
            .In(bias)
            .Attr("num_groups", groups)
            .Near(1e-5, 1e-5)
            .Agrees("group_norm.simd");
      }
    }
    Tensor variance = Random({channels}, 5);
    for (float& v : variance.span<float>()) v = v * v + 0.1f;
    for (const int version : {9, 15}) {
      NodeCase("BatchNormalization", version)
          .In(x)
          .In(scale)
          .In(bias)
          .In(Random({channels}, 4))
          .In(variance)
          .Near(1e-5, 1e-5)
          .Agrees("batch_norm.simd");
    }
  }
  NodeCase("BatchNormalization", 15)
      .In(Random({2, 3}, 1))
      .In(Random({3}, 1))
      .In(Random({3}, 1))
      .In(Random({3}, 1))
      .In(Random({3}, 1))
      .Attr("training_mode", int64_t{1})
      .Refused("training_mode");
  // Version 6 trains unless is_test is set.
  for (const int64_t is_test : {0, 1}) {
    const Tensor parameters = MakeFloats({3}, {0.5f, 1.0f, 2.0f});
    NodeCase c("BatchNormalization", 6);
    c.In(Random({2, 3}, 1)).In(parameters).In(parameters).In(parameters).In(parameters);
    c.Attr("is_test", is_test).Near(1e-5, 1e-5);
    if (is_test != 0) {
      c.Agrees("batch_norm.simd");
    } else {
      c.Refused("is_test is 0");
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
