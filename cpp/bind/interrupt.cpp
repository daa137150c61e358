// Python's signals and GIL behind the core's hooks. Signal handlers run only on Python's main thread. Taking the GIL
// may wait for another thread, so a loop without it checks fifty times a second, not at each poll.
#include "bind/interrupt.h"

#include <Python.h>
#include <pthread.h>

#include <atomic>
#include <chrono>

#include "base/host_lock.h"
#include "base/poll.h"
#include "bind/errors.h"
#include "bind/gil.h"

namespace tracefn::bind {
namespace {

std::atomic<pthread_t> main_thread;

class PythonSignals final : public Interrupt {
 public:
  void check() override {
    if (has_gil()) {
      let_others_run();
      if (is_main_thread()) raise_pending();
      return;
    }
    if (!is_main_thread()) return;
    using Clock = std::chrono::steady_clock;
    static Clock::time_point looked;  // the main thread's
    if (Clock::now() - looked < std::chrono::milliseconds(20)) return;
    const EnsuredGil gil;
    raise_pending();
    looked = Clock::now();
  }

 private:
  // A loop that holds the GIL is not interpreted bytecode, between which the interpreter would switch threads.
  static void let_others_run() { take_gil_back(PyEval_SaveThread()); }
  // A handler must not run while an exception is in flight.
  static void raise_pending() {
    if (!PyErr_Occurred() && PyErr_CheckSignals() < 0) throw_interrupt();
  }
};

class GilLock final : public HostLock {
 public:
  void* release() override { return has_gil() ? PyEval_SaveThread() : nullptr; }
  void acquire(void* released) override { take_gil_back(static_cast<PyThreadState*>(released)); }
};

// The forking thread is the child's main thread.
void after_fork() { main_thread.store(pthread_self(), std::memory_order_relaxed); }

}  // namespace

void init_interrupt() {
  PyRef threading = owned(PyImport_ImportModule("threading"));
  PyRef main = owned(PyObject_CallMethod(threading.get(), "main_thread", nullptr));
  PyRef ident = owned(PyObject_GetAttrString(main.get(), "ident"));
  unsigned long id = PyLong_AsUnsignedLong(ident.get());
  if (PyErr_Occurred()) throw_python_error();
  main_thread.store(static_cast<pthread_t>(id), std::memory_order_relaxed);
  pthread_atfork(nullptr, nullptr, after_fork);
}

bool is_main_thread() { return pthread_equal(pthread_self(), main_thread.load(std::memory_order_relaxed)) != 0; }

Interrupt& python_signals() {
  static PythonSignals signals;
  return signals;
}

HostLock& python_lock() {
  static GilLock gil;
  return gil;
}

}  // namespace tracefn::bind
