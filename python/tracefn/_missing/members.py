"""What to write instead of an attribute that a tensor, a Variable, a dataset or a Function lacks."""

from __future__ import annotations

from tracefn import _core
from tracefn._missing import MissingError

_NO_VALUE = "While a function is traced a tensor has no value: use functions of tf, or return it and ask its value there."
_CAST = "tf.cast(x, tf.{})"

# Methods and attributes of other libraries' arrays, and of TensorFlow 1, and the equivalents for the tensor x.
_OF_TENSORS = {
    "T": "tf.transpose(x)",
    "abs": "tf.abs(x)",
    "all": "tf.reduce_all(x, axis)",
    "any": "tf.reduce_any(x, axis)",
    "argmax": "tf.argmax(x, axis)",
    "argmin": "tf.argmin(x, axis)",
    "argsort": "tf.argsort(x, axis)",
    "astype": "tf.cast(x, dtype)",
    "backward": "tape.gradient(x, sources), of the tf.GradientTape that recorded it",
    "bool": _CAST.format("bool"),
    "clip": "tf.clip_by_value(x, low, high)",
    "clone": "tf.identity(x)",
    "conj": "tf.math.conj(x)",
    "copy": "tf.identity(x)",
    "cumsum": "tf.cumsum(x, axis)",
    "detach": "tf.stop_gradient(x)",
    "dot": "tf.tensordot(x, y, 1)",
    "double": _CAST.format("float64"),
    "exp": "tf.exp(x)",
    "expand_dims": "tf.expand_dims(x, axis)",
    "flatten": "tf.reshape(x, [-1])",
    "float": _CAST.format("float32"),
    "imag": "tf.math.imag(x)",
    "int": _CAST.format("int32"),
    "log": "tf.math.log(x)",
    "long": _CAST.format("int64"),
    "matmul": "tf.matmul(x, y)",
    "max": "tf.reduce_max(x, axis)",
    "mean": "tf.reduce_mean(x, axis)",
    "min": "tf.reduce_min(x, axis)",
    "nonzero": "tf.where(x)",
    "norm": "tf.norm(x, axis=axis)",
    "numel": "tf.size(x)",
    "permute": "tf.transpose(x, perm)",
    "pow": "tf.pow(x, y)",
    "prod": "tf.reduce_prod(x, axis)",
    "ravel": "tf.reshape(x, [-1])",
    "real": "tf.math.real(x)",
    "repeat": "tf.repeat(x, repeats, axis)",
    "reshape": "tf.reshape(x, shape)",
    "round": "tf.round(x)",
    "size": "tf.size(x)",
    "sort": "tf.sort(x, axis)",
    "sqrt": "tf.sqrt(x)",
    "squeeze": "tf.squeeze(x, axis)",
    "std": "tf.math.reduce_std(x, axis)",
    "sum": "tf.reduce_sum(x, axis)",
    "swapaxes": "tf.transpose(x, perm)",
    "to": "tf.cast(x, dtype)",
    "transpose": "tf.transpose(x, perm)",
    "unsqueeze": "tf.expand_dims(x, axis)",
    "var": "tf.math.reduce_variance(x, axis)",
    "view": "tf.reshape(x, shape)",
}
_OF_EAGER = {"data": "x.numpy()", "eval": "x.numpy()", "item": "x.numpy().item()", "tolist": "x.numpy().tolist()"}
_OF_VARIABLES = ("assign", "assign_add", "assign_sub", "scatter_add", "scatter_update")

# TensorFlow words these differently, without quotes around the class.
_NUMPY = ("T", "astype", "ravel", "transpose", "reshape", "clip", "size", "tolist", "data")
_AS_IN_NUMPY = (
    " If you are looking for numpy-related methods, please run the following: "
    "tf.experimental.numpy.experimental_enable_numpy_behavior()"
)


_NOT_OF_VARIABLES = {
    "fill_": "v.assign(tf.fill(v.shape, value))",
    "grad": "tape.gradient(loss, v), of the tf.GradientTape that recorded the loss",
    "set": "v.assign(value)",
    "set_value": "v.assign(value)",
    "update": "v.assign(value)",
    "values": "v.numpy()",
    "zero_": "v.assign(tf.zeros_like(v))",
}


def missing_member(target, name: str, codes: dict[str, str]):
    """What a `__getattr__` of a class does: raises the error for an attribute that the class lacks.

    Args:
      target: the object.
      name: the attribute.
      codes: what to write instead of some attributes.

    Raises:
      AttributeError: always. A property's own is raised again.
    """
    if hasattr(type(target), name):
        return object.__getattribute__(target, name)
    raise member_error(target, name, f"Write {codes[name]}." if name in codes else None)


def missing_member_of_variable(variable, name: str):
    """The same for a Variable, for which most functions of tensors work."""
    return missing_member(variable, name, {**_OF_TENSORS, **_OF_EAGER, **_NOT_OF_VARIABLES})


def member_error(target, name: str, instead: str | None = None) -> AttributeError:
    """The exception for an attribute that the class of `target`, a tensor or a Function, lacks.

    Args:
      target: the object.
      name: the attribute.
      instead: what to write; None finds it.
    """
    kind = type(target).__name__
    if name in _NUMPY and isinstance(target, _core.Tensor):
        quoted = kind
    elif isinstance(target, _core.EagerTensor):
        quoted = "'tensorflow.python.framework.ops.EagerTensor'"
    else:
        quoted = f"'{kind}'"
    text = f"{quoted} object has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(text)
    also = _AS_IN_NUMPY if quoted is kind else ""
    return MissingError(text, name=name, advice=lambda: (instead or _advice(target, name)) + also)


def _advice(target, name: str) -> str:
    if isinstance(target, _core.Tensor):
        code = _OF_TENSORS.get(name)
        is_eager = isinstance(target, _core.EagerTensor)
        if code is None and name in _OF_EAGER:
            if not is_eager:
                return _NO_VALUE
            code = _OF_EAGER[name]
        if code is not None:
            return f"Write {code}."
        if name in _OF_VARIABLES:
            return f"A tensor never changes: keep a tf.Variable, which has {name}."
    from tracefn._missing.names import close_names  # start-up time: only a misspelt name needs it

    close = close_names(name, [n for n in dir(type(target)) if not n.startswith("_")])
    return f"Did you mean {' or '.join(map(repr, close))}?" if close else ""
