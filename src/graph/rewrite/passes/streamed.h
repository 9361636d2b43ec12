// Large weights that are not written out before kernels pack them.
#pragma once

#include <cstddef>

#include "graph/rewrite/editor.h"

namespace waybill::graph::rewrite {

// Whether the node makes f32 weights of at least options().stream_bytes, of two or more axes, that
// only products, convolutions and IsTransposedWeight nodes read as their weights.
bool IsStreamed(const Editor& editor, const Node& node);

// Whether the node transposes constant f32 weights of at least options().stream_bytes which only
// products read, as their right-hand matrix.
bool IsTransposedWeight(const Editor& editor, const Node& node);

// Of such weights, what is written out at a time.
size_t BlockBytes(const RewriteOptions& options);

}  // namespace waybill::graph::rewrite
