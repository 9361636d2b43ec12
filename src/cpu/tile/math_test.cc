// The transcendental instructions against long double, over the whole range of float.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/tile/ops.h"

namespace waybill::cpu {
namespace {

using graph::ExprOp;

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Function {
  ExprOp op;
  long double (*exact)(long double);
  double max_ulp;
};

const Function kFunctions[] = {
    {ExprOp::kExp, [](long double x) { return std::exp(x); }, 2.5},
    {ExprOp::kLog, [](long double x) { return std::log(x); }, 2.5},
    {ExprOp::kErf, [](long double x) { return std::erf(x); }, 2.5},
    {ExprOp::kTanh, [](long double x) { return std::tanh(x); }, 2.5},
    {ExprOp::kSigmoid, [](long double x) { return 1 / (1 + std::exp(-x)); }, 2.5},
    {ExprOp::kSoftplus,
     [](long double x) { return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))); }, 2.5},
    {ExprOp::kSin, [](long double x) { return std::sin(x); }, 2.5},
    {ExprOp::kCos, [](long double x) { return std::cos(x); }, 2.5},
    {ExprOp::kSqrt, [](long double x) { return std::sqrt(x); }, 0.5001},
};

// Distance of `got` from the exact value in units of the last place of a float there.
double UlpError(float got, long double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : 1e9;
  if (std::isnan(got)) return 1e9;
  constexpr long double kMax = std::numeric_limits<float>::max();
  if (std::abs(exact) > kMax + 0x1p103L) {
    return got == (exact > 0 ? kInf : -kInf) || std::abs(static_cast<long double>(got)) == kMax
               ? 0
               : 1e9;
  }
  if (std::isinf(got)) return std::abs(exact) > kMax - 0x1p105L ? 1 : 1e9;
  const int exponent = exact == 0 ? -126 : std::max(std::ilogb(exact), -126);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) /
                             std::ldexp(1.0L, exponent - 23));
}

// Steps through all floats by their bits, and densely through the usual ones.
std::vector<float> Samples() {
  std::vector<float> out = {0.0f, -0.0f, kInf, -kInf, std::numeric_limits<float>::quiet_NaN()};
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 80021) {
    out.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  for (float x = -21; x < 21; x += 0.00071f) out.push_back(x);
  for (float x = -106; x < 91; x += 0.0131f) out.push_back(x);
  return out;
}

TEST(TileMath, WithinUlpsOfTheExactValue) {
  const std::vector<float> x = Samples();
  std::vector<float> got(x.size());
  for (const Function& function : kFunctions) {
    std::vector<long double> exact;
    for (const float value : x) exact.push_back(function.exact(static_cast<long double>(value)));
    for (const SimdTarget target : AvailableTargets()) {
      TileFunctionsOf(target, ToTileOp(function.op))
          .by_scalars[0](x.data(), nullptr, nullptr, got.data(), x.size());
      double worst = 0;
      float at = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const double error = UlpError(got[i], exact[i]);
        if (error > worst) {
          worst = error;
          at = x[i];
        }
      }
      EXPECT_LE(worst, function.max_ulp)
          << graph::InfoOf(function.op).name << " of " << at << " on " << SimdTargetName(target);
      RecordProperty(
          std::string(graph::InfoOf(function.op).name) + "_" + std::string(SimdTargetName(target)),
          std::to_string(worst));
    }
  }
}

float Call(SimdTarget target, ExprOp op, float a, float b = 0) {
  float out = 0;
  TileFunctionsOf(target, ToTileOp(op)).by_scalars[0](&a, &b, nullptr, &out, 1);
  return out;
}

