// The handler, the exception table entries for it, and what it does.
#include "bind/own_frames.h"

#include <opcode.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/small_vector.h"
#include "bind/dispatch.h"
#include "bind/errors.h"
#include "bind/graph/source_location.h"
#include "bind/py_ref.h"

namespace tracefn::bind {
namespace {

bool filtering_default = true;
thread_local std::optional<bool> filtering_here;  // as in TensorFlow, each thread has its own

bool filtering() { return filtering_here.value_or(filtering_default); }

// Removes the package's entries at the head of an exception's traceback.
void take_off_frames(PyObject* error) {
  PyRef head = PyRef::steal(PyException_GetTraceback(error));
  if (head.get() == Py_None) return;  // all have been removed
  PyObject* rest = head.get();
  while (rest) {
    auto* entry = reinterpret_cast<PyTracebackObject*>(rest);
    PyRef code = PyRef::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(entry->tb_frame)));
    if (!is_own_code(reinterpret_cast<PyCodeObject*>(code.get()))) break;
    rest = reinterpret_cast<PyObject*>(entry->tb_next);
  }
  if (rest != head.get()) PyException_SetTraceback(error, rest ? rest : Py_None);
}

// The same for the exception being handled and those that led to it.
void take_off_frames() {
  constexpr int kMostCauses = 16;  // the chain may be a circle
  if (!filtering()) return;
  PyRef error = PyRef::steal(PyErr_GetHandledException());
  for (int i = 0; error && i <= kMostCauses; ++i) {
    take_off_frames(error.get());
    PyRef cause = PyRef::steal(PyException_GetCause(error.get()));
    error = cause ? std::move(cause) : PyRef::steal(PyException_GetContext(error.get()));
  }
}

// What the other implementation of a public function did: a result, or the exception that it raised.
struct Outcome {
  PyObject* result = nullptr;
  PyObject* error = nullptr;
};
thread_local Outcome outcome;
thread_local bool dispatch_failed = false;  // the exception being handled is one of an other implementation

// Runs the other implementation of the function being left, if there is one for its arguments: true, and `outcome` is
// set.
bool runs_instead() {
  if (!has_dispatcher()) return false;
  PyFrameObject* frame = PyEval_GetFrame();  // borrowed
  if (!frame) return false;
  PyRef code = PyRef::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  PyObject* path = public_path_of(reinterpret_cast<PyCodeObject*>(code.get()));
  if (!path) return false;
  PyRef error = PyRef::steal(PyErr_GetHandledException());
  if (!error || (!PyErr_GivenExceptionMatches(error.get(), PyExc_TypeError) &&
                 !PyErr_GivenExceptionMatches(error.get(), PyExc_ValueError)))
    return false;
  try {
    PyRef locals = owned(PyFrame_GetLocals(frame));
    PyRef result = dispatched(path, locals.get());
    if (!result) return false;
    outcome.result = result.release();
  } catch (const std::exception& e) {
    set_python_error(e);
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (value && traceback) PyException_SetTraceback(value, traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    outcome.error = value;
  }
  return true;
}

// The first step of a handler. An exception of its own makes the second one follow.
PyObject* first_step(PyObject*) {
  if (dispatch_failed) {
    dispatch_failed = false;
  } else if (runs_instead()) {
    PyErr_SetNone(PyExc_StopIteration);
    return nullptr;
  }
  take_off_frames();
  Py_RETURN_NONE;
}

// The second step: the function's result.
PyObject* second_step(PyObject*) {
  Outcome found = std::exchange(outcome, Outcome());
  if (found.result) return found.result;
  dispatch_failed = true;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(found.error)), found.error);
  Py_DECREF(found.error);
  return nullptr;
}

// The constant of each handler: an object that does the first step when inverted, and the second one when negated. A
// call would need instructions that differ between versions of Python, and so would a branch: the first step goes on
// with the second one by raising an exception, for which there is an entry in the table.
PyObject* remover = nullptr;

