// OutsideShards: code of the host language that is called from within a shard of a job is not part of it. What it calls
// does not stop when the job does, and may use the pool's threads.
#pragma once

#include <atomic>

namespace tracefn {

class OutsideShards {
 public:
  OutsideShards();
  ~OutsideShards();
  OutsideShards(const OutsideShards&) = delete;
  OutsideShards& operator=(const OutsideShards&) = delete;

 private:
  const std::atomic<bool>* before_;
};

}  // namespace tracefn
