// OneHotMatMul: rows of the weights by index, zeros for an index that is out of range.
#include <algorithm>
#include <cstring>
#include <memory>

#include "cpu/move/copy_runs.h"
#include "cpu/move/kernels.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::cpu {
namespace {

using kernel::Kernel;
using kernel::RunContext;

constexpr double kNsPerByte = 0.15;

class OneHotMatMulKernel final : public Kernel {
 public:
  Status Run(RunContext& ctx) const override {
    const TensorView& indices = ctx.input(0);
    const TensorView& weights = ctx.input(1);
    const int64_t rows = weights.shape[0];
    const size_t row_bytes = static_cast<size_t>(weights.shape[1]) * sizeof(float);
    const auto count = static_cast<size_t>(indices.elems());
    const std::byte* from = weights.data;
    std::byte* to = ctx.output(0).data;
    if (row_bytes == 0) return Status::Ok();
    const size_t threads = ThreadsFor(count * row_bytes, kNsPerByte, ctx.width());
    return DispatchDType(indices.dtype, TypeList<int32_t, int64_t, uint8_t>{}, [&]<typename T>() {
      const T* index = indices.as<const T>();
      ParallelFor(ctx.pool(), count, threads, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
          int64_t at = index[i];
          if (at < 0) at += rows;
          if (at >= 0 && at < rows) {
            CopyRun(to + i * row_bytes, from + static_cast<size_t>(at) * row_bytes, row_bytes);
          } else {
            std::memset(to + i * row_bytes, 0, row_bytes);
          }
        }
      });
      return Status::Ok();
    });
  }
};

}  // namespace

const kernel::KernelImpl kOneHotMatMulMove[1] = {
    {"one_hot_matmul.move", nullptr, [](const graph::NodeRef&) -> Result<std::unique_ptr<Kernel>> {
       return std::unique_ptr<Kernel>(std::make_unique<OneHotMatMulKernel>());
     }}};

}  // namespace waybill::cpu
