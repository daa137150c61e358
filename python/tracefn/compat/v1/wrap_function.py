"""`tf.compat.v1.wrap_function`: a graph-building Python function as a ConcreteFunction."""

from __future__ import annotations

from tracefn import nest
from tracefn._export import export
from tracefn._function.creation import CreationScope
from tracefn._function.impl import Impl, Options
from tracefn._function.initialization import initialize
from tracefn._function.tracing import trace
from tracefn.tensor_spec import TensorSpec


@export("compat.v1.wrap_function")
def wrap_function(fn, signature, name=None):
    """Traces a function once, without AutoGraph.

    Variables that `fn` makes get their initial values at once, and live as long as the result.

    Args:
      fn: takes a tensor for each element of `signature`.
      signature: list of TensorSpecs and nests of them.
      name: str, the name of the function; "wrapped_function" by default.

    Returns:
      ConcreteFunction, called with tensors by position.

    Raises:
      ValueError: the initial value of a Variable depends on an argument.

    Example:
      >>> import tracefn as tf
      >>> double = tf.compat.v1.wrap_function(lambda x: 2 * x, [tf.TensorSpec([], tf.float32)])
      >>> float(double(tf.constant(3.0)))
      6.0
    """
    signature = list(signature)
    name = name or "wrapped_function"

    def wrapped(*flat):
        return fn(*nest.pack_sequence_as(signature, list(flat)))

    specs = [TensorSpec(s.shape, s.dtype, s.name or "Placeholder") for s in nest.flatten(signature)]
    impl = Impl(wrapped, name, Options(autograph=False))
    creation = CreationScope(allowed=True)
    concrete = trace(wrapped, wrapped, impl.binder.bind(tuple(specs), {}).key, name, creation)
    if creation.variables:
        initialize(concrete, creation, None)
        concrete._made_variables = creation.variables
    return concrete
