// RotaryEmbedding of f32.
#include "kernel/reference/nn/rotary.h"

#include <algorithm>

#include "cpu/kernels/lists.h"
#include "kernel/api/function_kernel.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

namespace reference = kernel::reference;

using kernel::Acceptance;
using kernel::FunctionImpl;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::RunContext;
using reference::RotaryParams;
using reference::RotaryRows;
using reference::RotaryShape;

constexpr double kNsPerElem = 0.6;

// Pairs (first[i], second[i]), which lie `step` apart from one to the next, turned by their angles.
void Turn(const float* first, const float* second, size_t step, const float* cos, const float* sin,
          size_t count, float* y_first, float* y_second) {
  for (size_t i = 0; i < count; ++i) {
    const float u = first[i * step], v = second[i * step];
    y_first[i * step] = u * cos[i] - v * sin[i];
    y_second[i * step] = u * sin[i] + v * cos[i];
  }
}

Status RunRotary(const RotaryParams& p, RunContext& ctx) {
  RotaryShape s{};
  RotaryRows rows;
  WB_RETURN_IF_ERROR(reference::CheckRotary(p, ctx, &s, &rows));
  const auto* x = ctx.input(0).as<const float>();
  const auto* cos = ctx.input(p.cos_input).as<const float>();
  const auto* sin = ctx.input(p.sin_input).as<const float>();
  auto* y = ctx.output(0).as<float>();
  const auto size = static_cast<size_t>(s.size), half = static_cast<size_t>(s.rotary / 2);
  const auto heads = static_cast<size_t>(s.batch * s.heads * s.length);
  const size_t threads = ThreadsFor(heads * size, kNsPerElem, ctx.width());
  ParallelFor(ctx.pool(), heads, threads, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {  // (b, h, t) or (b, t, h), as X lies
      const auto index = static_cast<int64_t>(i);
      const int64_t t = s.heads_outside ? index % s.length : index / s.heads % s.length;
      const auto row = static_cast<size_t>(rows.Row(s, index / (s.heads * s.length), t)) * half;
      const float* from = x + i * size;
      float* to = y + i * size;
      const size_t second = p.interleaved ? 1 : half;
      Turn(from, from + second, p.interleaved ? 2 : 1, cos + row, sin + row, half, to, to + second);
      std::copy(from + 2 * half, from + size, to + 2 * half);
    }
  });
  return Status::Ok();
}

Acceptance Accepts(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}

Acceptance AcceptsMs(const graph::NodeRef& node) {
  if (Acceptance type = Accepts(node); !type.ok()) return type;
  return reference::AcceptMsRotary(node);
}

constexpr KernelImpl kRotary[] = {FunctionImpl<RotaryParams, reference::ParseRotary, RunRotary>(
    "rotary_embedding.float", Accepts)};
constexpr KernelImpl kMsRotary[] = {FunctionImpl<RotaryParams, reference::ParseMsRotary, RunRotary>(
    "ms_rotary_embedding.float", AcceptsMs)};
constexpr OpKernels kRotaryOps[] = {
    {"", "RotaryEmbedding", 1, 1 << 30, kRotary},
    {"com.microsoft", "RotaryEmbedding", 1, 1 << 30, kMsRotary},
};

}  // namespace

std::span<const OpKernels> RotaryKernels() { return kRotaryOps; }

}  // namespace waybill::cpu
