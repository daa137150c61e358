// Holding the GIL, and releasing it while a long kernel runs.
#pragma once

#include <Python.h>
#include <unistd.h>

#include <cstdint>
#include <span>

#include "ops/emit.h"

namespace tracefn::bind {

// Work of about 20 microseconds, in elements of an elementwise kernel: below it, releasing the GIL costs more than it
// gains.
inline constexpr std::int64_t kReleaseElements = 32768;

// PyEval_RestoreThread. At process exit Python calls pthread_exit there on all threads but the main one, which must not
// unwind this library's frames (some are not exception-safe): such a thread blocks forever.
inline void take_gil_back(PyThreadState* state) {
  try {
    PyEval_RestoreThread(state);
  } catch (...) {
    while (true) pause();
  }
}

// Releases the GIL during its lifetime, if `when`.
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

// Holds the GIL during its lifetime, on any thread.
class EnsuredGil {
 public:
  EnsuredGil() : state_(PyGILState_Ensure()) {}
  ~EnsuredGil() { PyGILState_Release(state_); }
  EnsuredGil(const EnsuredGil&) = delete;
  EnsuredGil& operator=(const EnsuredGil&) = delete;

 private:
  PyGILState_STATE state_;
};

// True if emitting an op on these inputs runs a long enough kernel that does not need Python.
inline bool worth_releasing(std::span<const Operand> inputs, std::int64_t work) {
  if (work < kReleaseElements || current_listener() || !current_target().is_eager()) return false;
  for (const Operand& in : inputs)
    if (!in.is_eager()) return false;
  return true;
}

}  // namespace tracefn::bind
