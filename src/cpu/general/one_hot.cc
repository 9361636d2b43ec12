// OneHot: the off value everywhere, then one element for each index.
#include <algorithm>
#include <memory>
#include <type_traits>

#include "cpu/general/kernels.h"
#include "cpu/move/copy_plan.h"
#include "graph/infer/context.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::cpu {
namespace {

using kernel::Kernel;
using kernel::RunContext;

using IndexTypes = TypeList<int32_t, int64_t, uint8_t>;

template <typename T, typename Index>
void Light(const Index* indices, size_t count, int64_t depth, int64_t inner, T on, T* out) {
  for (size_t i = 0; i < count; ++i) {
    auto at = static_cast<int64_t>(indices[i]);
    if (at < 0) at += depth;
    if (at < 0 || at >= depth) continue;
    const auto n = static_cast<int64_t>(i);
    out[(n / inner * depth + at) * inner + n % inner] = on;
  }
}

class OneHotKernel final : public Kernel {
 public:
  explicit OneHotKernel(int64_t axis) : axis_(axis) {}

  Status Run(RunContext& ctx) const override {
    const TensorView& indices = ctx.input(0);
    const TensorView& values = ctx.input(2);
    const TensorView& out = ctx.output(0);
    if (values.elems() != 2) {
      return Error(Code::kInvalidArgument, "values must be [off, on], not {}", values.Describe());
    }
    WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(axis_, out.shape.rank()));
    const int64_t depth = out.shape[axis];
    const int64_t inner = out.shape.ElemsBetween(axis + 1, out.shape.rank());
    const auto count = static_cast<size_t>(indices.elems());
    return DispatchByWidth(out.dtype, [&]<typename T>() {
      T* to = out.as<T>();
      std::fill(to, to + out.elems(), values.as<const T>()[0]);
      return DispatchDType(indices.dtype, IndexTypes{}, [&]<typename Index>() {
        Light(indices.as<const Index>(), count, depth, inner, values.as<const T>()[1], to);
        return Status::Ok();
      });
    });
  }

 private:
  int64_t axis_;
};

kernel::Acceptance AcceptsOneHot(const graph::NodeRef& node) {
  const DType index = node.input_dtype(0);
  WB_REFUSE_IF(index != DType::kI32 && index != DType::kI64 && index != DType::kU8,
               "indices are {}", DTypeName(index));
  WB_REFUSE_IF(!IsMovable(node.input_dtype(2)), "values are {}", DTypeName(node.input_dtype(2)));
  return kernel::Acceptance::Yes();
}

}  // namespace

const kernel::KernelImpl kOneHotGeneral[1] = {
    {"one_hot.general", AcceptsOneHot,
     [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
       return std::unique_ptr<Kernel>(std::make_unique<OneHotKernel>(node.attrs().Int("axis", -1)));
     }}};

}  // namespace waybill::cpu