PyType_Slot remover_slots[] = {{Py_nb_invert, reinterpret_cast<void*>(first_step)},
                               {Py_nb_negative, reinterpret_cast<void*>(second_step)},
                               {0, nullptr}};
PyType_Spec remover_spec = {"tracefn._core.FrameRemover", sizeof(PyObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, remover_slots};

// An entry of an exception table, in code units: [start, start + size) is handled at `target`. `rest` is the stack
// depth and whether the instruction's offset is pushed.
struct Handled {
  std::uint32_t start, size, target, rest;
};

std::vector<Handled> read_table(std::string_view bytes) {
  std::vector<Handled> table;
  std::size_t at = 0;
  auto number = [&] {
    std::uint32_t value = 0;
    for (bool more = true; more && at < bytes.size(); ++at) {
      auto byte = static_cast<unsigned char>(bytes[at]);
      value = value << 6 | (byte & 0x3f);
      more = byte & 0x40;
    }
    return value;
  };
  while (at < bytes.size()) {
    Handled entry{};
    entry.start = number();
    entry.size = number();
    entry.target = number();
    entry.rest = number();
    table.push_back(entry);
  }
  return table;
}

// The first byte of an entry is marked, so that the table supports binary search.
void write_number(std::string& bytes, std::uint32_t value, unsigned char mark) {
  int shift = 30;
  while (shift > 0 && value >> shift == 0) shift -= 6;
  for (; shift >= 0; shift -= 6) {
    unsigned more = shift > 0 ? 0x40 : 0;
    bytes.push_back(static_cast<char>(mark | more | (value >> shift & 0x3f)));
    mark = 0;
  }
}

// The instructions of a handler, and the places of its steps, in code units.
struct Handler {
  std::string code;
  std::uint32_t first = 0;   // the instruction that does the first step
  std::uint32_t second = 0;  // where it goes on if that raises
  std::uint32_t result = 0;  // the instruction that does the second step
};

// Handlers start with only the exception on the stack.
Handler make_handler(std::size_t constant) {
  Handler made;
  auto add = [&](int opcode, std::size_t argument) {
    made.code.push_back(static_cast<char>(opcode));
    made.code.push_back(static_cast<char>(argument));
    return static_cast<std::uint32_t>(made.code.size() / 2 - 1);
  };
  auto load_constant = [&] {
    if (constant > 0xff) add(EXTENDED_ARG, constant >> 8);
    add(LOAD_CONST, constant & 0xff);
  };
  add(PUSH_EXC_INFO, 0);
  load_constant();
  made.first = add(UNARY_INVERT, 0);
  add(POP_TOP, 0);
  add(SWAP, 2);
  add(POP_EXCEPT, 0);
  add(RERAISE, 0);  // adds no entry for this frame
  // Below the new exception is what was handled before the first one.
  made.second = add(PUSH_EXC_INFO, 0);
  add(POP_TOP, 0);
  add(POP_EXCEPT, 0);
  add(POP_EXCEPT, 0);
  load_constant();
  made.result = add(UNARY_NEGATIVE, 0);
  add(RETURN_VALUE, 0);
  return made;
}

// The handler that finds its constant there. Those of the usual numbers are made once; the caller holds the GIL.
const Handler& handler_for(std::size_t constant) {
  constexpr std::size_t kUsual = 256;
  static std::vector<Handler> usual(kUsual);
  static Handler other;
  Handler& handler = constant < kUsual ? usual[constant] : other;
  if (constant >= kUsual || handler.code.empty()) handler = make_handler(constant);
  return handler;
}

// `bytes` plus an entry for the handler at `handler` wherever the code before it has none, and entries for the
// handler's own steps.
std::string cover(std::string_view bytes, std::uint32_t handler, const Handler& steps) {
  std::string covered;
  std::uint32_t end = 0;
  auto write = [&](const Handled& entry) {
    write_number(covered, entry.start, 0x80);
    write_number(covered, entry.size, 0);
    write_number(covered, entry.target, 0);
    write_number(covered, entry.rest, 0);
  };
  for (const Handled& entry : read_table(bytes)) {
    if (end < entry.start) write({end, entry.start - end, handler, 0});
    write(entry);
    end = entry.start + entry.size;
  }
  if (end < handler) write({end, handler - end, handler, 0});
  constexpr std::uint32_t kKeepsPrevious = 1 << 1;  // one value stays on the stack
  write({handler + steps.first, 1, handler + steps.second, kKeepsPrevious});
  write({handler + steps.result, 1, handler, 0});
  return covered;
}

// How many lines below the function's first a line table ends. Its entries begin with a marked byte, which defines
// their form; numbers in them are little-endian.
int last_line(std::string_view lines) {
  constexpr unsigned kOneLineLater = 11, kTwoLinesLater = 12, kNoColumns = 13, kLong = 14;
  int line = 0;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    auto first = static_cast<unsigned char>(lines[at]);
    if (!(first & 0x80)) continue;
    unsigned kind = first >> 3 & 0xf;
    if (kind == kOneLineLater || kind == kTwoLinesLater) line += static_cast<int>(kind - kOneLineLater + 1);
    if (kind != kNoColumns && kind != kLong) continue;
    unsigned value = 0, shift = 0;
    bool more = true;
    while (more && at + 1 < lines.size()) {
      auto byte = static_cast<unsigned char>(lines[++at]);
      value |= static_cast<unsigned>(byte & 0x3f) << shift;
      shift += 6;
      more = byte & 0x40;
    }
    line += value & 1 ? -static_cast<int>(value >> 1) : static_cast<int>(value >> 1);
  }
  return line;
}

