// The GIL on threads of the core, and the end of the process.
#include "bind/gil.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "bind/errors.h"
#include "bind/interrupt.h"
#include "bind/py_ref.h"

namespace tracefn::bind {
namespace {

// A call of Python code that takes longer is left where it is.
constexpr std::chrono::seconds kLongestWait{2};

std::atomic<int> taken{0};  // by EnsuredGils, on all threads
thread_local int taken_here = 0;
std::atomic<bool> exiting{false};

// The child has the forking thread alone.
void count_in_child() { taken = taken_here; }

void count(int change) {
  taken_here += change;
  taken += change;
}

PyObject* wait_at_exit(PyObject*, PyObject*) {
  exiting = true;
  {
    const GilRelease released(true);
    const auto end = std::chrono::steady_clock::now() + kLongestWait;
    while (taken > taken_here && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Py_RETURN_NONE;
}

PyMethodDef wait_definition = {"wait_at_exit", wait_at_exit, METH_NOARGS, nullptr};

}  // namespace

bool has_gil() {
  PyThreadState* const own = PyGILState_GetThisThreadState();
  return own && own == _PyThreadState_UncheckedGet();
}

PyGILState_STATE EnsuredGil::take() {
  count(1);
  if (exiting && !is_main_thread()) {
    count(-1);
    block_forever();
  }
  return blocking_at_exit([] { return PyGILState_Ensure(); });
}

void EnsuredGil::give_back(PyGILState_STATE state) {
  PyGILState_Release(state);
  count(-1);
}

void init_gil() {
  PyRef function = owned(PyCFunction_New(&wait_definition, nullptr));
  PyRef module = owned(PyImport_ImportModule("atexit"));
  owned(PyObject_CallMethod(module.get(), "register", "O", function.get()));
  pthread_atfork(nullptr, nullptr, count_in_child);
}

}  // namespace tracefn::bind
