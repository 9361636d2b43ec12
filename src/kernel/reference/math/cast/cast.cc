// Cast, CastLike, BitCast.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/math/cast/text.h"
#include "kernel/reference/math/cast/wide.h"
#include "kernel/reference/math/tables.h"
#include "kernel/reference/support/padding.h"

namespace waybill::kernel::reference {

namespace {

constexpr size_t kChunk = 256;

Result<CastRounding> ParseCast(const graph::NodeRef& node) {
  CastRounding rounding;
  rounding.saturate = node.attrs().Int("saturate", 1) != 0;
  const std::string mode = node.attrs().String("round_mode", "up");
  if (mode == "down") {
    rounding.e8m0_round = F8E8M0::Round::kDown;
  } else if (mode == "nearest") {
    rounding.e8m0_round = F8E8M0::Round::kNearest;
  } else if (mode != "up") {
    return Error(Code::kInvalidArgument,
                 "round_mode is \"{}\", not \"up\", \"down\" or \"nearest\"", mode);
  }
  return rounding;
}

template <typename W>
Status CastNumbers(const TensorView& in, const CastRounding& rounding, const TensorView& out) {
  const auto count = static_cast<size_t>(in.elems());
  std::array<W, kChunk> chunk;
  for (size_t first = 0; first < count; first += kChunk) {
    const std::span<W> values(chunk.data(), std::min(kChunk, count - first));
    WB_RETURN_IF_ERROR(LoadWide<W>(in, first, values));
    WB_RETURN_IF_ERROR(StoreWide<W>(values, in.dtype, rounding, out, first));
  }
  return Status::Ok();
}

template <typename W>
Status CastStrings(const TensorView& in, const CastRounding& rounding, const TensorView& out) {
  const std::span<const std::string> texts = in.span<std::string>();
  for (size_t i = 0; i < texts.size(); ++i) {
    W value{};
    if constexpr (std::is_same_v<W, double>) {
      WB_ASSIGN_OR_RETURN(value, ParseFloat(texts[i]), "element {}", i);
    } else {
      WB_ASSIGN_OR_RETURN(const uint64_t bits, ParseInteger(texts[i], std::is_same_v<W, uint64_t>),
                          "element {}", i);
      value = static_cast<W>(bits);
    }
    WB_RETURN_IF_ERROR(StoreWide<W>({&value, 1}, in.dtype, rounding, out, i));
  }
  return Status::Ok();
}

Status RunCast(const CastRounding& rounding, RunContext& ctx) {
  const TensorView &in = ctx.input(0), &out = ctx.output(0);
  if (in.dtype == DType::kString && out.dtype == DType::kString) {
    std::copy_n(in.as<std::string>(), in.elems(), out.as<std::string>());
    return Status::Ok();
  }
  ZeroPadding(out);  // elements are written one by one and leave it
  const bool text = in.dtype == DType::kString;
  switch (WideOf(text ? out.dtype : in.dtype)) {
    case Wide::kDouble:
      return text ? CastStrings<double>(in, rounding, out) : CastNumbers<double>(in, rounding, out);
    case Wide::kSigned:
      return text ? CastStrings<int64_t>(in, rounding, out)
                  : CastNumbers<int64_t>(in, rounding, out);
    case Wide::kUnsigned:
      return text ? CastStrings<uint64_t>(in, rounding, out)
                  : CastNumbers<uint64_t>(in, rounding, out);
  }
  return Error(Code::kInternal, "no wide type for {}", DTypeName(in.dtype));
}

// The same type is a copy; a view would do for it.
Status PlanCast(PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  if (ctx.output_shape(0) != nullptr && ctx.record().outputs[0].dtype == ctx.input_dtype(0)) {
    ctx.MakeView(0, 0);
  }
  return Status::Ok();
}

Status RunBitCast(RunContext& ctx) {
  const TensorView &in = ctx.input(0), &out = ctx.output(0);
  if (in.dtype == DType::kString || DTypeBits(in.dtype) != DTypeBits(out.dtype)) {
    return Error(Code::kInvalidArgument, "the bits of {} are no {}", DTypeName(in.dtype),
                 DTypeName(out.dtype));
  }
  if (const size_t bytes = out.bytes(); bytes != 0 && in.data != out.data) {
    std::memcpy(out.data, in.data, bytes);
    ZeroPadding(out);
  }
  return Status::Ok();
}

constexpr KernelImpl kCast[] = {
    FunctionImpl<CastRounding, ParseCast, RunCast, PlanCast>("cast.reference")};
constexpr KernelImpl kCastLike[] = {
    FunctionImpl<CastRounding, ParseCast, RunCast, PlanCast>("cast_like.reference")};
constexpr KernelImpl kBitCast[] = {FunctionImpl<RunBitCast>("bit_cast.reference")};

constexpr OpKernels kTable[] = {
    {.op_type = "BitCast", .impls = kBitCast},
    {.op_type = "Cast", .impls = kCast},
    {.op_type = "CastLike", .impls = kCastLike},
};

}  // namespace

KernelTable CastKernels() { return kTable; }

}  // namespace waybill::kernel::reference
