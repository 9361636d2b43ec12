// Products and 1x1 convolutions with weights in BytePanels.
#pragma once

#include <optional>

#include "cpu/quant/byte_panels.h"
#include "cpu/quant/byte_product.h"
#include "cpu/quant/conv.h"

namespace waybill::cpu {

// The convolution looks at each pixel alone, in one group.
bool IsPointwise(const ByteConv& conv);

struct BytePanelArgs {
  const BytePanels* panels = nullptr;
  const int32_t* weights = nullptr;  // as panels->Pack has written them
};

// Bytes for all threads together; nothing when the convolution is too large.
std::optional<size_t> PointwiseScratch(const ByteConv& conv, SimdTarget target, size_t width);

// As RunByteConv; args.weights is unused, and args.scratch has PointwiseScratch bytes for the
// width.
void RunPointwise(const ByteConv& conv, const BytePanelArgs& panels, const ByteConvArgs& args,
                  SimdTarget target, ThreadPool* pool, size_t width);

}  // namespace waybill::cpu
