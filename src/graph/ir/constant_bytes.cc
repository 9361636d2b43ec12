#include "graph/ir/constant_bytes.h"

namespace waybill::graph {

std::vector<std::span<const std::byte>> SourcesOf(const Constant& constant) {
  if (constant.rows() != nullptr) return constant.rows()->sources();
  const TensorView& view = constant.tensor().view();
  if (view.data == nullptr) return {};
  return {{view.data, view.bytes()}};
}

}  // namespace waybill::graph
