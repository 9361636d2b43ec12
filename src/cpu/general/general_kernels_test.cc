#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "cpu/simd/half.h"
#include "cpu/testing/twin_case.h"

namespace waybill::cpu {
namespace {

// Small numbers with extremes among them.
template <typename T>
Tensor Numbers(const Shape& shape, uint32_t seed, bool zeros = true) {
  Tensor tensor = TestTensor(kDTypeOf<T>, shape);
  std::mt19937 random(seed);
  for (T& v : tensor.span<T>()) {
    const uint32_t dice = random() % 16;
    v = static_cast<T>(random() % 7);
    if constexpr (!std::is_same_v<T, bool>) {
      if (dice == 0) v = std::numeric_limits<T>::max();
      if (dice == 1) v = std::numeric_limits<T>::lowest();
      if (dice == 2 && std::is_signed_v<T>) v = static_cast<T>(-1);
      if constexpr (std::is_floating_point_v<T>) {
        if (dice == 3) v = std::numeric_limits<T>::quiet_NaN();
        if (dice == 4) v = std::numeric_limits<T>::infinity();
        if (dice == 5) v = T(-0.0);
      }
    }
    if (!zeros && v == T(0)) v = T(1);
  }
  return tensor;
}

const std::vector<std::pair<Shape, Shape>> kShapes = {
    {{}, {}},         {{5}, {5}},          {{5}, {}},
    {{}, {2, 3}},     {{2, 3}, {3}},       {{3}, {2, 3}},
    {{2, 1}, {1, 3}}, {{2, 3, 4}, {3, 1}}, {{2, 3, 4}, {2, 1, 4}},
    {{0, 3}, {3}},    {{1, 1}, {1}},       {{4, 1, 2, 1}, {3, 1, 5}},
    {{2, 3}, {4}},    {{17}, {17}},        {{300, 300}, {300}}};

template <typename... Ts>
void ForTypes(TypeList<Ts...>, const auto& fn) {
  (fn.template operator()<Ts>(), ...);
}

TEST(GeneralBinary, DivMaxMin) {
  const std::vector<std::pair<std::string, std::string>> ops = {
      {"Div", "div.general"}, {"Max", "max.general"}, {"Min", "min.general"}};
  ForTypes(IntTypes::With<double>{}, [&]<typename T>() {
    for (const auto& [a, b] : kShapes) {
      for (const auto& [op, impl] : ops) {
        TwinCase{op, 14, {Numbers<T>(a, 1), Numbers<T>(b, 2, op != "Div")}, {kDTypeOf<T>}}.Expect(
            impl);
      }
    }
  });
  TwinCase{"Div", 14, {TestInts({1, 2}), TestInts({1, 0})}, {DType::kI64}}.Expect("div.general");
  TwinCase{"Div", 14, {TestInts({}), TestInts({0})}, {DType::kI64}}.Expect("div.general");
}

TEST(GeneralCast, EveryPair) {
  using Types = ConcatTypes<IntTypes, NativeFloatTypes, TypeList<bool>>;
  ForTypes(Types{}, [&]<typename From>() {
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{3, 33}, Shape{140000}}) {
      // Long enough for two threads, for one type.
      if (shape.elems() > 1000 && kDTypeOf<From> != DType::kF64) continue;
      const Tensor in = Numbers<From>(shape, 1);
      ForTypes(Types{}, [&]<typename To>() {
        if (std::is_same_v<From, To>) return;
        TwinCase c{"Cast", 13, {in}, {kDTypeOf<To>}};
        c.Int("to", static_cast<int64_t>(kDTypeOf<To>)).Expect("");
      });
    }
  });
}

