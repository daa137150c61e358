// The contexts open on each thread: changes by `with` statements and staged statements that are to be restored. Nothing
// else changes the state that a thread's ops depend on, so an exception restores it without running Python code. All
// functions need the GIL.
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

// A change made when a context began.
class Change {
 public:
  virtual ~Change() = default;
  // Restores the previous state. `later` are the contexts that began after this one and are still open: if one of them
  // changed the same thing, it takes over the state to restore.
  virtual void restore(std::span<const OpenContext> later) noexcept = 0;
  // Whether another thread has restored it already.
  virtual bool is_restored() const { return false; }
  // Whether it can be restored now: not inside a core call that started within the context and is still running.
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

// Registers a change that has been made.
void begin_context(PyObject* owner, OpenCount& open, std::unique_ptr<Change> change);
// Restores the last change of `owner`. Does nothing if that ended with a ContextScope. Error(kRuntime) if it has not
// begun, began on another thread, or may not end now; `text()` is its name in messages.
void end_context(PyObject* owner, OpenCount& open, const std::function<std::string()>& text);

// The same, but for a change on another thread, which stays registered until that thread checks it.
void end_context_anywhere(PyObject* owner, OpenCount& open);

// The contexts open on this thread, oldest first.
std::span<const OpenContext> open_contexts();

// Contexts opened on this thread during its lifetime end with it: around every call of a Python function by the core.
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
