// Circles of references that lead through the core and Python, shown to Python's garbage collector.
//
// A traced tf.custom_gradient puts a Python callable into the graph, as a node's gradient rule. Its closure holds
// symbolic tensors, and these own the graph: graph -> node -> rule -> callable -> closure -> tensor -> graph. The
// collector sees the second half only. So for the time of a full collection each object of the core that a watched one
// leads to gets a *shadow*: a Python object with as many references as the core's object has owners. Python objects
// that own such an object visit its shadow; the shadow visits those of what its object owns, and a rule's the callable.
// Then the collector finds by its own algorithm what nothing holds but such circles. An owner that nobody visits, like
// a C++ frame or a thread that traces, leaves the shadow a reference too many, and all stays alive. What is garbage
// gives up its callable; the rest follows.
//
// The collector calls a function of this file before and after (gc.callbacks). Nothing is done while no callable lives
// in the core. All functions need the GIL, unless they say otherwise.
#pragma once

#include <Python.h>

#include <memory>

#include "bind/py_ref.h"
#include "function/concrete.h"
#include "grad/tape.h"

namespace tracefn::bind {

// A Python callable that an object of the core owns; lost when the collector finds it to be garbage. May be destroyed
// on any thread.
class HostCallable {
 public:
  explicit HostCallable(PyObject* callable);
  ~HostCallable();
  HostCallable(const HostCallable&) = delete;
  HostCallable& operator=(const HostCallable&) = delete;

  // Error(kRuntime) when it is lost.
  PyRef get() const;
  // Borrowed; null when it is lost.
  PyObject* peek() const { return callable_; }
  // For the collector.
  void lose() { Py_CLEAR(callable_); }

 private:
  PyObject* callable_ = nullptr;
};

// Objects from which the collector looks for callables: graphs that lead to one, the traces of such graphs, tapes that
// hold rules. They are held weakly. Any thread may call.
void watch_graph(const std::shared_ptr<const Graph>& graph);
void watch_trace(const std::shared_ptr<const Concrete>& trace);
void watch_tape(const std::shared_ptr<const Tape>& tape);

// True between the beginning of a full collection and its first deed: what a Python object owns is to be visited.
extern bool shadows_visible;
int visit_shadow_of(const void* object, visitproc visit, void* arg);

// For tp_traverse of a Python object that holds one reference to this object of the core; null: none.
inline int visit_owned(const void* object, visitproc visit, void* arg) {
  return shadows_visible && object ? visit_shadow_of(object, visit, arg) : 0;
}

void init_garbage(PyObject* module);

}  // namespace tracefn::bind
