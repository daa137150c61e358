"""Attaches the Python methods of native classes to these classes.

The core creates the classes. `attach` is called once, by tracefn/__init__.py.
"""

from __future__ import annotations

import copyreg
import functools

from tracefn import _core, _device
from tracefn._core import (
    ConcreteFunction,
    EagerTensor,
    Function,
    FunctionType,
    Graph,
    OpCallable,
    Operation,
    Parameter,
    SymbolicTensor,
    Tensor,
)
from tracefn._export import path_of_op
from tracefn._function import caches, concrete, function_spec, implementations, methods
from tracefn._graph import (
    attributes,
    building,
    collections,
    creation,
    description,
    kept_tensors,
    library,
    lookup,
    operations,
    overloads,
    own_attributes,
)
from tracefn._missing.members import member_error
from tracefn.framework import default_graph_outside
from tracefn.function import cloned, reduced
from tracefn.random_seed import graph_seed
from tracefn.type_spec import TypeSpec


def attach() -> None:
    """Attaches the methods to the native classes, and to specs those that need modules above them."""
    _names()
    _tensors()
    _operations()
    _ops()
    _graphs()
    _functions()
    _concrete_functions()
    _function_types()
    _specs()


def _names() -> None:
    # Python's own messages name a native class with its module until it is given a name: 'tracefn._core.Graph' object ...
    for cls in (ConcreteFunction, Function, FunctionType, Graph, Operation, Parameter):
        cls.__name__ = cls.__name__
    OpCallable.__name__ = "function"


def _tensors() -> None:
    overloads.attach(Tensor)
    Tensor.OVERLOADABLE_OPERATORS = operations.OVERLOADABLE_OPERATORS  # type: ignore[attr-defined]
    EagerTensor.eval = operations.eager_eval  # type: ignore[attr-defined]
    SymbolicTensor.eval = operations.symbolic_eval  # type: ignore[attr-defined]
    Tensor.__array_namespace__ = _array_namespace  # type: ignore[attr-defined]
    Tensor.__round__ = _round  # type: ignore[attr-defined]
    Tensor.to_device = _to_device  # type: ignore[attr-defined]
    Tensor.experimental_ref = _experimental_ref  # type: ignore[method-assign]
    Tensor.mT = property(lambda self: _array_namespace(self).matrix_transpose(self))  # type: ignore[attr-defined]


def _experimental_ref(self):
    """The same as `ref`, a function of Python's: tf_keras makes it a method of its own tensors."""
    return self.ref()


def _array_namespace(self, api_version=None):
    """The array API standard's functions for tensors: `tf.array_api`.

    Raises:
      ValueError: it does not follow that version of the standard.
    """
    from tracefn import array_api  # start-up time: few programs use it
    from tracefn.array_api.info import check_version  # start-up time: few programs use it

    check_version(api_version)
    return array_api


def _round(self, ndigits=None):
    """What `round` calls: NumPy's `around` takes its place in programs that call experimental_enable_numpy_behavior.

    Raises:
      AttributeError: this program has not; TensorFlow's `round` reads an attribute that tensors have only there.
    """
    raise member_error(self, "astype", "Write tf.round(x).")


def _to_device(self, device, stream=None):
    """The tensor itself: it is on the only device that there is.

    Raises:
      ValueError: there is no such device.
    """
    del stream
    from tracefn.array_api.arguments import check_device  # start-up time: few programs use it

    check_device(device)
    return self


