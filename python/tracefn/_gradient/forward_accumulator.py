"""`tf.autodiff.ForwardAccumulator`: Jacobian-vector products, computed by differentiating backpropagation."""

from __future__ import annotations

import contextlib
import weakref

from tracefn import _core, nest
from tracefn._gradient.values import dense, flat_sources, zeros_of
from tracefn._gradient.warnings import warn_not_floating
from tracefn.gradient_tape import UnconnectedGradients, unconnected

_ones_like = _core.raw_op("OnesLike")
_add_n = _core.raw_op("AddN")


_accumulators: weakref.WeakSet = weakref.WeakSet()


class ForwardAccumulator(_core.TapeRecorder):
    """Computes Jacobian-vector products of the ops that run in its context.

    The reverse pass is linear in the output gradients. Its derivative with respect to them is the Jacobian-vector product,
    so no op needs a forward-mode rule.

    Args:
      primals: nest of tensors and Variables.
      tangents: nest of the same structure: the direction for each primal.

    Raises:
      ValueError: the dtype of a tangent is not that of its primal, a primal is given twice, or there are too few tangents.
      TypeError: the structures differ.

    Example:
      >>> import tracefn as tf
      >>> x = tf.constant([2.0, 3.0])
      >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
      ...     y = x * x
      >>> acc.jvp(y).numpy()
      array([4., 0.], dtype=float32)
    """

    _already_recording = "Accumulator is already recording."

    def __init__(self, primals, tangents) -> None:
        super().__init__()
        nest.assert_same_structure(primals, tangents)
        flat, handles = flat_sources(primals)
        directions = nest.flatten(tangents)
        seen: set = set()
        for primal in flat:
            if id(primal) in seen:
                raise ValueError(
                    f"Tensor {primal} was specified as a primal multiple times. This may indicate an error. If it was "
                    "intended, please sum the corresponding tangents."
                )
            seen.add(id(primal))
        # The tapes of accumulators in whose contexts this one is made.
        tapes = [accumulator._tape for accumulator in list(_accumulators)]
        self._around = [context for context in _core.open_contexts() if any(context is tape for tape in tapes)]
        self._primals: list = []
        self._tangents: list = []
        self._tape = _core.Tape(False, True, True)
        _accumulators.add(self)
        for primal, handle, direction in zip(flat, handles, directions, strict=True):
            self._begin(primal, handle, direction)
        self._from_outside = len(self._primals)

    def _watch(self, primals, tangents) -> None:
        """Adds primals, with tangents that are added to those which they have as results of others.

        Args:
          primals: nest of tensors and Variables, which may have been computed in the context.
          tangents: nest of the same structure.
        """
        nest.assert_same_structure(primals, tangents)
        flat, handles = flat_sources(primals)
        for primal, handle, direction in zip(flat, handles, nest.flatten(tangents), strict=True):
            self._begin(primal, handle, direction)

    def _begin(self, primal, handle, direction) -> None:
        if not (primal.dtype.is_floating or primal.dtype.is_complex):
            warn_not_floating("watched primal", primal.dtype)
        self._tangents.append(_core.convert_to_tensor(direction, dtype=primal.dtype))
        self._primals.append(handle)
        if isinstance(primal, _core.Tensor):
            self._tape.watch(primal)
        else:
            self._tape.watch_variable(handle)

    def jvp(self, primals, unconnected_gradients=UnconnectedGradients.NONE):
        """The product of the Jacobian of `primals` with the tangents.

        Args:
          primals: nest of tensors and Variables computed in the context.
          unconnected_gradients: the result for those that do not depend on the watched primals: None, or zeros.

        Returns:
          Nest like `primals` of tensors and None.

        Raises:
          ValueError: `unconnected_gradients` has another value.
        """
        rule = unconnected(unconnected_gradients)
        with contextlib.ExitStack() as contexts:
            # The product belongs to the computation that accumulators around this one differentiate, as if it had been
            # computed in their contexts.
            open_now = _core.open_contexts()
            for tape in self._around:
                if not any(tape is context for context in open_now):
                    contexts.enter_context(tape)
            contexts.enter_context(_core.MutedTape(self._tape))
            return nest.map_structure(lambda x: self._product(x, rule), primals)

    def _product(self, x, rule):
        target = x if isinstance(x, _core.Tensor) else x.handle
        differs = target.dtype.is_floating or target.dtype.is_complex
        given = [tangent for primal, tangent in zip(self._primals, self._tangents, strict=True) if _same(target, primal)]
        # What is watched later may be a result of other primals, too.
        if given and not (differs and len(self._primals) > self._from_outside):
            return _sum(given)
        weights = None
        if differs:
            # Gradients are linear in them; some take logarithms of them, which have no slope at zero.
            weights = _ones_like(x=target)
            second = _core.Tape(False)
            second.watch(weights)
            with second:
                slopes = [dense(slope) for slope in self._tape.gradient([target], [weights], self._primals)]
            parts = []
            for slope, tangent in zip(slopes, self._tangents, strict=True):
                if slope is not None:
                    (part,) = second.gradient([slope], [tangent], [weights])
                    if part is not None:
                        parts.append(dense(part))
            if parts:
                return _sum(parts)
        return zeros_of(x) if rule is UnconnectedGradients.ZERO else None


def _sum(parts: list):
    return parts[0] if len(parts) == 1 else _add_n(inputs=parts)


def _same(a, b) -> bool:
    return a is b or (a.dtype.name == "resource" and b.dtype.name == "resource"
                      and _core.resource_key(a) == _core.resource_key(b))
