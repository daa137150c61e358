// Letting other Python threads run while a big kernel works.
#pragma once

#include <Python.h>
#include <unistd.h>

#include <cstdint>
#include <span>

#include "ops/emit.h"

namespace tracefn::bind {

// Work worth about 20 microseconds, in elements of an elementwise kernel: below it, dropping the GIL costs more than it
// gives.
inline constexpr std::int64_t kReleaseElements = 32768;

// PyEval_RestoreThread. In a process that ends Python calls pthread_exit there on all threads but the main one, which
// must not unwind this library's frames, some of which nothing may be thrown through: such a thread stays where it is.
inline void take_gil_back(PyThreadState* state) {
  try {
    PyEval_RestoreThread(state);
  } catch (...) {
    while (true) pause();
  }
}

// Drops the GIL while it lives, if `when`.
class GilRelease {
 public:
  explicit GilRelease(bool when) : state_(when ? PyEval_SaveThread() : nullptr) {}
  ~GilRelease() {
    if (state_) take_gil_back(state_);
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

// True when emitting an op on these inputs runs a kernel long enough, and nothing that needs Python.
inline bool worth_releasing(std::span<const Operand> inputs, std::int64_t work) {
  if (work < kReleaseElements || current_listener() || !current_target().is_eager()) return false;
  for (const Operand& in : inputs)
    if (!in.is_eager()) return false;
  return true;
}

}  // namespace tracefn::bind
