"""`tf.__internal__`: the names that libraries on top of TensorFlow use."""

from __future__ import annotations

import collections.abc
import contextlib
import inspect
import sys
import types

from tracefn import _core, nest
from tracefn._control_flow.conditional import cond
from tracefn._dispatch import add_for_all, add_handler
from tracefn._export import path_of
from tracefn._static_value import get_static_value
from tracefn.composite import CompositeTensor
from tracefn.framework import Graph, current_scope, is_tensor
from tracefn.module import Module


class TFDecorator:
    """What a decorator was applied to: an attribute of the decorated function, found by `unwrap`.

    Args:
      decorator_name: str.
      target: the callable that was decorated.
      decorator_doc: str.
      decorator_argspec: inspect.FullArgSpec of the decorated function, or None for the target's.
    """

    def __init__(self, decorator_name, target, decorator_doc="", decorator_argspec=None) -> None:
        self.decorated_target = target
        self.decorator_name = decorator_name
        self.decorator_doc = decorator_doc
        self.decorator_argspec = decorator_argspec
        for name in ("__name__", "__qualname__"):
            if hasattr(target, name):
                setattr(self, name, getattr(target, name))
        self.__doc__ = decorator_doc or getattr(target, "__doc__", None) or ""

    def __get__(self, instance, owner):
        return self.decorated_target.__get__(instance, owner)

    def __call__(self, *args, **kwargs):
        return self.decorated_target(*args, **kwargs)


def make_decorator(target, decorator_func, decorator_name=None, decorator_doc="", decorator_argspec=None):
    """Gives a wrapper the name, text and signature of what it wraps, and remembers that for `unwrap`.

    Args:
      target: the callable that is wrapped.
      decorator_func: the wrapper.
      decorator_name: str; None for the name of the calling function.
      decorator_doc: str, the wrapper's text; "" for the target's.
      decorator_argspec: inspect.FullArgSpec of the wrapper, or None for the target's.

    Returns:
      The wrapper.

    Example:
      >>> import tracefn as tf
      >>> def doubled(f):
      ...     return tf.__internal__.decorator.make_decorator(f, lambda *args: 2 * f(*args))
      >>> @doubled
      ... def one():
      ...     return 1
      >>> one(), one.__name__, tf.__internal__.decorator.unwrap(one)[0][0].decorator_name
      (2, 'one', 'doubled')
    """
    if decorator_name is None:
        decorator_name = sys._getframe(1).f_code.co_name
    decorator = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    decorator_func._tf_decorator = decorator
    for name in ("__name__", "__qualname__", "__module__"):
        if hasattr(target, name):
            setattr(decorator_func, name, getattr(target, name))
    own = decorator_func.__dict__
    for name, value in getattr(target, "__dict__", own).items():
        own.setdefault(name, value)
    decorator_func.__doc__ = decorator.__doc__
    decorator_func.__wrapped__ = decorator_func.__original_wrapped__ = target
    if decorator_argspec:
        decorator_func.__signature__ = _signature(decorator_argspec)
    return decorator_func


def _signature(spec: inspect.FullArgSpec) -> inspect.Signature:
    """The signature that an argspec describes."""
    kinds = inspect.Parameter
    defaults = dict(zip(reversed(spec.args), reversed(spec.defaults or ()), strict=False))
    found = [kinds(a, kinds.POSITIONAL_OR_KEYWORD, default=defaults.get(a, kinds.empty)) for a in spec.args]
    if spec.varargs:
        found.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
    only = spec.kwonlydefaults or {}
    found += [kinds(a, kinds.KEYWORD_ONLY, default=only.get(a, kinds.empty)) for a in spec.kwonlyargs]
    if spec.varkw:
        found.append(kinds(spec.varkw, kinds.VAR_KEYWORD))
    return inspect.Signature(found)


def unwrap(maybe_tf_decorator):
    """(the TFDecorators that were applied, the outermost first; the callable under them)."""
    decorators: list = []
    target = maybe_tf_decorator
    while True:
        found = target if isinstance(target, TFDecorator) else getattr(target, "__dict__", {}).get("_tf_decorator")
        if found is None:
            return decorators, target
        decorators.append(found)
        target = found.decorated_target


def _children(structure) -> list:
    """The (key, value) pairs of a container."""
    if isinstance(structure, collections.abc.Mapping):
        return [(key, structure[key]) for key in sorted(structure)]
    if hasattr(structure, "_fields"):
        return [(name, getattr(structure, name)) for name in structure._fields]
    return list(enumerate(structure))


def flatten_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False) -> list:
    """The parts of a structure at the places of another, shallower one's leaves.

    Raises:
      TypeError, ValueError: the structures differ above these places.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.nest.flatten_up_to([0, 0], [[1, 2], 3])
      [[1, 2], 3]
    """
    del expand_composites
    if not nest.is_nested(shallow_tree):
        return [input_tree]
    if not nest.is_nested(input_tree):
        raise TypeError(
            f"If shallow structure is a sequence, input must also be a sequence. Input has type: {type(input_tree)}."
        )
    if check_types and type(shallow_tree) is not type(input_tree) and not isinstance(input_tree, collections.abc.Mapping):
        raise TypeError(
            "The two structures don't have the same sequence type. "
            f"Input structure has type {type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
        )
    shallow, deep = _children(shallow_tree), _children(input_tree)
    if len(shallow) != len(deep):
        raise ValueError(
            "The two structures don't have the same sequence length. "
            f"Input structure has length {len(deep)}, while shallow structure has length {len(shallow)}."
        )
    return [leaf for (_, a), (_, b) in zip(shallow, deep, strict=True) for leaf in flatten_up_to(a, b, check_types)]


