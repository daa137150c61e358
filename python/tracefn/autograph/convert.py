"""Converts one function: parses its source, rewrites the tree, compiles it as code of the user's file, binds its variables."""

from __future__ import annotations

import ast
import sys
import types
import weakref

from tracefn._logging import warn
from tracefn._user_code import source
from tracefn.autograph import reporting
from tracefn.autograph.converters.rewrite import Context
from tracefn.autograph.converters.unsupported import UnsupportedError
from tracefn.autograph.marks import DO_NOT_CONVERT
from tracefn.autograph.templates import cloned
from tracefn.autograph.worth import worth_converting

_GENERATOR = 0x20 | 0x80 | 0x100 | 0x200  # generator, coroutine, iterable coroutine, async generator
_OPTIMIZED = 0x1  # code of a function, not of a class or module
_FUTURE_FLAGS = 0x1000000  # from __future__ import annotations


class Converter:
    """Converts functions for one set of options and caches the resulting code."""

    def __init__(self, namespace_of) -> None:
        # id of the user's code -> (weak reference to it, converted code or None to leave the function alone).
        # Not by equality: code of two files may be equal.
        self._codes: dict = {}
        self._failures: dict = {}
        self.cell = types.CellType(namespace_of(self))

    def __call__(self, function: types.FunctionType) -> types.FunctionType:
        """The converted function, or the function itself if it must not be converted."""
        code = function.__code__
        known = self._codes.get(id(code))
        converted = known[1] if known is not None else self._convert_code(function)
        if converted is None or DO_NOT_CONVERT in function.__dict__:
            return function
        return _bind(function, converted, self.cell)

    def failure(self, code):
        """Why the function of this code was left unconverted: a SourceError or UnsupportedError, or None."""
        return self._failures.get(id(code))

    def _remember(self, code, converted) -> None:
        """Caches the result for a code object, until the object dies."""
        key = id(code)

        def forget(_) -> None:
            self._codes.pop(key, None)
            self._failures.pop(key, None)

        self._codes[key] = (weakref.ref(code, forget), converted)

    def _mark(self, code) -> None:
        """Marks converted code, nested functions included, so that it is not converted again."""
        self._remember(code, None)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType) and "ag__" in constant.co_freevars:
                self._mark(constant)

    def _convert_code(self, function):
        code = function.__code__
        converted = None
        if not code.co_flags & _GENERATOR and "ag__" not in code.co_freevars and worth_converting(code):
            try:
                converted = convert_code(function)
            except source.EditedError:
                raise
            except (source.SourceError, UnsupportedError) as error:
                self._failures[id(code)] = error
                reporting.left(function, error)
                _warn(function, error)
        self._remember(code, converted)
        if converted is not None:
            self._mark(converted)
        return converted


def _warn(function, error) -> None:
    """Warns once about an unsupported function, which runs unconverted."""
    if isinstance(error, UnsupportedError):
        warn(
            f"AutoGraph could not transform {function} and will run it as-is. Cause: {error} To silence this warning, "
            "decorate the function with @tf.autograph.experimental.do_not_convert"
        )


def converted_tree(function: types.FunctionType) -> ast.FunctionDef:
    """The rewritten def of a function.

    Raises:
      SourceError, UnsupportedError: there is no source, or a construct has no translation.
    """
    node = source.parse(function)
    strip(node)
    _check_unedited(node, function)
    code = function.__code__
    Context(function.__globals__, source.all_names(code), source.private_class(code)).function(node)
    return node


def strip(node: ast.FunctionDef) -> None:
    """Drops the parts that are not evaluated again: decorators, defaults, annotations."""
    node.decorator_list = []
    node.returns = None
    arguments = node.args
    arguments.defaults = []
    arguments.kw_defaults = [None] * len(arguments.kwonlyargs)
    for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if arg is not None:
            arg.annotation = None


def convert_code(function: types.FunctionType) -> types.CodeType:
    """The code of the converted function, with the user's names and file.

    Raises:
      SourceError, UnsupportedError: there is no source, or a construct has no translation.
    """
    code = function.__code__
    try:
        node = converted_tree(function)
        reporting.converted(function, node)
        return _rename(_compile(node, function), code.co_name, code.co_qualname)
    except RecursionError as error:
        if _depth_of_calls() > sys.getrecursionlimit() // 2:  # the program's own recursion
            raise
        raise UnsupportedError(source.parse(function), "code nested as deeply as in this function") from error
    except SyntaxError as error:  # exceeds Python's block nesting limit
        raise UnsupportedError(source.parse(function), f"{error.msg}: code like this") from error


def _depth_of_calls() -> int:
    depth = 0
    frame: types.FrameType | None = sys._getframe()
    while frame is not None:
        depth += 1
        frame = frame.f_back
    return depth


