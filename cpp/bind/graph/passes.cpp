// set_passes, passes_are_off and optimized_text.
#include "bind/graph/passes.h"

#include "bind/errors.h"
#include "bind/graph/graph_object.h"
#include "jit/x64/machine_code.h"
#include "passes/pass.h"
#include "trace/func_graph.h"

namespace tracefn::bind {
namespace {

PyObject* set_passes(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* off;
    int min_graph_nodes;
    if (!PyArg_ParseTuple(args, "O!i", &PyList_Type, &off, &min_graph_nodes)) throw_python_error();
    PassOptions options = process_pass_options();
    options.off = 0;
    options.min_graph_nodes = min_graph_nodes;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(off); ++i) {
      const char* name = PyUnicode_AsUTF8(PyList_GET_ITEM(off, i));
      if (!name) throw_python_error();
      options.off |= pass_switch(name);
    }
    set_process_pass_options(options);
    machine_code::switch_on(options.allows(kMachineCode));
    return Py_NewRef(Py_None);
  });
}

PyObject* passes_are_off(PyObject*, PyObject*) { return PyBool_FromLong(!process_pass_options().allows(0)); }

PyObject* optimized_text(PyObject*, PyObject* graph) {
  return guarded([&]() -> PyObject* {
    std::shared_ptr<FuncGraph> given = func_graph_of(graph);
    return PyUnicode_FromString(print(*optimize(given->shared_graph()), false).c_str());
  });
}

PyMethodDef passes_functions[] = {
    {"set_passes", set_passes, METH_VARARGS,
     "Which switches are off from now on, by name, others being on: (off, min_graph_nodes)."},
    {"passes_are_off", passes_are_off, METH_NOARGS, "Whether no pass runs."},
    {"optimized_text", optimized_text, METH_O, "A graph as print() shows it, after the passes that are on."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_passes(PyObject* module) {
  machine_code::switch_on(process_pass_options().allows(kMachineCode));
  if (PyModule_AddFunctions(module, passes_functions) < 0) throw_python_error();
}

}  // namespace tracefn::bind
