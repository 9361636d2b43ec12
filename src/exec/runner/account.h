// RunAccount: how much of what runs asked for was there already.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace waybill::exec {

struct PlanFigures;

// Sums over runs. Requests are the buffers of plans: values, in place or not, and scratch. Whatever
// is not allocated is reused, so that saved + allocated = requested, in bytes as in numbers.
struct RunTotals {
  uint64_t runs = 0;
  uint64_t requests = 0, allocated = 0;
  uint64_t requested_bytes = 0, allocated_bytes = 0;
  uint64_t donated_bytes = 0;  // of values made in donated inputs, which asked for nothing

  uint64_t reused() const { return requests - allocated; }
  uint64_t saved_bytes() const { return requested_bytes - allocated_bytes; }
  RunTotals& operator+=(const RunTotals& other);
};

// Of one program. Thread-safe; exact once the runs that were under way have ended.
class RunAccount {
 public:
  // What one frame counts: written by one thread at a time, so that counting is plain addition.
  class Page {
   public:
    // Enters the slab of one run, or of one body of a control flow step. `fresh`: its bytes were
    // taken for it, so that each byte that the plan uses counts as allocated once.
    void Enter(const PlanFigures& plan, bool fresh) noexcept;
    // One run, however many bodies it ran.
    void CountRun() noexcept;
    // Of values that a run made in donated inputs.
    void CountDonated(size_t bytes) noexcept;

   private:
    friend class RunAccount;
    RunTotals Read() const noexcept;

    std::atomic<uint64_t> runs_{0};
    std::atomic<uint64_t> requests_{0}, allocated_{0};
    std::atomic<uint64_t> requested_bytes_{0}, allocated_bytes_{0};
    std::atomic<uint64_t> donated_bytes_{0};
  };
  struct Close {
    RunAccount* account;
    void operator()(Page* page) const noexcept { account->ClosePage(page); }
  };
  using PageHandle = std::unique_ptr<Page, Close>;

  // A page that must go before the account; what it counted stays. Throws std::bad_alloc.
  PageHandle OpenPage();
  RunTotals Read() const noexcept;

 private:
  void ClosePage(Page* page) noexcept;

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Page>> open_;
  RunTotals closed_;
};

// The accounts of many programs together. Thread-safe.
class RunBook {
 public:
  // A new account. When its last share goes, what it counted stays in the sum.
  std::shared_ptr<RunAccount> Open();
  // Of all accounts that were ever opened.
  RunTotals Sum() const;

 private:
  struct Pages {
    std::mutex mutex;
    std::vector<const RunAccount*> open;
    RunTotals closed;
  };
  const std::shared_ptr<Pages> pages_ = std::make_shared<Pages>();  // outlives the book
};

}  // namespace waybill::exec
