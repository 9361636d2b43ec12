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
  donated_bytes += other.donated_bytes;
  return *this;
}

namespace {

// By the only thread that writes at the time.
void Add(std::atomic<uint64_t>& sum, uint64_t more, std::memory_order order) noexcept {
  sum.store(sum.load(std::memory_order_relaxed) + more, order);
}

}  // namespace

void RunAccount::Page::Enter(const PlanFigures& plan, bool fresh) noexcept {
  Add(requests_, plan.requests, std::memory_order_relaxed);
  Add(requested_bytes_, plan.no_reuse_bytes, std::memory_order_relaxed);
  if (!fresh) return;
  // After what was requested: a reader never finds more allocated than requested.
  Add(allocated_, plan.fresh_requests, std::memory_order_release);
  Add(allocated_bytes_, plan.slab_bytes, std::memory_order_release);
}

void RunAccount::Page::CountRun() noexcept { Add(runs_, 1, std::memory_order_relaxed); }

void RunAccount::Page::CountDonated(size_t bytes) noexcept {
  Add(donated_bytes_, bytes, std::memory_order_relaxed);
}

RunTotals RunAccount::Page::Read() const noexcept {
  constexpr auto kOrder = std::memory_order_relaxed;
  RunTotals totals;
  totals.allocated = allocated_.load(std::memory_order_acquire);
  totals.allocated_bytes = allocated_bytes_.load(std::memory_order_acquire);
  totals.runs = runs_.load(kOrder);
  totals.requests = requests_.load(kOrder);
  totals.requested_bytes = requested_bytes_.load(kOrder);
  totals.donated_bytes = donated_bytes_.load(kOrder);
  return totals;
}

RunAccount::PageHandle RunAccount::OpenPage() {
  auto page = std::make_unique<Page>();
  const std::lock_guard lock(mutex_);
  open_.push_back(std::move(page));
  return PageHandle(open_.back().get(), Close{this});
}

void RunAccount::ClosePage(Page* page) noexcept {
  const std::lock_guard lock(mutex_);
  closed_ += page->Read();
  std::erase_if(open_, [page](const auto& open) { return open.get() == page; });
}

RunTotals RunAccount::Read() const noexcept {
  const std::lock_guard lock(mutex_);
  RunTotals totals = closed_;
  for (const auto& page : open_) totals += page->Read();
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