// `lines` and, for additional code units, the function's first line: debuggers need one for each.
std::string with_first_line(std::string_view lines, std::size_t units) {
  constexpr int kNoColumns = 13;
  std::string longer(lines);
  int back = last_line(lines);
  auto value = back > 0 ? static_cast<unsigned>(back) << 1 | 1 : static_cast<unsigned>(-back) << 1;
  constexpr std::size_t kMostUnits = 8;  // of an entry
  for (std::size_t left = units; left > 0; value = 0) {
    const std::size_t here = std::min(left, kMostUnits);
    longer.push_back(static_cast<char>(0x80 | kNoColumns << 3 | static_cast<int>(here - 1)));
    for (; value >= 0x40; value >>= 6) longer.push_back(static_cast<char>(0x40 | (value & 0x3f)));
    longer.push_back(static_cast<char>(value));
    left -= here;
  }
  return longer;
}

constexpr int kHandlerStack = 3;

std::string_view view(PyObject* bytes) {
  return {PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes))};
}

PyObject* new_bytes(const std::string& text) {
  return PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

PyRef hidden(PyCodeObject* code);

// The constants, with handlers in nested code objects, and room for one more at the end; null on failure.
PyRef hidden_constants(PyObject* constants, Py_ssize_t more) {
  Py_ssize_t size = PyTuple_GET_SIZE(constants);
  PyRef made = PyRef::steal(PyTuple_New(size + more));
  if (!made) return {};
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* constant = PyTuple_GET_ITEM(constants, i);
    PyRef item = PyCode_Check(constant) ? hidden(reinterpret_cast<PyCodeObject*>(constant)) : PyRef::borrow(constant);
    if (!item) return {};
    PyTuple_SET_ITEM(made.get(), i, item.release());
  }
  return made;
}

// The names of the parts of a code object, in a tuple that a call takes; null on failure.
PyObject* names_of_parts(std::initializer_list<const char*> names) {
  PyRef tuple = PyRef::steal(PyTuple_New(static_cast<Py_ssize_t>(names.size())));
  Py_ssize_t i = 0;
  for (const char* name : names) {
    PyObject* text = tuple ? PyUnicode_InternFromString(name) : nullptr;
    if (!text) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i++, text);
  }
  return tuple.release();
}

