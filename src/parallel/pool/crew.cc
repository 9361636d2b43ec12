#include "parallel/pool/crew.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "parallel/pool/futex.h"

namespace waybill::parallel_internal {

namespace {

// How long a worker spins for the next region of the run that holds it, and for the next run.
// Waking a sleeper takes longer than the first; the second only has to outlast the gap between two
// runs of a caller that does nothing else.
constexpr int64_t kSpinInRunNs = 50'000;
constexpr int64_t kSpinAfterRunNs = 20'000;

}  // namespace

void Worker::Wake() {
  if (asleep.load(std::memory_order_seq_cst) != 0 &&
      asleep.exchange(0, std::memory_order_seq_cst) != 0) {
    FutexWakeAll(asleep);
  }
}

Crew::Crew(size_t workers) : pid_(getpid()) {
  workers_.reserve(workers);
  for (size_t i = 0; i < workers; ++i) workers_.push_back(std::make_unique<Worker>());
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (const auto& worker : workers_) {
    try {
      worker->thread = std::thread([this, me = worker.get(), i = started_] { Serve(*me, i); });
    } catch (const std::exception&) {  // no thread or no memory for it: fewer do
      break;
    }
    ++started_;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Crew::~Crew() {
  stopping_.store(true, std::memory_order_seq_cst);
  for (size_t i = 0; i < started_; ++i) {
    workers_[i]->Wake();
    workers_[i]->thread.join();
  }
}

bool Crew::OfThisProcess() const { return pid_ == getpid(); }

size_t Crew::Take(size_t count, Worker*& list) {
  size_t got = 0;
  const size_t width = started_ + 1;
  for (size_t i = 0; i < started_ && got < count; ++i) {
    if (at_work_.load(std::memory_order_relaxed) >= width) break;
    Worker& worker = *workers_[i];
    if (worker.taken.load(std::memory_order_relaxed)) continue;
    if (worker.taken.exchange(true, std::memory_order_acquire)) continue;
    at_work_.fetch_add(1, std::memory_order_relaxed);
    worker.next = list;
    list = &worker;
    ++got;
  }
  return got;
}

void Crew::Give(Worker* list) {
  while (list != nullptr) {
    Worker& worker = *list;
    list = worker.next;
    worker.team.store(nullptr, std::memory_order_relaxed);
    worker.taken.store(false, std::memory_order_release);
    at_work_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void Crew::Serve(Worker& me, size_t index) {
  char name[16];
  std::snprintf(name, sizeof(name), "waybill-%u", static_cast<unsigned>(index + 1) % 10000);
  pthread_setname_np(pthread_self(), name);
  const auto stopping = [this] { return stopping_.load(std::memory_order_seq_cst); };
  while (true) {
    Team* const team = me.team.load(std::memory_order_acquire);
    if (team != nullptr && team->Work(Team::Side::kBack)) continue;
    const auto changed = [&] {
      return me.HasWork() || me.team.load(std::memory_order_relaxed) != team || stopping();
    };
    if (stopping()) return;
    if (Spin(team != nullptr ? kSpinInRunNs : kSpinAfterRunNs, changed)) continue;
    me.asleep.store(1, std::memory_order_seq_cst);
    if (!me.HasWork() && !stopping()) FutexWait(me.asleep, 1);
    me.asleep.store(0, std::memory_order_relaxed);
  }
}

}  // namespace waybill::parallel_internal