def map_structure_up_to(shallow_tree, func, *inputs, **kwargs):
    """`tf.nest.map_structure` that goes only as deep as `shallow_tree`.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.nest.map_structure_up_to([0, 0], len, [[1, 2], [3]])
      [2, 1]
    """
    check = kwargs.pop("check_types", True)
    kwargs.pop("expand_composites", None)
    flat = [flatten_up_to(shallow_tree, tree, check) for tree in inputs]
    return nest.pack_sequence_as(shallow_tree, [func(*parts, **kwargs) for parts in zip(*flat, strict=True)])


def yield_flat_paths(structure, expand_composites=False):
    """The path to each leaf, as a tuple of keys and indices.

    Example:
      >>> import tracefn as tf
      >>> list(tf.__internal__.nest.yield_flat_paths({"a": [1, 2]}))
      [('a', 0), ('a', 1)]
    """
    del expand_composites
    if not nest.is_nested(structure):
        yield ()
        return
    for key, value in _children(structure):
        for path in yield_flat_paths(value):
            yield (key, *path)


def is_mapping(structure) -> bool:
    """Whether a value is a mapping."""
    return isinstance(structure, collections.abc.Mapping)


def is_attrs(structure) -> bool:
    """Whether a value is an instance of an attrs class."""
    return hasattr(type(structure), "__attrs_attrs__")


def list_to_tuple(structure):
    """The structure with tuples in place of lists."""
    if isinstance(structure, list):
        return tuple(list_to_tuple(item) for item in structure)
    if nest.is_nested(structure):
        items = [list_to_tuple(value) for _, value in _children(structure)]
        return sequence_like(structure, items)
    return structure


def sequence_like(instance, args):
    """A container of the type of `instance` with other children.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.nest.sequence_like((1, 2), [[3], 4])
      ([3], 4)
    """
    if isinstance(instance, collections.abc.Mapping):
        values = dict(zip(sorted(instance), args, strict=True))
        return type(instance)((key, values[key]) for key in instance)
    return type(instance)(*args) if hasattr(instance, "_fields") else type(instance)(args)


def smart_cond(pred, true_fn=None, false_fn=None, name=None):
    """`tf.cond`, or just one of the functions if the condition is known.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.smart_cond.smart_cond(True, lambda: 1, lambda: 2)
      1
    """
    known = get_static_value(pred) if is_tensor(pred) else pred
    if known is None:
        return cond(pred, true_fn, false_fn, name)
    return true_fn() if known else false_fn()


def no_automatic_dependency_tracking(method):
    """The method itself: tf.Module finds Variables when it is asked for them."""
    return method


def add_dispatch_support(target=None, iterable_parameters=None):
    """The function itself, or a decorator that returns it: conversions to tensors serve every function here."""
    del iterable_parameters
    return (lambda function: function) if target is None else target


class OpDispatcher:
    """What a public function does with other values than tensors: `handle` in a subclass, and `register`."""

    NOT_SUPPORTED = object()

    def handle(self, args, kwargs):
        """The result for arguments that `args` and `kwargs` give; `NOT_SUPPORTED` if it does not take them."""
        del args, kwargs
        return self.NOT_SUPPORTED

    def register(self, op) -> None:
        """Makes a public function ask this object for arguments that it does not take itself.

        Raises:
          AssertionError: `op` is not a public function.
        """
        path = path_of(op)
        if path is None:
            raise AssertionError(f"Dispatching not enabled for {op}")
        add_handler(path, lambda arguments: _supported(self.handle((), arguments)))


