// Records and resolves Python frames.
#include "bind/graph/source_location.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "bind/errors.h"
#include "bind/gil.h"
#include "trace/func_graph.h"

namespace tracefn::bind {
namespace {

// Deeper stacks lose their outermost frames.
constexpr int kMaxFrames = 24;

PyObject* trace_root = nullptr;
std::string* package_folder = nullptr;

class PythonSource final : public SourceLocation {
 public:
  struct Entry {
    PyCodeObject* code;  // owned
    int offset;
  };
  explicit PythonSource(std::span<const Entry> entries) : entries_(entries.begin(), entries.end()) {
    for (const Entry& e : entries_) Py_INCREF(e.code);
  }
  ~PythonSource() override {
    if (!Py_IsInitialized()) return;
    const EnsuredGil gil;
    for (Entry& e : entries_) Py_DECREF(e.code);
  }

  bool is(std::span<const Entry> entries) const {
    return std::equal(entries_.begin(), entries_.end(), entries.begin(), entries.end(),
                      [](const Entry& a, const Entry& b) { return a.code == b.code && a.offset == b.offset; });
  }

  std::vector<Frame> frames() const override {
    const EnsuredGil gil;
    std::vector<Frame> out;
    for (std::size_t i = entries_.size(); i-- > 0;) {
      Frame frame = show(entries_[i]);
      if (!frame.file.starts_with(*package_folder)) out.push_back(std::move(frame));
    }
    return out;
  }

 private:
  static Frame show(const Entry& e) {
    Frame frame;
    auto text = [](PyObject* s) {
      const char* utf8 = s ? PyUnicode_AsUTF8(s) : nullptr;
      if (!utf8) PyErr_Clear();
      return std::string(utf8 ? utf8 : "?");
    };
    frame.file = text(e.code->co_filename);
    frame.function = text(e.code->co_name);
    frame.line = PyCode_Addr2Line(e.code, e.offset);
    if (PyObject* linecache = PyImport_ImportModule("linecache")) {
      PyObject* line = PyObject_CallMethod(linecache, "getline", "Oi", e.code->co_filename, frame.line);
      frame.text = line ? text(line) : "";
      Py_XDECREF(line);
      Py_DECREF(linecache);
    }
    // The line is omitted if unavailable; an exception from a signal handler is not dropped.
    if (PyErr_Occurred()) drop_ordinary_error();
    std::size_t first = frame.text.find_first_not_of(" \t");
    std::size_t last = frame.text.find_last_not_of(" \t\r\n");
    frame.text = first == std::string::npos ? "" : frame.text.substr(first, last - first + 1);
    return frame;
  }

  SmallVector<Entry, 4> entries_;
};

using Entries = SmallVector<PythonSource::Entry, 8>;

bool have_users(const Entries& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const auto& e) { return !is_own_code(e.code); });
}

}  // namespace

bool is_own_code(PyCodeObject* code) {
  Py_ssize_t size = 0;
  const char* file = PyUnicode_AsUTF8AndSize(code->co_filename, &size);
  if (!file) PyErr_Clear();
  return file && std::string_view(file, static_cast<std::size_t>(size)).starts_with(*package_folder);
}

namespace {

// Without a user's frame in a trace, goes on to those around it if `around` is true.
Ref<SourceLocation> capture(bool around) {
  // An op and its implicit constants have the same frames: they share one record. Kept forever, and with it at most one
  // stack's code objects.
  static auto* last = new Ref<PythonSource>();
  Entries entries;  // borrowed: the frames hold them
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame && entries.size() < kMaxFrames) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    Py_DECREF(code);
    if (reinterpret_cast<PyObject*>(code) == trace_root) {
      if (!around || have_users(entries)) break;
      around = false;
    }
    entries.push_back({code, PyFrame_GetLasti(frame)});
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  std::span<const PythonSource::Entry> found(entries.data(), entries.size());
  if (!*last || !(*last)->is(found)) *last = make_ref<PythonSource>(found);
  return *last;
}

}  // namespace

Ref<SourceLocation> capture_source() { return capture(false); }
Ref<SourceLocation> capture_call() { return capture(true); }

namespace {

PyObject* set_trace_root(PyObject*, PyObject* code) {
  Py_XSETREF(trace_root, Py_NewRef(code));
  Py_RETURN_NONE;
}

PyObject* set_package_folder(PyObject*, PyObject* folder) {
  const char* text = PyUnicode_AsUTF8(folder);
  if (!text) return nullptr;
  *package_folder = text;
  Py_RETURN_NONE;
}

PyMethodDef source_location_functions[] = {
    {"set_trace_root", set_trace_root, METH_O, "Frames outside of this code object's are not recorded for nodes."},
    {"set_package_folder", set_package_folder, METH_O, "Frames of files below this folder are ours, not the user's."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_source_location(PyObject* module) {
  package_folder = new std::string("\n");
  PyModule_AddFunctions(module, source_location_functions);
}

}  // namespace tracefn::bind
