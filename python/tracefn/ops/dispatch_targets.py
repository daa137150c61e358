"""Dispatch by type: `tf.experimental.dispatch_for_api` and its kin let programs say what public functions do with their
own composite values."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any

from tracefn._dispatch import add_handler, remove_handlers
from tracefn._export import export, path_of
from tracefn.composite import CompositeTensor
from tracefn.framework import name_scope
from tracefn.ops.by_path import public_function
from tracefn.ops.elementwise_apis import BINARY, BINARY_ASSERTS, UNARY

_ASSERTS = "asserts"


class _Targets:
    """The targets of one public function: the handler that `tracefn._dispatch` calls."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.entries: list[tuple[Callable[[list], bool], Callable]] = []  # (whether it takes the arguments, target)

    def __call__(self, arguments: dict):
        values = list(arguments.values())
        if not any(_is_dispatchable(value) for value in values):
            return NotImplemented
        found: list = []
        for takes, target in self.entries:
            if target not in found and takes(values):
                found.append(target)
        if len(found) > 1:
            told = " and ".join(repr(target) for target in found[:2])
            raise ValueError(f"Multiple dispatch targets that were registered with tf.dispatch_for ({told}) match the "
                             f"arguments to {self._path.rpartition('.')[2]}")
        return _call(found[0], self._path, arguments) if found else NotImplemented


_targets: dict[str, _Targets] = {}  # by the first path of the function
_elementwise: dict[tuple, tuple[Callable, list]] = {}  # (types of the arguments) -> (handler, the targets made of it)


def _is_dispatchable(value) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_is_dispatchable(item) for item in value)
    return isinstance(value, CompositeTensor)


def _call(target: Callable, path: str, arguments: dict):
    """Calls a target with the arguments, without those that are the defaults of the function: it may have others."""
    try:
        parameters = inspect.signature(public_function(path)).parameters
    except (TypeError, ValueError):
        parameters = {}  # type: ignore[assignment]
    required, given, is_first = [], {}, True
    for name, value in arguments.items():
        parameter = parameters.get(name)
        if parameter is not None and parameter.default is not inspect.Parameter.empty:
            is_first = False
            if value is not parameter.default:
                given[name] = value
        elif is_first:
            required.append(value)
        else:
            given[name] = value
    return target(*required, **given)


def _checker(annotation) -> Callable[[Any], bool]:
    """Whether a value is of the annotated type.

    Raises:
      ValueError: the annotation is no type, list or union.
    """
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Union or isinstance(annotation, types.UnionType):
        options = [_checker(part) for part in parts]
        return lambda value: any(fits(value) for fits in options)
    if origin is list:
        if len(parts) != 1:
            raise AssertionError("Expected List[...] to have a single type parameter")
        fits_item = _checker(parts[0])
        return lambda value: (isinstance(value, (list, tuple)) and any(_is_dispatchable(item) for item in value)
                              and all(fits_item(item) for item in value))
    if annotation is None:
        annotation = type(None)
    if not isinstance(annotation, type):
        raise ValueError(f"Type annotation {annotation} is not currently supported by dispatch.  Supported annotations: "
                         "type objects,  List[...], and Union[...]")
    return lambda value: isinstance(value, annotation)


def _signature_checker(api: inspect.Signature, signature) -> Callable[[list], bool]:
    """Whether arguments, in the order of the parameters, fit a signature: annotations by name or index."""
    if not (isinstance(signature, dict) and all(isinstance(key, (str, int)) for key in signature)):
        raise TypeError("signatures must be dictionaries mapping parameter names to type annotations.")
    names = list(api.parameters)
    checks = []
    for key, annotation in signature.items():
        name = names[key] if isinstance(key, int) and key < len(names) else key
        parameter = api.parameters.get(name)  # type: ignore[arg-type]
        if parameter is None:
            raise ValueError(f"signature includes annotation for unknown parameter {name!r}.")
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise ValueError("Dispatch currently only supports type annotations for positional parameters; can't handle "
                             f"annotation for {parameter.kind!r} parameter {name}.")
        checks.append((names.index(name), _checker(annotation)))  # type: ignore[arg-type]

    def takes(values: list) -> bool:
        named = [values[index] for index, _ in checks if index < len(values)]
        return (len(named) == len(checks) and all(check(value) for (_, check), value in zip(checks, named, strict=True))
                and any(_is_dispatchable(value) for value in named))

    return takes


