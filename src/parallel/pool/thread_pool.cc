#include "parallel/pool/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "parallel/pool/crew.h"
#include "parallel/pool/lease.h"

namespace waybill {

namespace {

using parallel_internal::Crew;

class CrewPool final : public ThreadPool {
 public:
  explicit CrewPool(size_t threads) : threads_(std::max<size_t>(threads, 1)) {}
  ~CrewPool() override {
    Crew* crew = crew_.load(std::memory_order_acquire);
    // The crew of a parent process can be neither stopped nor freed here.
    if (crew != nullptr && crew->OfThisProcess()) delete crew;
  }

  size_t max_width() const override { return threads_; }

  void Run(size_t tasks, size_t width, TaskFn fn, void* context) override {
    PoolLease(this, width).Run(tasks, width, fn, context);
  }

 protected:
  Crew* crew() override try {
    Crew* crew = crew_.load(std::memory_order_acquire);
    while (crew == nullptr || !crew->OfThisProcess()) {
      auto fresh = std::make_unique<Crew>(threads_ - 1);
      if (crew_.compare_exchange_strong(crew, fresh.get(), std::memory_order_acq_rel)) {
        return fresh.release();
      }
    }
    return crew;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }

 private:
  const size_t threads_;
  std::atomic<Crew*> crew_{nullptr};
};

}  // namespace

std::shared_ptr<ThreadPool> MakeThreadPool(size_t threads) {
  return std::make_shared<CrewPool>(threads);
}

}  // namespace waybill
