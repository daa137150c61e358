"""Decorators that warn, once for each function, when something deprecated is used."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import textwrap
from typing import Any, NamedTuple

from tracefn._caller import caller_line
from tracefn._decorators import make_decorator
from tracefn._logging import get_logger
from tracefn.framework import executing_eagerly

__all__ = [
    "deprecated",
    "deprecated_alias",
    "deprecated_arg_values",
    "deprecated_args",
    "deprecated_argument_lookup",
    "deprecated_endpoints",
    "hide_attribute_from_api",
    "rewrite_argument_docstring",
    "silence",
]
# The values that `hide_attribute_from_api` makes.
HIDDEN_ATTRIBUTE: Any = None
# Programs set the first to be told nothing, and clear the second to be told again.
_PRINT_DEPRECATION_WARNINGS = True
_PRINTED_WARNING: dict[Any, bool] = {}
_strict = False


class DeprecatedNamesAlreadySetError(Exception):
    """The deprecated names of a function are set a second time."""


class _Given(NamedTuple):
    """A deprecated argument: its place, and the value that is still allowed, if there is one."""

    position: int  # -1: only by name
    has_ok_value: bool
    ok_value: Any


@contextlib.contextmanager
def silence():
    """A context without warnings of this module."""
    global _PRINT_DEPRECATION_WARNINGS
    before = _PRINT_DEPRECATION_WARNINGS
    _PRINT_DEPRECATION_WARNINGS = False
    try:
        yield
    finally:
        _PRINT_DEPRECATION_WARNINGS = before


def be_strict() -> None:
    """From now on, what would be a warning is an error, too."""
    global _strict
    _strict = True


def _log(text: str, *values) -> None:
    if not _strict:
        get_logger().warning("From %s: " + text, caller_line(), *values)
        return
    get_logger().error("From %s: " + text, caller_line(), *values)
    raise RuntimeError("This behavior has been deprecated, which raises an error in strict mode.")


def _is_first(key, warn_once) -> bool:
    """Whether to warn now; a warning that is shown once is remembered."""
    if not _PRINT_DEPRECATION_WARNINGS or (warn_once and key in _PRINTED_WARNING):
        return False
    if warn_once:
        _PRINTED_WARNING[key] = True
    return True


def _when(date) -> str:
    return "in a future version" if date is None else f"after {date}"


def _check(date, instructions) -> None:
    if date is not None and not re.match(r"20\d\d-[01]\d-[0123]\d", date):
        raise ValueError(f"Date must be in format YYYY-MM-DD. Received: {date}")
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions! Specify the `instructions` argument.")


def _doc(doc, title: str, suffix: str, notice: list[str]) -> str:
    """A text with a notice below its first line; the text is just the notice if there is none."""
    lines = inspect.cleandoc(doc).splitlines() if doc else []
    lines = [lines[0] + " " + suffix, *lines[1:]] if lines else [title]
    more = [*lines[2:]] if len(lines) > 1 else []
    found = [lines[0], "", notice[0], *notice[1:]]
    return "\n".join([*found, "", *more] if more else found)


def _name_of(function) -> str:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or str(function)
    return name.rpartition("<locals>.")[2]


class Known(NamedTuple):
    """How notices name a function, if not as Python does; functions of one name share what was said."""

    module: str
    name: str


def _known(target) -> Known:
    return Known(target.__module__, _name_of(target))


def _log_function(names: Known, date, instructions: str) -> None:
    _log("%s (from %s) is deprecated and will be removed %s.\nInstructions for updating:\n%s",
         names.name, names.module, _when(date), instructions)


def warn_of_function(known: Known, date, instructions: str) -> None:
    """Warns of a call of a deprecated function, if it is the first one."""
    if _is_first(known, True):
        _log_function(known, date, instructions)


def warn_of_argument(known: Known, name: str, date, instructions: str) -> None:
    """Warns of a deprecated argument of a function, if it is the first time."""
    if _is_first((known, name), True):
        _log_argument(known, name, date, instructions)


def _log_argument(names: Known, argument: str, date, instructions: str) -> None:
    _log("calling %s (from %s) with %s is deprecated and will be removed %s.\nInstructions for updating:\n%s",
         names.name, names.module, argument, _when(date), instructions)


def deprecated(date, instructions, warn_once=True, known: Known | None = None):
    """A decorator for a function or class that warns when it is called.

    Args:
      date: str "YYYY-MM-DD" after which it may be gone, or None.
      instructions: str, what to do instead.
      warn_once: whether to warn only at the first call.
      known: how the notice names it; None for its own names.

    Raises:
      ValueError: another form of date, or no instructions.

    Example:
      >>> from tracefn.python.util.deprecation import deprecated
      >>> @deprecated("2030-01-01", "Use g.")
      ... def f():
      ...     "Says one."
      ...     return 1
      >>> print(f.__doc__.splitlines()[0])
      Says one. (deprecated)
    """
    _check(date, instructions)
    notice = [f"Deprecated: THIS FUNCTION IS DEPRECATED. It will be removed {_when(date)}.", "Instructions for updating:"]
    notice += textwrap.dedent(instructions).splitlines()

    def decorate(target):
        if isinstance(target, type):
            key = target.__new__ if target.__init__ is object.__init__ else target.__init__
            member = "__new__" if target.__init__ is object.__init__ else "__init__"
            text = _doc(target.__doc__, "DEPRECATED CLASS", "(deprecated)", notice)
            setattr(target, member, _warning(key, Known(target.__module__, f"{target.__name__}.{member}"), key.__doc__))
            with contextlib.suppress(AttributeError):  # what a type of another language does not allow
                target.__doc__ = text
            return target
        text = _doc(target.__doc__, "DEPRECATED FUNCTION", "(deprecated)", notice)
        return _warning(target, known or _known(target), text)

    def _warning(target, names, text):
        key = known or target

        @functools.wraps(target)
        def warns(*args, **kwargs):
            if _is_first(key, warn_once):
                _log_function(names, date, instructions)
            if target is object.__new__:
                return target(args[0])
            return target(*args, **kwargs)

        return make_decorator(target, warns, "deprecated", text)

    return decorate


class _Parameters(NamedTuple):
    """The names of a function's parameters: those of any position, those by name only, *args, **kwargs; and the defaults."""

    args: list[str]
    kwonlyargs: list[str]
    varargs: str | None
    varkw: str | None
    defaults: dict[str, Any]