class GlobalOpDispatcher:
    """The same for all public functions: `handle` gets the function, too."""

    NOT_SUPPORTED = OpDispatcher.NOT_SUPPORTED

    def handle(self, op, args, kwargs):
        """The result of `op` for these arguments; `NOT_SUPPORTED` if it does not take them."""
        del op, args, kwargs
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Makes all public functions ask this object."""
        add_for_all(lambda op, arguments: _supported(self.handle(op, (), arguments)))


def _supported(result):
    return NotImplemented if result is OpDispatcher.NOT_SUPPORTED else result


@contextlib.contextmanager
def eager_mode():
    """A context in which ops run when they are called, also while a function is traced.

    Example:
      >>> import tracefn as tf
      >>> @tf.function
      ... def f():
      ...     with tf.__internal__.eager_context.eager_mode():
      ...         return tf.executing_eagerly()
      >>> bool(f())
      True
    """
    with _core.TargetContext(None):
        yield


def graph_defs_equal(graph_def_1, graph_def_2, treat_nan_as_equal=False) -> bool:
    """Whether two GraphDefs have the same nodes.

    Example:
      >>> import tracefn as tf
      >>> g = tf.Graph().as_graph_def()
      >>> tf.__internal__.graph_util.graph_defs_equal(g, g)
      True
    """
    del treat_nan_as_equal
    from tracefn.test import assert_equal_graph_def  # start-up time: few programs compare graphs

    try:
        assert_equal_graph_def(graph_def_1, graph_def_2)
    except AssertionError:
        return False
    return True


def get_traverse_shallow_structure(traverse_fn, structure, expand_composites=False):
    """The structure down to where `traverse_fn` is false, with True above and False there.

    Args:
      traverse_fn: callable that takes a part and returns whether to go on; a bool, or a structure of bools.
      structure: nest.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.nest.get_traverse_shallow_structure(lambda s: not isinstance(s, tuple), [[1, 2], (3, 4)])
      [[True, True], False]
    """
    del expand_composites
    wanted = traverse_fn(structure)
    if not nest.is_nested(structure):
        if not isinstance(wanted, bool):
            raise TypeError(f"traverse_fn returned structure: {wanted} for non-structure: {structure}")
        return wanted
    if not isinstance(wanted, bool):
        raise TypeError(f"traverse_fn returned a non-bool: {wanted}")
    if not wanted:
        return False
    parts = [get_traverse_shallow_structure(traverse_fn, value) for _, value in _children(structure)]
    return sequence_like(structure, parts)


class BoolGauge:
    """A named truth value that libraries set, for each of its labels.

    Args:
      name, description: str.
      *labels: names of the labels.

    Example:
      >>> import tracefn as tf
      >>> gauge = tf.__internal__.monitoring.BoolGauge("/uses", "whether something is used", "part")
      >>> gauge.get_cell("model").set(True)
      >>> gauge.get_cell("model").value()
      True
    """

    def __init__(self, name, description, *labels) -> None:
        self.name, self.description, self._labels = name, description, labels
        self._cells: dict[tuple, _Cell] = {}

    def get_cell(self, *labels):
        """The cell for values of the labels."""
        return self._cells.setdefault(labels, _Cell())


class _Cell:
    def __init__(self) -> None:
        self._value = False

    def set(self, value) -> None:
        """Sets the value."""
        self._value = bool(value)

    def value(self) -> bool:
        """The value."""
        return self._value


_registered: dict[str, object] = {}


def _register(what: str):
    """A function that keeps what Keras tells TensorFlow, which nothing here asks for."""

    def register(function) -> None:
        _registered[what] = function

    register.__doc__ = f"Keeps the function by which a library answers `{what}`."
    return register


def get_name_scope() -> str:
    """The current name scope without its last "/"."""
    return current_scope().rstrip("/")


def _namespace(path: str, **names) -> types.ModuleType:
    module = types.ModuleType(path)
    vars(module).update(names)
    return module


def namespace() -> types.ModuleType:
    """The module `tf.__internal__`."""
    path = "tracefn.__internal__"
    return _namespace(
        path,
        CompositeTensor=CompositeTensor,
        EagerTensor=_core.EagerTensor,
        FuncGraph=Graph,
        SymbolicTensor=_core.SymbolicTensor,
        decorator=_namespace(f"{path}.decorator", TFDecorator=TFDecorator, make_decorator=make_decorator, unwrap=unwrap),
        dispatch=_namespace(
            f"{path}.dispatch",
            GlobalOpDispatcher=GlobalOpDispatcher,
            OpDispatcher=OpDispatcher,
            add_dispatch_support=add_dispatch_support,
        ),
        eager_context=_namespace(f"{path}.eager_context", eager_mode=eager_mode),
        get_enclosing_xla_context=lambda: None,
        get_name_scope=get_name_scope,
        graph_util=_namespace(f"{path}.graph_util", graph_defs_equal=graph_defs_equal),
        is_tfrt_enabled=lambda: False,
        monitoring=_namespace(f"{path}.monitoring", BoolGauge=BoolGauge),
        nest=_namespace(
            f"{path}.nest",
            flatten_up_to=flatten_up_to,
            get_traverse_shallow_structure=get_traverse_shallow_structure,
            is_attrs=is_attrs,
            is_mapping=is_mapping,
            list_to_tuple=list_to_tuple,
            map_structure_up_to=map_structure_up_to,
            sequence_like=sequence_like,
            yield_flat_paths=yield_flat_paths,
        ),
        ops=_namespace(f"{path}.ops", is_resource_variable=lambda value: hasattr(value, "handle") and is_tensor(value)),
        **{name: _register(name) for name in (
            "register_call_context_function", "register_clear_session_function", "register_get_session_function",
            "register_load_model_function")},
        smart_cond=_namespace(f"{path}.smart_cond", smart_cond=smart_cond),
        tf2=_namespace(f"{path}.tf2", enabled=lambda: True),
        tracking=_namespace(
            f"{path}.tracking",
            AutoTrackable=Module,
            Trackable=Module,
            no_automatic_dependency_tracking=no_automatic_dependency_tracking,
        ),
        types=_namespace(f"{path}.types", Tensor=_core.Tensor),
    )
