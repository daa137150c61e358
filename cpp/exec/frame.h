// Frame: the registers of one run of a Program, and those of its bodies. Kept between runs, so that a call in steady
// state allocates nothing but its results. A Frame is used by one thread at a time; FrameList may be used by any.
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

  // All registers empty, as they were at first; after a run that ended in an error.
  void clear();
  // Of body `i` of the program; made when first asked for.
  Frame& body(std::size_t i);

  std::vector<Tensor> registers;
  // The operands of all instructions, one after the other, pointing into `registers` and the program's constants.
  std::vector<KernelContext::Operand> operands;

 private:
  friend class FrameList;

  const Program& program_;
  std::vector<std::unique_ptr<Frame>> bodies_;
  bool first_ = false;
};

// Frames that wait for the next run.
class FrameList {
 public:
  ~FrameList() { delete first_.load(); }
  std::unique_ptr<Frame> take(const Program& program);
  void give_back(std::unique_ptr<Frame> frame);

 private:
  // The frame that was made first, while it waits: serves the common case of one run at a time without a lock.
  std::atomic<Frame*> first_{nullptr};
  std::atomic<bool> made_first_{false};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Frame>> more_;
};

}  // namespace tracefn
