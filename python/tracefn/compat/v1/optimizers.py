"""The optimizers of `tf.compat.v1.train` without regularization: each makes a step by an update op."""

from __future__ import annotations

from typing import ClassVar

from tracefn import _core
from tracefn._export import export
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.optimizer import Optimizer
from tracefn.compat.v1.optimizer_by_op import ByOp, WithSum
from tracefn.compat.v1.optimizer_steps import called, with_distinct_rows
from tracefn.framework import control_dependencies, executing_eagerly
from tracefn.indexed_slices import IndexedSlices

_op = _core.raw_op


@export("compat.v1.train.GradientDescentOptimizer")
class GradientDescentOptimizer(Optimizer):
    """Steps along the gradient: v -= learning_rate * gradient.

    Args:
      learning_rate: number, tensor, or function that returns one.
      use_locking: without effect.
      name: name of the ops.

    Example:
      >>> import tracefn as tf
      >>> v = tf.Variable(3.0)
      >>> tf.compat.v1.train.GradientDescentOptimizer(0.25).minimize(lambda: v * v)
      >>> float(v)
      1.5
    """

    def __init__(self, learning_rate, use_locking=False, name="GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _prepare(self) -> None:
        self._learning_rate_tensor = _core.convert_to_tensor(called(self._learning_rate), name="learning_rate")

    def _resource_apply_dense(self, grad, handle):
        return _op("ResourceApplyGradientDescent")(
            var=handle.handle,
            alpha=today("cast")(self._learning_rate_tensor, grad.dtype),
            delta=grad,
            use_locking=bool(self._use_locking),
        )

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        step = -grad * today("cast")(self._learning_rate_tensor, grad.dtype)
        return _op("ResourceScatterAdd")(resource=handle.handle, indices=indices, updates=step)


@export("compat.v1.train.MomentumOptimizer")
class MomentumOptimizer(ByOp):
    """Steps along sums of gradients that fade: a = momentum * a + gradient; v -= learning_rate * a.

    Args:
      learning_rate, momentum: numbers, tensors, or functions that return one.
      use_locking: without effect.
      name: name of the ops and slots.
      use_nesterov: whether the gradient counts once more: v -= learning_rate * (gradient + momentum * a).

    Example:
      >>> import tracefn as tf
      >>> v = tf.Variable(1.0)
      >>> optimizer = tf.compat.v1.train.MomentumOptimizer(0.5, 0.5)
      >>> optimizer.minimize(lambda: v * 1.0)
      >>> optimizer.minimize(lambda: v * 1.0)
      >>> float(v)
      -0.25
    """

    _dense_op, _sparse_op = "ResourceApplyMomentum", "ResourceSparseApplyMomentum"

    def __init__(self, learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list) -> None:
        for variable in var_list:
            self._slot(variable, "momentum")

    def _tensors(self) -> dict:
        return {"lr": self._learning_rate, "momentum": self._momentum}

    def _states(self, variable) -> dict:
        return {"accum": self.get_slot(variable, "momentum")}

    def _flags(self) -> dict:
        return {"use_nesterov": bool(self._use_nesterov)}


@export("compat.v1.train.AdagradOptimizer")
class AdagradOptimizer(WithSum):
    """Steps divided by the root of the sum of squared gradients.

    Args:
      learning_rate: number, tensor, or function that returns one.
      initial_accumulator_value: positive number, the sum at the start.
      use_locking: without effect.
      name: name of the ops and slots.

    Raises:
      ValueError: the initial sum is not positive.
    """

    _dense_op, _sparse_op = "ResourceApplyAdagrad", "ResourceSparseApplyAdagrad"

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad") -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)

    def _tensors(self) -> dict:
        return {"lr": self._learning_rate}


@export("compat.v1.train.AdadeltaOptimizer")
class AdadeltaOptimizer(ByOp):
    """Steps scaled by the ratio of fading means of squared steps and gradients.

    Args:
      learning_rate: number, tensor, or function that returns one.
      rho: how slowly the means fade, between 0 and 1.
      epsilon: small number that is added to the means.
      use_locking: without effect.
      name: name of the ops and slots.
    """

    _dense_op, _sparse_op = "ResourceApplyAdadelta", "ResourceSparseApplyAdadelta"
    _tensor_names: ClassVar[dict[str, str]] = {"lr": "_lr_t", "rho": "_rho_t", "epsilon": "_epsilon_t"}

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-8, use_locking=False, name="Adadelta") -> None:
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _create_slots(self, var_list) -> None:
        for variable in var_list:
            self._slot(variable, "accum")
            self._slot(variable, "accum_update")

    def _tensors(self) -> dict:
        return {"lr": self._lr, "rho": self._rho, "epsilon": self._epsilon}

    def _states(self, variable) -> dict:
        return {name: self.get_slot(variable, name) for name in ("accum", "accum_update")}