def _operations() -> None:
    Operation.inputs = kept_tensors.keeping(Operation.inputs)  # type: ignore[assignment]
    Operation.outputs = kept_tensors.keeping(Operation.outputs)  # type: ignore[assignment]
    Operation.run = operations.run
    Operation._set_device = operations.set_device  # type: ignore[attr-defined]
    Operation.mark_used = operations.mark_used  # type: ignore[attr-defined]
    Operation._control_flow_post_processing = operations.control_flow_post_processing
    Operation.node_def = property(operations.node_def)
    Operation.__str__ = operations.text  # type: ignore[method-assign, assignment]
    Operation.op_def = property(operations.op_def)
    Operation.colocation_groups = operations.colocation_groups
    Operation._frames = Operation.traceback  # type: ignore[attr-defined]
    Operation.traceback = property(operations.traceback)  # type: ignore[assignment]
    Operation.get_attr = attributes.get_attr  # type: ignore[method-assign, assignment]
    Operation._get_attr_bool = attributes.get_attr_bool  # type: ignore[attr-defined]
    Operation._get_attr_int = attributes.get_attr_int  # type: ignore[attr-defined]
    Operation._get_attr_type = attributes.get_attr_type  # type: ignore[attr-defined]
    Operation._set_attr = attributes.set_attr  # type: ignore[attr-defined]
    Operation._clear_attr = attributes.clear_attr  # type: ignore[attr-defined]
    Operation._control_outputs = property(operations.control_outputs)  # type: ignore[attr-defined]
    Operation.__getattr__ = own_attributes.get_attribute  # type: ignore[method-assign]
    Operation.__setattr__ = own_attributes.set_attribute  # type: ignore[method-assign, assignment]
    Operation.__delattr__ = own_attributes.delete_attribute  # type: ignore[method-assign, assignment]


def _ops() -> None:
    copyreg.pickle(OpCallable, _name_in_module)  # type: ignore[arg-type]  # a text: pickled and copied by reference, as functions
    for name in ("__annotations__", "__closure__", "__code__", "__defaults__", "__globals__", "__kwdefaults__"):
        setattr(OpCallable, name, property(functools.partial(_attribute_of_function, name)))


def _name_in_module(op: OpCallable) -> str:
    return path_of_op(op).rpartition(".")[2]


def _attribute_of_function(name: str, op: OpCallable):
    from tracefn._op_signature import as_function  # start-up time: few programs ask for the parts of functions

    return getattr(as_function(op, path_of_op(op)), name)


def _outer_graph(self):
    """The graph around a function's graph: the default one for a function that is traced while ops run eagerly.

    Raises:
      AttributeError: it is no function's graph.
    """
    if not self.is_function:
        raise AttributeError("'Graph' object has no attribute 'outer_graph'", name="outer_graph", obj=self)
    outer = self._outer
    return default_graph_outside() if outer is None else outer


