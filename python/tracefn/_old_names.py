"""Names of TensorFlow 1 at the root of the package: accepted, with one warning each that tells today's spelling."""

from __future__ import annotations

import types

from tracefn._logging import warn

# Old name: (where it is now below `tracefn`, today's spelling).
_MOVED = {
    "assign": ("compat.v1.assign", "v.assign(value)"),
    "assign_add": ("compat.v1.assign_add", "v.assign_add(value)"),
    "assign_sub": ("compat.v1.assign_sub", "v.assign_sub(value)"),
    "glorot_normal_initializer": ("compat.v1.glorot_normal_initializer", "tf.initializers.GlorotNormal()"),
    "glorot_uniform_initializer": ("compat.v1.glorot_uniform_initializer", "tf.initializers.GlorotUniform()"),
    "log": ("math.log", "tf.math.log(x)"),
    "multinomial": ("random.categorical", "tf.random.categorical(logits, num_samples)"),
    "py_func": ("compat.v1.py_func", "tf.numpy_function(func, inp, Tout)"),
    "random_normal": ("random.normal", "tf.random.normal(shape)"),
    "random_shuffle": ("random.shuffle", "tf.random.shuffle(value)"),
    "random_uniform": ("random.uniform", "tf.random.uniform(shape)"),
    "set_random_seed": ("random.set_seed", "tf.random.set_seed(seed)"),
    "to_bfloat16": ("compat.v1.to_bfloat16", "tf.cast(x, tf.bfloat16)"),
    "to_complex128": ("compat.v1.to_complex128", "tf.cast(x, tf.complex128)"),
    "to_complex64": ("compat.v1.to_complex64", "tf.cast(x, tf.complex64)"),
    "to_double": ("compat.v1.to_double", "tf.cast(x, tf.float64)"),
    "to_float": ("compat.v1.to_float", "tf.cast(x, tf.float32)"),
    "to_int32": ("compat.v1.to_int32", "tf.cast(x, tf.int32)"),
    "to_int64": ("compat.v1.to_int64", "tf.cast(x, tf.int64)"),
    "truncated_normal": ("random.truncated_normal", "tf.random.truncated_normal(shape)"),
    "truncated_normal_initializer": ("compat.v1.truncated_normal_initializer", "tf.initializers.TruncatedNormal()"),
    "variance_scaling_initializer": ("compat.v1.variance_scaling_initializer", "tf.initializers.VarianceScaling()"),
}
_EAGER = {
    "GradientTape": ("GradientTape", "tf.GradientTape"),
    "Variable": ("Variable", "tf.Variable"),
    "defun": ("function", "tf.function"),
    "function": ("function", "tf.function"),
    "py_func": ("py_function", "tf.py_function"),
}


class _Old(types.ModuleType):
    """A namespace of TensorFlow 1 with a few names of today."""

    def __init__(self, root, path: str, names: dict) -> None:
        super().__init__(path)
        self._root = root
        self._names = names

    def __getattr__(self, name: str):
        if name.startswith("_") or name not in self._names:
            raise AttributeError(f"module '{self.__name__}' has no attribute {name!r}. TensorFlow 2 has no contrib.")
        value = _told(self._root, f"{self.__name__}.{name}", *self._names[name])
        setattr(self, name, value)
        return value


_found: dict[str, object] = {}


def _told(root, old: str, path: str, today: str):
    value = root
    for part in path.split("."):
        value = getattr(value, part)
    warn(f"tf.{old} is a name of TensorFlow 1. Write {today}.")
    return value


def names() -> frozenset[str]:
    """The old names that are accepted."""
    return frozenset(_MOVED) | {"contrib"}


def old_name(root, name: str):
    """What an old name stands for, after a warning.

    Args:
      root: the package.
      name: one of `names()`.
    """
    if name in _found:
        return _found[name]
    if name == "contrib":
        contrib = types.ModuleType("contrib")
        contrib.eager = _Old(root, "contrib.eager", _EAGER)  # type: ignore[attr-defined]
        _found[name] = contrib
    else:
        _found[name] = _told(root, name, *_MOVED[name])
    return _found[name]
