#include "cpu/move/copy_plan.h"

#include <algorithm>

#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

constexpr double kNsPerByte = 0.15;

}  // namespace

Shape RowStrides(const Shape& shape) {
  Shape strides = Shape::Filled(shape.rank(), 1);
  for (size_t i = shape.rank(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

bool IsMovable(DType dtype) {
  return dtype != DType::kUndefined && dtype != DType::kString && DTypeBits(dtype) >= 8;
}

kernel::Acceptance AcceptsMove(const graph::NodeRef& node) {
  WB_REFUSE_IF(!IsMovable(node.input_dtype(0)), "elements of type {} are not moved by their bytes",
               DTypeName(node.input_dtype(0)));
  return kernel::Acceptance::Yes();
}

CopyPlan::CopyPlan(DType dtype) : element_bytes_(DTypeBits(dtype) / 8) {}

void CopyPlan::Add(size_t output, size_t input, const Box& box) {
  std::vector<CopyAxis> axes(box.dims.rank());
  const auto width = static_cast<int64_t>(element_bytes_);
  for (size_t i = 0; i < axes.size(); ++i) {
    axes[i] = {static_cast<size_t>(box.dims[i]), box.dst_strides[i] * width,
               box.src_strides[i] * width};
  }
  Add(output, input, axes, static_cast<size_t>(box.dst_first * width), box.src_first * width);
}

void CopyPlan::Add(size_t output, size_t input, std::span<const CopyAxis> axes,
                   size_t dst_first_bytes, ptrdiff_t src_first_bytes) {
  StridedCopy copy(MoveFunctions(BestTarget()), element_bytes_, axes);
  if (copy.tasks() == 0) return;
  tasks_ += copy.tasks();
  bytes_ += copy.bytes();
  parts_.push_back({std::move(copy), output, input, dst_first_bytes, src_first_bytes});
}

void CopyPlan::AddFill(size_t output, const Shape& dims, int64_t dst_first,
                       const Shape& dst_strides, const std::byte* bytes) {
  const auto at = static_cast<ptrdiff_t>(constants_.size());
  constants_.insert(constants_.end(), bytes, bytes + element_bytes_);
  std::vector<CopyAxis> axes(dims.rank());
  const auto width = static_cast<int64_t>(element_bytes_);
  for (size_t i = 0; i < axes.size(); ++i) {
    axes[i] = {static_cast<size_t>(dims[i]), dst_strides[i] * width, 0};
  }
  Add(output, kConstant, axes, static_cast<size_t>(dst_first * width), at);
}

size_t CopyPlan::HeapBytes() const {
  return sizeof(*this) + parts_.capacity() * (sizeof(Part) + 2 * sizeof(CopyAxis)) +
         constants_.capacity();
}

const std::byte* CopyPlan::SourceOf(const Part& part, const kernel::RunContext& ctx) const {
  const std::byte* data = part.input == kConstant ? constants_.data() : ctx.input(part.input).data;
  return data + part.src_first;
}

bool CopyPlan::IsDone(const Part& part, const kernel::RunContext& ctx) const {
  return !ctx.wants_output(part.output) ||
         ctx.output(part.output).data + part.dst_first == SourceOf(part, ctx);
}

void CopyPlan::RunPart(const Part& part, kernel::RunContext& ctx, size_t begin, size_t end) const {
  if (IsDone(part, ctx)) return;
  part.copy.Run(ctx.output(part.output).data + part.dst_first, SourceOf(part, ctx), begin, end);
}

void CopyPlan::Run(kernel::RunContext& ctx) const {
  const auto done = [&](const Part& part) { return IsDone(part, ctx); };
  if (std::all_of(parts_.begin(), parts_.end(), done)) return;
  const size_t threads = ThreadsFor(bytes_, kNsPerByte, ctx.width());
  if (threads == 1) {
    for (const Part& part : parts_) RunPart(part, ctx, 0, part.copy.tasks());
    return;
  }
  ParallelFor(ctx.pool(), tasks_, threads, [&](size_t begin, size_t end) {
    size_t first = 0;
    for (const Part& part : parts_) {
      const size_t tasks = part.copy.tasks();
      if (first >= end) break;
      if (first + tasks > begin) {
        RunPart(part, ctx, begin > first ? begin - first : 0, std::min(tasks, end - first));
      }
      first += tasks;
    }
  });
}

}  // namespace waybill::cpu
