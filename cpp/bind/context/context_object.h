// Context: the base of the core's Python context managers. Entering and leaving one runs no Python code, so that no
// signal can arrive between a change and its record. All functions need the GIL.
#pragma once

#include <Python.h>

#include <memory>
#include <string>

#include "bind/context/open_contexts.h"
#include "bind/errors.h"

namespace tracefn::bind {

// The action of a kind of context.
class ContextKind {
 public:
  virtual ~ContextKind() = default;
  // Makes the change; `value` is what `with ... as` binds, initially None.
  virtual std::unique_ptr<Change> enter(PyRef& value) = 0;
  // Its name in messages.
  virtual std::string text() const = 0;
  // The Python objects held, for the garbage collector.
  virtual int traverse(visitproc, void*) { return 0; }
};

// A new object of a type below Context.
PyObject* new_context(PyTypeObject* type, std::unique_ptr<ContextKind> kind);

// Adds a type below Context, whose objects are made of (args, kwargs) by `make`.
void add_context_type(PyObject* module, const char* qualified_name, const char* doc, newfunc make);
template <std::unique_ptr<ContextKind> (*make)(PyObject* args, PyObject* kwargs)>
void add_context_type(PyObject* module, const char* qualified_name, const char* doc) {
  add_context_type(module, qualified_name, doc, [](PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    return guarded([&] { return new_context(type, make(args, kwargs)); });
  });
}

// Adds Context to the module.
void init_context_object(PyObject* module);

}  // namespace tracefn::bind