def _parameters(function) -> _Parameters:
    found = inspect.signature(function).parameters.values()

    def named(*kinds) -> list[str]:
        return [one.name for one in found if one.kind in kinds]

    kind = inspect.Parameter
    return _Parameters(
        named(kind.POSITIONAL_ONLY, kind.POSITIONAL_OR_KEYWORD),
        named(kind.KEYWORD_ONLY),
        next(iter(named(kind.VAR_POSITIONAL)), None),
        next(iter(named(kind.VAR_KEYWORD)), None),
        {one.name: one.default for one in found if one.default is not kind.empty},
    )


def _position(name: str, names: list) -> int:
    return names.index(name) if name in names else -1


def deprecated_args(date, instructions, *deprecated_arg_names_or_tuples, **kwargs):
    """A decorator for a function that warns when some arguments are given, outside of eager execution.

    Args:
      date, instructions: as in `deprecated`.
      *deprecated_arg_names_or_tuples: names, or tuples of a name and a value that is still allowed.
      warn_once, known: as in `deprecated`. Keyword-only.

    Raises:
      ValueError: a name is no parameter's, or there is none.
      TypeError: another keyword argument.
    """
    _check(date, instructions)
    if not deprecated_arg_names_or_tuples:
        raise ValueError("Specify which argument is deprecated.")
    warn_once, known = kwargs.pop("warn_once", True), kwargs.pop("known", None)
    if kwargs:
        raise TypeError(f"kwargs must only contain warn_once, got {list(kwargs)}")
    pairs = [item if isinstance(item, tuple) else (item,) for item in deprecated_arg_names_or_tuples]
    shown = ", ".join(sorted(item[0] for item in pairs))

    def decorate(func):
        spec = _parameters(func)
        names = [*spec.args, *spec.kwonlyargs]
        found = {
            item[0]: _Given(_position(item[0], spec.args), len(item) > 1, item[1] if len(item) > 1 else None) for item in pairs
        }
        unknown = [name for name in found if name not in names and name not in (spec.varargs, spec.varkw)]
        if unknown:
            raise ValueError(
                f"The following deprecated arguments are not present in the function signature: {unknown}. Expected arguments "
                f"from the following list: {[*spec.args, spec.varargs, spec.varkw]}."
            )

        def is_given(name, given, args, kwargs) -> bool:
            if name == spec.varargs:
                return len(args) > len(spec.args)
            if name == spec.varkw:
                return any(key not in names for key in kwargs)
            if name in kwargs:
                value = kwargs[name]
            elif 0 <= given.position < len(args):
                value = args[given.position]
            else:
                return False
            return not (given.has_ok_value and _is_same(value, given.ok_value))

        @functools.wraps(func)
        def warns(*args, **kwargs):
            for name, given in found.items() if _PRINT_DEPRECATION_WARNINGS and not executing_eagerly() else ():
                if is_given(name, given, args, kwargs) and _is_first((known or func, name), warn_once):
                    _log_argument(shown_as, name, date, instructions)
            return func(*args, **kwargs)

        shown_as = known or _known(func)
        notice = [f"Deprecated: SOME ARGUMENTS ARE DEPRECATED: `({shown})`. They will be removed {_when(date)}."]
        notice += ["Instructions for updating:", *textwrap.dedent(instructions).splitlines()]
        text = _doc(func.__doc__, "DEPRECATED FUNCTION ARGUMENTS", "(deprecated arguments)", notice)
        return make_decorator(func, warns, "deprecated", text)

    return decorate


