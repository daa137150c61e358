// A list of graphs.
#include "bind/call/collected_graphs.h"

#include <algorithm>
#include <vector>

#include "bind/function_table.h"
#include "bind/graph/graph_object.h"
#include "bind/py_ref.h"

namespace tracefn::bind {

bool collects_graphs = false;

namespace {

std::vector<std::shared_ptr<FuncGraph>>& graphs() {
  static std::vector<std::shared_ptr<FuncGraph>> collected;
  return collected;
}

void set_collects(bool on) {
  collects_graphs = on;
  // Graphs may hold Python objects, whose ends may run anything.
  std::vector<std::shared_ptr<FuncGraph>> forgotten;
  forgotten.swap(graphs());
}

PyObject* collected() {
  const std::vector<std::shared_ptr<FuncGraph>> all = graphs();
  PyRef list = owned(PyList_New(0));
  for (const std::shared_ptr<FuncGraph>& graph : all)
    checked(PyList_Append(list.get(), PyRef::steal(wrap_graph(graph)).get()));
  return list.release();
}

}  // namespace

void collect_graph(const std::shared_ptr<FuncGraph>& graph) {
  std::vector<std::shared_ptr<FuncGraph>>& all = graphs();
  if (std::find(all.begin(), all.end(), graph) == all.end()) all.push_back(graph);
}

void init_collected_graphs(PyObject* module) {
  static PyMethodDef functions[] = {
      function<set_collects>("collect_graphs", "on",
                             "Starts or ends the collection of the graphs that run; forgets "
                             "those before."),
      function<collected>("collected_graphs", "", "The graphs of the functions that have run meanwhile."),
      {}};
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace tracefn::bind
