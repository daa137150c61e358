// A bounded queue between one producer and one consumer.
#include "data/fetch_ahead.h"

#include <deque>
#include <exception>

#include "base/physical_memory.h"

namespace tracefn::data {
namespace {

// How the depth is tuned: it starts at kFirstDepth and doubles when the consumer has found the queue empty after it has
// been full, up to kMostDepth, as long as the elements take less than a part of the memory.
constexpr std::int64_t kFirstDepth = 2, kMostDepth = 512;
constexpr std::size_t kPartOfMemory = 16;

std::size_t bytes_of(const Element& element) {
  std::size_t bytes = 0;
  for (const Tensor& t : element) bytes += t.bytes();
  return bytes;
}

}  // namespace

struct FetchAhead::Shared {
  struct Item {
    Element element;
    std::exception_ptr error;
    bool end = false;
  };

  Shared(std::unique_ptr<Iterator> i, std::int64_t d)
      : input(std::move(i)), depth(d == kTuned ? kFirstDepth : d), tuned(d == kTuned) {}

  std::mutex input_mutex;  // locked before `mutex`
  std::unique_ptr<Iterator> input;
  std::mutex mutex;  // for what follows
  std::condition_variable added, taken;
  std::deque<Item> items;
  std::int64_t depth;
  const bool tuned;
  bool been_full = false, ended = false;
  std::vector<Element> used;  // the consumer's old elements, whose memory the producer may reuse
  std::atomic<bool> stopped{false};

  bool full() const { return static_cast<std::int64_t>(items.size()) >= depth; }

  // The producer's thread.
  void produce() {
    const ShardScope scope(stopped);
    for (;;) {
      Item item;
      {
        std::unique_lock lock(mutex);
        if (full()) been_full = true;
        taken.wait(lock, [&] { return stopped || !full(); });
        if (stopped) return;
        if (!used.empty()) {
          item.element = std::move(used.back());
          used.pop_back();
        }
      }
      std::lock_guard reading(input_mutex);
      try {
        item.end = !input->next(item.element);
      } catch (const Stopped&) {
        return;
      } catch (...) {
        item.error = std::current_exception();
      }
      std::lock_guard lock(mutex);
      const bool end = item.end;
      items.push_back(std::move(item));
      added.notify_one();
      if (end) {
        ended = true;
        return;
      }
    }
  }

  // With the mutex locked, when the consumer has found nothing.
  void tune() {
    if (!tuned || !std::exchange(been_full, false)) return;
    if (depth < kMostDepth && bytes_each * static_cast<std::size_t>(depth) * 2 < physical_memory() / kPartOfMemory)
      depth *= 2;
    taken.notify_one();
  }
  std::size_t bytes_each = 0;
};

FetchAhead::FetchAhead(std::unique_ptr<Iterator> input, std::int64_t depth)
    : shared_(std::make_shared<Shared>(std::move(input), depth)) {}

FetchAhead::~FetchAhead() {
  if (!process_.same()) {
    // The thread that may hold the locks is not here.
    new std::shared_ptr<Shared>(std::move(shared_));
    return;
  }
  std::lock_guard lock(shared_->mutex);
  shared_->stopped = true;
  shared_->taken.notify_all();
}

void FetchAhead::start() {
  if (std::exchange(started_, true) || shared_->ended) return;
  start_worker([shared = shared_] { shared->produce(); });
}

bool FetchAhead::ready() const {
  process_.check();
  std::lock_guard lock(shared_->mutex);
  return !shared_->items.empty() || shared_->ended;
}

bool FetchAhead::next(Element& out) {
  process_.check();
  Shared& s = *shared_;
  start();
  Shared::Item item;
  bool at_end = false;
  auto take = [&] {
    if (s.items.empty()) {
      at_end = true;  // the end has been taken before
      return;
    }
    item = std::move(s.items.front());
    s.items.pop_front();
    if (s.tuned && !s.bytes_each) s.bytes_each = bytes_of(item.element);
    if (s.used.size() < 4) s.used.push_back(std::move(out));
    s.taken.notify_one();
  };
  wait_and_take(
      s.mutex, s.added,
      [&] {
        if (!s.items.empty() || s.ended) return true;
        s.tune();
        return false;
      },
      take);
  if (at_end || item.end) return false;
  if (item.error) std::rethrow_exception(item.error);
  out = std::move(item.element);
  return true;
}

void FetchAhead::save(StateWriter& state) {
  Shared& s = *shared_;
  HostLockRelease release(true);  // the producer may be in a host call
  std::lock_guard reading(s.input_mutex);
  std::lock_guard lock(s.mutex);
  std::int64_t count = 0;
  for (const Shared::Item& item : s.items) count += !item.end;
  state.number(count);
  for (const Shared::Item& item : s.items)
    if (!item.end) state.result(item.element, item.error);
  state.flag(s.ended);
  s.input->save(state);
}

void FetchAhead::restore(StateReader& state) {
  Shared& s = *shared_;
  for (std::int64_t n = state.count(); n > 0; --n) {
    Shared::Item& item = s.items.emplace_back();
    item.error = state.result(item.element);
  }
  s.ended = state.flag();
  s.input->restore(state);
}

}  // namespace tracefn::data
