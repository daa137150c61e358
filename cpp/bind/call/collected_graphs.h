// The graphs of the functions that run while tf.summary.trace_on is in force. Needs the GIL.
#pragma once

#include <Python.h>

#include <memory>

#include "trace/func_graph.h"

namespace tracefn::bind {

// Whether graphs are collected.
extern bool collects_graphs;
// Notes the graph of a function that runs; once each.
void collect_graph(const std::shared_ptr<FuncGraph>& graph);

// Adds to the module: collect_graphs, collected_graphs.
void init_collected_graphs(PyObject* module);

}  // namespace tracefn::bind
