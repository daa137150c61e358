"""The optimizers of `tf.compat.v1.train` that regularize: they keep weights small, and some of them zero."""

from __future__ import annotations

from typing import ClassVar

from tracefn import _core
from tracefn._export import export
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.optimizer_by_op import ByOp, WithSum, filled
from tracefn.compat.v1.optimizer_steps import called


@export("compat.v1.train.FtrlOptimizer")
class FtrlOptimizer(ByOp):
    """Follows the regularized leader.

    Args:
      learning_rate: number, tensor, or function that returns one.
      learning_rate_power: number, at most 0.
      initial_accumulator_value: number, at least 0: the sum of squared gradients at the start.
      l1_regularization_strength, l2_regularization_strength: numbers, at least 0.
      use_locking: without effect.
      name: name of the ops and slots.
      accum_name, linear_name: accepted, without effect.
      l2_shrinkage_regularization_strength: number, at least 0.
      beta: number that is added to the root of the sum.

    Raises:
      ValueError: a number is out of its range.
    """

    _tensor_names: ClassVar[dict[str, str]] = {
        **ByOp._tensor_names,
        "l2": "_adjusted_l2_regularization_strength_tensor",
        "l2_shrinkage": "_l2_shrinkage_regularization_strength_tensor",
        "lr_power": "_learning_rate_power_tensor",
    }

    def __init__(
        self,
        learning_rate,
        learning_rate_power=-0.5,
        initial_accumulator_value=0.1,
        l1_regularization_strength=0.0,
        l2_regularization_strength=0.0,
        use_locking=False,
        name="Ftrl",
        accum_name=None,
        linear_name=None,
        l2_shrinkage_regularization_strength=0.0,
        beta=None,
    ) -> None:
        del accum_name, linear_name
        super().__init__(use_locking, name)
        if initial_accumulator_value < 0.0:
            raise ValueError(f"initial_accumulator_value {initial_accumulator_value:f} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power:f} needs to be negative or zero")
        for what, value in (
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"{what} {value:f} needs to be positive or zero")
        self._learning_rate, self._power, self._initial = learning_rate, learning_rate_power, initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength
        self._shrinkage, self._beta = l2_shrinkage_regularization_strength, 0.0 if beta is None else beta
        version = "V2" if self._shrinkage > 0.0 else ""
        self._dense_op, self._sparse_op = f"ResourceApplyFtrl{version}", f"ResourceSparseApplyFtrl{version}"

    def _create_slots(self, var_list) -> None:
        for variable in var_list:
            self._slot(variable, "accum", filled(self._initial))
            self._slot(variable, "linear")

    def _tensors(self) -> dict:
        rate = called(self._learning_rate)
        shrinkage = {"l2_shrinkage": self._shrinkage} if self._shrinkage > 0.0 else {}
        l2 = self._l2 if not self._beta else self._l2 + self._beta / (2.0 * rate)
        return {"lr": rate, "l1": self._l1, "l2": l2, **shrinkage, "lr_power": self._power}

    def _states(self, variable) -> dict:
        return {name: self.get_slot(variable, name) for name in ("accum", "linear")}


@export("compat.v1.train.ProximalGradientDescentOptimizer")
class ProximalGradientDescentOptimizer(ByOp):
    """Steps along the gradient, then towards zero by the regularization.

    Args:
      learning_rate: number, tensor, or function that returns one.
      l1_regularization_strength, l2_regularization_strength: numbers, at least 0.
      use_locking: without effect.
      name: name of the ops.
    """

    _dense_op, _sparse_op = "ResourceApplyProximalGradientDescent", "ResourceSparseApplyProximalGradientDescent"

    def __init__(
        self,
        learning_rate,
        l1_regularization_strength=0.0,
        l2_regularization_strength=0.0,
        use_locking=False,
        name="ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _tensors(self) -> dict:
        return {"alpha": self._learning_rate, "l1": self._l1, "l2": self._l2}

    def _resource_apply_dense(self, grad, handle):
        return _core.raw_op(self._dense_op)(delta=grad, **self._arguments(handle))


@export("compat.v1.train.ProximalAdagradOptimizer")
class ProximalAdagradOptimizer(WithSum):
    """Adagrad's steps, then towards zero by the regularization.

    Args:
      learning_rate: number, tensor, or function that returns one.
      initial_accumulator_value: positive number, the sum of squared gradients at the start.
      l1_regularization_strength, l2_regularization_strength: numbers, at least 0.
      use_locking: without effect.
      name: name of the ops and slots.

    Raises:
      ValueError: the initial sum is not positive.
    """

    _dense_op, _sparse_op = "ResourceApplyProximalAdagrad", "ResourceSparseApplyProximalAdagrad"

    def __init__(
        self,
        learning_rate,
        initial_accumulator_value=0.1,
        l1_regularization_strength=0.0,
        l2_regularization_strength=0.0,
        use_locking=False,
        name="ProximalAdagrad",
    ) -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _tensors(self) -> dict:
        return {"lr": self._learning_rate, "l1": self._l1, "l2": self._l2}


@export("compat.v1.train.AdagradDAOptimizer")
class AdagradDAOptimizer(ByOp):
    """Adagrad by dual averaging, for sparse linear models: weights follow from the sums of all gradients and of their squares.

    Args:
      learning_rate: number, tensor, or function that returns one.
      global_step: scalar tensor or Variable, the number of steps so far.
      initial_gradient_squared_accumulator_value: positive number, the sum of squared gradients at the start.
      l1_regularization_strength, l2_regularization_strength: numbers, at least 0.
      use_locking: without effect.
      name: name of the ops and slots.

    Raises:
      ValueError: the initial sum is not positive.

    Example:
      >>> import tracefn as tf
      >>> v, step = tf.Variable([0.0, 0.0]), tf.Variable(0, dtype=tf.int64)
      >>> optimizer = tf.compat.v1.train.AdagradDAOptimizer(3.0, step, l1_regularization_strength=0.5)
      >>> optimizer.apply_gradients([(tf.constant([0.1, 0.9]), v)], global_step=step)
      >>> (v.numpy() != 0.0).tolist()
      [False, True]
    """

    _dense_op, _sparse_op = "ResourceApplyAdagradDA", "ResourceSparseApplyAdagradDA"

    def __init__(
        self,
        learning_rate,
        global_step,
        initial_gradient_squared_accumulator_value=0.1,
        l1_regularization_strength=0.0,
        l2_regularization_strength=0.0,
        use_locking=False,
        name="AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_gradient_squared_accumulator_value must be positive: {initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate, self._global_step = learning_rate, global_step
        self._initial = initial_gradient_squared_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _create_slots(self, var_list) -> None:
        for variable in var_list:
            self._slot(variable, "gradient_accumulator")
            self._slot(variable, "gradient_squared_accumulator", filled(self._initial))

    def _tensors(self) -> dict:
        return {"lr": self._learning_rate, "l1": self._l1, "l2": self._l2}

    def _prepare(self) -> None:
        super()._prepare()
        self._steps = today("cast")(today("identity")(self._global_step), "int64") + 1

    def _states(self, variable) -> dict:
        return {name: self.get_slot(variable, name) for name in ("gradient_accumulator", "gradient_squared_accumulator")}

    def _arguments(self, variable) -> dict:
        return {**super()._arguments(variable), "global_step": self._steps}
