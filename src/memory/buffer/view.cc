#include "memory/buffer/view.h"

namespace waybill {

std::byte* NoBytes() {
  alignas(4096) static std::byte nothing[64];  // no kernel asks for more
  return nothing;
}

Result<BufferView> BufferView::Slice(size_t offset, size_t length) const {
  if (offset > bytes || length > bytes - offset) {
    return Error(Code::kInvalidArgument, "bytes [{}, {} + {}) are outside a buffer of {} bytes",
                 offset, offset, length, bytes);
  }
  return BufferView{data == nullptr ? nullptr : data + offset, length, device};
}

Result<SharedView> SharedView::Slice(size_t offset, size_t length) const {
  WB_ASSIGN_OR_RETURN(BufferView part, view_.Slice(offset, length));
  return SharedView(owner_, part);
}

}  // namespace waybill
