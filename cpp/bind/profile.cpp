// Functions of exec/profile.h for Python.
#include "bind/profile.h"

#include "bind/function_table.h"
#include "bind/py_list.h"
#include "exec/profile.h"

namespace tracefn::bind {
namespace {

bool profiling() { return profile::on(); }
std::int64_t profile_clock() { return profile::now(); }
void start_profile() { profile::start(); }

PyObject* stop_profile(std::string_view host) {
  const profile::Recording recording = profile::stop();
  const std::string space = profile::xspace(recording, std::string(host)), trace = profile::chrome_trace(recording);
  PyRef bytes = owned(PyBytes_FromStringAndSize(space.data(), static_cast<Py_ssize_t>(space.size())));
  PyRef json = owned(PyBytes_FromStringAndSize(trace.data(), static_cast<Py_ssize_t>(trace.size())));
  return owned(PyTuple_Pack(2, bytes.get(), json.get())).release();
}

void note_event(std::string_view name, std::int64_t begin, PyObject* details) {
  profile::Event event{.name = std::string(name), .begin = begin, .end = profile::now()};
  PyRef items = PyRef::steal(checked(PySequence_Fast(details, "details must be a sequence")));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    const char *key = nullptr, *value = nullptr;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items.get(), i), "ss", &key, &value)) throw_python_error();
    event.details.emplace_back(key, value);
  }
  profile::note(std::move(event));
}

}  // namespace

void init_profile(PyObject* module) {
  static PyMethodDef functions[] = {
      function<profiling>("profiling", "", "Whether a profile is recorded."),
      function<profile_clock>("profile_clock", "", "The time in nanoseconds, as events have it."),
      function<start_profile>("start_profile", "", "Records a profile from now on."),
      function<stop_profile>("stop_profile", "host", "Ends it: a serialized XSpace, and JSON for chrome://tracing."),
      function<note_event>("note_profile_event", "name, begin, details",
                           "Adds an event that ends now; `details` are pairs of str."),
      {}};
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace tracefn::bind