def _graphs() -> None:
    Graph._outer = Graph.outer_graph  # type: ignore[attr-defined]  # None for an outermost graph
    Graph.outer_graph = property(_outer_graph)
    # contexts in which it is built
    Graph.as_default = building.as_default
    Graph.name_scope = building.name_scope
    Graph.get_name_scope = building.get_name_scope
    Graph.control_dependencies = building.control_dependencies
    Graph.device = building.device
    Graph._apply_device_functions = _device.apply_placement  # type: ignore[attr-defined]
    Graph.colocate_with = building.colocate_with
    Graph.container = building.container
    Graph.gradient_override_map = building.gradient_override_map
    Graph._get_control_flow_context = lambda self: None  # type: ignore[attr-defined]  # conditionals and loops are single nodes
    Graph.switch_to_thread_local = building.switch_to_thread_local
    Graph.seed = property(graph_seed, lambda self, seed: setattr(self, "_random_seed", seed))
    Graph.building_function = property(lambda self: self.is_function)

    # its operations and tensors
    Graph.get_operations = lookup.get_operations
    Graph.operations = property(lookup.get_operations)
    Graph.new_operations = lookup.new_operations
    Graph.num_operations = lambda self: len(self)
    Graph.get_operation_by_name = lookup.get_operation_by_name
    Graph.get_tensor_by_name = lookup.get_tensor_by_name
    Graph.as_graph_element = lookup.as_graph_element

    # what it says of itself
    Graph.as_graph_def = description.as_graph_def
    Graph.op_def_for_type = description.op_def_for_type
    Graph.create_op = creation.create_op
    Graph._create_op_from_tf_operation = creation.create_op_from_tf_operation
    Graph.graph_def_versions = property(description.graph_def_versions)
    Graph.version = property(len)
    Graph.function_captures = property(library.FunctionCaptures)
    Graph._functions = property(library.functions)
    Graph._get_function = library.get_function
    Graph._is_function = library.is_function
    Graph.external_captures = property(lambda self: [outer for outer, _ in self.captures_and_constants])
    Graph.internal_captures = property(lambda self: [inner for _, inner in self.captures_and_constants])
    Graph.variables = property(description.variables)
    Graph.variable_captures = property(description.variables)
    Graph.trainable_variables = property(lambda self: tuple(v for v in self.variables if v.trainable))
    Graph.structured_outputs = property(description.structured_outputs)
    Graph.structured_input_signature = property(description.structured_input_signature)
    Graph.output_shapes = property(description.output_shapes)
    Graph.output_types = property(description.output_types)
    Graph.saving_errors = property(lambda self: description.saving_errors(self).copy())
    Graph.saveable = property(lambda self: not self.saving_errors)
    Graph.mark_as_unsaveable = description.mark_as_unsaveable
    Graph.prevent_feeding = description.prevent_feeding
    Graph.prevent_fetching = description.prevent_fetching
    Graph.is_feedable = description.is_feedable
    Graph.is_fetchable = description.is_fetchable
    Graph.__repr__ = description.graph_repr  # type: ignore[method-assign, assignment]
    Graph.__enter__ = lambda self: self  # without effect, as in TensorFlow: ops go into it by `as_default`
    Graph.__exit__ = lambda self, *error: None

    # collections
    Graph.collections = property(lambda self: list(collections.collections_of(self)))
    Graph.get_all_collection_keys = lambda self: [name for name in list(collections.collections_of(self)) if isinstance(name, str)]
    Graph.get_collection = collections.get_collection
    Graph.get_collection_ref = collections.get_collection_ref
    Graph.add_to_collection = collections.add_to_collection
    Graph.add_to_collections = collections.add_to_collections
    Graph.clear_collection = collections.clear_collection


# Attributes of a Function, and the options that they are.
_OPTIONS = {
    "_autograph": "autograph",
    "_experimental_autograph_options": "autograph_options",
    "_jit_compile": "jit_compile",
    "_reduce_retracing": "reduce_retracing",
}


def _option(name: str, self):
    return getattr(self._impl.options, name)


def _functions() -> None:
    Function.explain = methods.explain
    Function._decorate = methods.decorate  # type: ignore[attr-defined]
    Function.cache_info = lambda self: self._impl.cache_info()
    Function.cache_clear = lambda self: self._impl.cache_clear()
    Function.python_function = property(lambda self: self._impl.python_function)
    Function.name = property(lambda self: self._impl.name)
    Function.input_signature = property(methods.input_signature)
    Function.function_type = property(lambda self: self._impl.function_type)
    Function.experimental_get_compiler_ir = methods.get_compiler_ir
    Function.get_concrete_function = methods.get_concrete_function
    Function.get_initialization_function = methods.get_initialization_function  # type: ignore[attr-defined]
    Function.experimental_get_tracing_count = methods.tracing_count
    Function.__signature__ = methods.Signature()  # type: ignore[attr-defined]
    Function.pretty_printed_concrete_signatures = methods.pretty_printed_concrete_signatures
    Function._trackable_children = methods.trackable_children  # type: ignore[attr-defined]
    Function._list_all_concrete_functions = methods.all_concrete_functions  # type: ignore[attr-defined]
    Function._list_all_concrete_functions_for_serialization = methods.traces_to_save  # type: ignore[attr-defined]
    Function.__reduce__ = reduced  # type: ignore[method-assign, assignment]
    Function.__repr__ = lambda self: f"<{type(self).__module__}.Function object at {id(self):#x}>"  # type: ignore[method-assign, assignment, misc]
    # what TensorFlow's own code asks for
    Function._clone = cloned  # type: ignore[attr-defined]
    Function._name = property(lambda self: self._impl.name)  # type: ignore[attr-defined]
    Function._attributes = property(methods.attributes)  # type: ignore[attr-defined]
    Function._descriptor_cache = property(caches.descriptor_cache)  # type: ignore[attr-defined]
    Function._variable_creation_config = property(caches.tracing_config)  # type: ignore[attr-defined]
    for attribute, option in _OPTIONS.items():
        setattr(Function, attribute, property(functools.partial(_option, option)))
    Function.function_spec = property(function_spec.function_spec)
    # Given as an argument it is an object of its own, not what it wraps.
    _core.register_opaque_class(Function)


