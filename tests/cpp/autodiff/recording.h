// Tapes, for tests of gradients.
#pragma once

#include <memory>

#include "autodiff/tape.h"
#include "trace/traces.h"

namespace tracefn::test {

inline double value(const Operand& x) { return x.tensor.item<double>(); }

// A tape that records on this thread from here to stop(), or as long as this lives.
class Recording {
 public:
  struct Persistent {};
  Recording() : Recording(std::make_shared<Tape>(true)) {}
  explicit Recording(Persistent) : Recording(std::make_shared<Tape>(true, true)) {}
  explicit Recording(std::shared_ptr<Tape> tape) : tape_(std::move(tape)) { ActiveTapes::of_thread().push(tape_); }
  ~Recording() { stop(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void stop() { ActiveTapes::remove(*tape_); }
  Tape* operator->() const { return tape_.get(); }
  Tape& operator*() const { return *tape_; }

  // The tensor, watched.
  Operand watch(Operand x) const {
    OpRecorder::watch(x);
    tape_->watch(x);
    return x;
  }
  Gradient gradient(const Operand& target, const Operand& source, const Operand& seed = {}) const {
    return tape_->gradient(std::span(&target, 1), std::span(&seed, 1), std::span(&source, 1))[0];
  }
  // Of a double scalar.
  double slope(const Operand& target, const Operand& source) const {
    const Gradient g = gradient(target, source);
    return g.defined() ? g.dense().tensor.item<double>() : std::nan("");
  }

 private:
  std::shared_ptr<Tape> tape_;
};

}  // namespace tracefn::test
