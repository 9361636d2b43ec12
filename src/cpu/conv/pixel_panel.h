// Gathers what a run of output pixels sees of the input into one panel of a matrix product.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/conv/conv_f32.h"

namespace waybill::cpu {

// Output pixels [first, first + count) of an image, in row-major order.
struct PixelRun {
  size_t first = 0;
  size_t count = 0;
};

// Writes rows [k0, k0 + rows) of the panel: row k holds for each pixel of the run the input element
// under tap k = (channel * kernel_h + y) * kernel_w + x, zero where that lies in the padding; then
// zeros up to `width`. `x` is the first channel of the group in one image.
void GatherPixels(const Conv2d& conv, const float* x, PixelRun run, size_t k0, size_t rows,
                  size_t width, float* panel);

}  // namespace waybill::cpu