TEST(GeneralCast, HalvesOnEveryTarget) {
  std::vector<uint16_t> halves;
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    if (!Half::FromBits(static_cast<uint16_t>(bits)).IsNan()) {
      halves.push_back(static_cast<uint16_t>(bits));
    }
  }
  std::vector<float> floats;
  for (const uint16_t bits : halves) {
    const float exact = Half::FromBits(bits).ToFloat();
    floats.insert(floats.end(), {exact, std::nextafter(exact, 1e9f), exact * 1.00049f,
                                 exact * 1.000488281f, exact * 100, exact * 1e-7f});
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const SimdTarget target : AvailableTargets()) {
    const HalfTable& table = HalfFunctions(target);
    std::vector<float> up(halves.size());
    table.to_float(halves.data(), up.data(), halves.size());
    for (size_t i = 0; i < halves.size(); ++i) {
      ASSERT_EQ(std::signbit(up[i]), std::signbit(Half::FromBits(halves[i]).ToFloat()));
      ASSERT_EQ(up[i], Half::FromBits(halves[i]).ToFloat());
    }
    std::vector<uint16_t> down(floats.size());
    table.from_float(floats.data(), down.data(), floats.size());
    for (size_t i = 0; i < floats.size(); ++i) {
      ASSERT_EQ(down[i], Half(floats[i]).bits) << floats[i] << " " << SimdTargetName(target);
    }
    for (size_t n = 0; n < 20; ++n) {
      const std::vector<float> nans(n, nan);
      std::vector<uint16_t> made(n + 1, 0);
      table.from_float(nans.data(), made.data(), n);
      for (size_t i = 0; i < n; ++i) EXPECT_TRUE(Half::FromBits(made[i]).IsNan());
      EXPECT_EQ(made[n], 0);
    }
  }
  TwinCase{"Cast", 13, {TestRandomFloats({7, 5}, 1)}, {DType::kF16}}.Int("to", 10).Expect(
      "cast.general");
}

TEST(GeneralOneHot, IndicesInAndOut) {
  for (const int64_t axis : {-1, 0, 1, -2}) {
    for (const DType type : {DType::kF32, DType::kU8, DType::kI64}) {
      const Tensor values = TestRandomBytes(type, {2}, 4);
      for (const Shape& shape : {Shape{6}, Shape{2, 3}}) {
        std::vector<int64_t> wide = {0, 3, -1, -4, 4, -5};
        TwinCase{"OneHot", 11, {TestTensorOf<int64_t>(shape, wide), TestInts({4}), values}, {type}}
            .Int("axis", axis)
            .Expect("one_hot.general");
      }
      TwinCase{
          "OneHot", 11, {TestTensorOf<uint8_t>({3}, {0, 3, 200}), TestInts({4}), values}, {type}}
          .Int("axis", axis)
          .Expect("one_hot.general");
      TwinCase{"OneHot", 11, {TestTensor(DType::kI32, {0}), TestInts({4}), values}, {type}}
          .Int("axis", axis)
          .Expect("one_hot.general");
    }
  }
}

TEST(GeneralCumSum, AxesAndDirections) {
  ForTypes(TypeList<float, double, int32_t, int64_t>{}, [&]<typename T>() {
    for (const Shape& shape : {Shape{7}, Shape{3, 5}, Shape{2, 4, 37}, Shape{2, 0, 3}}) {
      for (int64_t axis = -static_cast<int64_t>(shape.rank()) - 1;
           axis < static_cast<int64_t>(shape.rank()); ++axis) {
        for (const int64_t exclusive : {0, 1}) {
          for (const int64_t reverse : {0, 1}) {
            Tensor x = Numbers<T>(shape, 1);
            for (T& v : x.span<T>()) {
              if constexpr (std::is_floating_point_v<T>) v = std::isfinite(v) ? v / 3 : T(1);
            }
            TwinCase{"CumSum", 14, {x, TestTensorOf<int64_t>({}, {axis})}, {kDTypeOf<T>}}
                .Int("exclusive", exclusive)
                .Int("reverse", reverse)
                .Expect("cum_sum.general");
          }
        }
      }
    }
  });
}

TEST(GeneralTopK, OrderAndTies) {
  ForTypes(TypeList<float, int32_t, int64_t>{}, [&]<typename T>() {
    const DType type = kDTypeOf<T>;
    for (const Shape& shape : {Shape{40}, Shape{3, 40}, Shape{40, 3}, Shape{2, 40, 2}}) {
      for (const int64_t k : {0, 1, 2, 7, 39, 40, 41}) {
        for (const int64_t largest : {0, 1}) {
          for (int64_t axis = 0; axis < static_cast<int64_t>(shape.rank()); ++axis) {
            TwinCase{"TopK", 11, {Numbers<T>(shape, 3), TestInts({k})}, {type, DType::kI64}}
                .Int("axis", axis)
                .Int("largest", largest)
                .Expect("top_k.general");
          }
        }
      }
    }
    TwinCase{"TopK", 11, {Numbers<T>({9}, 3), TestInts({2})}, {DType::kUndefined, DType::kI64}}
        .Int("axis", 0)
        .Int("largest", 1)
        .Expect("top_k.general");
  });
}

}  // namespace
}  // namespace waybill::cpu
