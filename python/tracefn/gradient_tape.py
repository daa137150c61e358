"""`tf.GradientTape`: records ops and computes their gradients."""

from __future__ import annotations

import enum
from contextlib import nullcontext

from tracefn import _core, nest
from tracefn._contexts import context
from tracefn._gradient.values import components, flat_outputs, flat_sources, pack_gradients, refuse, replace_missing
from tracefn._gradient.warnings import warn_not_floating, warn_persistent_inside
from tracefn._known_variables import variable_class, variable_of_handle
from tracefn._value_text import value_str, value_text
from tracefn.framework import executing_eagerly

_USED = "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"


class UnconnectedGradients(enum.Enum):
    """The gradient with respect to a source that the target does not depend on: None or zeros."""

    NONE = "none"
    ZERO = "zero"


def unconnected(value) -> UnconnectedGradients:
    """The member for `value`, which is a member or the value of one.

    Raises:
      ValueError: there is no such member.
    """
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value_text(value)}") from None


class GradientTape(_core.TapeRecorder):
    """Records ops on the tensors that it watches, in order to differentiate them.

    Trainable Variables are watched automatically when they are read. Tensors are watched by `watch`.

    Args:
      persistent: whether `gradient` may be called more than once; the records then live as long as the tape.
      watch_accessed_variables: whether trainable Variables are watched automatically.

    Example:
      >>> import tracefn as tf
      >>> x = tf.constant(3.0)
      >>> with tf.GradientTape() as tape:
      ...     tape.watch(x)
      ...     y = x * x
      >>> float(tape.gradient(y, x))
      6.0
    """

    _already_recording = "Tape is still recording, This can happen if you try to re-enter an already-active tape."
    _spent = False  # used, and not persistent
    _watched: tuple = ()

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        super().__init__(persistent, watch_accessed_variables)

    def _ensure_recording(self):
        """A context in which the tape records, whether or not it did before."""
        return nullcontext() if self._recording else self

    def watch(self, tensor) -> None:
        """Records ops on a tensor from now on.

        Args:
          tensor: a tensor, a Variable, or a nest of them, of a floating or complex dtype (other dtypes give a warning).

        Raises:
          ValueError: `tensor` has another type, or the tape is not recording.
        """
        if self._tape is not None and self._tape.watch_one(tensor):
            return
        for leaf in nest.flatten(tensor, expand_composites=True):
            if not isinstance(leaf, (_core.Tensor, variable_class())):
                raise ValueError(
                    f"Passed in object {value_str(leaf)} of type {type(leaf).__name__!r}, not tf.Tensor or tf.Variable or "
                    "ExtensionType."
                )
            if not (leaf.dtype.is_floating or leaf.dtype.is_complex or leaf.dtype.name in ("variant", "resource")):
                warn_not_floating("watched tensor", leaf.dtype)
                continue
            if self._tape is None:
                raise AttributeError("'NoneType' object has no attribute '_tape'")
            if isinstance(leaf, _core.Tensor):
                self._tape.watch(leaf)
            else:
                self._tape.watch_variable(leaf.handle)

    @context
    def stop_recording(self):
        """A context in which this tape does not record.

        Raises:
          ValueError: the tape is not recording.
          RuntimeError: its records have been dropped.
        """
        if self._tape is None:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        if not self._recording:
            raise ValueError("Tape is not recording.")
        return None, (_core.MutedTape(self._tape),)

    def reset(self) -> None:
        """Drops all records and watched tensors, and continues to record.

        Raises:
          ValueError: the tape is not recording.
        """
        self._pop()
        self._tape = None
        self._push()

    def watched_variables(self) -> tuple:
        """The watched Variables, in the order of their creation."""
        if self._tape is not None:
            found = [variable_of_handle(handle) for handle in self._tape.variables]
            self._watched = tuple(sorted((v for v in found if v is not None), key=lambda v: v._serial))
        return self._watched

    def gradient(
        self, target, sources, output_gradients=None, unconnected_gradients=UnconnectedGradients.NONE
    ):
        """The gradient of `target` with respect to `sources`, computed from the recorded ops.

        Args:
          target: nest of tensors and Variables; the sum of all their elements is differentiated.
          sources: nest of tensors and Variables.
          output_gradients: nest of tensors like `target`, weights of its elements; None: ones.
          unconnected_gradients: the result for a source that the target does not depend on: None, or zeros.

        Returns:
          Nest like `sources` of tensors, IndexedSlices and None.

        Raises:
          RuntimeError: the tape is not persistent and was used before.
          LookupError: an op between sources and target has no gradient.
          AttributeError: a leaf of the nests is neither a tensor nor a Variable.
          TypeError: `target` is None, or a leaf is None or a string.
          ValueError: `unconnected_gradients` has another value.
        """
        if self._tape is None:
            raise self._used_before()
        if self._recording:
            if self._persistent:
                warn_persistent_inside()
            else:
                self._pop()
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to be "
                "differentiated, but received None."
            )
        result = NotImplemented
        if output_gradients is None and unconnected_gradients is UnconnectedGradients.NONE:
            result = self._tape.gradient_of(target, sources)
        if result is NotImplemented:
            result = self._gradient(self._tape, target, sources, output_gradients, unconnected(unconnected_gradients))
        self._used()
        return result

    def _gradient(self, tape: _core.Tape, target, sources, output_gradients, rule: UnconnectedGradients):
        """The gradient in the general case, for any structures."""
        targets = self._targets(target)
        flat, handles = flat_sources(sources)
        gradients = tape.gradient(targets, flat_outputs(output_gradients, len(targets)), handles)
        if rule is UnconnectedGradients.NONE and any(g is None for g in gradients):
            from tracefn._advice.gradients import note  # start-up time: only mistakes need it

            note(tape, targets, flat, gradients)
        if rule is UnconnectedGradients.ZERO:
            gradients = replace_missing(gradients, flat)
        return pack_gradients(sources, gradients)

    def _used(self) -> None:
        """Drops the records unless they may be used again."""
        if not self._persistent:
            if self._watched or (self._tape is not None and self._tape.variables):
                self.watched_variables()
            self._tape = None
            self._spent = True

    def _used_before(self) -> RuntimeError:
        way_out = (
            "For more than one, make it with tf.GradientTape(persistent=True)."
            if self._spent
            else "This one has recorded nothing: compute the target inside of `with` and the tape."
        )
        return RuntimeError(f"{_USED}\n{way_out}")

    def _targets(self, target) -> list:
        """The tensors of a nest; Variables are read, which is recorded."""
        tensors = []
        for leaf in nest.flatten(components(nest.flatten(target)), expand_composites=True):
            if hasattr(leaf, "handle"):
                with self._ensure_recording():
                    leaf = leaf.value()
            if not isinstance(leaf, _core.Tensor):
                refuse(leaf)
            tensors.append(leaf)
        return tensors

    def jacobian(
        self,
        target,
        sources,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ):
        """The derivative of each element of `target` with respect to each element of `sources`.

        Args:
          target: a tensor.
          sources: nest of tensors and Variables.
          unconnected_gradients: as in `gradient`.
          parallel_iterations: accepted, without effect.
          experimental_use_pfor: whether all rows are computed at once, as in `tf.vectorized_map`; False requires a persistent
            tape when executing eagerly.

        Returns:
          Nest like `sources` of tensors of shape target.shape + source.shape, or None.

        Raises:
          RuntimeError: the tape is not persistent and was used before, or has to be persistent.
          ValueError: `unconnected_gradients` has another value.
          AttributeError: `target` is a nest.
        """
        del parallel_iterations
        if self._tape is None:
            raise self._used_before()
        rule = unconnected(unconnected_gradients)
        flat, handles = flat_sources(sources)
        if isinstance(target, (list, tuple, dict)):
            raise AttributeError(f"{type(target).__name__!r} object has no attribute 'shape'")
        (target,) = self._targets([target])
        self._before_rows("the jacobian with eager execution enabled and with ", experimental_use_pfor)
        from tracefn._gradient import rows  # start-up time: few programs take jacobians

        result = rows.jacobian_rows(self._tape, target, handles, flat, experimental_use_pfor)
        if rule is UnconnectedGradients.ZERO:
            result = [rows.zero_jacobian(target, s) if r is None else r for r, s in zip(result, flat, strict=True)]
        self._used()
        return nest.pack_sequence_as(sources, result)

    def batch_jacobian(
        self,
        target,
        source,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ):
        """The Jacobian of each example: of target[i] with respect to source[i].

        Args:
          target: tensor of shape [b, y1, ..., yn], whose row i depends on row i of `source` only.
          source: tensor or Variable of shape [b, x1, ..., xm].
          unconnected_gradients: as in `gradient`.
          parallel_iterations, experimental_use_pfor: see `jacobian`.

        Returns:
          Tensor of shape [b, y1, ..., yn, x1, ..., xm]; zeros where `target` does not depend on `source`, whatever
          `unconnected_gradients` says.

        Raises:
          RuntimeError: the tape is not persistent and was used before, or has to be persistent.
          ValueError: the first dimensions differ, or one of the two has fewer than two dimensions.
        """
        del parallel_iterations
        if self._tape is None:
            raise self._used_before()
        unconnected(unconnected_gradients)
        target_shape, source_shape = (x.shape.with_rank_at_least(2) for x in (target, source))
        if target_shape.rank is None or source_shape.rank is None or target_shape[0] != source_shape[0]:
            raise ValueError(
                f"Need first dimension of target shape ({target.shape}) and source shape ({source.shape}) to match."
            )
        (flat,), (handle,) = flat_sources([source])
        (target,) = self._targets([target])
        self._before_rows("the batch_jacobian with eager execution enabled and  with", experimental_use_pfor)
        from tracefn._gradient import rows  # start-up time: few programs take jacobians

        result = rows.batch_jacobian_rows(self._tape, target, handle, flat, experimental_use_pfor)
        if result is None:
            result = rows.zero_batch_jacobian(target, flat)
        self._used()
        return result

    def _before_rows(self, what: str, in_one_go: bool) -> None:
        """Stops recording, unless rows are to be recorded.

        Raises:
          RuntimeError: rows are to be computed one by one, eagerly, from a tape that is not persistent.
        """
        if self._persistent:
            return
        if not in_one_go and executing_eagerly():
            raise RuntimeError(
                f"GradientTape must be created with persistent=True to compute {what} experimental_use_pfor set to "
                "False."
            )
        if self._recording:
            self._pop()