def _is_same(value, other) -> bool:
    """Whether a value is one that is deprecated or allowed; an array is not, whatever it holds."""
    try:
        return value is other or bool(value == other)
    except (TypeError, ValueError):
        return False


def deprecated_arg_values(date, instructions, warn_once=True, known: Known | None = None, **deprecated_kwargs):
    """A decorator for a function that warns when arguments have some values, be it by default.

    Args:
      date, instructions, warn_once, known: as in `deprecated`.
      **deprecated_kwargs: the values, by the arguments' names.

    Raises:
      ValueError: no value is given.
    """
    _check(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")
    shown = ", ".join(f"{name}={value!r}" for name, value in sorted(deprecated_kwargs.items()))

    def decorate(func):
        spec = _parameters(func)
        shown_as = known or _known(func)

        @functools.wraps(func)
        def warns(*args, **kwargs):
            given = {**spec.defaults, **dict(zip(spec.args, args, strict=False)), **kwargs} if _PRINT_DEPRECATION_WARNINGS else {}
            for name, value in deprecated_kwargs.items():
                if name in given and _is_same(given[name], value) and _is_first((known or func, name), warn_once):
                    _log("calling %s (from %s) with %s=%s is deprecated and will be removed %s.\n"
                         "Instructions for updating:\n%s", shown_as.name, shown_as.module, name, value, _when(date), instructions)
            return func(*args, **kwargs)

        notice = [f"Deprecated: SOME ARGUMENT VALUES ARE DEPRECATED: `({shown})`. They will be removed {_when(date)}."]
        notice += ["Instructions for updating:", *textwrap.dedent(instructions).splitlines()]
        text = _doc(func.__doc__, "DEPRECATED FUNCTION ARGUMENT VALUES", "(deprecated argument values)", notice)
        return make_decorator(func, warns, "deprecated", text)

    return decorate


def deprecated_alias(deprecated_name, name, func_or_class, warn_once=True):
    """The same function, or a subclass of the same class, that warns that it has a new name.

    Args:
      deprecated_name, name: str, the old and the new name.
      func_or_class: callable.
      warn_once: as in `deprecated`.
    """

    def log(key) -> None:
        if _is_first(key, warn_once):
            _log("The name %s is deprecated. Please use %s instead.\n", deprecated_name, name)

    if isinstance(func_or_class, type):
        notice = "Deprecated: THIS CLASS IS DEPRECATED. It will be removed in a future version. "
        text = _doc(func_or_class.__doc__, "DEPRECATED CLASS", "(deprecated)", [notice, f"Please use {name} instead."])

        class Renamed(func_or_class):
            __doc__ = text
            __name__ = func_or_class.__name__
            __module__ = func_or_class.__module__

            def __init__(self, *args, **kwargs):
                log(Renamed)
                super().__init__(*args, **kwargs)

        return Renamed

    @functools.wraps(func_or_class)
    def warns(*args, **kwargs):
        log(warns)
        return func_or_class(*args, **kwargs)

    notices = ["Deprecated: THIS FUNCTION IS DEPRECATED. It will be removed in a future version."]
    notices += ["Instructions for updating:", f"Please use {name} instead."]
    text = _doc(func_or_class.__doc__, "DEPRECATED FUNCTION", "(deprecated)", notices)
    return make_decorator(func_or_class, warns, "deprecated", text)


def deprecated_endpoints(*args):
    """A decorator that records deprecated public names of a function.

    Raises:
      DeprecatedNamesAlreadySetError: it has such names already.
    """

    def decorate(func):
        if "_tf_deprecated_api_names" in func.__dict__:
            raise DeprecatedNamesAlreadySetError(
                f"Cannot set deprecated names for {func.__name__} to {args}. Deprecated names are already set to "
                f"{func._tf_deprecated_api_names}."
            )
        func._tf_deprecated_api_names = args
        return func

    return decorate


def deprecated_argument_lookup(new_name, new_value, old_name, old_value):
    """The value of an argument that has a new and an old name.

    Raises:
      ValueError: both are given.

    Example:
      >>> from tracefn.python.util.deprecation import deprecated_argument_lookup
      >>> deprecated_argument_lookup("axis", None, "dim", 1)
      1
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value


def rewrite_argument_docstring(old_doc, old_argument, new_argument) -> str:
    """A text in which an argument has another name."""
    return old_doc.replace(f"`{old_argument}`", f"`{new_argument}`").replace(f"{old_argument}:", f"{new_argument}:")


class HiddenTfApiAttribute(property):
    """An attribute that is refused: reading it raises an AttributeError."""

    def __init__(self, deprecation_message) -> None:
        def refuse(_):
            raise AttributeError(deprecation_message)

        super().__init__(refuse)


hide_attribute_from_api = HiddenTfApiAttribute
HIDDEN_ATTRIBUTE = HiddenTfApiAttribute("This attribute has been deprecated.")
