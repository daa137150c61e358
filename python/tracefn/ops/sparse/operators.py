"""Operators of SparseTensors with dense tensors, and the public functions that take SparseTensors."""

from __future__ import annotations

from tracefn import _core
from tracefn._dispatch import add_handler
from tracefn.dtypes import as_dtype
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.by_path import public_function
from tracefn.ops.casting import cast
from tracefn.ops.sparse.tensor import SparseTensor, SparseTensorValue, is_sparse, parts

# Integers are divided as floating-point numbers of these dtypes.
_QUOTIENTS = {
    "uint8": "float32", "int8": "float32", "uint16": "float32", "int16": "float32",
    "uint32": "float64", "int32": "float64", "uint64": "float64", "int64": "float64",
    "bfloat16": None, "float16": None, "float32": None, "float64": None, "complex64": None, "complex128": None,
}  # fmt: skip
_ELEMENTWISE = (
    "math.abs", "math.negative", "math.asinh", "math.sin", "math.tan", "math.atan", "math.asin", "math.atanh",
    "math.sign", "math.square", "math.sqrt", "math.erf", "math.tanh", "math.bessel_i0e", "math.bessel_i1e",
)  # fmt: skip


def _multiplied(sp, dense, name):
    return sp.with_values(op("SparseDenseCwiseMul")(**parts("sp_", sp), dense=dense, name=name))


def mul(self, other):
    """The values times a dense tensor, broadcast to the shape."""
    with name_scope("mul") as scope:
        return _multiplied(self, convert(other, dtype=self.dtype, name="y"), scope)


def rmul(self, other):
    """A dense tensor times the values."""
    if not isinstance(other, _core.Tensor):
        return NotImplemented
    with name_scope("mul") as scope:
        return _multiplied(self, other, scope)


def truediv(self, other):
    """The values divided by a dense tensor, broadcast to the shape; integers as floats.

    Raises:
      TypeError: the values are no numbers.
    """
    with name_scope("truediv"):
        other = convert(other, dtype=self.dtype, name="y")
        if self.dtype.name not in _QUOTIENTS:
            names = ", ".join(f"tf.{name}" for name in _QUOTIENTS)
            raise TypeError(f"Invalid dtype {self.dtype!r} in __truediv__. Expected one of {{{names}}}.")
        dtype = _QUOTIENTS[self.dtype.name]
        values, other = (x if dtype is None else cast(x, dtype) for x in (self.values, other))
        return _divided(self.with_values(values), other)


def div(self, other):
    """The values divided by a dense tensor, broadcast to the shape; integers round towards zero."""
    with name_scope("div"):
        return _divided(self, convert(other, dtype=self.dtype, name="y"))


def _divided(sp, dense):
    return sp.with_values(op("SparseDenseCwiseDiv")(**parts("sp_", sp), dense=dense))


def _of_values(path: str):
    def handle(arguments):
        name, value = next(iter(arguments.items()))
        if not is_sparse(value):
            return NotImplemented
        return value.with_values(public_function(path)(**{**arguments, name: value.values}))

    return handle


def _of_first(compute):
    """A handler of calls whose first argument is sparse: a SparseTensor, or the value of one."""

    def handle(arguments):
        first, *rest = arguments.values()
        if isinstance(first, SparseTensorValue):
            first = SparseTensor.from_value(first)
        return compute(first, *rest) if is_sparse(first) else NotImplemented

    return handle


def _shape(sp, out_type=None, name=None):
    return cast(sp.dense_shape, out_type or "int32", name=name)


def _size(sp, out_type=None, name=None):
    return op("Prod")(input=_shape(sp, out_type), reduction_indices=[0], name=name)


def _rank(sp, name=None):
    return op("Size")(input=sp.dense_shape, name=name)


def _filled(value):
    """A handler of `zeros_like` and `ones_like`: a dense tensor of the shape, where TensorFlow makes one."""

    def handle(arguments):
        sp, dtype = arguments["input"], arguments.get("dtype")
        if not is_sparse(sp) or (_core.current_graph() is None and (value or dtype is None)):
            return NotImplemented
        dtype = sp.dtype if dtype is None else as_dtype(dtype)
        return op("Fill")(dims=_shape(sp), value=constant(value, dtype), name=arguments.get("name"))

    return handle


def _bincount(arguments):
    from tracefn.ops.ragged.tensor import is_ragged  # start-up time: few programs need it
    from tracefn.ops.sparse.counts import math_bincount  # start-up time: few programs need it

    arr = arguments["arr"]
    return math_bincount(**arguments) if is_sparse(arr) or is_ragged(arr) else NotImplemented


def register() -> None:
    """Gives the class its operators, and lets public functions take SparseTensors."""
    for name, method in {"mul": mul, "rmul": rmul, "truediv": truediv, "div": div}.items():
        setattr(SparseTensor, f"__{name}__", method)
    for path in _ELEMENTWISE:
        add_handler(path, _of_values(path))
    add_handler("cast", _of_values("cast"))
    add_handler("shape", _of_first(_shape))
    add_handler("size", _of_first(_size))
    add_handler("rank", _of_first(_rank))
    add_handler("math.bincount", _bincount)
    add_handler("zeros_like", _filled(0))
    add_handler("ones_like", _filled(1))
