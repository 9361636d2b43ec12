#include "cpu/move/strided_copy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "base/text/format.h"

namespace waybill::cpu {
namespace {

// The meaning of a strided copy, one element at a time.
void CopyPlainly(std::byte* dst, const std::byte* src, size_t width,
                 const std::vector<CopyAxis>& axes, size_t axis) {
  if (axis == axes.size()) {
    std::memcpy(dst, src, width);
    return;
  }
  for (size_t i = 0; i < axes[axis].dim; ++i) {
    CopyPlainly(dst + static_cast<ptrdiff_t>(i) * axes[axis].dst,
                src + static_cast<ptrdiff_t>(i) * axes[axis].src, width, axes, axis + 1);
  }
}

// Copies axes given in elements on every target, split in every way, from an odd address to one.
void Check(size_t width, std::vector<CopyAxis> axes) {
  ptrdiff_t low = 0, high = 0, dst_high = 0;
  std::string what = Format("width {}", width);
  for (CopyAxis& axis : axes) {
    what += Format(" {}:{}<-{}", axis.dim, axis.dst, axis.src);
    axis.dst *= static_cast<ptrdiff_t>(width);
    axis.src *= static_cast<ptrdiff_t>(width);
    if (axis.dim == 0) continue;
    const ptrdiff_t reach = static_cast<ptrdiff_t>(axis.dim - 1) * axis.src;
    (reach < 0 ? low : high) += reach;
    dst_high += static_cast<ptrdiff_t>(axis.dim - 1) * axis.dst;
  }
  const auto w = static_cast<ptrdiff_t>(width);
  std::vector<std::byte> src(static_cast<size_t>(high - low + w) + 1);
  std::mt19937 random(1);
  for (std::byte& byte : src) byte = static_cast<std::byte>(random());
  const std::byte* from = src.data() + 1 - low;
  std::vector<std::byte> want(static_cast<size_t>(dst_high + w) + 1, std::byte{0xEE});
  CopyPlainly(want.data() + 1, from, width, axes, 0);
  for (const SimdTarget target : AvailableTargets()) {
    const StridedCopy copy(MoveFunctions(target), width, axes);
    for (const size_t step : {copy.tasks(), size_t{1}, size_t{3}}) {
      std::vector<std::byte> got(want.size(), std::byte{0xEE});
      for (size_t t = 0; t < copy.tasks(); t += step) {
        copy.Run(got.data() + 1, from, t, std::min(t + step, copy.tasks()));
      }
      ASSERT_EQ(std::memcmp(got.data(), want.data(), got.size()), 0)
          << what << " on " << SimdTargetName(target) << " by " << step;
    }
  }
}

constexpr size_t kWidths[] = {1, 2, 4, 8, 16};

TEST(StridedCopy, NothingAndOneElement) {
  for (const size_t width : kWidths) {
    EXPECT_EQ(
        StridedCopy(MoveFunctions(BestTarget()), width, std::vector<CopyAxis>{{0, 4, 4}, {3, 1, 1}})
            .tasks(),
        0u);
    Check(width, {});
    Check(width, {{1, 7, 7}});
  }
  EXPECT_EQ(StridedCopy().tasks(), 0u);
}

TEST(StridedCopy, Planes) {
  for (const size_t width : kWidths) {
    for (const ptrdiff_t rows : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 70}) {
      for (const ptrdiff_t cols : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 63, 64, 65, 130}) {
        // Dense, and with gaps on both sides.
        Check(width, {{static_cast<size_t>(cols), rows, 1}, {static_cast<size_t>(rows), 1, cols}});
        Check(width,
              {{static_cast<size_t>(cols), rows + 3, 1}, {static_cast<size_t>(rows), 1, cols + 5}});
      }
    }
  }
}

TEST(StridedCopy, BatchesOfPlanes) {
  for (const size_t width : kWidths) {
    Check(width, {{3, 9 * 20, 9 * 20}, {20, 9, 1}, {9, 1, 20}});
    // The planes' axes on both sides of an outer one; a plane of runs.
    Check(width, {{20, 27, 1}, {3, 9, 180}, {9, 1, 20}});
    Check(width, {{5, 6 * 7, 7}, {6, 7, 5 * 7}, {7, 1, 1}});
    Check(width, {{5, 6 * 2, 2}, {6, 2, 5 * 2}, {2, 1, 1}});
    Check(width, {{5, 6 * 4, 4}, {6, 4, 5 * 4}, {4, 1, 1}});
    Check(width, {{2, 60, 5}, {3, 20, 1 * 10}, {4, 5, 30}, {5, 1, 1}});
  }
}

TEST(StridedCopy, Lines) {
  for (const size_t width : kWidths) {
    for (const size_t n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 18, 33, 100}) {
      for (const ptrdiff_t step : {0, 1, 2, 3, -1, -2, 7}) {
        Check(width, {{n, 1, step}});
        Check(width, {{n, 3, step}});
        Check(width, {{4, static_cast<ptrdiff_t>(n), 0}, {n, 1, step}});
        Check(width, {{4, static_cast<ptrdiff_t>(n), -5}, {n, 1, step}});
      }
    }
  }
}

TEST(StridedCopy, RunsOfEverySize) {
  for (size_t run = 1; run < 140; ++run) {
    const auto r = static_cast<ptrdiff_t>(run);
    Check(1, {{5, r + 2, 2 * r}, {run, 1, 1}});
    Check(1, {{3, 5 * r, 0}, {5, r, -r}, {run, 1, 1}});
  }
}

TEST(StridedCopy, MoreAxesThanFitInline) {
  std::vector<CopyAxis> axes;
  ptrdiff_t stride = 1;
  for (int i = 0; i < 10; ++i, stride *= 2) axes.push_back({2, stride, 2048 - 3 * stride});
  Check(4, axes);
}

}  // namespace
}  // namespace waybill::cpu
