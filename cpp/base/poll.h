// Poll: says about once in a millisecond that it is time to ask for signals, without looking at the clock in every step
// of a fast loop. Used by one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tracefn {

class Poll {
 public:
  bool due() { return ++steps_ >= until_ && look(); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::nanoseconds kPeriod = std::chrono::milliseconds(1);

  bool look() {
    steps_ = 0;
    Clock::time_point now = Clock::now();
    if (now - looked_ < kPeriod / 4) {
      until_ = std::min<std::int64_t>(until_ * 2, 65536);
    } else {
      until_ = std::max<std::int64_t>(until_ / 2, 1);
    }
    looked_ = now;
    if (now - asked_ < kPeriod) return false;
    asked_ = now;
    return true;
  }

  std::int64_t steps_ = 0, until_ = 1;
  Clock::time_point looked_ = Clock::now(), asked_ = looked_;
};

}  // namespace tracefn