def _with_name(target, api: inspect.Signature):
    """`target` with the parameter `name` of the function, which becomes a name scope."""
    own = inspect.signature(target)
    kinds = [parameter.kind for parameter in own.parameters.values()]
    if "name" not in api.parameters or "name" in own.parameters or inspect.Parameter.VAR_KEYWORD in kinds:
        return target

    def named(*args, name=None, **kwargs):
        if name is None:
            return target(*args, **kwargs)
        with name_scope(name):
            return target(*args, **kwargs)

    for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(named, attribute, getattr(target, attribute, None))
    named.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[*own.parameters.values(), api.parameters["name"]])
    return named


def _check_parameters(api: inspect.Signature, target) -> None:
    own = list(inspect.signature(target).parameters.values())
    if [p.kind for p in own] == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
        return
    wanted = list(api.parameters.values())
    if [(p.name, p.kind) for p in own] != [(p.name, p.kind) for p in wanted]:
        raise ValueError(f"Dispatch function's signature {inspect.signature(target)} does not match API's signature "
                         f"{api}.")


def _api_path(api) -> str:
    path = path_of(api)
    if path is None:
        raise ValueError(f"{api} does not support dispatch.")
    parameters = inspect.signature(api).parameters.values()
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        raise ValueError(f"{api} does not support dispatch.")
    return path


def _add(path: str, takes: Callable[[list], bool], target: Callable) -> None:
    handler = _targets.get(path)
    if handler is None:
        handler = _targets[path] = _Targets(path)
        add_handler(path, handler, first=True)
    handler.entries.append((takes, target))


@export("experimental.dispatch_for_api")
def dispatch_for_api(api, *signatures):
    """A decorator for what a public function does with composite values, such as those of an ExtensionType.

    Args:
      api: a public function of this package, such as `tf.concat`, without `*args` and `**kwargs`.
      *signatures: dicts from names or indices of its parameters to types, `List[type]` or `Union` of these. The
        decorated function is called instead of `api` if the arguments match one of them, and one of those named is a
        composite value, or a list of such. None: the annotations of the decorated function.

    Returns:
      A decorator for a function with the parameters of `api`; `name` may be missing, and is a name scope then.

    Raises:
      ValueError: `api` is no such function, a type is not supported, or the parameters differ. Calls raise it if several
        functions match.
      TypeError: a signature is not a dict.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.shape)
    ... def masked_shape(input: Masked, out_type=tf.int32):
    ...     return tf.shape(input.values, out_type)
    >>> tf.shape(Masked([1, 2], [True, False]))
    <tf.Tensor: shape=(1,), dtype=int32, numpy=array([2], dtype=int32)>
    >>> tf.experimental.unregister_dispatch_for(masked_shape)
    """
    path = _api_path(api)
    of_api = inspect.signature(api)
    checkers = [_signature_checker(of_api, signature) for signature in signatures]

    def decorator(target):
        if not callable(target):
            raise TypeError(f"Expected dispatch_target to be callable; got {target!r}")
        target = _with_name(target, of_api)
        _check_parameters(of_api, target)
        takes = checkers or [_signature_checker(of_api, _annotations_of(target))]
        for fits in takes:
            _add(path, fits, target)
        return target

    return decorator


def _annotations_of(target) -> dict:
    found = {name: p.annotation for name, p in inspect.signature(target).parameters.items()
             if p.annotation is not inspect.Parameter.empty}
    if not found:
        raise ValueError("The dispatch_for_api decorator must be called with at least one signature, or applied to a "
                         "function that has type annotations on its parameters.")
    return found


def _elementwise_target(path: str, handler: Callable, operands: int) -> Callable:
    """A target that calls `handler` with the function, its other arguments fixed, and the operands."""

    def target(*args, **kwargs):
        api = public_function(path)
        names = list(inspect.signature(api).parameters)
        bound = dict(zip(names, args, strict=False)) | kwargs
        values = [bound.pop(name) for name in names[:operands]]
        name = bound.pop("name", None)
        has_more = len(names) > operands + 1 or "name" not in names
        function = (lambda *given: api(*given, **bound)) if has_more else api
        if name is None:
            return handler(function, *values)
        with name_scope(name):
            return handler(function, *values)

    target.__name__ = target.__qualname__ = "elementwise_dispatch_target_for_" + path.rpartition(".")[2]
    return target


