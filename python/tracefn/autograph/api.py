"""Converts functions: the conversion of tf.function, and the public to_graph and to_code."""

from __future__ import annotations

from tracefn import _core
from tracefn._plain_python import calls_converted
from tracefn.autograph.experimental import Feature
from tracefn.autograph.worth import may_change

_converters: dict = {}

# Flags of code objects, as in the module inspect.
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200


def feature_names(options) -> frozenset:
    """The names of the features given as `experimental_autograph_options`.

    Raises:
      ValueError: an element is not a Feature.
    """
    if options is None:
        return frozenset()
    given = options if isinstance(options, (tuple, list, set, frozenset)) else (options,)
    for option in given:
        if not isinstance(option, Feature):
            raise ValueError(f"experimental_autograph_options must be a Feature or a tuple of Features; got {option!r}")
    return frozenset(option.name for option in given)


def converter_for(features: frozenset):
    """The Converter for a set of features; there is one per set and process."""
    found = _converters.get(features)
    if found is None:
        # start-up time: only what is traced is converted
        from tracefn.autograph.convert import Converter
        from tracefn.autograph.runtime.namespace import Namespace

        found = _converters[features] = Converter(lambda convert: Namespace(convert, features))
    return found


def converted(function, options=None):
    """The callable that is traced in place of `function`.

    Args:
      function: any callable.
      options: None, a Feature or a tuple of them.
    """
    features = feature_names(options)
    if not may_change(function):
        return function
    with calls_converted():
        return converter_for(features).cell.cell_contents.converted(function, asked=True)


def as_called(function, asked: bool = False):
    """The callable that converted code calls in place of `function`; `asked`: as if a program asked for its conversion."""
    return converter_for(frozenset()).cell.cell_contents.converted(function, asked)


def why_unconverted(code) -> str | None:
    """Why the function of a code object was not converted, or None."""
    for converter in _converters.copy().values():
        reason = converter.failure(code)
        if reason is not None:
            return str(reason)
    return None


class AutoGraphError(Exception):
    """An error of AutoGraph."""


class ConversionError(AutoGraphError):
    """Something cannot be converted."""


class UnsupportedLanguageElementError(AutoGraphError, NotImplementedError):
    """A function has code that cannot be converted."""


def _check_code(entity) -> None:
    if not hasattr(entity, "__code__"):
        raise ConversionError(
            f"converting {entity}: ValueError: Cannot apply autograph to a function that doesn't expose a __code__ object. If this "
            "is a @tf.function, try passing f.python_function instead."
        )
    if entity.__code__.co_flags & _GENERATOR:
        raise UnsupportedLanguageElementError("generators are not supported")
    if entity.__code__.co_flags & (_COROUTINE | _ASYNC_GENERATOR):
        raise ConversionError(f"converting {entity}: ValueError: `async def` is not supported.")


def to_graph(entity, recursive=True, experimental_optional_features=None):
    """The converted function.

    Args:
      entity: Python function or method.
      recursive: accepted, without effect; callees are converted when they are called.
      experimental_optional_features: None, a Feature or a tuple of them.

    Returns:
      A callable that builds graph nodes where control flow depends on tensors of a graph.

    Raises:
      ConversionError: `entity` is no Python function or method, or an `async def`.
      UnsupportedLanguageElementError: it is a generator. Generators inside of it stay as they are.

    Example:
      >>> import tracefn as tf
      >>> def f(x):
      ...     return x if x > 0 else -x
      >>> int(tf.autograph.to_graph(f)(tf.constant(-2)))
      2
    """
    del recursive
    if not isinstance(entity, _core.OpCallable):  # TensorFlow's are Python functions
        _check_code(entity)
    return converted(entity, experimental_optional_features)


def to_code(entity, recursive=True, experimental_optional_features=None) -> str:
    """The source code of the converted function, for reading.

    Args:
      entity: Python function or method.
      recursive, experimental_optional_features: accepted.

    Returns:
      str: the definition of `tf__NAME`.

    Raises:
      ConversionError: `entity` is no Python function or method, or an `async def`.
      UnsupportedLanguageElementError: it is a generator. Generators inside of it stay as they are.
      ValueError: there is no source for it, or a construct has no translation.
    """
    del recursive, experimental_optional_features
    # start-up time: few programs look at converted code
    import ast

    from tracefn._user_code.source import SourceError
    from tracefn.autograph.convert import converted_tree
    from tracefn.autograph.converters.unsupported import UnsupportedError

    _check_code(entity)
    function = getattr(entity, "__func__", entity)
    try:
        node = converted_tree(function)
    except (SourceError, UnsupportedError) as error:
        raise ValueError(str(error)) from None
    node.name = f"tf__{node.name.strip('<>')}"
    return ast.unparse(ast.Module([node], [])) + "\n"


def trace(*args) -> None:
    """Prints its arguments when the code is traced, not when the graph runs."""
    print(*args)
