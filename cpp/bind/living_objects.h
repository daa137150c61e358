// The living Python objects of the nodes and values of graphs. Each has one object at a time, as in TensorFlow:
// programs that walk a graph note by id() what they have visited. The table owns nothing: an object removes itself when
// it dies, and keeps its graph alive until then. Needs the GIL.
#pragma once

#include <Python.h>

#include <cstdint>

#include "ir/graph.h"

namespace tracefn::bind {

struct LivingKey {
  const Graph* graph;
  NodeId node;
  std::int32_t output = kNode;  // of the value; kNode for the node itself

  static constexpr std::int32_t kNode = -1;
  bool operator==(const LivingKey&) const = default;
};

// A new reference, or null if there is no such object.
PyObject* find_living(const LivingKey& key);
// Precondition: there is no such object.
void add_living(const LivingKey& key, PyObject* object);
// First thing when `object` dies. Does nothing if it was not added.
void remove_living(const LivingKey& key, PyObject* object);

}  // namespace tracefn::bind
