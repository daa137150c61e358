// Graphs in Python: the classes Graph (of a FuncGraph) and Operation, and the stack of current graphs.
#pragma once

#include <Python.h>

#include <memory>
#include <vector>

#include "trace/func_graph.h"

namespace tracefn::bind {

// A new reference to an Operation. Throws.
PyObject* wrap_operation(std::shared_ptr<Graph> graph, NodeId node);
// A new reference to the Python Graph of a FuncGraph. Throws.
PyObject* wrap_graph(const std::shared_ptr<FuncGraph>& graph);
// The FuncGraph of a Python Graph; throws Error(kType) for anything else.
std::shared_ptr<FuncGraph> func_graph_of(PyObject* graph);
// The function that an attribute names: a finished Graph, or an object whose attribute `graph` is one.
FuncRef func_ref_of(PyObject* function);

// The nodes of a graph that an iterable of operations and of values convertible to tensors names; throws.
std::vector<NodeId> control_nodes(FuncGraph& graph, PyObject* items);

// Adds Graph, Operation and the functions that change the current graph.
void init_graph_object(PyObject* module);

}  // namespace tracefn::bind
