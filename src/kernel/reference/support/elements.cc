#include "kernel/reference/support/elements.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/status/check.h"
#include "kernel/reference/support/padding.h"
#include "tensor/dtype/dispatch.h"
#include "tensor/dtype/packed.h"

namespace waybill::kernel::reference {

namespace {

template <int kBits>
void CopyPackedLine(const TensorView& dst, int64_t dst_first, int64_t dst_step,
                    const TensorView& src, int64_t src_first, int64_t src_step, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const auto from = static_cast<size_t>(src_first + i * src_step);
    const auto to = static_cast<size_t>(dst_first + i * dst_step);
    SetPackedBits<kBits>(dst.data, to, GetPackedBits<kBits>(src.data, from));
  }
  const int64_t last = dst_step < 0 ? dst_first : dst_first + (count - 1) * dst_step;
  if (last == dst.elems() - 1) ZeroPadding(dst);
}

template <int kBits>
void ZeroPacked(const TensorView& dst, int64_t dst_first, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    SetPackedBits<kBits>(dst.data, static_cast<size_t>(dst_first + i), 0);
  }
  if (dst_first + count == dst.elems()) ZeroPadding(dst);
}

}  // namespace

void CopyElements(const TensorView& dst, int64_t dst_first, const TensorView& src,
                  int64_t src_first, int64_t count) {
  WB_DCHECK(dst.dtype == src.dtype);
  if (count <= 0) return;
  const size_t bits = DTypeBits(dst.dtype);
  if (dst.dtype == DType::kString || bits < 8) {
    CopyLine(dst, dst_first, 1, src, src_first, 1, count);
    return;
  }
  const size_t bytes = bits / 8;
  std::memcpy(dst.data + static_cast<size_t>(dst_first) * bytes,
              src.data + static_cast<size_t>(src_first) * bytes,
              static_cast<size_t>(count) * bytes);
}

void CopyLine(const TensorView& dst, int64_t dst_first, int64_t dst_step, const TensorView& src,
              int64_t src_first, int64_t src_step, int64_t count) {
  WB_DCHECK(dst.dtype == src.dtype);
  if (count <= 0) return;
  switch (DTypeBits(dst.dtype)) {
    case 2:
      return CopyPackedLine<2>(dst, dst_first, dst_step, src, src_first, src_step, count);
    case 4:
      return CopyPackedLine<4>(dst, dst_first, dst_step, src, src_first, src_step, count);
    default:
      break;
  }
  const Status status = DispatchByWidth(dst.dtype, [&]<typename T>() {
    for (int64_t i = 0; i < count; ++i) {
      dst.as<T>()[dst_first + i * dst_step] = src.as<T>()[src_first + i * src_step];
    }
    return Status::Ok();
  });
  WB_DCHECK(status.ok());
}

void ZeroElements(const TensorView& dst, int64_t dst_first, int64_t count) {
  if (count <= 0) return;
  const size_t bits = DTypeBits(dst.dtype);
  if (dst.dtype == DType::kString) {
    for (int64_t i = 0; i < count; ++i) dst.as<std::string>()[dst_first + i].clear();
  } else if (bits == 2) {
    ZeroPacked<2>(dst, dst_first, count);
  } else if (bits == 4) {
    ZeroPacked<4>(dst, dst_first, count);
  } else {
    std::memset(dst.data + static_cast<size_t>(dst_first) * (bits / 8), 0,
                static_cast<size_t>(count) * (bits / 8));
  }
}

}  // namespace waybill::kernel::reference