@export("compat.v1.train.RMSPropOptimizer")
class RMSPropOptimizer(ByOp):
    """Steps divided by the root of a fading mean of squared gradients.

    Args:
      learning_rate: number, tensor, or function that returns one.
      decay: how slowly the mean fades, between 0 and 1.
      momentum: weight of the step before.
      epsilon: small number that is added to the mean.
      use_locking: without effect.
      centered: whether the square of the gradients' own mean is subtracted.
      name: name of the ops and slots.
    """

    def __init__(
        self,
        learning_rate,
        decay=0.9,
        momentum=0.0,
        epsilon=1e-10,
        use_locking=False,
        centered=False,
        name="RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._decay, self._momentum, self._epsilon = learning_rate, decay, momentum, epsilon
        self._centered = centered
        kind = "CenteredRMSProp" if centered else "RMSProp"
        self._dense_op, self._sparse_op = f"ResourceApply{kind}", f"ResourceSparseApply{kind}"

    def _create_slots(self, var_list) -> None:
        for variable in var_list:
            self._slot(variable, "rms", lambda shape, dtype: today("ones")(shape, dtype))
            if self._centered:
                self._slot(variable, "mg")
            self._slot(variable, "momentum")

    def _tensors(self) -> dict:
        return {"lr": self._learning_rate, "rho": self._decay, "momentum": self._momentum, "epsilon": self._epsilon}

    def _states(self, variable) -> dict:
        mean = {"mg": self.get_slot(variable, "mg")} if self._centered else {}
        return {**mean, "ms": self.get_slot(variable, "rms"), "mom": self.get_slot(variable, "momentum")}


@export("compat.v1.train.AdamOptimizer")
class AdamOptimizer(Optimizer):
    """Steps along a fading mean of gradients, divided by the root of that of their squares (arXiv:1412.6980).

    Args:
      learning_rate: number, tensor, or function that returns one.
      beta1, beta2: how slowly the means fade, between 0 and 1.
      epsilon: small number that is added to the root.
      use_locking: without effect.
      name: name of the ops and slots.
      use_own_namescope_for_non_slot_vars: accepted, without effect.

    Example:
      >>> import tracefn as tf
      >>> v = tf.Variable(1.0)
      >>> tf.compat.v1.train.AdamOptimizer(0.5).minimize(lambda: v * v)
      >>> round(float(v), 5)
      0.5
    """

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-08,
        use_locking=False,
        name="Adam",
        use_own_namescope_for_non_slot_vars=False,
    ) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon

    def _create_slots(self, var_list) -> None:
        self._create_non_slot_variable(called(self._beta1), "beta1_power", var_list)
        self._create_non_slot_variable(called(self._beta2), "beta2_power", var_list)
        for variable in var_list:
            self._slot(variable, "m")
            self._slot(variable, "v")

    def _prepare(self) -> None:
        self._lr_t = _core.convert_to_tensor(called(self._lr), name="learning_rate")
        self._beta1_t = _core.convert_to_tensor(called(self._beta1), name="beta1")
        self._beta2_t = _core.convert_to_tensor(called(self._beta2), name="beta2")
        self._epsilon_t = _core.convert_to_tensor(called(self._epsilon), name="epsilon")

    def _get_beta_accumulators(self):
        """The Variables of the powers of beta1 and beta2; subclasses of programs may have others."""
        return self._get_non_slot_variable("beta1_power"), self._get_non_slot_variable("beta2_power")

    def _powers(self, dtype) -> dict:
        names = ("beta1_power", "beta2_power")
        powers = zip(names, self._get_beta_accumulators(), strict=True)
        return {name: today("cast")(power.value(), dtype) for name, power in powers}

    def _numbers_as(self, dtype) -> dict:
        numbers = {"lr": self._lr_t, "beta1": self._beta1_t, "beta2": self._beta2_t, "epsilon": self._epsilon_t}
        return {key: today("cast")(value, dtype) for key, value in numbers.items()}

    def _resource_apply_dense(self, grad, handle):
        return _op("ResourceApplyAdam")(
            var=handle.handle,
            m=self.get_slot(handle, "m").handle,
            v=self.get_slot(handle, "v").handle,
            **self._powers(grad.dtype),
            **self._numbers_as(grad.dtype),
            grad=grad,
            use_locking=bool(self._use_locking),
        )

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        values, distinct = with_distinct_rows(grad, indices)
        numbers, powers = self._numbers_as(handle.dtype), self._powers(handle.dtype)
        rate = numbers["lr"] * today("sqrt")(1 - powers["beta2_power"]) / (1 - powers["beta1_power"])
        mean = self._faded(handle, "m", numbers["beta1"], values, distinct)
        square = self._faded(handle, "v", numbers["beta2"], values * values, distinct)
        return handle.assign_sub(rate * mean / (today("sqrt")(square) + numbers["epsilon"]), read_value=False)

    def _faded(self, variable, name: str, beta, values, indices):
        """The value of a slot after the mean in it has faded, and rows have been added."""
        slot = self.get_slot(variable, name)
        scaled = values * (1 - beta)
        with control_dependencies([x for x in [slot.assign(slot * beta, read_value=False)] if x is not None]):
            slot = slot.scatter_add(IndexedSlices(scaled, indices))
        return slot.value()

    def _finish(self, update_ops, name_scope):
        powers = self._get_beta_accumulators()
        with control_dependencies([x for x in update_ops if x is not None]):
            betas = [self._beta1_t, self._beta2_t]
            done = [p.assign(p * b, read_value=False) for p, b in zip(powers, betas, strict=True)]
        if executing_eagerly():
            return None
        return today("group")(*[x for x in [*update_ops, *done] if x is not None], name=name_scope)