def _compile(node: ast.FunctionDef, function) -> types.CodeType:
    """The code of a def, in the context of the user's function: free variables, class, future flags."""
    code = function.__code__
    node.name = "ag__function"  # a name that the function's own code never looks up
    class_name = source.private_class(code)
    factory = _factory(node, [*code.co_freevars, "ag__"], class_name)
    flags = code.co_flags & _FUTURE_FLAGS
    made = compile(factory, code.co_filename, "exec", flags=flags, dont_inherit=True)
    for name in ("ag__factory", *([class_name] if class_name is not None else []), node.name):
        made = _inner_code(made, name)
    return made


def _check_unedited(node: ast.FunctionDef, function) -> None:
    """Compares the source with the running code if the file is newer than the process.

    Raises:
      EditedError: they differ.
    """
    code = function.__code__
    if not source.may_be_edited(code.co_filename) or any(name.startswith("@py") for name in source.all_names(code)):
        return
    if not _same_code(_compile(cloned(node), function), code) and not _is_in_file(function):
        raise source.edited(code)


def _is_in_file(function) -> bool:
    """Whether compiling the whole file gives this code. Calls through a name that the file imports compile differently."""
    code = function.__code__
    text = "".join(source.file_lines(code, function.__globals__))
    try:
        made = [compile(text, code.co_filename, "exec", flags=code.co_flags & _FUTURE_FLAGS, dont_inherit=True)]
    except SyntaxError:
        return False
    for outer in made:
        made += [c for c in outer.co_consts if isinstance(c, types.CodeType)]
    return any(c.co_qualname == code.co_qualname and _same_code(c, code) for c in made)


def _same_code(first: types.CodeType, second: types.CodeType) -> bool:
    if first.co_code != second.co_code or first.co_names != second.co_names:
        return False
    if len(first.co_consts) != len(second.co_consts):
        return False
    return all(
        _same_code(a, b) if isinstance(a, types.CodeType) and isinstance(b, types.CodeType) else repr(a) == repr(b)
        for a, b in zip(first.co_consts, second.co_consts, strict=True)
        if not isinstance(a, str)
    )


def _factory(node: ast.FunctionDef, free: list[str], class_name) -> ast.Module:
    """A module whose function makes the converted one, with its free variables as parameters."""
    where: dict = {"lineno": node.lineno, "col_offset": 0, "end_lineno": node.lineno, "end_col_offset": 0}
    body: list[ast.stmt] = [node]
    extra: dict = {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}
    if class_name is not None:
        body = [ast.ClassDef(class_name, [], [], body, [], **extra, **where)]
        if class_name not in free:  # a method that names its class refers to the global one
            body.insert(0, ast.Global([class_name], **where))
    parameters = ast.arguments(
        posonlyargs=[], args=[ast.arg(n, **where) for n in free], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None,
        defaults=[],
    )  # fmt: skip
    outer = ast.FunctionDef("ag__factory", parameters, body, [], **extra, **where)
    return ast.Module([outer], [])


def _inner_code(code, name: str) -> types.CodeType:
    """The code object of that name among the constants of another."""
    return next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name)


def _rename(code, name: str, qualname: str) -> types.CodeType:
    """The code with the user's names; thunks get the name of the function that contains them."""
    prefix = code.co_qualname
    consts = tuple(
        _rename_nested(c, name, prefix, qualname) if isinstance(c, types.CodeType) else c for c in code.co_consts
    )
    return code.replace(co_name=name, co_qualname=qualname, co_consts=consts)


def _rename_nested(code, parent: str, prefix: str, qualname: str) -> types.CodeType:
    name = code.co_name
    if code.co_varnames[:1] == ("ag__thunk",):
        name = parent
    changed = code.co_qualname
    if changed.startswith(prefix):
        changed = qualname + changed[len(prefix) :]
    consts = tuple(
        _rename_nested(c, name, prefix, qualname) if isinstance(c, types.CodeType) else c for c in code.co_consts
    )
    if not code.co_flags & _OPTIMIZED:  # a class body, which sets __qualname__ from a constant
        consts = tuple(changed if c == code.co_qualname else c for c in consts)
    return code.replace(co_name=name, co_qualname=changed, co_consts=consts)


def _bind(function, code, cell) -> types.FunctionType:
    """A function of converted code with the user's globals, closure, defaults and attributes."""
    closure = None
    if code.co_freevars:
        own = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        own["ag__"] = cell
        closure = tuple(own[name] for name in code.co_freevars)
    bound = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    bound.__kwdefaults__ = function.__kwdefaults__
    bound.__module__ = function.__module__
    bound.__qualname__ = function.__qualname__
    bound.__doc__ = function.__doc__
    if function.__dict__:
        bound.__dict__.update(function.__dict__)
    return bound
