// The number of the pool's threads, for a while.
#pragma once

#include "exec/thread_pool.h"

namespace tracefn::test {

class Threads {
 public:
  explicit Threads(int n) : before_(ThreadPool::get().num_threads()) { ThreadPool::get().set_num_threads(n); }
  ~Threads() { ThreadPool::get().set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

}  // namespace tracefn::test
