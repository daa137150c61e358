// The contexts that are open on each thread: what `with` statements and staged statements have changed and will restore.
// Nothing else changes what a thread's ops depend on, so what an exception passes by is restored without running any
// Python code. All functions need the GIL.
#pragma once

#include <Python.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "bind/py_ref.h"

namespace tracefn::bind {

struct OpenContext;

// What was changed when a context began.
class Change {
 public:
  virtual ~Change() = default;
  // Restores what was before. `later` are the contexts that began after this one and are still open: where one of them
  // changed the same thing, it takes over what is to be restored.
  virtual void restore(std::span<const OpenContext> later) noexcept = 0;
  // Whether it has been restored already, by another thread.
  virtual bool is_restored() const { return false; }
  // Whether it can be restored now: not inside of a call of the core's that began within the context and goes on.
  virtual bool may_end() const { return true; }
};

struct OpenContext {
  PyRef owner;
  std::unique_ptr<Change> change;
  std::uint64_t number;
};

// How often an owner has begun and not ended, and the thread where it last began.
struct OpenCount {
  Py_ssize_t count = 0;
  std::thread::id thread;
};

// Files a change that has been made.
void begin_context(PyObject* owner, OpenCount& open, std::unique_ptr<Change> change);
// Restores what `owner` changed last. Does nothing when that has ended with a ContextScope. Error(kRuntime) when it has
// not begun, or began on another thread, or may not end now; `text()` is what messages call it.
void end_context(PyObject* owner, OpenCount& open, const std::function<std::string()>& text);

// The same, but for what began on another thread, which stays there until that thread looks at it.
void end_context_anywhere(PyObject* owner, OpenCount& open);

// For looking at what is open on this thread, the first to begin first.
std::span<const OpenContext> open_contexts();

// What begins on this thread while it lives ends with it: around every call of a Python function that the core makes.
class ContextScope {
 public:
  ContextScope();
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  std::uint64_t last_;
};

}  // namespace tracefn::bind