// code.replace(**changes). Thousands of functions are changed at the start of each process: names that are made once,
// and no dictionary, halve the time.
PyRef replaced(PyCodeObject* code, PyObject* names, std::initializer_list<PyObject*> parts) {
  static PyObject* replace = PyUnicode_InternFromString("replace");
  if (!replace || !names) return {};
  SmallVector<PyObject*, 8> given;
  given.push_back(reinterpret_cast<PyObject*>(code));
  for (PyObject* part : parts) {
    if (!part) return {};
    given.push_back(part);
  }
  return PyRef::steal(PyObject_VectorcallMethod(replace, given.data(), 1, names));
}

// The code with a handler, if it is a function's, and all nested functions; null on failure.
PyRef hidden(PyCodeObject* code) {
  constexpr std::size_t kMostConstants = 0xffff;
  auto constants = static_cast<std::size_t>(PyTuple_GET_SIZE(code->co_consts));
  bool is_function = code->co_flags & CO_NEWLOCALS && code->co_flags & CO_OPTIMIZED && constants < kMostConstants;
  PyRef made = hidden_constants(code->co_consts, is_function ? 1 : 0);
  if (!made) return {};
  if (!is_function) {
    static PyObject* names = names_of_parts({"co_consts"});
    return replaced(code, names, {made.get()});
  }
  PyTuple_SET_ITEM(made.get(), PyTuple_GET_SIZE(made.get()) - 1, Py_NewRef(remover));
  PyRef instructions = PyRef::steal(PyCode_GetCode(code));
  if (!instructions) return {};
  const Handler& handler = handler_for(constants);
  std::string whole(view(instructions.get()));
  auto start = static_cast<std::uint32_t>(whole.size() / 2);
  whole += handler.code;
  std::string lines = with_first_line(view(code->co_linetable), handler.code.size() / 2);
  PyRef with_handler = PyRef::steal(new_bytes(whole)), line_table = PyRef::steal(new_bytes(lines)),
        table = PyRef::steal(new_bytes(cover(view(code->co_exceptiontable), start, handler))),
        stack_size = PyRef::steal(PyLong_FromLong(std::max(code->co_stacksize, kHandlerStack)));
  static PyObject* names =
      names_of_parts({"co_code", "co_consts", "co_exceptiontable", "co_linetable", "co_stacksize"});
  return replaced(code, names, {with_handler.get(), made.get(), table.get(), line_table.get(), stack_size.get()});
}

PyObject* hide_frames(PyObject*, PyObject* code) {
  if (!PyCode_Check(code)) return PyErr_Format(PyExc_TypeError, "hide_frames takes a code object");
  return hidden(reinterpret_cast<PyCodeObject*>(code)).release();
}

PyObject* traceback_filtering(PyObject*, PyObject*) { return PyBool_FromLong(filtering()); }

PyObject* set_traceback_filtering(PyObject*, PyObject* enabled) {
  filtering_here = enabled == Py_True;
  Py_RETURN_NONE;
}

PyObject* set_filtering_default(PyObject*, PyObject* enabled) {
  filtering_default = enabled == Py_True;
  Py_RETURN_NONE;
}

PyMethodDef own_frames_functions[] = {
    {"hide_frames", hide_frames, METH_O, "The code object with a handler that takes its frame off tracebacks."},
    {"traceback_filtering", traceback_filtering, METH_NOARGS, "Whether tracebacks of this thread are filtered."},
    {"set_traceback_filtering", set_traceback_filtering, METH_O,
     "Says whether tracebacks of this thread are filtered."},
    {"set_filtering_default", set_filtering_default, METH_O, "What holds for threads that said nothing."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_own_frames(PyObject* module) {
  PyRef type = PyRef::steal(PyType_FromSpec(&remover_spec));
  if (!type) return;
  remover = reinterpret_cast<PyTypeObject*>(type.get())->tp_alloc(reinterpret_cast<PyTypeObject*>(type.get()), 0);
  PyModule_AddFunctions(module, own_frames_functions);
}

}  // namespace tracefn::bind
