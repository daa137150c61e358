// Every thread that notes events keeps them itself until the profile ends.
#include "exec/profile.h"

#include <unistd.h>

#include <chrono>
#include <memory>
#include <mutex>

#include "base/concat.h"

namespace tracefn::profile {

std::atomic<bool> detail::on{false};

namespace {

constexpr std::size_t kMostEvents = std::size_t{1} << 20;  // of one thread

struct Kept {
  std::mutex mutex;
  Thread thread;
  std::int64_t left_out = 0;
};

struct All {
  std::mutex mutex;
  std::vector<std::shared_ptr<Kept>> threads;
  std::int64_t begin = 0, began_at = 0;

  static All& get() {
    static auto* all = new All();  // never destroyed: threads may outlive static objects
    return *all;
  }
};

Kept& of_this_thread() {
  thread_local std::shared_ptr<Kept> kept = [] {
    auto made = std::make_shared<Kept>();
    All& all = All::get();
    std::lock_guard lock(all.mutex);
    made->thread.id = static_cast<std::int64_t>(::gettid());
    made->thread.name = made->thread.id == ::getpid() ? "main" : concat("thread ", made->thread.id);
    all.threads.push_back(made);
    return made;
  }();
  return *kept;
}

}  // namespace

std::int64_t now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

void start() {
  All& all = All::get();
  std::lock_guard lock(all.mutex);
  std::erase_if(all.threads, [](const std::shared_ptr<Kept>& kept) { return kept.use_count() == 1; });
  for (const std::shared_ptr<Kept>& kept : all.threads) {
    std::lock_guard of_thread(kept->mutex);
    kept->thread.events.clear();
    kept->left_out = 0;
  }
  all.begin = now();
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  all.began_at = std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count();
  detail::on.store(true, std::memory_order_relaxed);
}

Recording stop() {
  All& all = All::get();
  std::lock_guard lock(all.mutex);
  detail::on.store(false, std::memory_order_relaxed);
  Recording out{.begin = all.begin, .end = now(), .began_at = all.began_at};
  for (const std::shared_ptr<Kept>& kept : all.threads) {
    std::lock_guard of_thread(kept->mutex);
    out.left_out += kept->left_out;
    if (kept->thread.events.empty()) continue;
    out.threads.push_back({kept->thread.id, kept->thread.name, std::move(kept->thread.events)});
    kept->thread.events.clear();
  }
  return out;
}

void note(Event event) {
  if (!on()) return;
  Kept& kept = of_this_thread();
  std::lock_guard lock(kept.mutex);
  if (kept.thread.events.size() < kMostEvents) {
    kept.thread.events.push_back(std::move(event));
  } else {
    ++kept.left_out;
  }
}

void Span::begin(std::string_view name, std::string_view op) {
  name_ = name;
  op_ = op;
  begin_ = now();
}

void Span::count(std::span<const Tensor> results) {
  bytes_ = 0;
  for (const Tensor& t : results)
    if (is_plain(t.dtype())) bytes_ += static_cast<std::int64_t>(t.bytes());
}

void Span::end() noexcept {
  const std::int64_t ended = now();
  try {
    const std::string_view name = name_.empty() ? op_ : name_;
    note({.name = op_.empty() ? std::string(name) : concat(name, ":", op_),
          .begin = begin_,
          .end = ended,
          .bytes = bytes_});
  } catch (const std::bad_alloc&) {  // without memory, this event is left out
  }
}

}  // namespace tracefn::profile
