#include "exec/runner/account.h"

#include <algorithm>

#include "exec/plan/plan.h"
#include "exec/program/program.h"

namespace waybill::exec {

RunTotals& RunTotals::operator+=(const RunTotals& other) {
  runs += other.runs;
  requests += other.requests;
  allocated += other.allocated;
  requested_bytes += other.requested_bytes;
  allocated_bytes += other.allocated_bytes;
  return *this;
}

void RunAccount::Enter(const PlanFigures& plan, bool fresh) noexcept {
  constexpr auto kOrder = std::memory_order_relaxed;
  requests_.fetch_add(plan.requests, kOrder);
  requested_bytes_.fetch_add(plan.no_reuse_bytes, kOrder);
  if (!fresh) return;
  // After what was requested: a reader never finds more allocated than requested.
  allocated_.fetch_add(plan.fresh_requests, std::memory_order_release);
  allocated_bytes_.fetch_add(plan.slab_bytes, std::memory_order_release);
}

RunTotals RunAccount::Read() const noexcept {
  constexpr auto kOrder = std::memory_order_relaxed;
  RunTotals totals;
  totals.allocated = allocated_.load(std::memory_order_acquire);
  totals.allocated_bytes = allocated_bytes_.load(std::memory_order_acquire);
  totals.runs = runs_.load(kOrder);
  totals.requests = requests_.load(kOrder);
  totals.requested_bytes = requested_bytes_.load(kOrder);
  return totals;
}

std::shared_ptr<RunAccount> RunBook::Open() {
  auto made = std::make_unique<RunAccount>();
  {
    const std::lock_guard lock(pages_->mutex);
    pages_->open.push_back(made.get());
  }
  const auto close = [pages = pages_](const RunAccount* account) {
    {
      const std::lock_guard lock(pages->mutex);
      pages->closed += account->Read();
      pages->open.erase(std::find(pages->open.begin(), pages->open.end(), account));
    }
    delete account;
  };
  return std::shared_ptr<RunAccount>(made.release(), close);
}

RunTotals RunBook::Sum() const {
  const std::lock_guard lock(pages_->mutex);
  RunTotals sum = pages_->closed;
  for (const RunAccount* account : pages_->open) sum += account->Read();
  return sum;
}

RunTotals Program::Totals() const {
  RunTotals totals = account_->Read();
  for (const auto& body : bodies_) totals += body->Totals();
  return totals;
}

}  // namespace waybill::exec
