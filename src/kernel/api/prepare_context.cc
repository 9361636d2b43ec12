#include "kernel/api/prepare_context.h"

#include "memory/weights/weight_load.h"

namespace waybill::kernel {

Result<SharedView> PrepareContext::Pack(std::string maker, std::initializer_list<size_t> inputs,
                                        size_t bytes, const std::function<void(std::byte*)>& fill) {
  uint64_t caller_bytes = 0;
  const auto make = [&]() -> Result<SharedView> {
    WB_ASSIGN_OR_RETURN(Buffer packed, AllocatePacked(bytes));
    fill(packed.view().data);
    if (caller_bytes != 0) weights_->CountCaller(caller_bytes);
    return Buffer::Share(std::move(packed));
  };
  if (weights_ == nullptr) return make();
  WeightRequest request;
  request.maker = std::move(maker);
  request.bytes = bytes;
  for (const size_t i : inputs) {
    const graph::Constant* from = constant(i);
    if (from == nullptr) continue;
    // Of a splat the one element.
    const TensorView& view = from->tensor().view();
    const std::span<const std::byte> contents(view.data, view.bytes());
    request.maker += Format("|{} {} {}{}", i, DTypeName(view.dtype), from->shape(),
                            from->is_splat() ? " splat" : "");
    request.sources.push_back(contents);
    if (weights_->OriginOf(contents) == WeightOrigin::kCaller) caller_bytes += contents.size();
  }
  return weights_->FindOrMake(request, make);
}

}  // namespace waybill::kernel
