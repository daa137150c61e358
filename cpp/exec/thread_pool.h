// The threads that run shards of big instructions. Started on first use, and again in a child after fork; they live as
// long as the process. Shard bounds depend only on the work, so results do not depend on the number of threads. The
// calling thread polls for signals between pieces and while it waits (base/poll.h).
#pragma once

#include "ops/kernel.h"

namespace tracefn {

class ThreadPool final : public ShardRunner {
 public:
  static ThreadPool& get();

  // Runs shard(begin, end) over [0, n) in pieces of at least some 20 µs, on the calling thread too; returns when all
  // are done. A long piece runs in slices of some 200 µs. Inside a shard it runs inline. The first exception of a shard
  // is rethrown after all have ended; slices that had not started are skipped, and shards that poll end early. Several
  // threads may call it at once.
  void parallel_for(std::int64_t n, double cost, Shard shard) override;

  // How many nanoseconds other threads have worked for the calls of this thread, since it began.
  static std::int64_t helped();

  // TRACEFN_NUM_THREADS, or the number of processors.
  int num_threads() override;
  // Takes effect for later calls. Error(kInvalidArgument) unless n is positive.
  void set_num_threads(int n);

 private:
  ThreadPool() = default;
};

}  // namespace tracefn
