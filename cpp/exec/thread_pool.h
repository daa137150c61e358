// The threads that run shards of big instructions. Started on first need, and again in a child after fork; they live as
// long as the process. The bounds of shards depend on the work only, so results do not depend on the number of threads.
// The calling thread asks for signals between pieces and while it waits (base/poll.h).
#pragma once

#include "ops/kernel.h"

namespace tracefn {

class ThreadPool final : public ShardRunner {
 public:
  static ThreadPool& get();

  // Runs shard(begin, end) over [0, n) in pieces of some 20 µs and more, on the calling thread too; returns when all
  // are done. A long piece is run in slices of some 200 µs. Inside a shard it runs inline. The first exception of a
  // shard is rethrown after all have ended; slices that had not begun are left out, and shards that poll end early.
  // May be called by several threads at once.
  void parallel_for(std::int64_t n, double cost, const std::function<void(std::int64_t, std::int64_t)>& shard) override;

  // Threads that work on one call, the caller included: TRACEFN_NUM_THREADS, or what the machine has.
  int num_threads();
  // Takes effect for calls that begin later. Error(kInvalidArgument) unless n is positive.
  void set_num_threads(int n);

 private:
  ThreadPool() = default;
};

}  // namespace tracefn
