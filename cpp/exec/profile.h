// A profile: which ops and functions run when, on which threads, and how large their results are. While none is
// recorded, a span costs one load and a branch. Any thread may call.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace tracefn::profile {

struct Event {
  std::string name;
  std::int64_t begin = 0, end = 0;  // nanoseconds of now()
  std::int64_t bytes = -1;          // of the results; -1: not an op
  std::vector<std::pair<std::string, std::string>> details = {};
};
struct Thread {
  std::int64_t id = 0;
  std::string name;
  std::vector<Event> events;
};
struct Recording {
  std::int64_t begin = 0, end = 0;  // nanoseconds of now()
  std::int64_t began_at = 0;        // nanoseconds since 1970
  std::vector<Thread> threads;
  std::int64_t left_out = 0;  // events beyond the most that a thread keeps
};

// Forgets what was recorded before.
void start();
Recording stop();

namespace detail {
extern std::atomic<bool> on;
}
inline bool on() { return detail::on.load(std::memory_order_relaxed); }
// On a clock that never goes back.
std::int64_t now();
// Adds an event of this thread, if a profile is recorded.
void note(Event event);

// An event that lasts as long as the object. The texts must live as long.
class Span {
 public:
  // "node:Op", or the name alone if there is no op.
  Span(std::string_view name, std::string_view op) {
    if (on()) [[unlikely]]
      begin(name, op);
  }
  ~Span() {
    if (begin_ != 0) [[unlikely]]
      end();
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  void set_results(std::span<const Tensor> results) {
    if (begin_ != 0) [[unlikely]]
      count(results);
  }

 private:
  void begin(std::string_view name, std::string_view op);
  void count(std::span<const Tensor> results);
  void end() noexcept;

  std::string_view name_, op_;
  std::int64_t begin_ = 0, bytes_ = -1;
};

// A serialized XSpace, which TensorBoard's profile plugin reads.
std::string xspace(const Recording& recording, const std::string& host);
// JSON that chrome://tracing reads: Trace Event Format,
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
std::string chrome_trace(const Recording& recording);

}  // namespace tracefn::profile
