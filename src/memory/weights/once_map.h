// OnceMap: values that several owners share for as long as one of them holds a share, each made
// once.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status/result.h"

namespace waybill {

// Keys are compared in full. Thread-safe: the lock is held for look-ups only, never while a value
// is made or dropped. Values may outlive the map and die on any thread; with the last share in one,
// its entry goes too.
template <typename Key, typename Value, typename Hash>
class OnceMap {
 public:
  using Shared = std::shared_ptr<const Value>;
  struct Found {
    Shared value;
    bool made = false;  // by this call
  };
  using Make = std::function<Result<std::unique_ptr<Value>>()>;
  using IsValid = std::function<bool(const Value&)>;

  // The value of `key` that lives, or that `make` makes. Of several callers at once one makes it,
  // the others wait. When that one fails, its error is its own, and the next tries with its own
  // `make`. `valid`, where given, may refuse a value that lives: its owners keep it, this caller
  // and those after it get another. `make` must not come back here with the same key.
  // Errors: those of `make`; kCancelled when `cancel` is not null and becomes true in a wait.
  Result<Found> FindOrMake(const Key& key, const Make& make, const IsValid& valid = {},
                           const std::atomic<bool>* cancel = nullptr) {
    const Visit visit(state_, key);
    for (;;) {
      WB_ASSIGN_OR_RETURN(Shared value, visit.Wait(cancel));
      if (value == nullptr) break;
      if (!valid || valid(*value)) return Found{std::move(value), false};
      visit.Refuse(value);
    }
    // This caller makes it, unless it leaves by an error or an exception.
    WB_ASSIGN_OR_RETURN(std::unique_ptr<Value> made, make());
    return Found{visit.Keep(std::move(made)), true};
  }

  // All that live, in no order.
  std::vector<Shared> Live() const {
    std::vector<Shared> out;  // declared first: what it drops is dropped without the lock
    const std::lock_guard lock(state_->mutex);
    out.reserve(state_->entries.size());
    for (const auto& [key, entry] : state_->entries) {
      if (Shared value = entry.value.lock()) out.push_back(std::move(value));
    }
    return out;
  }

 private:
  struct Entry {
    std::weak_ptr<const Value> value;
    bool making = false;
    size_t references = 0;  // of visits and of values that live
    std::condition_variable made;
  };
  using Entries = std::unordered_map<Key, Entry, Hash>;
  using Node = typename Entries::value_type;  // at a fixed address while it is referred to

  struct State {
    std::mutex mutex;
    Entries entries;

    // With the lock held.
    void Release(Node& node) noexcept {
      if (--node.second.references == 0) entries.erase(entries.find(node.first));
    }
  };

  // One call of FindOrMake.
  class Visit {
   public:
    Visit(const std::shared_ptr<State>& state, const Key& key) : state_(state) {
      const std::lock_guard lock(state_->mutex);
      node_ = &*state_->entries.try_emplace(key).first;
      ++node_->second.references;
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() {
      const std::lock_guard lock(state_->mutex);
      if (making_) StopMaking();
      state_->Release(*node_);
    }

    // The value; null when there is none and this caller is to make it.
    Result<Shared> Wait(const std::atomic<bool>* cancel) const {
      constexpr std::chrono::milliseconds kPoll(5);
      std::unique_lock lock(state_->mutex);
      Entry& entry = node_->second;
      while (entry.making) {
        if (cancel == nullptr) {
          entry.made.wait(lock);
        } else if (cancel->load(std::memory_order_relaxed)) {
          return Error(Code::kCancelled, "cancelled while another caller made the same");
        } else {
          entry.made.wait_for(lock, kPoll);
        }
      }
      Shared value = entry.value.lock();
      if (value == nullptr) entry.making = making_ = true;
      return value;
    }

    void Refuse(const Shared& value) const {
      const std::lock_guard lock(state_->mutex);
      std::weak_ptr<const Value>& kept = node_->second.value;
      const bool same = !kept.owner_before(value) && !value.owner_before(kept);
      if (same) kept.reset();
    }

    Shared Keep(std::unique_ptr<Value> made) const {
      {
        const std::lock_guard lock(state_->mutex);
        ++node_->second.references;  // the deleter's, which runs even when no share can be made
      }
      Shared value(made.release(), [state = state_, node = node_](const Value* dead) {
        delete dead;
        const std::lock_guard lock(state->mutex);
        state->Release(*node);
      });
      const std::lock_guard lock(state_->mutex);
      node_->second.value = value;
      StopMaking();
      return value;
    }

   private:
    void StopMaking() const noexcept {
      making_ = node_->second.making = false;
      node_->second.made.notify_all();
    }

    std::shared_ptr<State> state_;
    Node* node_ = nullptr;
    mutable bool making_ = false;
  };

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace waybill
