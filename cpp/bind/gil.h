// Holding the GIL, and releasing it while a long kernel runs.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

#include <cstdint>
#include <span>

#include "ops/emit.h"

namespace tracefn::bind {

// Work of about 20 microseconds, in elements of an elementwise kernel: below it, releasing the GIL costs more than it
// gains.
inline constexpr std::int64_t kReleaseElements = 32768;

// Whether this thread holds the GIL. Unlike PyGILState_Check, also after Python is gone, when no thread does.
bool has_gil();

// For a thread that can go no further.
[[noreturn]] inline void block_forever() {
  while (true) pause();
}

// f(), which takes the GIL or runs Python code. When the process exits, Python calls pthread_exit there on all threads
// but the main one, which must not unwind this library's frames: they would use Python without the GIL. Such a thread
// blocks forever.
template <typename F>
auto blocking_at_exit(const F& f) {
  try {
    return f();
  } catch (const abi::__forced_unwind&) {
    block_forever();
  }
}

inline void take_gil_back(PyThreadState* state) {
  blocking_at_exit([&] { PyEval_RestoreThread(state); });
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

// Holds the GIL during its lifetime, on any thread. Once the process exits, threads that come for it block forever, but
// for the main one; the exit waits for those that have it.
class EnsuredGil {
 public:
  EnsuredGil() : had_it_(has_gil()) {
    if (!had_it_) state_ = take();
  }
  ~EnsuredGil() {
    if (!had_it_) give_back(state_);
  }
  EnsuredGil(const EnsuredGil&) = delete;
  EnsuredGil& operator=(const EnsuredGil&) = delete;

 private:
  static PyGILState_STATE take();
  static void give_back(PyGILState_STATE state);

  const bool had_it_;
  PyGILState_STATE state_{};
};

// Registers what waits at exit, with Python's module `atexit`. Call once, with the GIL.
void init_gil();

// True if emitting an op on these inputs runs a long enough kernel that does not need Python.
inline bool worth_releasing(std::span<const Operand> inputs, std::int64_t work) {
  if (work < kReleaseElements || current_listener() || !current_target().is_eager()) return false;
  for (const Operand& in : inputs)
    if (!in.is_eager()) return false;
  return true;
}

}  // namespace tracefn::bind
