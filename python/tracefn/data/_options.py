"""`tf.data.Options` and the options in it: classes of checked properties, their merging, and their serialized form."""

from __future__ import annotations

import enum
from typing import Any, ClassVar, NamedTuple

from tracefn._logging import warn
from tracefn._wire import delimited, fields_of, signed, varint


class AutotuneAlgorithm(enum.Enum):
    """How autotuning looks for parallelism and buffer sizes.

    Example:
      >>> import tracefn as tf
      >>> tf.data.experimental.AutotuneAlgorithm.HILL_CLIMB.value
      1
    """

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers.

    Example:
      >>> import tracefn as tf
      >>> int(tf.data.experimental.AutoShardPolicy.OFF)
      -1
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What happens to state outside of a dataset, such as a Variable, when the position in it is saved.

    Example:
      >>> import tracefn as tf
      >>> tf.data.experimental.ExternalStatePolicy.FAIL.value
      2
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


class _Field(NamedTuple):
    """One option: its number in TensorFlow's message, the type of its values, and what makes its default value."""

    number: int
    kind: type
    default: Any = None


def _property(name: str, field: _Field, text: str) -> property:
    def read(self):
        if name not in self._options:
            self._options[name] = None if field.default is None else field.default()
        return self._options[name]

    def write(self, value):
        if not isinstance(value, field.kind):
            raise TypeError(f'Property "{name}" must be of type {field.kind}, got: {value} (type: {type(value)})')
        self._options[name] = value

    return property(read, write, None, text)


class OptionsBase:
    """The base class of options."""

    _fields: ClassVar[dict[str, _Field]] = {}
    _options: dict
    _mutable: bool

    def __init__(self):
        object.__setattr__(self, "_options", {})
        object.__setattr__(self, "_mutable", True)

    def __eq__(self, other):
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in {*self._options, *other._options})

    def __ne__(self, other):
        same = self.__eq__(other)
        return same if same is NotImplemented else not same

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name, value):
        if not self._mutable:
            raise ValueError(
                "Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` has no effect. Use "
                "`tf.data.Dataset.with_options(options)` to set or update dataset options."
            )
        if not hasattr(self, name):
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    def _set_mutable(self, mutable: bool) -> None:
        object.__setattr__(self, "_mutable", mutable)
        for value in self._options.values():
            if isinstance(value, OptionsBase):
                value._set_mutable(mutable)

    def _serialized(self) -> bytes:
        """The options as TensorFlow's message."""
        out = b""
        for name, field in sorted(self._fields.items(), key=lambda item: item[1].number):
            value = getattr(self, name)
            if value is not None:
                out += _serialized_field(field.number, value, presence=field.default is None)
        return out

    def _read(self, data: bytes) -> None:
        """Takes the options of a serialized message."""
        by_number = {field.number: (name, field.kind) for name, field in self._fields.items()}
        for number, _, value, _ in fields_of(data):
            if number in by_number:
                self._read_field(*by_number[number], value)

    def _read_field(self, name: str, kind: type, value) -> None:
        if issubclass(kind, OptionsBase):
            getattr(self, name)._read(value)
        elif kind is str:
            setattr(self, name, value.decode())
        elif kind is list:
            setattr(self, name, [*(getattr(self, name) or []), value.decode()])
        else:
            number: Any = signed(value)
            setattr(self, name, kind(number))  # type: ignore[call-arg]


def _serialized_field(number: int, value, presence: bool) -> bytes:
    if isinstance(value, OptionsBase):
        return delimited(number, value._serialized())
    if isinstance(value, str):
        return delimited(number, value.encode())
    if isinstance(value, list):
        return b"".join(delimited(number, item.encode()) for item in value)
    word = int(value.value if isinstance(value, enum.Enum) else value)
    # A field without presence is not written if it is zero.
    return varint(number << 3) + varint(word) if presence or word else b""


def _options(cls):
    """Decorator: makes a property of each `name: (number, type, text, default)` in the class's table `_table`."""
    cls._fields = {}
    for name, (number, kind, text, *default) in cls._table.items():
        field = cls._fields[name] = _Field(number, kind, *default)
        setattr(cls, name, _property(name, field, text))
    del cls._table
    return cls


@_options
class AutotuneOptions(OptionsBase):
    """Options of autotuning.

    Example:
      >>> import tracefn as tf
      >>> options = tf.data.Options()
      >>> options.autotune.enabled = False
    """

    _table: ClassVar[dict] = {
        "enabled": (1, bool, "Whether parallelism and buffer sizes given as AUTOTUNE are tuned; None: yes."),
        "cpu_budget": (2, int, "How many cores may be used; None: all."),
        "ram_budget": (3, int, "How many bytes of memory may be used; None: half of what is free."),
        "autotune_algorithm": (4, AutotuneAlgorithm, "A `tf.data.experimental.AutotuneAlgorithm`."),
        "initial_parallelism": (5, int, "The parallelism with which tuning begins."),
        "min_parallelism": (6, int, "The least parallelism that tuning may choose."),
    }


@_options
class DistributeOptions(OptionsBase):
    """Options of datasets that several workers share. They are kept, without effect.

    Example:
      >>> import tracefn as tf
      >>> options = tf.data.Options()
      >>> options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    """

    _table: ClassVar[dict] = {
        "auto_shard_policy": (
            1,
            AutoShardPolicy,
            "A `tf.data.experimental.AutoShardPolicy`.",
            lambda: AutoShardPolicy.AUTO,
        ),
        "num_devices": (2, int, "The number of devices that the dataset feeds."),
    }


