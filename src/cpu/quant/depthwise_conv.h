// Depthwise convolutions: cut into bands of rows and blocks of channels.
#pragma once

#include <optional>

#include "cpu/quant/conv.h"

namespace waybill::cpu {

// Bytes for one thread; nothing when a row is too large.
std::optional<size_t> DepthwiseScratch(const ByteConv& conv, const DepthwiseTable& table);

// As RunByteConv, for conv.IsDepthwise().
void RunDepthwise(const ByteConv& conv, const ByteConvArgs& args, const DepthwiseTable& table,
                  ThreadPool* pool, size_t width);

}  // namespace waybill::cpu
