"""Libraries look at the modules of classes: `type(x).__module__` starts with "tensorflow" while this package stands in."""

from __future__ import annotations

import operator
import sys

from tracefn import _core
from tracefn.variable import ResourceVariable

# The module of public classes whose objects programs meet, and their names there where they are others.
_PUBLIC = {
    "python.data.ops.dataset_ops": "data.Dataset=DatasetV2 data.DatasetSpec",
    "python.data.ops.iterator_ops": "data.Iterator data.IteratorSpec",
    "python.data.ops.optional_ops": "OptionalSpec experimental.Optional",
    "python.data.ops.options": "data.Options",
    "python.eager.backprop": "GradientTape",
    "python.framework.dtypes": "DType",
    "python.framework.extension_type": "experimental.ExtensionType",
    "python.framework.indexed_slices": "IndexedSlices IndexedSlicesSpec",
    "python.framework.ops": "Graph Operation",
    "python.framework.sparse_tensor": "SparseTensor SparseTensorSpec",
    "python.framework.tensor": "Tensor TensorSpec",
    "python.framework.tensor_shape": "TensorShape",
    "python.framework.type_spec": "TypeSpec",
    "python.module.module": "Module",
    "python.ops.ragged.ragged_tensor": "RaggedTensor RaggedTensorSpec",
    "python.ops.ragged.row_partition": "experimental.RowPartition",
    "python.ops.stateful_random_ops": "random.Generator",
    "python.ops.tensor_array_ops": "TensorArray TensorArraySpec",
    "python.ops.variables": "Variable",
}
_FRAMEWORK = "tensorflow.python.framework.ops"


def rename() -> None:
    """Gives the classes the modules that TensorFlow's have."""
    tf = sys.modules["tracefn"]
    for module, classes in _PUBLIC.items():
        for entry in classes.split():
            path, _, name = entry.partition("=")
            found = operator.attrgetter(path)(tf)
            found.__module__ = f"tensorflow.{module}"
            if name:
                found.__name__ = name  # Keras tells datasets by it
    _core.EagerTensor.__module__ = _core.SymbolicTensor.__module__ = _FRAMEWORK
    ResourceVariable.__module__ = "tensorflow.python.ops.resource_variable_ops"