@_options
class OptimizationOptions(OptionsBase):
    """Options of rewritings of pipelines. They are kept; results do not depend on them.

    Example:
      >>> import tracefn as tf
      >>> options = tf.data.Options()
      >>> options.experimental_optimization.map_fusion = True
    """

    _table: ClassVar[dict] = {
        "apply_default_optimizations": (1, bool, "Whether rewritings that are on by default are applied."),
        "filter_fusion": (6, bool, "Whether filters that follow each other become one."),
        "map_and_batch_fusion": (9, bool, "Whether a map and the batch after it become one."),
        "map_and_filter_fusion": (10, bool, "Whether a map and the filter after it become one."),
        "map_fusion": (11, bool, "Whether maps that follow each other become one."),
        "map_parallelization": (12, bool, "Whether maps without state run in parallel."),
        "noop_elimination": (14, bool, "Whether transformations without effect are removed."),
        "parallel_batch": (15, bool, "Whether rows are copied into batches in parallel."),
        "shuffle_and_repeat_fusion": (17, bool, "Whether a shuffle and the repeat after it become one."),
        "filter_parallelization": (18, bool, "Whether filters without state run in parallel."),
        "inject_prefetch": (19, bool, "Whether the last transformation is followed by a prefetch."),
        "seq_interleave_prefetch": (21, bool, "Whether a parallel interleave becomes one that prefetches."),
    }


@_options
class ServiceOptions(OptionsBase):
    """Options of TensorFlow's data service. They are kept, without effect.

    Example:
      >>> import tracefn as tf
      >>> tf.data.experimental.ServiceOptions().pinned is None
      True
    """

    _table: ClassVar[dict] = {"pinned": (1, bool, "Whether data are placed in pinned memory.")}


@_options
class ThreadingOptions(OptionsBase):
    """Options of the threads that run a dataset.

    Example:
      >>> import tracefn as tf
      >>> options = tf.data.Options()
      >>> options.threading.private_threadpool_size = 4
    """

    _table: ClassVar[dict] = {
        "max_intra_op_parallelism": (1, int, "The most threads that one op may use."),
        "private_threadpool_size": (
            2,
            int,
            "The number of threads of the dataset's own; 0: as many as there are cores.",
        ),
    }


_OLD_NAMES = {"experimental_threading": "threading", "experimental_deterministic": "deterministic"}


@_options
class Options(OptionsBase):
    """Options of a dataset, which `tf.data.Dataset.with_options` sets.

    Raises:
      TypeError: an option is set to a value of another type.
      AttributeError: there is no such option.

    Example:
      >>> import tracefn as tf
      >>> options = tf.data.Options()
      >>> options.deterministic = False
      >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
      False
    """

    _table: ClassVar[dict] = {
        "deterministic": (1, bool, "Whether parallel transformations keep the order of the elements; None: yes."),
        "experimental_distribute": (
            2,
            DistributeOptions,
            "A `tf.data.experimental.DistributeOptions`.",
            DistributeOptions,
        ),
        "experimental_optimization": (
            3,
            OptimizationOptions,
            "A `tf.data.experimental.OptimizationOptions`.",
            OptimizationOptions,
        ),
        "experimental_slack": (4, bool, "Whether the last prefetch leaves time to the consumer."),
        "threading": (5, ThreadingOptions, "A `tf.data.ThreadingOptions`.", ThreadingOptions),
        "experimental_external_state_policy": (6, ExternalStatePolicy, "A `tf.data.experimental.ExternalStatePolicy`."),
        "autotune": (7, AutotuneOptions, "A `tf.data.experimental.AutotuneOptions`.", AutotuneOptions),
        "experimental_symbolic_checkpoint": (8, bool, "Whether saved positions are kept as cursors into the sources."),
        "experimental_warm_start": (
            9,
            bool,
            "Whether threads start with the iterator, before its first element is asked for.",
        ),
        "dataset_name": (10, str, "A name for the dataset."),
        "framework_type": (11, list, "The frameworks that made the dataset."),
        "experimental_service": (12, ServiceOptions, "A `tf.data.experimental.ServiceOptions`.", ServiceOptions),
    }

    def __getattribute__(self, name):
        if name == "experimental_threading":
            warn("options.experimental_threading is deprecated. Use options.threading instead.")
        return super().__getattribute__(_OLD_NAMES.get(name, name))

    def __setattr__(self, name, value):
        if name == "experimental_threading":
            warn("options.experimental_threading is deprecated. Use options.threading instead.")
        super().__setattr__(_OLD_NAMES.get(name, name), value)

    def merge(self, options):
        """New options: these, with those that `options` sets in their place.

        Raises:
          TypeError: `options` are of another class.
        """
        return _merged(self, options)


def _merged(first, second):
    if not isinstance(second, type(first)):
        raise TypeError(f"Could not merge incompatible options of type {type(second)} and {type(first)}.")
    default, result = type(first)(), type(first)()
    for options in (first, second):
        for name in options._options:
            this, that = getattr(result, name), getattr(options, name)
            if that == getattr(default, name):
                continue
            if this == getattr(default, name):
                setattr(result, name, that)
            elif isinstance(this, OptionsBase):
                setattr(result, name, _merged(this, that))
            elif name == "framework_type":
                setattr(result, name, this + that)
            elif this != that:
                warn(f"Changing the value of option {name} from {this!r} to {that!r}.")
                setattr(result, name, that)
    return result
