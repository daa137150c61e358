"""Walks a function and rewrites it: each construct goes to its converter, everything else is unchanged."""

from __future__ import annotations

import ast

from tracefn._user_code.walk import children, fields_of
from tracefn.autograph.analysis import definitions, liveness
from tracefn.autograph.analysis.scopes import Scope
from tracefn.autograph.converters import asserts, booleans, branches, calls, jumps, lists, loops, matches
from tracefn.autograph.converters.unsupported import UnsupportedError
from tracefn.autograph.templates import Template

_PROTECT = Template("""
try:
    BODY
except BaseException:
    ag__.unwind(FIRST, LAST)
    raise
""")
_UNWIND = Template("ag__.unwind(FIRST, LAST)")

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))


def is_generator(node) -> bool:
    """Whether a def contains a yield or an await of its own."""
    stack = list(node.body)
    while stack:
        part = stack.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await)):
            return True
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            stack += children(part)
    return False


class Context:
    """State that the converters share while they rewrite one module-level function and its nested functions."""

    def __init__(self, module_globals, names, class_name) -> None:
        self.globals = module_globals
        self.class_name = class_name  # whose private names the function uses, or None
        self._appends = "append" in names
        self.counter = 0  # numbers of staged statements, in source order
        self.temporaries = 0
        self.scope: Scope | None = None
        self.local_names: set[str] = set()
        self.in_comprehension = 0
        self.list_names: set[str] = set()  # lists that are only appended to in a loop

    def number(self) -> int:
        self.counter += 1
        return self.counter

    def temporary(self) -> str:
        self.temporaries += 1
        return f"ag__{self.temporaries}"

    # Functions.

    def function(self, node: ast.FunctionDef) -> None:
        """Rewrites a def's body in place."""
        matches.lower(node)
        jumps.lower(node)
        outer = self.scope, self.local_names, self.in_comprehension, self.list_names
        self.list_names = lists.lower(node) if self._appends else set()
        scope = Scope(node)
        liveness.annotate(node.body, scope)
        definitions.annotate(node.body, scope)
        self.scope, self.in_comprehension = scope, 0
        self.local_names = self.local_names | scope.bound_names()
        first = self.counter + 1
        declarations = [s for s in node.body if type(s) in (ast.Global, ast.Nonlocal)]
        body = self.block(node.body)
        if self.counter >= first:
            head = list(declarations)
            start = 1 if jumps._is_docstring(body[0]) else 0
            rest = [s for s in body[start:] if s not in declarations]
            body = body[:start] + head + _PROTECT.fill(node, BODY=rest, FIRST=first, LAST=self.counter)
        node.body = body
        self.scope, self.local_names, self.in_comprehension, self.list_names = outer

    # Statements.

    def block(self, body) -> list:
        result = []
        for statement in body:
            convert = _STATEMENTS.get(type(statement))
            if convert is not None:
                result.extend(convert(self, statement))
            else:
                if type(statement) not in _KNOWN_STATEMENTS:
                    raise UnsupportedError(statement, f"the statement {type(statement).__name__}")
                self.expressions_in(statement)
                result.append(statement)
        return result

    def expressions_in(self, node) -> None:
        """Rewrites the expressions that are direct children of a node."""
        fields = node.__dict__
        for field in fields_of(type(node)):
            value = fields.get(field)
            kind = type(value)
            if value is None or kind in _LEAVES:
                continue
            if kind is list:
                for i, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        value[i] = self.expression(item)
                    elif isinstance(item, (ast.keyword, ast.withitem, ast.comprehension)):
                        self.expressions_in(item)
            elif isinstance(value, ast.expr):
                fields[field] = self.expression(value)

    def expression(self, node: ast.expr) -> ast.expr:
        convert = _EXPRESSIONS.get(type(node))
        if convert is not None:
            return convert(self, node)
        if type(node) not in _LEAVES:
            if type(node) not in _KNOWN_EXPRESSIONS:
                raise UnsupportedError(node, f"the expression {type(node).__name__}")
            self.expressions_in(node)
        return node

    # Statements that only contain others.

    def _with(self, node):
        for item in node.items:
            self.expressions_in(item)
        first = self.counter + 1
        node.body = self.block(node.body)
        result = [node]
        if self.counter >= first:
            result += _UNWIND.fill(node, FIRST=first, LAST=self.counter)
        return result

    def _try(self, node):
        first = self.counter + 1
        node.body = self.block(node.body)
        last = self.counter
        node.orelse = self.block(node.orelse)
        for handler in node.handlers:
            if handler.type is not None:
                handler.type = self.expression(handler.type)
            handler.body = self.block(handler.body)
            if last >= first:
                handler.body[:0] = _UNWIND.fill(handler, FIRST=first, LAST=last)
        inside = self.counter
        if node.finalbody:
            node.finalbody = self.block(node.finalbody)
            if inside >= first:
                node.finalbody[:0] = _UNWIND.fill(node.finalbody[0], FIRST=first, LAST=inside)
        return [node]

    def _nested_function(self, node):
        node.decorator_list = [self.expression(d) for d in node.decorator_list]
        node.args.defaults = [self.expression(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.expression(d) for d in node.args.kw_defaults]
        if not is_generator(node):
            self.function(node)
        return [node]

    def _unchanged(self, node):
        return [node]

    def _match(self, node):
        node.subject = self.expression(node.subject)
        for case in node.cases:
            if case.guard is not None:
                case.guard = self.expression(case.guard)
            case.body = self.block(case.body)
        return [node]

    def _comprehension(self, node):
        self.in_comprehension += 1
        for generator in node.generators:
            generator.iter = calls.elements(self, generator.iter)
            generator.ifs = [self.expression(test) for test in generator.ifs]
        if type(node) is ast.DictComp:
            node.key = self.expression(node.key)
            node.value = self.expression(node.value)
        else:
            node.elt = self.expression(node.elt)
        self.in_comprehension -= 1
        return node

    def _lambda(self, node):
        node.args.defaults = [self.expression(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.expression(d) for d in node.args.kw_defaults]
        if any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in ast.walk(node.body)):
            return node
        node.body = self.expression(node.body)
        return node


_STATEMENTS: dict = {
    ast.If: branches.convert,
    ast.While: loops.convert_while,
    ast.For: loops.convert_for,
    ast.Assert: asserts.convert,
    ast.Assign: lists.convert_assign,
    ast.With: Context._with,
    ast.Match: Context._match,
    ast.FunctionDef: Context._nested_function,
    ast.AsyncFunctionDef: Context._unchanged,
    ast.ClassDef: Context._unchanged,
    **dict.fromkeys(_TRIES, Context._try),
}

_EXPRESSIONS: dict = {
    ast.BoolOp: booleans.convert_bool_op,
    ast.UnaryOp: booleans.convert_unary,
    ast.Compare: booleans.convert_compare,
    ast.IfExp: booleans.convert_if_exp,
    ast.Call: calls.convert,
    ast.Starred: calls.convert_starred,
    ast.Lambda: Context._lambda,
    **dict.fromkeys(_COMPREHENSIONS, Context._comprehension),
}

_KNOWN_STATEMENTS = frozenset(
    {
        ast.Return, ast.Delete, ast.AugAssign, ast.AnnAssign, ast.Raise, ast.Import, ast.ImportFrom, ast.Global,
        ast.Nonlocal, ast.Expr, ast.Pass, ast.Break, ast.Continue,
        *([ast.TypeAlias] if hasattr(ast, "TypeAlias") else []),
    }
)  # fmt: skip
_LEAVES = frozenset({ast.Name, ast.Constant})
_KNOWN_EXPRESSIONS = frozenset(
    {
        ast.NamedExpr, ast.BinOp, ast.Dict, ast.Set, ast.FormattedValue, ast.JoinedStr, ast.Attribute, ast.Subscript,
        ast.List, ast.Tuple, ast.Slice,
    }
)  # fmt: skip
