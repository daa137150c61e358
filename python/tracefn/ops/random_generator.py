"""`tf.random.Generator`: random streams whose state is a Variable."""

from __future__ import annotations

import enum
import os

from tracefn import _core
from tracefn._export import export
from tracefn._tracking.auto import AutoTrackable
from tracefn.dtypes import as_dtype
from tracefn.framework import init_scope, name_scope
from tracefn.ops.random import _algorithm as algorithm_number
from tracefn.ops.random import _scaled, _shape_tensor
from tracefn.variable import Variable

_STATE_SIZE = 3  # Philox: a counter of 128 bits, and the key
_PHILOX = 1

_full_int = _core.raw_op("StatelessRandomUniformFullIntV2")
_int = _core.raw_op("StatelessRandomUniformIntV2")
_uniform = _core.raw_op("StatelessRandomUniformV2")
_normal = _core.raw_op("StatelessRandomNormalV2")
_truncated_normal = _core.raw_op("StatelessTruncatedNormalV2")
_binomial = _core.raw_op("StatefulRandomBinomial")
_skip = _core.raw_op("RngReadAndSkip")
_cast = _core.raw_op("Cast")
_bitcast = _core.raw_op("Bitcast")
_pack = _core.raw_op("Pack")


@export("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(enum.Enum):
    """The algorithms of random generators; only PHILOX is supported."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def _philox(alg) -> int:
    """The number of the algorithm, of which there is one."""
    if algorithm_number(alg) == Algorithm.THREEFRY.value:
        raise ValueError("Argument `alg`: the Philox algorithm is the one there is.")
    return _PHILOX


@export("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed, alg):
    """The state of a generator for a seed.

    Args:
      seed: int, or integer vector; only its first 3 elements are used, and a shorter one is padded with zeros in front.
      alg: `tf.random.Algorithm`, its name or number.

    Returns:
      int64 vector of shape [3].

    Raises:
      ValueError: the algorithm is not Philox.

    Example:
      >>> import tracefn as tf
      >>> tf.random.create_rng_state(7, "philox").numpy().tolist()
      [7, 0, 0]
    """
    _philox(alg)
    if isinstance(seed, int):
        words = [(seed >> 64 * i) & (2**64 - 1) for i in range(_STATE_SIZE)]
        return _core.convert_to_tensor([w - 2**64 if w >= 2**63 else w for w in words], dtype="int64")
    seed = _cast(x=_core.convert_to_tensor(seed, dtype_hint="int64"), DstT="int64")
    seed = _core.raw_op("Reshape")(tensor=seed, shape=[-1])[:_STATE_SIZE]
    return _core.raw_op("Pad")(input=seed, paddings=[[_STATE_SIZE - seed.shape[0], 0]])


@export("random.Generator", "random.experimental.Generator")
class Generator(AutoTrackable):
    """A stream of random numbers that continues from call to call, eagerly and in functions.

    Created by `from_seed`, `from_state`, `from_key_counter` or `from_non_deterministic_state`.

    Args:
      copy_from: a Generator whose state is copied.
      state: int64 vector of shape [3].
      alg: `tf.random.Algorithm`, its name or number.

    Raises:
      ValueError: the algorithm is not Philox.

    Example:
      >>> import tracefn as tf
      >>> g, h = tf.random.Generator.from_seed(1), tf.random.Generator.from_seed(1)
      >>> bool(tf.reduce_all(g.normal([3]) == h.normal([3])))
      True
    """

    def __init__(self, copy_from=None, state=None, alg=None) -> None:
        if copy_from is not None and state is None and alg is None:
            state, alg, copy_from = copy_from.state, copy_from.algorithm, None
        if state is None or alg is None or copy_from is not None:
            raise AssertionError("A Generator is made of `copy_from`, or of `state` and `alg`.")
        self._algorithm = _philox(alg)
        initial = _cast(x=_core.convert_to_tensor(state), DstT="int64")
        initial.shape.assert_is_compatible_with([_STATE_SIZE])
        self._state_var = Variable(initial, dtype="int64", trainable=False, name="StateVar")

    @classmethod
    def from_seed(cls, seed, alg=None) -> Generator:
        """A generator for a seed: an int, or an integer vector of at most 3 elements."""
        alg = "philox" if alg is None else alg
        if isinstance(seed, _core.SymbolicTensor):
            return cls(state=create_rng_state(seed, alg), alg=alg)
        with init_scope():
            return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_state(cls, state, alg) -> Generator:
        """A generator that continues from a state, such as the `state` of another one."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg) -> Generator:
        """A generator with the given key (scalar) and counter (two elements).

        Raises:
          ValueError: one has another shape.
        """
        _philox(alg)
        return cls(state=_key_counter_state(key, counter), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None) -> Generator:
        """A generator seeded by the operating system."""
        return cls.from_seed([int.from_bytes(os.urandom(8), "little") >> 1 for _ in range(_STATE_SIZE)], alg)

    @property
    def state(self):
        """The Variable that holds the state: int64, shape [3]."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._algorithm

    @property
    def key(self):
        """The key, a scalar int64 tensor."""
        return self._state_var.read_value()[_STATE_SIZE - 1]

    def reset(self, state) -> None:
        """Sets the state."""
        self._state_var.assign(_cast(x=_core.convert_to_tensor(state), DstT="int64"))

    def reset_from_seed(self, seed) -> None:
        """Sets the state as `from_seed` does."""
        self._state_var.assign(create_rng_state(seed, self._algorithm))

    def reset_from_key_counter(self, key, counter) -> None:
        """Sets the state as `from_key_counter` does."""
        self._state_var.assign(_key_counter_state(key, counter))

    def skip(self, delta):
        """Advances the counter as if `delta` numbers had been drawn; returns the state before.

        Args:
          delta: scalar int.
        """
        delta = _cast(x=_core.convert_to_tensor(delta, dtype_hint="int64"), DstT="uint64")
        return _skip(resource=self._state_var.handle, alg=self._algorithm, delta=delta)

    def _draw(self, shape) -> dict:
        """The key and the counter for a number of draws."""
        size = _core.raw_op("Prod")(input=shape, reduction_indices=[0])
        state = self.skip(size)
        words = _bitcast(input=state, type="uint64")
        return {"key": words[2:3], "counter": words[0:2], "alg": self._algorithm}

    def normal(self, shape, mean=0.0, stddev=1.0, dtype="float32", name=None):
        """Normal random numbers.

        Args:
          shape: the shape of the result, an int vector.
          mean, stddev: broadcast to the result.
          dtype: float16, bfloat16, float32 or float64.
          name: name of the ops.
        """
        return self._scaled_normal(_normal, shape, mean, stddev, dtype, name or "stateful_normal")

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype="float32", name=None):
        """Normal random numbers within two standard deviations of the mean; the arguments are those of `normal`."""
        return self._scaled_normal(_truncated_normal, shape, mean, stddev, dtype, name or "truncated_normal")

    def _scaled_normal(self, op, shape, mean, stddev, dtype, name):
        dtype = as_dtype(dtype)
        with name_scope(name) as scope:
            shape = _shape_tensor(shape)
            mean = _core.convert_to_tensor(mean, dtype=dtype, name="mean")
            stddev = _core.convert_to_tensor(stddev, dtype=dtype, name="stddev")
            return _scaled(op(shape=shape, dtype=dtype, **self._draw(shape)), stddev, mean, scope)

    def uniform(self, shape, minval=0, maxval=None, dtype="float32", name=None):
        """Uniform random numbers in [minval, maxval).

        Args:
          shape: the shape of the result, an int vector.
          minval, maxval: bounds; for integers scalars, or both None for the full range. The default of `maxval` is 1 for
            floating dtypes.
          dtype: float16, bfloat16, float32, float64, int32 or int64.
          name: name of the ops.

        Raises:
          ValueError: one of the bounds is missing for integers.
        """
        dtype = as_dtype(dtype)
        if dtype.is_integer:
            if (minval is None) != (maxval is None):
                raise ValueError(
                    f"For integer dtype {dtype!s}, minval and maxval must be both `None` or both non-`None`; got "
                    f"minval={minval} and maxval={maxval}"
                )
            if minval is None:
                return self.uniform_full_int(shape, dtype, name or "stateful_uniform")
        elif maxval is None:
            maxval = 1
        with name_scope(name or "stateful_uniform") as scope:
            shape = _shape_tensor(shape)
            minval = _core.convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = _core.convert_to_tensor(maxval, dtype=dtype, name="max")
            if dtype.is_integer:
                return _int(shape=shape, minval=minval, maxval=maxval, **self._draw(shape))
            numbers = _uniform(shape=shape, dtype=dtype, **self._draw(shape))
            return _scaled(numbers, maxval - minval, minval, scope)

    def uniform_full_int(self, shape, dtype="uint64", name=None):
        """Uniform random integers over the full range of their dtype: int32, int64, uint32 or uint64."""
        with name_scope(name or "stateful_uniform_full_int"):
            shape = _shape_tensor(shape)
            return _full_int(shape=shape, dtype=as_dtype(dtype), **self._draw(shape))

    def binomial(self, shape, counts, probs, dtype="int32", name=None):
        """Binomially distributed random numbers.

        Args:
          shape: the shape of the result, an int vector; it ends with the shape to which the parameters are broadcast.
          counts: the numbers of trials, float16, float32 or float64.
          probs: the probabilities of success, of the same dtype.
          dtype: float16, float32, float64, int32 or int64.
          name: name of the ops.
        """
        dtype = as_dtype(dtype)
        with name_scope(name or "binomial") as scope:
            counts = _core.convert_to_tensor(counts, name="counts")
            probs = _core.convert_to_tensor(probs, name="probs")
            return _binomial(resource=self._state_var.handle, algorithm=self._algorithm, shape=_shape_tensor(shape),
                             counts=counts, probs=probs, dtype=dtype, name=scope)  # fmt: skip

    def make_seeds(self, count=1):
        """Seeds for the `tf.random.stateless_*` functions.

        Args:
          count: int, the number of seeds.

        Returns:
          int64 tensor of shape [2, count].
        """
        keys = self.uniform_full_int([count], "int64")
        return _pack(values=[keys, _core.raw_op("ZerosLike")(x=keys)])

    def split(self, count=1) -> list:
        """Generators with separate streams, derived from this one.

        Args:
          count: int, the number of generators.
        """
        keys = self.uniform_full_int([count], "int64")
        return [Generator(state=_pack(values=[keys[i] * 0, keys[i] * 0, keys[i]]), alg=self._algorithm)
                for i in range(count)]  # fmt: skip


def _key_counter_state(key, counter):
    key = _cast(x=_core.convert_to_tensor(key), DstT="int64")
    counter = _cast(x=_core.convert_to_tensor(counter), DstT="int64")
    counter.shape.assert_is_compatible_with([_STATE_SIZE - 1])
    key.shape.assert_is_compatible_with([])
    return _core.raw_op("ConcatV2")(values=[counter, _core.raw_op("Reshape")(tensor=key, shape=[1])], axis=0)


_global: list = []


@export("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """The global generator; seeded by the operating system unless `set_global_generator` was called.

    Example:
      >>> import tracefn as tf
      >>> tf.random.get_global_generator() is tf.random.get_global_generator()
      True
    """
    if not _global:
        with init_scope():
            _global.append(Generator.from_non_deterministic_state())
    return _global[0]


@export("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Replaces the global generator.

    Args:
      generator: Generator.

    Example:
      >>> import tracefn as tf
      >>> tf.random.set_global_generator(tf.random.Generator.from_seed(5))
    """
    _global[:] = [generator]
