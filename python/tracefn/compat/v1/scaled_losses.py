"""Training in float16 and float32: `tf.compat.v1.mixed_precision`. Here no graph is rewritten, as on TensorFlow's CPUs."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn._for_libraries.training import Precision, loss_scale_wrappers, register_loss_scale_wrapper
from tracefn._logging import warn
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.loss_scales import DynamicLossScale, loss_scale_of
from tracefn.compat.v1.optimizer import Optimizer
from tracefn.config.optimizer import set_experimental_options
from tracefn.distribute._modes import get_replica_context, in_cross_replica_context
from tracefn.indexed_slices import IndexedSlices


def _exported(name: str):
    return export(*(f"compat.v1.{place}.{name}" for place in ("mixed_precision", "train.experimental")))


@_exported("MixedPrecisionLossScaleOptimizer")
class MixedPrecisionLossScaleOptimizer(Optimizer):
    """An optimizer that multiplies losses by a factor, and divides their gradients by it.

    With a dynamic factor, a step whose gradients are not all finite changes the factor alone.

    Args:
      opt: the Optimizer whose steps it makes.
      loss_scale: a LossScale, a number, or "dynamic".

    Raises:
      ValueError: `opt` is no Optimizer, or `loss_scale` is something else.

    Example:
      >>> import tracefn as tf
      >>> v1, w = tf.compat.v1, tf.Variable(1.0)
      >>> optimizer = v1.mixed_precision.MixedPrecisionLossScaleOptimizer(v1.train.GradientDescentOptimizer(0.25), 8)
      >>> optimizer.minimize(lambda: w * w, var_list=[w])
      >>> float(w)
      0.5
    """

    def __init__(self, opt, loss_scale) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(opt._use_locking, opt.get_name())
        self._optimizer = opt
        self._loss_scale = loss_scale_of(loss_scale)
        if self._loss_scale is None:
            raise ValueError("loss_scale cannot be None")
        self._track_trackable(opt, "base_optimizer")
        self._track_trackable(self._loss_scale, "loss_scale")

    def _doing_dynamic_loss_scaling(self) -> bool:
        return isinstance(self._loss_scale, DynamicLossScale)

    def compute_gradients(
        self,
        loss,
        var_list=None,
        gate_gradients=Optimizer.GATE_OP,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        grad_loss=None,
    ) -> list:
        """Pairs of a gradient, or None, and a Variable, as of `Optimizer.compute_gradients`; of the loss times the factor."""
        pairs = self._optimizer.compute_gradients(
            self._scale_loss(loss), var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )
        gradients = self._unscale_grads([gradient for gradient, _ in pairs])
        return list(zip(gradients, [variable for _, variable in pairs], strict=True))

    def _scale_loss(self, loss):
        factor = self._loss_scale()

        def scaled(value):
            return value * today("cast")(factor, value.dtype)

        if callable(loss) and not isinstance(loss, _core.Tensor):
            return lambda: scaled(loss())
        return scaled(loss)

    def _unscale_grads(self, grads) -> list:
        inverse = 1 / self._loss_scale()
        return [None if g is None else _times(g, inverse) for g in grads]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None, skip_gradients_aggregation=False):
        """Applies gradients as `Optimizer.apply_gradients`; with a dynamic factor, only if all are finite.

        Raises:
          ValueError: outside of a replica; or as of `Optimizer.apply_gradients`.
        """
        del skip_gradients_aggregation
        if in_cross_replica_context():
            raise ValueError("apply_gradients() must be called in a replica context.")
        if not self._doing_dynamic_loss_scaling():
            return self._optimizer.apply_gradients(grads_and_vars, global_step, name)
        pairs = tuple(grads_and_vars)
        return get_replica_context().merge_call(self._distributed_apply, args=(pairs, global_step, name))

    def _distributed_apply(self, distribution, grads_and_vars, global_step=None, name=None):
        name = self.get_name() if name is None else name
        updated, finite = self._loss_scale.update([gradient for gradient, _ in grads_and_vars])

        def apply():
            apply_gradients = self._optimizer.apply_gradients
            return distribution.group(
                distribution.extended.call_for_each_replica(
                    apply_gradients, args=(grads_and_vars, global_step, f"{name}-wrapped")
                )
            )

        applied = today("compat.v1.cond")(finite, apply, today("no_op"))
        return today("group")(applied, updated, name=name)

    def variables(self) -> list:
        """The Variables of the optimizer and of the factor."""
        return [*self._optimizer.variables(), *self._loss_scale._numbers.values()]


def _times(gradient, factor):
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * factor


register_loss_scale_wrapper(Optimizer, MixedPrecisionLossScaleOptimizer)


@_exported("enable_mixed_precision_graph_rewrite")
def enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic"):
    """Wraps an optimizer so that it scales losses. As on TensorFlow's CPUs, ops stay in float32.

    Args:
      opt: Optimizer.
      loss_scale: a LossScale, a number, or "dynamic".

    Returns:
      A MixedPrecisionLossScaleOptimizer, or what a library has registered for the class of `opt`.

    Raises:
      ValueError: `opt` is no optimizer, or wrapped already; or a library computes in mixed precision by a policy of its own.
    """
    if Precision.uses_policy:
        raise ValueError(
            "The mixed precision graph rewrite cannot be enabled, because the global Keras dtype Policy has been set to a mixed "
            "precision policy. At most, one of the following can be called:\n\n"
            "  1. tf.keras.mixed_precision.set_global_policy() with a mixed precision policy (You called this first)\n\n"
            "  2. tf.train.experimental.enable_mixed_precision_graph_rewrite() (You called this second)\n"
            "You called both functions, which is an error, because both functions enable you to use mixed precision. If in doubt "
            "which function to use, use the first, as it supports Eager execution and is more customizable."
        )
    wrapped = _wrapped(opt, loss_scale)
    set_experimental_options({"auto_mixed_precision": True})
    Precision.rewrites_graphs = True
    return wrapped


def _wrapped(opt, loss_scale):
    wrappers = loss_scale_wrappers()
    for _, _, wrapper in wrappers:
        if isinstance(opt, wrapper):
            raise ValueError(
                f'"opt" must not already be an instance of a {wrapper.__name__}. `enable_mixed_precision_graph_rewrite` will '
                f"automatically wrap the optimizer with a {wrapper.__name__}."
            )
    for kind, wrap, _ in wrappers:
        if isinstance(opt, kind):
            return wrap(opt, loss_scale)
    raise ValueError(f'"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optimizers.Optimizer, but got: {opt}')


@_exported("disable_mixed_precision_graph_rewrite")
def disable_mixed_precision_graph_rewrite() -> None:
    """Undoes `enable_mixed_precision_graph_rewrite`; optimizers that it has wrapped still scale losses."""
    if not Precision.rewrites_graphs:
        warn("disable_mixed_precision_graph_rewrite() called when mixed precision is already disabled.")
    set_experimental_options({"auto_mixed_precision": False})
    Precision.rewrites_graphs = False
