"""`tf.random.Generator`: random streams whose state is a Variable."""

from __future__ import annotations

import enum
import os

from tracefn import _core, nest
from tracefn._export import export
from tracefn._tracking.auto import AutoTrackable
from tracefn._wire import signed
from tracefn.config.experimental import is_op_determinism_enabled
from tracefn.dtypes import as_dtype
from tracefn.framework import init_scope, name_scope
from tracefn.ops.random import _algorithm as algorithm_number
from tracefn.ops.random import _scaled, _shape_tensor
from tracefn.variable import Variable

_COUNTER_SIZE = 2  # 128 bits
_THREEFRY_COUNTER_SIZE = 1

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
    """The algorithms of random generators; there are no kernels for THREEFRY, AUTO_SELECT is PHILOX."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def _counter_size(algorithm: int) -> int:
    return _THREEFRY_COUNTER_SIZE if algorithm == Algorithm.THREEFRY.value else _COUNTER_SIZE


def _state_size(algorithm: int) -> int:
    """The size of a state: that of the counter, and the key behind it."""
    return _counter_size(algorithm) + 1


def _words(value):
    """A state, counter or key as an int64 tensor."""
    if isinstance(value, (list, tuple)):
        value = nest.map_structure(lambda word: signed(word & (2**64 - 1)) if isinstance(word, int) else word, value)
    return _cast(x=_core.convert_to_tensor(value, dtype_hint="int64"), DstT="int64")


@export("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed, alg):
    """The state of a generator for a seed.

    Args:
      seed: int, or integer vector; only as many elements as the state has are used, and a shorter one is padded with
        zeros in front.
      alg: `tf.random.Algorithm`, its name or number.

    Returns:
      int64 vector of shape [3]; of shape [2] for ThreeFry.

    Raises:
      ValueError: there is no such algorithm.

    Example:
      >>> import tracefn as tf
      >>> tf.random.create_rng_state(7, "philox").numpy().tolist()
      [7, 0, 0]
    """
    size = _state_size(algorithm_number(alg))
    if isinstance(seed, int):
        seed = [(seed >> 64 * i) & (2**64 - 1) for i in range(size)]
    seed = _core.raw_op("Reshape")(tensor=_words(seed), shape=[-1])[:size]
    return _core.raw_op("Pad")(input=seed, paddings=[[size - seed.shape[0], 0]])


@export("random.Generator", "random.experimental.Generator")
class Generator(AutoTrackable):
    """A stream of random numbers that continues from call to call, eagerly and in functions.

    Created by `from_seed`, `from_state`, `from_key_counter` or `from_non_deterministic_state`.

    Args:
      copy_from: a Generator whose state is copied.
      state: int64 vector of shape [3]; a Variable is used as it is, and shared with whoever else uses it.
      alg: `tf.random.Algorithm`, its name or number.

    Raises:
      AssertionError: there is neither `copy_from`, nor `state` and `alg`.
      ValueError: the state has another shape, or there is no such algorithm.
      UnimplementedError: when numbers are drawn, if the algorithm is ThreeFry, which has no kernels.

    Example:
      >>> import tracefn as tf
      >>> g, h = tf.random.Generator.from_seed(1), tf.random.Generator.from_seed(1)
      >>> bool(tf.reduce_all(g.normal([3]) == h.normal([3])))
      True
    """

    def __init__(self, copy_from=None, state=None, alg=None) -> None:
        if copy_from is not None and state is None and alg is None:
            state, alg, copy_from = copy_from.state.read_value(), copy_from.algorithm, None
        if state is None or alg is None or copy_from is not None:
            raise AssertionError("A Generator is made of `copy_from`, or of `state` and `alg`.")
        self._algorithm = algorithm_number(alg)
        shared = isinstance(state, Variable)
        state = state if shared else _words(state)
        state.shape.assert_is_compatible_with([_state_size(self._algorithm)])
        self._state_var = state if shared else Variable(state, dtype="int64", trainable=False, name="StateVar")

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
        """A generator with the given key (scalar) and counter (two elements; one for ThreeFry).

        Raises:
          ValueError: one has another shape.
        """
        return cls(state=_key_counter_state(key, counter, algorithm_number(alg)), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None) -> Generator:
        """A generator seeded by the operating system.

        Raises:
          RuntimeError: determinism is on.
        """
        if is_op_determinism_enabled():
            raise RuntimeError('"from_non_deterministic_state" cannot be called when determinism is enabled.')
        size = _state_size(algorithm_number("philox" if alg is None else alg))
        return cls.from_seed([int.from_bytes(os.urandom(8), "little") >> 1 for _ in range(size)], alg)

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
        return self._state_var.read_value()[-1]

    def reset(self, state) -> None:
        """Sets the state.

        Raises:
          ValueError: it has another shape.
        """
        state = _words(state)
        state.shape.assert_is_compatible_with([_state_size(self._algorithm)])
        self._state_var.assign(state)

    def reset_from_seed(self, seed) -> None:
        """Sets the state as `from_seed` does."""
        self._state_var.assign(create_rng_state(seed, self._algorithm))

    def reset_from_key_counter(self, key, counter) -> None:
        """Sets the state as `from_key_counter` does."""
        self._state_var.assign(_key_counter_state(key, counter, self._algorithm))

    def skip(self, delta):
        """Advances the counter as if `delta` numbers had been drawn; returns the state before.

        Args:
          delta: scalar int.
        """
        delta = _cast(x=_core.convert_to_tensor(delta, dtype_hint="int64"), DstT="uint64")
        return _skip(resource=self._state_var.handle, alg=self._algorithm, delta=delta)

    def _draw(self, shape) -> dict:
        """The key and the counter for a number of draws."""
        # A scalar shape is refused by the op that draws, after the state has moved, as in TensorFlow.
        size = _core.raw_op("Prod")(input=shape, reduction_indices=[0] if shape.shape.rank else [])
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
        zeros = [0] * _counter_size(self._algorithm)
        return [Generator(state=_pack(values=[*zeros, keys[i]]), alg=self._algorithm) for i in range(count)]


def _key_counter_state(key, counter, algorithm: int):
    key, counter = _words(key), _words(counter)
    counter.shape.assert_is_compatible_with([_counter_size(algorithm)])
    key.shape.assert_is_compatible_with([])
    return _core.raw_op("ConcatV2")(values=[counter, _core.raw_op("Reshape")(tensor=key, shape=[1])], axis=0)


_global: list = []


@export("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """The global generator; seeded by the operating system unless `set_global_generator` was called.

    Raises:
      RuntimeError: it was not called, and determinism is on.

    Example:
      >>> import tracefn as tf
      >>> tf.random.get_global_generator() is tf.random.get_global_generator()
      True
    """
    if not _global:
        if is_op_determinism_enabled():
            raise RuntimeError(
                '"get_global_generator" cannot be called if determinism is enabled, unless "set_global_generator" has already '
                'been called. Please call "set_global_generator" first.'
            )
        with init_scope():
            _global.append(Generator.from_non_deterministic_state())
    return _global[0]


@export("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Generator | None) -> None:
    """Replaces the global generator.

    Args:
      generator: Generator; None: the next `get_global_generator` makes one.

    Example:
      >>> import tracefn as tf
      >>> tf.random.set_global_generator(tf.random.Generator.from_seed(5))
    """
    _global[:] = [] if generator is None else [generator]
