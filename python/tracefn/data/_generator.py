"""`tf.data.Dataset.from_generator`: elements that a Python generator makes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from tracefn import _core
from tracefn import _numpy as np
from tracefn._deprecated import say_argument
from tracefn._host_call import EagerCall, NumpyCall
from tracefn.data import _nest as nest
from tracefn.data import _structure as structure
from tracefn.data._base import DatasetBase, emit, made
from tracefn.data._functions import ElementFunction
from tracefn.data._sources import tensor_dataset
from tracefn.dtypes import as_dtype
from tracefn.tensor_shape import TensorShape, as_shape
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec

_WHAT = "Dataset.from_generator()"


class _Generators:
    """The running generators of one dataset, by number: each iteration has one."""

    def __init__(self, generator) -> None:
        self._generator = generator
        self._lock = threading.Lock()
        self._next = 0
        self._waiting: dict[int, tuple] = {}
        self._running: dict[int, Any] = {}

    def begin(self, *args):
        """The number of a new generator, which starts when its first element is asked for."""
        with self._lock:
            number = self._next
            self._next += 1
            self._waiting[number] = args
        return np.int64(number)

    def step(self, number: int):
        """The next element of a generator.

        Raises:
          StopIteration: there is none.
        """
        running = self._running.get(number)
        if running is None:
            running = self._running[number] = iter(self._generator(*self._waiting.pop(number)))
        return next(running)

    def end(self, number):
        """Drops a generator."""
        self._waiting.pop(int(number), None)
        self._running.pop(int(number), None)
        return np.int64(0)


def _numpy_part(value, spec):
    """One part of what a generator yielded, as an array of its dtype.

    Raises:
      TypeError: it does not convert, or has another shape.
    """
    wrong = (
        "`generator` yielded an element that could not be converted to the expected type. The expected type "
        f"was {spec.dtype.name}, but the yielded element was {value}."
    )
    try:
        array = _as_array(value.numpy() if isinstance(value, _core.Tensor) else value, spec)
    except (TypeError, ValueError) as error:
        raise TypeError(wrong) from error
    if not spec.shape.is_compatible_with(array.shape):
        raise TypeError(
            f"`generator` yielded an element of shape {array.shape} where an element of shape {spec.shape} was expected."
        )
    for element in array.flat if spec.dtype.name == "string" else ():
        if not isinstance(element, (str, bytes)):
            raise TypeError(f"{wrong} Unsupported object type {type(element).__name__}")
    return _core.convert_to_tensor(array, dtype=spec.dtype)


def _as_array(value, spec):
    """The value as an array of the dtype. A number that is too large for it is cut, as a cast cuts it."""
    dtype = spec.dtype.as_numpy_dtype
    if np.issubdtype(dtype, np.number):
        return np.asarray(value, order="C").astype(dtype, copy=False)
    return np.asarray(value, dtype=dtype, order="C")


def _checked(values, signature) -> list:
    """The tensors of what a generator yielded.

    Raises:
      TypeError: it does not fit the signature.
    """
    wrong = "`generator` yielded an element that did not match the expected structure. The expected structure was "
    specs = nest.flatten(signature)
    if isinstance(signature, TensorSpec) and signature.shape.rank is None:
        try:  # NumPy converts other tensors, and cuts 1.5 to 1
            return [_core.convert_to_tensor(values, dtype=signature.dtype)]
        except (TypeError, ValueError) as error:
            raise TypeError(f"{wrong}{signature}, but the yielded element was {values}.") from error
    if all(isinstance(spec, TensorSpec) for spec in specs):
        try:
            parts = nest.flatten_up_to(signature, values)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"{wrong}{structure.dtypes_of(signature)}, but the yielded element was {values}."
            ) from error
        return [_numpy_part(value, spec) for value, spec in zip(parts, specs, strict=True)]
    try:
        element = structure.normalized(values, signature)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{wrong}{signature}, but the yielded element was {values}.") from error
    found = structure.spec_of(element)
    if not structure.are_compatible(found, signature):
        raise TypeError(f"`generator` yielded an element of {found} where an element of {signature} was expected.")
    return structure.to_tensors(signature, element)


def _signature_of(output_types, output_shapes, output_signature):
    """The nest of specs that the arguments of from_generator give."""
    if output_signature is not None:
        if output_types is not None:
            raise TypeError(
                "The `output_types` argument can not be used together with the `output_signature` argument."
            )
        if output_shapes is not None:
            raise TypeError(
                "The `output_shapes` argument can not be used together with the `output_signature` argument."
            )
        for spec in nest.flatten(output_signature):
            if not isinstance(spec, TypeSpec):
                raise TypeError(
                    "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found "
                    f"{type(spec)} which is not."
                )
        return output_signature
    if output_types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` argument or the "
            "`output_types` argument."
        )
    if output_shapes is None:
        return nest.map_structure(lambda dtype: TensorSpec(TensorShape(None), as_dtype(dtype)), output_types)
    return nest.map_structure_up_to(
        output_types, lambda dtype, shape: TensorSpec(as_shape(shape), as_dtype(dtype)), output_types, output_shapes
    )


def _generator_dataset(generators: _Generators, args: list, signature, name):
    types, shapes = structure.flat_types(signature), structure.flat_shapes(signature)
    number = TensorSpec([], "int64")

    def begin(_):
        (made_number,) = _core.emit_host_call("PyFunc", NumpyCall(generators.begin), args, ["int64"], "")
        made_number.set_shape([])
        return made_number

    def step(number):
        call = EagerCall(lambda n: _checked(generators.step(int(n)), signature), types, 1)
        parts = _core.emit_host_call("EagerPyFunc", call, [number], types, "")
        for part, shape in zip(parts, shapes, strict=True):
            part.set_shape(shape)
        return tuple(parts)

    def end(number):
        (done,) = _core.emit_host_call("PyFunc", NumpyCall(generators.end), [number], ["int64"], "")
        return done

    functions = [
        ElementFunction(begin, _WHAT, TensorSpec([], "int32")),
        ElementFunction(step, _WHAT, number),
        ElementFunction(end, _WHAT, number),
    ]
    first, following, last = functions
    variant = emit(
        "GeneratorDataset",
        signature,
        name,
        init_func_other_args=[_core.convert_to_tensor(0), *first.captured],
        next_func_other_args=following.captured,
        finalize_func_other_args=last.captured,
        init_func=first.graph_function,
        next_func=following.graph_function,
        finalize_func=last.graph_function,
    )
    return made("_GeneratorDataset", variant, signature)


class Generating(DatasetBase):
    """The method of `tf.data.Dataset` that takes a Python generator."""

    @staticmethod
    def from_generator(
        generator, output_types=None, output_shapes=None, args=None, output_signature=None, name=None
    ) -> Any:
        """A dataset of what a Python generator yields. Each iteration starts a new one.

        Args:
          generator: callable that returns an iterable; it gets `args` as NumPy values.
          output_types: nest of dtypes; an older form of `output_signature`.
          output_shapes: nest of shapes, like `output_types`.
          args: tuple of tensors, or None.
          output_signature: nest of specs of what is yielded.
          name: name of the dataset, or None.

        Raises:
          TypeError: `generator` is not callable, or there is no signature.
          InvalidArgumentError: in iterations, what is yielded does not fit; other errors of the generator become UnknownError.

        Example:
          >>> import tracefn as tf
          >>> def count(stop):
          ...     for i in range(stop):
          ...         yield i, [1] * i
          >>> signature = (tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.int32))
          >>> dataset = tf.data.Dataset.from_generator(count, args=[3], output_signature=signature)
          >>> [(int(i), ones.numpy().tolist()) for i, ones in dataset]
          [(0, []), (1, [1]), (2, [1, 1])]
        """
        for argument, value in (("output_types", output_types), ("output_shapes", output_shapes)):
            if value is not None:
                say_argument("data.Dataset", "from_generator", argument)
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if args is not None and not isinstance(args, Sequence):
            raise TypeError("values must be a sequence.")
        signature = _signature_of(output_types, output_shapes, output_signature)
        tensors = [_core.convert_to_tensor(value) for value in args or ()]
        generators = _Generators(generator)
        one: Any = tensor_dataset(0, name)
        return one.flat_map(lambda _: _generator_dataset(generators, tensors, signature, name), name=name)
