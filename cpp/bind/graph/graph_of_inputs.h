// GraphOfInputs: an op of a tf.Graph's tensors is made in their graph, also while another tf.Graph is the default one.
#pragma once

#include <Python.h>

#include <memory>
#include <optional>
#include <span>

#include "trace/func_graph.h"

namespace tracefn::bind {

// Makes the graph of the first symbolic tensor among `values`, or in lists and tuples of them, the target while it
// lives. Nothing changes while a function is traced or ops run eagerly. Needs the GIL.
class GraphOfInputs {
 public:
  explicit GraphOfInputs(std::span<PyObject* const> values);

 private:
  std::shared_ptr<FuncGraph> graph_;
  std::optional<TargetScope> scope_;
};

// Adds `other_graph` to the module, for what Python code makes of tensors without an op of theirs.
void init_graph_of_inputs(PyObject* module);

}  // namespace tracefn::bind
