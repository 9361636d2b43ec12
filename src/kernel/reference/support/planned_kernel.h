// A kernel as three functions, for operators whose plan phase leaves state or books scratch.
#pragma once

#include <memory>
#include <utility>

#include "kernel/api/kernel.h"

namespace waybill::kernel {

template <typename Params, Status (*kPlan)(const Params&, PlanContext&),
          Status (*kRun)(const Params&, RunContext&)>
class PlannedKernel final : public Kernel {
 public:
  explicit PlannedKernel(Params params) : params_(std::move(params)) {}
  Status Plan(PlanContext& ctx) const override { return kPlan(params_, ctx); }
  Status Run(RunContext& ctx) const override { return kRun(params_, ctx); }

 private:
  Params params_;
};

template <typename Params, Result<Params> (*kParse)(const graph::NodeRef&),
          Status (*kPlan)(const Params&, PlanContext&), Status (*kRun)(const Params&, RunContext&)>
constexpr KernelImpl PlannedImpl(std::string_view name,
                                 Acceptance (*accepts)(const graph::NodeRef&) = nullptr) {
  return {name, accepts, [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
            WB_ASSIGN_OR_RETURN(Params params, kParse(node));
            return std::unique_ptr<Kernel>(
                std::make_unique<PlannedKernel<Params, kPlan, kRun>>(std::move(params)));
          }};
}

}  // namespace waybill::kernel
