// Reference cycles through the core and Python, made visible to Python's garbage collector.
//
// A traced tf.custom_gradient puts a Python callable into the graph, as a node's gradient rule. Its closure holds
// symbolic tensors, and these own the graph: graph -> node -> rule -> callable -> closure -> tensor -> graph. The
// collector sees only the second half. So during a full collection each core object reachable from a watched one gets a
// *shadow*: a Python object with as many references as the core object has owners. Python objects that own such an
// object visit its shadow; the shadow visits those of what its object owns, and a rule's shadow the callable. Then the
// collector's own algorithm finds what only such cycles keep alive. An owner that nobody visits, like a C++ frame or a
// tracing thread, leaves the shadow with an extra reference, and everything stays alive. Garbage releases its callable;
// the rest follows.
//
// The collector calls a function of this file before and after (gc.callbacks). Nothing is done while no callable lives
// in the core. All functions need the GIL, unless they say otherwise.
#pragma once

#include <Python.h>

#include <memory>

#include "autodiff/tape.h"
#include "bind/py_ref.h"
#include "trace/concrete.h"

namespace tracefn::bind {

// A Python callable that a core object owns; cleared when the collector finds it to be garbage. May be destroyed on any
// thread.
class HostCallable {
 public:
  explicit HostCallable(PyObject* callable);
  ~HostCallable();
  HostCallable(const HostCallable&) = delete;
  HostCallable& operator=(const HostCallable&) = delete;

  // Error(kRuntime) if it is cleared.
  PyRef get() const;
  // Borrowed; null if it is cleared.
  PyObject* peek() const { return callable_; }
  // For the collector.
  void lose() { Py_CLEAR(callable_); }

 private:
  PyObject* callable_ = nullptr;
};

// Where the collector starts its search for callables: graphs that lead to one, the traces of such graphs, tapes that
// hold rules. Held weakly. Any thread may call.
void watch_graph(const std::shared_ptr<const Graph>& graph);
void watch_trace(const std::shared_ptr<const Concrete>& trace);
void watch_tape(const std::shared_ptr<const Tape>& tape);
// Watches the graph if the node leads to a callable: TraceHooks::owner.
void note_owner(const std::shared_ptr<Graph>& graph, const Node& node);

// True between the start of a full collection and its first modification: traverse must visit what Python objects own.
extern bool shadows_visible;
int visit_shadow_of(const void* object, visitproc visit, void* arg);

// For tp_traverse of a Python object that holds one reference to this core object; null: none.
inline int visit_owned(const void* object, visitproc visit, void* arg) {
  return shadows_visible && object ? visit_shadow_of(object, visit, arg) : 0;
}

void init_garbage(PyObject* module);

}  // namespace tracefn::bind
