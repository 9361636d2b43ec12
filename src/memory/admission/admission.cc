#include "memory/admission/admission.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace waybill {

namespace {

using Clock = std::chrono::steady_clock;

// Places that this thread holds, one within the other. Initial-exec: see base/thread/sharded.h.
[[gnu::tls_model("initial-exec")]] constinit thread_local uint32_t depth = 0;

int64_t Milliseconds(Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

std::string Describe(const AdmissionRequest& request) {
  const WeightNeed& weights = request.weights;
  if (weights.bytes() != 0) {
    return Format(
        "{} bytes for weights ({} packed, {} folded or copied, {} read from files, {} more found "
        "missing; {} are mapped and not counted)",
        weights.bytes(), weights.packed, weights.folded, weights.read, weights.more,
        weights.mapped);
  }
  return Format("{} bytes, {} for the slab and {} for outputs", request.bytes(), request.slab_bytes,
                request.output_bytes);
}

}  // namespace

// On the stack of the thread that waits.
struct Admission::Waiter {
  Waiter(const AdmissionRequest& asked, AdmissionTicket& place) : request(asked), ticket(place) {}

  const AdmissionRequest& request;
  AdmissionTicket& ticket;
  const Clock::time_point since = Clock::now();
  std::optional<Clock::time_point> alone_since;  // nobody at work who could free anything
  uint32_t passed = 0;
  bool granted = false;
  std::condition_variable changed;
  Waiter* before = nullptr;
  Waiter* after = nullptr;
};

Admission::Admission(MemoryBudget& budget, IdleBytes idle_bytes)
    : budget_(budget), idle_bytes_(std::move(idle_bytes)) {
  budget_.SetListener(this);
}

Admission::~Admission() { budget_.SetListener(nullptr); }

size_t Admission::UsedBytes() const {
  const size_t used = budget_.in_use();
  const size_t idle = idle_bytes_ ? idle_bytes_() : 0;
  return used > idle ? used - idle : 0;
}

size_t Admission::BytesBeside(size_t reserved_bytes) const {
  const size_t limit = budget_.limit();
  if (limit == MemoryBudget::kUnlimited) return limit;
  const size_t used = UsedBytes();
  return used <= limit && reserved_bytes <= limit - used ? limit - used - reserved_bytes : 0;
}

size_t Admission::FreeBytes() const {
  return BytesBeside(reserved_bytes_.load(std::memory_order_relaxed));
}

bool Admission::TryAdmit(const AdmissionRequest& request, AdmissionTicket& ticket) {
  if (request.max_inflight != 0) {
    // Sequentially consistent reads, as those after them: a waiter has counted itself before it
    // looks, and Leave looks for waiters after it made room; one of both sees the other.
    uint32_t running = running_.load(std::memory_order_seq_cst);
    do {
      if (running >= request.max_inflight) return false;
    } while (!running_.compare_exchange_weak(running, running + 1, std::memory_order_seq_cst));
  }
  if (budget_.limited()) {
    const size_t bytes = request.bytes();
    holders_.fetch_add(1, std::memory_order_seq_cst);
    const size_t others = reserved_bytes_.fetch_add(bytes, std::memory_order_seq_cst);
    if (bytes > BytesBeside(others)) {
      reserved_bytes_.fetch_sub(bytes, std::memory_order_seq_cst);
      holders_.fetch_sub(1, std::memory_order_seq_cst);
      if (request.max_inflight != 0) running_.fetch_sub(1, std::memory_order_seq_cst);
      return false;
    }
    ticket.holds_ = true;
    ticket.reserved_bytes_ = bytes;
  }
  ticket.counted_ = request.max_inflight != 0;
  ticket.owner_ = this;
  admitted_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

Status Admission::Enter(const AdmissionRequest& request, AdmissionTicket& ticket) {
  if (depth != 0 || (request.max_inflight == 0 && !budget_.limited())) {
    ticket.owner_ = this;
  } else if (waiters_.load(std::memory_order_seq_cst) != 0 || !TryAdmit(request, ticket)) {
    WB_RETURN_IF_ERROR(Wait(request, false, ticket));
  }
  ++depth;
  return Status::Ok();
}

Status Admission::Reenter(const AdmissionRequest& request, AdmissionTicket& ticket) {
  ticket.Release();
  WB_RETURN_IF_ERROR(Wait(request, true, ticket));
  ++depth;
  return Status::Ok();
}

bool Admission::TryReserve(size_t bytes, AdmissionTicket& ticket) {
  if (!ticket.holds_) return true;
  ticket.Settle(bytes);
  const size_t more = bytes - ticket.reserved_bytes_;
  const size_t others = reserved_bytes_.fetch_add(more, std::memory_order_seq_cst) + more - bytes;
  if (bytes > BytesBeside(others)) {
    Unreserve(more);
    return false;
  }
  ticket.reserved_bytes_ = bytes;
  return true;
}

void Admission::Link(Waiter& waiter, bool first) noexcept {
  waiter.before = first ? nullptr : tail_;
  waiter.after = first ? head_ : nullptr;
  (waiter.before != nullptr ? waiter.before->after : head_) = &waiter;
  (waiter.after != nullptr ? waiter.after->before : tail_) = &waiter;
  ++stats_.waiting;
  stats_.peak_waiting = std::max(stats_.peak_waiting, stats_.waiting);
  waiters_.fetch_add(1, std::memory_order_seq_cst);
  budget_.Listen(true);
}

void Admission::Unlink(Waiter& waiter) noexcept {
  (waiter.before != nullptr ? waiter.before->after : head_) = waiter.after;
  (waiter.after != nullptr ? waiter.after->before : tail_) = waiter.before;
  if (waiter.after == nullptr && tail_ != nullptr) tail_->changed.notify_one();  // watches from now
  --stats_.waiting;
  waiters_.fetch_sub(1, std::memory_order_seq_cst);
  budget_.Listen(false);
}

bool Admission::LacksBytes(const AdmissionRequest& request) const noexcept {
  return budget_.limited() && request.bytes() > FreeBytes();
}

void Admission::GrantAll() noexcept {
  bool keeps_places = false;  // for one that was passed too often
  for (Waiter* waiter = head_; waiter != nullptr;) {
    Waiter* const next = waiter->after;
    const bool takes_place = waiter->request.max_inflight != 0;
    if (!(keeps_places && takes_place) && TryAdmit(waiter->request, waiter->ticket)) {
      for (Waiter* passed = waiter->before; passed != nullptr; passed = passed->before) {
        if (takes_place || LacksBytes(passed->request)) ++passed->passed;
      }
      Unlink(*waiter);
      waiter->granted = true;
      waiter->changed.notify_one();
    } else if (waiter->passed >= kMaxPassed) {
      if (LacksBytes(waiter->request)) return;
      keeps_places = true;
    }
    waiter = next;
  }
}

bool Admission::EverFits(const AdmissionRequest& request) const noexcept {
  if (!budget_.limited()) return true;
  const size_t limit = budget_.limit();
  const size_t lasting = budget_.lasting();
  return lasting <= limit && request.bytes() <= limit - lasting;
}

bool Admission::IsCancelled(const AdmissionRequest& request) noexcept {
  return request.cancel != nullptr && request.cancel->load(std::memory_order_relaxed);
}

bool Admission::IsOver(Waiter& waiter) const noexcept {
  const AdmissionRequest& request = waiter.request;
  if (IsCancelled(request) || !EverFits(request)) return true;
  const auto now = Clock::now();
  if (request.timeout_ms >= 0) return Milliseconds(now - waiter.since) >= request.timeout_ms;
  const bool at_work = holders_.load(std::memory_order_seq_cst) != 0 ||
                       running_.load(std::memory_order_seq_cst) != 0;
  if (at_work || request.bytes() <= BytesBeside(0)) {
    waiter.alone_since.reset();
    return false;
  }
  if (!waiter.alone_since) waiter.alone_since = now;
  return now - *waiter.alone_since >= kGrace;
}

Status Admission::WhyOver(const Waiter& waiter) const {
  const AdmissionRequest& request = waiter.request;
  if (IsCancelled(request)) return Error(Code::kCancelled, "cancelled while waiting for memory");
  if (!EverFits(request)) {
    return Error(Code::kOutOfMemory,
                 "{} are needed, but the memory budget is {} bytes, of which weights hold {}",
                 Describe(request), budget_.limit(), budget_.lasting());
  }
  return Error(Code::kOutOfMemory,
               "{} are needed; after waiting for {} ms {} of the memory budget of {} bytes are in "
               "use, {} of them for weights, {} runs are at work and {} wait",
               Describe(request), Milliseconds(Clock::now() - waiter.since), UsedBytes(),
               budget_.limit(), budget_.lasting(), std::max(holders_.load(), running_.load()),
               stats_.waiting);
}

void Admission::WakeEnded() noexcept {
  for (Waiter* waiter = head_; waiter != nullptr; waiter = waiter->after) {
    if (IsOver(*waiter)) waiter->changed.notify_one();
  }
}

Status Admission::Await(Waiter& waiter, std::unique_lock<std::mutex>& lock) {
  // Limits beyond the clock's range end with it.
  constexpr int64_t kMostMs = int64_t{1} << 40;
  const int64_t timeout_ms = waiter.request.timeout_ms;
  const auto limit = timeout_ms < 0
                         ? Clock::time_point::max()
                         : waiter.since + std::chrono::milliseconds(std::min(timeout_ms, kMostMs));
  while (true) {
    GrantAll();
    if (waiter.granted) return Status::Ok();
    if (IsOver(waiter)) return WhyOver(waiter);
    const bool watches = tail_ == &waiter;
    if (watches) WakeEnded();
    const auto until = watches ? std::min(limit, Clock::now() + kPoll) : limit;
    if (until == Clock::time_point::max()) {
      waiter.changed.wait(lock);
    } else {
      waiter.changed.wait_until(lock, until);
    }
  }
}

Status Admission::Wait(const AdmissionRequest& request, bool first, AdmissionTicket& ticket) {
  // Leaves the line however the wait ends, also where there is no memory for the reason.
  struct Place {
    ~Place() {
      if (waiter.granted) return;
      owner.Unlink(waiter);
      ++(cancelled ? owner.stats_.cancelled : owner.stats_.refused);
      owner.GrantAll();  // those that it kept from passing
    }
    Admission& owner;
    Waiter& waiter;
    bool cancelled = false;
  };
  std::unique_lock lock(mutex_);
  Waiter waiter(request, ticket);
  Link(waiter, first);
  Place place{*this, waiter};
  Status status = Await(waiter, lock);
  place.cancelled = status.code() == Code::kCancelled;
  if (status.ok()) {
    CountWait(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - waiter.since).count());
  }
  return status;
}

void Admission::CountWait(int64_t wait_ns) noexcept {
  const auto wait = static_cast<uint64_t>(std::max<int64_t>(wait_ns, 0));
  ++stats_.waited;
  stats_.wait_ns += wait;
  const auto bucket = static_cast<size_t>(std::bit_width(wait / 1000));
  ++stats_.waits_by_log2_us[std::min(bucket, stats_.waits_by_log2_us.size() - 1)];
}

void Admission::OnFreed() noexcept {
  const std::lock_guard lock(mutex_);
  GrantAll();
}

void Admission::Unreserve(size_t bytes) noexcept {
  if (bytes == 0) return;
  reserved_bytes_.fetch_sub(bytes, std::memory_order_seq_cst);
}

void Admission::Leave(AdmissionTicket& ticket) noexcept {
  --depth;
  Unreserve(std::exchange(ticket.reserved_bytes_, 0));
  const bool held = std::exchange(ticket.holds_, false);
  const bool counted = std::exchange(ticket.counted_, false);
  if (held) holders_.fetch_sub(1, std::memory_order_seq_cst);
  if (counted) running_.fetch_sub(1, std::memory_order_seq_cst);
  if ((held || counted) && waiters_.load(std::memory_order_seq_cst) != 0) OnFreed();
}

AdmissionStats Admission::Stats() const {
  const std::lock_guard lock(mutex_);
  AdmissionStats stats = stats_;
  stats.admitted = admitted_.load(std::memory_order_relaxed);
  return stats;
}

void AdmissionTicket::Settle(size_t left_bytes) noexcept {
  if (reserved_bytes_ <= left_bytes) return;
  owner_->Unreserve(std::exchange(reserved_bytes_, left_bytes) - left_bytes);
  if (owner_->waiters_.load(std::memory_order_seq_cst) != 0) owner_->OnFreed();
}

void AdmissionTicket::Release() noexcept {
  if (owner_ != nullptr) std::exchange(owner_, nullptr)->Leave(*this);
}

}  // namespace waybill