TEST(TileMath, Edges) {
  for (const SimdTarget target : AvailableTargets()) {
    SCOPED_TRACE(SimdTargetName(target));
    EXPECT_EQ(Call(target, ExprOp::kExp, kInf), kInf);
    EXPECT_EQ(Call(target, ExprOp::kExp, -kInf), 0);
    EXPECT_EQ(Call(target, ExprOp::kExp, 88.73f), kInf);
    EXPECT_LT(Call(target, ExprOp::kExp, 88.72f), kInf);
    EXPECT_EQ(Call(target, ExprOp::kExp, 0), 1);
    EXPECT_GT(Call(target, ExprOp::kExp, -103), 0);
    EXPECT_EQ(Call(target, ExprOp::kLog, 0), -kInf);
    EXPECT_EQ(Call(target, ExprOp::kLog, -0.0f), -kInf);
    EXPECT_EQ(Call(target, ExprOp::kLog, 1), 0);
    EXPECT_EQ(Call(target, ExprOp::kLog, kInf), kInf);
    EXPECT_TRUE(std::isnan(Call(target, ExprOp::kLog, -1)));
    EXPECT_TRUE(std::isnan(Call(target, ExprOp::kLog, -kInf)));
    EXPECT_EQ(Call(target, ExprOp::kTanh, kInf), 1);
    EXPECT_EQ(Call(target, ExprOp::kErf, -kInf), -1);
    EXPECT_EQ(Call(target, ExprOp::kSigmoid, -kInf), 0);
    EXPECT_EQ(Call(target, ExprOp::kSigmoid, 0), 0.5f);
    for (const ExprOp odd : {ExprOp::kTanh, ExprOp::kErf, ExprOp::kSin}) {
      EXPECT_TRUE(std::signbit(Call(target, odd, -0.0f))) << graph::InfoOf(odd).name;
      EXPECT_EQ(Call(target, odd, 1e-40f), odd == ExprOp::kErf ? std::erf(1e-40f) : 1e-40f);
    }
    EXPECT_TRUE(std::isnan(Call(target, ExprOp::kSin, kInf)));
    EXPECT_EQ(Call(target, ExprOp::kElu, -kInf, 2), -2);
    EXPECT_EQ(Call(target, ExprOp::kElu, kInf, 2), kInf);
  }
}

TEST(TileMath, Elu) {
  for (const SimdTarget target : AvailableTargets()) {
    for (float x = -40; x < 2; x += 0.0017f) {
      const long double exact = x < 0 ? std::expm1(static_cast<long double>(x)) : x;
      ASSERT_LE(UlpError(Call(target, ExprOp::kElu, x, 1), exact), 2.5) << x;
    }
  }
}

TEST(TileMath, PowAgainstExact) {
  const float special[] = {0.0f, -0.0f, 1,  -1,   kInf,  -kInf,  NAN,     0.5f,   -0.5f, 2,
                           3,    -2,    -3, 2.5f, 1e30f, 1e-30f, -1e-40f, 1e-44f, 127,   0.75f};
  std::vector<float> bases(std::begin(special), std::end(special));
  for (float x = 0.01f; x < 3e5f; x *= 1.37f) {
    bases.push_back(x);
    bases.push_back(1 / x);
    bases.push_back(1 + 1e-4f * x);
  }
  std::vector<float> exponents(std::begin(special), std::end(special));
  for (float x = -9; x < 9; x += 0.37f) exponents.push_back(x);
  for (const SimdTarget target : AvailableTargets()) {
    const TileFunctions& functions = TileFunctionsOf(target, ToTileOp(ExprOp::kPow));
    std::vector<float> got(bases.size()), of_scalar(bases.size()), spread(bases.size());
    for (const float exponent : exponents) {
      std::fill(spread.begin(), spread.end(), exponent);
      functions.by_scalars[0](bases.data(), spread.data(), nullptr, got.data(), bases.size());
      functions.by_scalars[2](bases.data(), &exponent, nullptr, of_scalar.data(), bases.size());
      for (size_t i = 0; i < bases.size(); ++i) {
        const long double exact =
            std::pow(static_cast<long double>(bases[i]), static_cast<long double>(exponent));
        ASSERT_LE(UlpError(got[i], exact), exponent == 3 ? 2 : 1)
            << bases[i] << " to " << exponent << " is " << got[i] << " on "
            << SimdTargetName(target);
        ASSERT_EQ(std::signbit(got[i]),
                  std::isnan(exact) ? std::signbit(got[i]) : std::signbit(exact));
        if (std::isnan(got[i]) && std::isnan(of_scalar[i])) continue;
        ASSERT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(of_scalar[i]));
      }
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
