// Kernels that only move elements: their plan is a list of strided copies from inputs to outputs,
// and their run carries it out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/move/strided_copy.h"
#include "kernel/api/kernel.h"

namespace waybill::cpu {

// Parts write disjoint bytes, in any order.
class CopyPlan final : public kernel::PlanState {
 public:
  struct Box {
    Shape dims;
    int64_t dst_first = 0;  // elements, as all below
    Shape dst_strides;
    int64_t src_first = 0;
    Shape src_strides;
  };

  explicit CopyPlan(DType dtype);

  // Copies a box of input `input` to a box of output `output`; every position is inside.
  void Add(size_t output, size_t input, const Box& box);
  void Add(size_t output, size_t input, std::span<const CopyAxis> axes, size_t dst_first_bytes,
           ptrdiff_t src_first_bytes);
  // Fills a box with one element, `bytes` of which are copied now.
  void AddFill(size_t output, const Shape& dims, int64_t dst_first, const Shape& dst_strides,
               const std::byte* bytes);

  size_t element_bytes() const { return element_bytes_; }
  size_t BytesOf(int64_t elems) const { return static_cast<size_t>(elems) * element_bytes_; }
  size_t HeapBytes() const override;
  // Parts whose bytes lie where they shall be are left alone.
  void Run(kernel::RunContext& ctx) const;

 private:
  static constexpr size_t kConstant = static_cast<size_t>(-1);
  struct Part {
    StridedCopy copy;
    size_t output, input;
    size_t dst_first;     // bytes
    ptrdiff_t src_first;  // bytes; for kConstant: into constants_
  };
  const std::byte* SourceOf(const Part& part, const kernel::RunContext& ctx) const;
  bool IsDone(const Part& part, const kernel::RunContext& ctx) const;
  void RunPart(const Part& part, kernel::RunContext& ctx, size_t begin, size_t end) const;

  size_t element_bytes_;
  std::vector<Part> parts_;
  std::vector<std::byte> constants_;
  size_t tasks_ = 0, bytes_ = 0;
};

// Row-major strides in elements.
Shape RowStrides(const Shape& shape);

// Refuses strings and elements of less than a byte.
kernel::Acceptance AcceptsMove(const graph::NodeRef& node);
bool IsMovable(DType dtype);

// A kernel whose plan phase leaves a CopyPlan, or declares its output a view.
template <typename Params, Status (*kPlan)(const Params&, kernel::PlanContext&)>
class CopyKernel final : public kernel::Kernel {
 public:
  explicit CopyKernel(Params params) : params_(std::move(params)) {}
  Status Plan(kernel::PlanContext& ctx) const override { return kPlan(params_, ctx); }
  Status Run(kernel::RunContext& ctx) const override {
    if (const auto* plan = ctx.state<CopyPlan>()) plan->Run(ctx);
    return Status::Ok();
  }

 private:
  Params params_;
};

template <typename Params, Result<Params> (*kParse)(const graph::NodeRef&),
          Status (*kPlan)(const Params&, kernel::PlanContext&)>
constexpr kernel::KernelImpl CopyImpl(
    std::string_view name, kernel::Acceptance (*accepts)(const graph::NodeRef&) = AcceptsMove) {
  return {name, accepts, [](const graph::NodeRef& node) -> Result<std::unique_ptr<kernel::Kernel>> {
            WB_ASSIGN_OR_RETURN(Params params, kParse(node));
            return std::unique_ptr<kernel::Kernel>(
                std::make_unique<CopyKernel<Params, kPlan>>(std::move(params)));
          }};
}

}  // namespace waybill::cpu
