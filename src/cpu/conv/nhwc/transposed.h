// Transposed f32 convolution over [N, H, W, C]. Outputs whose positions are equal modulo the stride
// see the same taps: each such phase is a small convolution of stride 1 without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/conv/nhwc/block.h"
#include "cpu/conv/nhwc/weights.h"

namespace waybill {
class ThreadPool;
}

namespace waybill::cpu {

// One spatial axis: input i adds to the output elements i * stride - pad + t * dilation.
struct TransposedAxis {
  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t pad = 0;
};

// What the packed weights depend on. A residue is what positions of taps have in common modulo the
// strides; each has the filters of its taps, as far as it has some.
struct TransposedFilters {
  size_t groups = 1, in_channels = 1, out_channels = 1;  // channels of a group
  TransposedAxis h, w;                                   // in, out and pad do not matter
  // The taps of a row lie side by side in the output, without gaps: they count as output channels
  // and there is one residue along the row. For one group, a kernel as wide as the stride, and
  // pad 0 and out = in * stride along the row.
  bool merged = false;

  struct Residue {
    std::vector<int64_t> taps_y, taps_x;  // positions in the kernel
    FilterLayout layout;
    size_t offset = 0;  // of its weights, in floats
  };
  std::vector<Residue> residues;  // [stride of h][stride of w, or 1 when merged]
  size_t floats = 0;

  size_t columns() const { return merged ? 1 : static_cast<size_t>(w.stride); }
};

bool CanMerge(size_t groups, const TransposedAxis& w);
TransposedFilters MakeTransposedFilters(const RunTileTable& table, size_t groups,
                                        size_t in_channels, size_t out_channels,
                                        const TransposedAxis& h, const TransposedAxis& w,
                                        bool merged);
// `weights` is [groups * in_channels][out_channels][h.kernel][w.kernel], or one element for all, of
// any alignment; `out` has filters.floats floats, 64-byte aligned.
void PackTransposed(const TransposedFilters& filters, const void* weights, bool splat, float* out);

struct TransposedConv {
  const TransposedFilters* filters = nullptr;
  size_t batch = 1;
  TransposedAxis h, w;
  int64_t block_rows = 1;     // rows of one phase done together
  size_t scratch_floats = 0;  // for each thread
};

TransposedConv MakeTransposedConv(const TransposedFilters& filters, size_t batch,
                                  const TransposedAxis& h, const TransposedAxis& w);

// Does not know residuals. Work is split over rows of y; results are bit-equal for every width.
void RunTransposedConv(const RunTileTable& table, const TransposedConv& plan,
                       const NhwcConvArgs& args, ThreadPool* pool, size_t width);

}  // namespace waybill::cpu
