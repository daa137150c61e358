"""`tensorflow.python.ops.structured`: StructuredTensors, and the public functions that take them once a module of it says so."""
