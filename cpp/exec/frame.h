// Frame: the registers of one run of a Program and of its bodies. Reused between runs, so that a call in steady state
// allocates only its results. A Frame is used by one thread at a time; FrameList by any.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "ops/kernel.h"
#include "tensor/tensor.h"

namespace tracefn {

class Program;

class Frame {
 public:
  explicit Frame(const Program& program);

  // Clears all registers; after a run that ended in an error.
  void clear();
  // The frame of body `i` of the program; made on first use.
  Frame& body(std::size_t i);

  std::vector<Tensor> registers;
  // The operands of all instructions, concatenated, pointing into `registers` and the program's constants.
  std::vector<TensorRef> operands;

 private:
  friend class FrameList;

  const Program& program_;
  std::vector<std::unique_ptr<Frame>> bodies_;
  bool first_ = false;
};

// Free frames.
class FrameList {
 public:
  ~FrameList() { delete first_.load(); }
  std::unique_ptr<Frame> take(const Program& program);
  void give_back(std::unique_ptr<Frame> frame);

 private:
  // The first frame, while it is free: serves the common case of one run at a time without a lock.
  std::atomic<Frame*> first_{nullptr};
  std::atomic<bool> made_first_{false};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Frame>> more_;
};

}  // namespace tracefn