def _elementwise_decorator(what: str, paths: Iterable[str], annotations: tuple, tag: tuple = ()):
    key = (*annotations, *tag)
    checks = [_checker(annotation) for annotation in annotations]

    def takes(values: list) -> bool:
        mine = values[: len(checks)]
        return (len(mine) == len(checks) and all(check(value) for check, value in zip(checks, mine, strict=True))
                and any(_is_dispatchable(value) for value in mine))

    def decorator(handler):
        if key in _elementwise:
            told = annotations[0] if len(annotations) == 1 else f"({', '.join(map(str, annotations))})"
            raise ValueError(f"A {what} dispatch handler ({_elementwise[key][0]}) has already been registered for {told}.")
        made = [(path, _elementwise_target(path, handler, len(checks))) for path in paths]
        for path, target in made:
            _add(path, takes, target)
        _elementwise[key] = (handler, [target for _, target in made])
        return handler

    return decorator


@export("experimental.dispatch_for_unary_elementwise_apis")
def dispatch_for_unary_elementwise_apis(x_type):
    """A decorator for what all elementwise functions of one argument do with values of a type.

    Args:
      x_type: type of the first argument, as in `tf.experimental.dispatch_for_api`.

    Returns:
      A decorator for `handler(function, x)`, where `function` takes a tensor; its further arguments are those of the
      call.

    Raises:
      ValueError: the type is not supported; or, from the decorator, it has a handler.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    ... def handler(function, x):
    ...     return Masked(function(x.values), x.mask)
    >>> tf.abs(Masked([-1, 2], [True, False])).values
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    >>> tf.experimental.unregister_dispatch_for(handler)
    """
    return _elementwise_decorator("unary elementwise", UNARY, (x_type,))


@export("experimental.dispatch_for_binary_elementwise_apis")
def dispatch_for_binary_elementwise_apis(x_type, y_type):
    """A decorator for what all elementwise functions of two arguments do with values of two types.

    Args:
      x_type, y_type: types of the first two arguments, as in `tf.experimental.dispatch_for_api`.

    Returns:
      A decorator for `handler(function, x, y)`, where `function` takes two tensors.

    Raises:
      ValueError: a type is not supported; or, from the decorator, they have a handler.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
    ... def handler(function, x, y):
    ...     return Masked(function(x.values, y.values), x.mask & y.mask)
    >>> m = Masked([1, 2], [True, False])
    >>> tf.add(m, m).values
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 4], dtype=int32)>
    >>> tf.experimental.unregister_dispatch_for(handler)
    """
    return _elementwise_decorator("binary elementwise", BINARY, (x_type, y_type))


@export("experimental.dispatch_for_binary_elementwise_assert_apis")
def dispatch_for_binary_elementwise_assert_apis(x_type, y_type):
    """The same as `tf.experimental.dispatch_for_binary_elementwise_apis`, for assertions such as
    `tf.debugging.assert_equal`.

    Args:
      x_type, y_type: types of the first two arguments.

    Returns:
      A decorator for `handler(function, x, y)`.

    Raises:
      ValueError: a type is not supported; or, from the decorator, they have a handler.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    ... def handler(function, x, y):
    ...     return function(x.values, y.values)
    >>> tf.debugging.assert_equal(Masked([1]), Masked([1]))
    >>> tf.experimental.unregister_dispatch_for(handler)
    """
    return _elementwise_decorator("binary elementwise assert", BINARY_ASSERTS, (x_type, y_type), (_ASSERTS,))


@export("experimental.unregister_dispatch_for")
def unregister_dispatch_for(dispatch_target):
    """Undoes one of the decorators `tf.experimental.dispatch_for_*`.

    Args:
      dispatch_target: what the decorator returned.

    Raises:
      ValueError: it has not been registered.
    """
    keys = [key for key, (handler, _) in _elementwise.items() if handler is dispatch_target]
    gone = [target for key in keys for target in _elementwise.pop(key)[1]] or [dispatch_target]
    found = False
    for handler in _targets.values():
        kept = [entry for entry in handler.entries if not any(entry[1] is target for target in gone)]
        found = found or len(kept) != len(handler.entries)
        handler.entries[:] = kept
    emptied = [path for path, handler in _targets.items() if not handler.entries]
    for path in emptied:
        empty = _targets.pop(path)
        remove_handlers(lambda handler, empty=empty: handler is empty)
    if not found:
        raise ValueError(f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator.")
