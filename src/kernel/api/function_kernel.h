// Reference kernels as functions: most need no packing and no plan beyond the inference rule, so
// one operator is a run function, a parameter struct where it has attributes, and a table line.
//
//   struct EluParams { float alpha; };
//   Result<EluParams> ParseElu(const graph::NodeRef& n) { return
//   EluParams{n.attrs().Float("alpha")}; } Status RunElu(const EluParams& p, RunContext& ctx) { ...
//   } constexpr KernelImpl kElu[] = {FunctionImpl<EluParams, ParseElu, RunElu>("elu.reference")};
//   constexpr KernelImpl kAbs[] = {FunctionImpl<RunAbs>("abs.reference")};
#pragma once

#include <memory>
#include <utility>

#include "kernel/api/kernel.h"

namespace waybill::kernel {

using PlanFn = Status (*)(PlanContext&);

// Output 0 may overwrite input 0 where their types and shapes are equal: for elementwise kernels.
Status PlanElementwise(PlanContext& ctx);
// Output 0 is a view of input 0: for Reshape and its sisters.
Status PlanViewOfFirst(PlanContext& ctx);

template <Status (*kRun)(RunContext&), PlanFn kPlan>
class StatelessKernel final : public Kernel {
 public:
  Status Plan(PlanContext& ctx) const override {
    if constexpr (kPlan != nullptr) return kPlan(ctx);
    return ctx.InferOutputs();
  }
  Status Run(RunContext& ctx) const override { return kRun(ctx); }
};

template <typename Params, Status (*kRun)(const Params&, RunContext&), PlanFn kPlan>
class ParamKernel final : public Kernel {
 public:
  explicit ParamKernel(Params params) : params_(std::move(params)) {}
  Status Plan(PlanContext& ctx) const override {
    if constexpr (kPlan != nullptr) return kPlan(ctx);
    return ctx.InferOutputs();
  }
  Status Run(RunContext& ctx) const override { return kRun(params_, ctx); }

 private:
  Params params_;
};

template <Status (*kRun)(RunContext&), PlanFn kPlan = nullptr>
constexpr KernelImpl FunctionImpl(std::string_view name,
                                  Acceptance (*accepts)(const graph::NodeRef&) = nullptr) {
  return {name, accepts, [](const graph::NodeRef&) -> Result<std::unique_ptr<Kernel>> {
            return std::unique_ptr<Kernel>(std::make_unique<StatelessKernel<kRun, kPlan>>());
          }};
}

template <typename Params, Result<Params> (*kParse)(const graph::NodeRef&),
          Status (*kRun)(const Params&, RunContext&), PlanFn kPlan = nullptr>
constexpr KernelImpl FunctionImpl(std::string_view name,
                                  Acceptance (*accepts)(const graph::NodeRef&) = nullptr) {
  return {name, accepts, [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
            WB_ASSIGN_OR_RETURN(Params params, kParse(node));
            return std::unique_ptr<Kernel>(
                std::make_unique<ParamKernel<Params, kRun, kPlan>>(std::move(params)));
          }};
}

}  // namespace waybill::kernel