def _concrete_functions() -> None:
    ConcreteFunction.function_def = property(concrete.function_def)
    ConcreteFunction.code = concrete.code
    ConcreteFunction.explain_compilation = concrete.explain_compilation
    ConcreteFunction.pretty_printed_signature = concrete.pretty_printed_signature
    ConcreteFunction._call_structured = concrete.call_structured
    ConcreteFunction._call_with_structured_signature = concrete.call_with_structured_signature  # type: ignore[attr-defined]
    ConcreteFunction._call_with_flat_signature = concrete.call_with_flat_signature  # type: ignore[attr-defined]
    ConcreteFunction.output_shapes = property(concrete.output_shapes)
    ConcreteFunction.output_dtypes = property(concrete.output_dtypes)
    ConcreteFunction.__repr__ = concrete.concrete_repr  # type: ignore[method-assign, assignment]
    ConcreteFunction.__str__ = concrete.concrete_str  # type: ignore[method-assign, assignment]
    ConcreteFunction.function_type = property(_core.concrete_function_type)
    ConcreteFunction.structured_input_signature = property(concrete.structured_input_signature)
    ConcreteFunction.inputs = property(concrete.inputs)
    ConcreteFunction.outputs = property(lambda self: self.graph.outputs)
    ConcreteFunction.captured_inputs = property(lambda self: self.graph.external_captures)
    ConcreteFunction.variables = property(lambda self: self.graph.variables)
    ConcreteFunction.trainable_variables = property(lambda self: tuple(v for v in self.variables if v.trainable))
    ConcreteFunction.prune = property(_prune)
    ConcreteFunction.add_to_graph = implementations.add_to_graph  # type: ignore[attr-defined]
    ConcreteFunction.add_gradient_functions_to_graph = lambda self, g=None: None  # type: ignore[attr-defined]


def _prune(self):
    """The method `prune` of the results of `tf.compat.v1.wrap_function`."""
    if not hasattr(self, "_made_variables"):
        raise AttributeError("'ConcreteFunction' object has no attribute 'prune'; wrap_function's results have it.")
    from tracefn.compat.v1.wrap_function import prune  # start-up time: few programs import tf.compat.v1

    return functools.partial(prune, self)


def _function_types() -> None:
    FunctionType.bind = lambda self, *args, **kwargs: function_spec.signature(self).bind(*args, **kwargs)
    FunctionType.bind_partial = lambda self, *args, **kwargs: function_spec.signature(self).bind_partial(*args, **kwargs)
    FunctionType.flat_captures = property(lambda self: list(self.captures.values()))
    FunctionType.return_annotation = property(lambda self: self.output)
    FunctionType.empty = property(function_spec.no_default)
    FunctionType.is_supertype_of = function_spec.is_supertype_of
    Parameter.default = property(function_spec.default)


def _specs() -> None:
    TypeSpec.experimental_as_proto = _as_proto  # type: ignore[attr-defined]
    TypeSpec.experimental_from_proto = classmethod(_from_proto)  # type: ignore[attr-defined]
    TypeSpec.experimental_type_proto = classmethod(_type_proto)  # type: ignore[attr-defined]


def _as_proto(self):
    """The spec as a TypeSpecProto, TensorFlow's message."""
    from tracefn._spec_messages import as_proto  # start-up time: only programs that store types need messages

    return as_proto(self)


def _from_proto(cls, proto):
    """The spec of a TypeSpecProto."""
    from tracefn._spec_messages import from_proto  # start-up time: as above

    return from_proto(proto)


def _type_proto(cls) -> type:
    """The class of the result of `experimental_as_proto`."""
    from tracefn._proto import message_class  # start-up time: as above

    return message_class("TypeSpecProto")
