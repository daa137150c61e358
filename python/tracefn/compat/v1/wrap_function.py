"""`tf.compat.v1.wrap_function`: turns a Python function that builds a graph into a ConcreteFunction that can be pruned."""

from __future__ import annotations

import functools
import inspect

from tracefn import _core, nest
from tracefn._export import export
from tracefn._function.impl import Impl, Options
from tracefn._function.initialization import initialize, value_around, value_outside
from tracefn._function.tracing import finish, trace
from tracefn._graph.parts import needed
from tracefn._structured_value import type_spec_of_proto
from tracefn._variable.traces import CreationScope
from tracefn.ops.sparse.tensor import SparseTensor
from tracefn.tensor_spec import TensorSpec


@export("compat.v1.wrap_function")
def wrap_function(fn, signature, name=None):
    """Traces a function once, without AutoGraph.

    Variables that `fn` creates get their initial values at once, and live as long as the result. Ops with side effects run
    only if the result or `tf.control_dependencies` needs them.

    Args:
      fn: callable that takes a tensor for each element of `signature`.
      signature: list of specs and nests of them; anything else is passed to `fn` as it is. The result takes the tensors that
        values of several are made of.
      name: str, the name of the function; "wrapped_function" by default.

    Returns:
      ConcreteFunction, called with tensors by position. Its method `prune(feeds, fetches, name=None)` returns the part of
      its graph between some tensors as another such function. Feeds and fetches are nests of tensors of the graph, of values
      made of these, or of their names ("x:0"). Fetches may also be TensorInfos, as in the signatures of saved models, and
      Operations, for which the result is None.

    Raises:
      UnliftableError: the initial value of a Variable depends on an argument.

    Example:
      >>> import tracefn as tf
      >>> x = tf.TensorSpec([], tf.float32, name="x")
      >>> f = tf.compat.v1.wrap_function(lambda x: tf.identity(x + 1.0, name="y") * 2.0, [x])
      >>> float(f(tf.constant(3.0))), float(f.prune("x:0", "y:0")(tf.constant(3.0)))
      (8.0, 4.0)
    """
    signature = list(signature)
    name = name or "wrapped_function"

    given = nest.flatten(signature, expand_composites=True)

    def wrapped(*tensors):
        left = iter(tensors)
        flat = [next(left) if isinstance(s, TensorSpec) else s for s in given]
        return fn(*nest.pack_sequence_as(signature, flat, expand_composites=True))

    specs = [TensorSpec(s.shape, s.dtype, s.name or "Placeholder") for s in given if isinstance(s, TensorSpec)]
    creation = CreationScope(allowed=True, evaluate=value_outside, lift=value_around)
    key = _key(wrapped, name, tuple(specs), {})
    concrete = trace(wrapped, wrapped, key, name, creation, orders_effects=False)
    for variable in creation.variables:
        keys = ["variables", *(["trainable_variables"] if variable.trainable else [])]
        concrete.graph.add_to_collections(keys, variable)
    if creation.variables:
        initialize(concrete, creation, None)
    concrete._made_variables = creation.variables
    return concrete


def _key(python_function, name: str, args: tuple, kwargs: dict):
    return Impl(python_function, name, Options(autograph=False)).binder.bind(args, kwargs).key


def _found(graph, element):
    """What a TensorInfo stands for in a graph; other elements as they are."""
    if type(element).__name__ != "TensorInfo":
        return element
    kind = element.WhichOneof("encoding")
    if kind == "coo_sparse":
        names = element.coo_sparse
        parts = (names.indices_tensor_name, names.values_tensor_name, names.dense_shape_tensor_name)
        return SparseTensor(*map(graph.as_graph_element, parts))
    if kind == "composite_tensor":
        spec = type_spec_of_proto(element.composite_tensor.type_spec.SerializeToString())
        parts = [_found(graph, part) for part in element.composite_tensor.components]
        return nest.pack_sequence_as(spec, parts, expand_composites=True)
    return graph.as_graph_element(element.name)


def prune(self, feeds, fetches, name=None, input_signature=None, by_position=False):
    """See `wrap_function`. `input_signature`: (args, kwargs) of TensorSpecs, one for each feed, to call the result by.
    `by_position`: whether kwargs may also be given by position, in their order.

    Raises:
      KeyError: a name is not in the graph.
      TypeError: a feed or fetch is neither a tensor nor an Operation nor a name.
      UnliftableError: a fetch depends on an argument that is not fed.
    """
    graph = self.graph
    captured = {inner.ref() for _, inner in graph.captures}
    fed = [graph.as_graph_element(x, allow_operation=False) for x in nest.flatten(feeds, expand_composites=True)]
    fed = [x for x in fed if x.ref() not in captured]  # these have their values already
    structure = nest.map_structure(functools.partial(_found, graph), fetches)
    structure = nest.map_structure(graph.as_graph_element, structure, expand_composites=True)
    flat = nest.flatten(structure, expand_composites=True)
    tensors = [x for x in flat if isinstance(x, _core.Tensor)]
    operations = [x for x in flat if not isinstance(x, _core.Tensor)]
    nodes = needed(graph, fed, flat)

    name = name or "pruned"
    args, kwargs = input_signature or (tuple(TensorSpec(t.shape, t.dtype, t.op.name) for t in fed), {})

    def pruned(*args, **kwargs):
        raise TypeError(f"{name} is part of another function and has no Python function of its own.")

    if by_position:
        parameters = [inspect.Parameter(one, inspect.Parameter.POSITIONAL_OR_KEYWORD) for one in kwargs]
        pruned.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    key = _key(pruned, name, args, kwargs)
    part = _core.Graph(name, is_function=True, with_outer=True)
    part._is_function_root = True
    part.set_orders_effects(False)
    with _core.TargetContext(part):
        copies = iter(graph.copy_part(fed, nodes, tensors, [graph.find(op.name) for op in operations], part))
        copied = [next(copies) if isinstance(x, _core.Tensor) else None for x in flat]
        result = nest.pack_sequence_as(structure, copied, expand_composites=True)
        concrete = finish(part, pruned, key, name, result)
    concrete._made_variables = self._made_variables
    if by_position:
        concrete._input_signature = (args, kwargs)
    return concrete
