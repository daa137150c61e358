// KeptFew: a small cache of the last few results. Any thread may call.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

namespace tracefn {

template <typename T>
class KeptFew {
 public:
  explicit KeptFew(std::size_t most) : most_(most) {}

  // The entry that `is` accepts, else a new one from `make`. Both are called under a lock.
  template <typename Is, typename Make>
  std::shared_ptr<T> find_or_make(const Is& is, const Make& make) {
    // Destroyed after the lock is released: that may call into the host language.
    std::shared_ptr<T> dropped;
    std::lock_guard lock(mutex_);
    for (const std::shared_ptr<T>& known : kept_)
      if (is(*known)) return known;
    kept_.push_back(make());
    std::shared_ptr<T> made = kept_.back();
    if (kept_.size() > most_) {
      dropped = std::move(kept_.front());
      kept_.pop_front();
    }
    return made;
  }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<T>> kept_;  // newest last
};

}  // namespace tracefn
