"""Optimizers of embedding tables: what a table keeps beside its parameters."""

from __future__ import annotations

from typing import Any

from tracefn.ops.initializers import Constant


class _Optimizer:
    """What all optimizers have. They are equal if their settings are."""

    def __init__(
        self,
        learning_rate,
        use_gradient_accumulation,
        clip_weight_min,
        clip_weight_max,
        weight_decay_factor,
        multiply_weight_decay_factor_by_learning_rate,
        clipvalue=None,
        slot_variable_creation_fn=None,
        low_dimensional_packing_status=False,
    ) -> None:
        if slot_variable_creation_fn is not None and not callable(slot_variable_creation_fn):
            raise ValueError(
                "Argument `slot_variable_creation_fn` must be either None or a callable. Received: "
                f"{slot_variable_creation_fn}"
            )
        if not use_gradient_accumulation and clipvalue is not None:
            raise ValueError(
                "When `use_gradient_accumulation` is False, gradient clipping cannot be used and `clipvalue` should be left as "
                f"None. Received value {clipvalue} for argument `clipvalue`."
            )
        self.slot_variable_creation_fn = slot_variable_creation_fn
        self.learning_rate = learning_rate
        self.use_gradient_accumulation = use_gradient_accumulation
        self.clip_weight_min = clip_weight_min
        self.clip_weight_max = clip_weight_max
        limits: Any = (-clipvalue, clipvalue) if isinstance(clipvalue, (int, float)) else clipvalue or (None, None)
        self.clip_gradient_min, self.clip_gradient_max = limits
        self.weight_decay_factor = weight_decay_factor
        self.multiply_weight_decay_factor_by_learning_rate = multiply_weight_decay_factor_by_learning_rate
        self.low_dimensional_packing_status = low_dimensional_packing_status

    def _slots(self) -> dict[str, Any]:
        """The initial value of each slot, by its name."""
        raise NotImplementedError

    def _slot_names(self) -> list[str]:
        return list(self._slots())

    def _slot_initializers(self) -> list:
        return [Constant(value, support_partition=True) for value in self._slots().values()]

    def _create_slots(self, table, variable_creator) -> dict[str, Any]:
        names, initializers = self._slot_names(), self._slot_initializers()
        if self.slot_variable_creation_fn is not None:
            return self.slot_variable_creation_fn(table, names, initializers)
        return {name: variable_creator(name, initializer) for name, initializer in zip(names, initializers, strict=True)}

    def __eq__(self, other) -> bool:
        return isinstance(other, type(self)) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).items()))


class SGD(_Optimizer):
    """Gradient descent: no slots.

    Args:
      learning_rate: float, or a callable that returns one.
      use_gradient_accumulation: whether all gradients of a row are summed before it is changed.
      clip_weight_min, clip_weight_max: bounds of the parameters, or None.
      weight_decay_factor, multiply_weight_decay_factor_by_learning_rate: the decay of the parameters.
      clipvalue: float or (least, most), the bounds of gradients, or None.
      low_dimensional_packing_status: TPU only.

    Raises:
      ValueError: `clipvalue` without gradient accumulation.

    Example:
      >>> import tracefn as tf
      >>> tf.tpu.experimental.embedding.SGD(0.1) == tf.tpu.experimental.embedding.SGD(0.1)
      True
    """

    def __init__(
        self,
        learning_rate=0.01,
        use_gradient_accumulation=True,
        clip_weight_min=None,
        clip_weight_max=None,
        weight_decay_factor=None,
        multiply_weight_decay_factor_by_learning_rate=None,
        clipvalue=None,
        low_dimensional_packing_status=False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            clipvalue,
            None,
            low_dimensional_packing_status,
        )

    def _slots(self):
        return {}


def _check_accumulator(value) -> None:
    if value <= 0:
        raise ValueError(f"Argument `initial_accumulator_value` must be a positive float. Received: {value}")


class Adagrad(_Optimizer):
    """Adagrad: the slot "accumulators".

    Args:
      learning_rate: float, or a callable that returns one.
      initial_accumulator_value: float, what the slot holds first.
      slot_variable_creation_fn: a callable that makes the slots from a table's Variable, names and initializers, or None.
      use_gradient_accumulation, clip_weight_min, clip_weight_max, weight_decay_factor,
        multiply_weight_decay_factor_by_learning_rate, clipvalue, low_dimensional_packing_status: see SGD.

    Raises:
      ValueError: an argument is out of its range.

    Example:
      >>> import tracefn as tf
      >>> tf.tpu.experimental.embedding.Adagrad(0.1)._slot_names()
      ['accumulators']
    """

    def __init__(
        self,
        learning_rate=0.001,
        initial_accumulator_value=0.1,
        use_gradient_accumulation=True,
        clip_weight_min=None,
        clip_weight_max=None,
        weight_decay_factor=None,
        multiply_weight_decay_factor_by_learning_rate=None,
        slot_variable_creation_fn=None,
        clipvalue=None,
        low_dimensional_packing_status=False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            clipvalue,
            slot_variable_creation_fn,
            low_dimensional_packing_status,
        )
        _check_accumulator(initial_accumulator_value)
        self.initial_accumulator_value = initial_accumulator_value

    def _slots(self):
        return {"accumulators": self.initial_accumulator_value}


class AdagradMomentum(_Optimizer):
    """Adagrad with momentum: the slots "accumulators" and "momenta".

    Args:
      learning_rate: float, or a callable that returns one.
      momentum, use_nesterov: the momentum, and whether it is Nesterov's.
      exponent, beta2, epsilon: the power of the accumulator, its decay, and what is added to it.
      slot_variable_creation_fn: see Adagrad.
      use_gradient_accumulation, clip_weight_min, clip_weight_max, weight_decay_factor,
        multiply_weight_decay_factor_by_learning_rate, clipvalue, low_dimensional_packing_status: see SGD.

    Raises:
      ValueError: an argument is out of its range.

    Example:
      >>> import tracefn as tf
      >>> tf.tpu.experimental.embedding.AdagradMomentum(0.1)._slot_names()
      ['accumulators', 'momenta']
    """

    def __init__(
        self,
        learning_rate=0.001,
        momentum=0.0,
        use_nesterov=False,
        exponent=2,
        beta2=1,
        epsilon=1e-10,
        use_gradient_accumulation=True,
        clip_weight_min=None,
        clip_weight_max=None,
        weight_decay_factor=None,
        multiply_weight_decay_factor_by_learning_rate=None,
        slot_variable_creation_fn=None,
        clipvalue=None,
        low_dimensional_packing_status=False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            clipvalue,
            slot_variable_creation_fn,
            low_dimensional_packing_status,
        )
        if epsilon <= 0:
            raise ValueError("Adagrad momentum: epsilon must be positive")
        if exponent <= 0:
            raise ValueError("Adagrad momentum: Precondition exponent must >0")
        self.momentum = momentum
        self.use_nesterov = use_nesterov
        self.exponent = exponent
        self.beta2 = beta2
        self.epsilon = epsilon

    def _slots(self):
        return {"accumulators": 0, "momenta": 0}


class Adam(_Optimizer):
    """Adam: the slots "momenta" and "velocities".

    Args:
      learning_rate: float, or a callable that returns one.
      beta_1, beta_2: decays of the two slots, at least 0 and less than 1.
      epsilon: what is added to the denominator; positive.
      lazy_adam: whether only the rows change that a batch has looked up.
      sum_inside_sqrt: whether `epsilon` is added below the root.
      slot_variable_creation_fn: see Adagrad.
      use_gradient_accumulation, clip_weight_min, clip_weight_max, weight_decay_factor,
        multiply_weight_decay_factor_by_learning_rate, clipvalue, low_dimensional_packing_status: see SGD.

    Raises:
      ValueError: an argument is out of its range.

    Example:
      >>> import tracefn as tf
      >>> tf.tpu.experimental.embedding.Adam(0.1)._slot_names()
      ['momenta', 'velocities']
    """

    def __init__(
        self,
        learning_rate=0.001,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-07,
        lazy_adam=True,
        sum_inside_sqrt=True,
        use_gradient_accumulation=True,
        clip_weight_min=None,
        clip_weight_max=None,
        weight_decay_factor=None,
        multiply_weight_decay_factor_by_learning_rate=None,
        slot_variable_creation_fn=None,
        clipvalue=None,
        low_dimensional_packing_status=False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            clipvalue,
            slot_variable_creation_fn,
            low_dimensional_packing_status,
        )
        for name, beta in (("beta_1", beta_1), ("beta_2", beta_2)):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Argument `{name}` must be >= 0 and < 1. Received: {beta}.")
        if epsilon <= 0.0:
            raise ValueError(f"epsilon must be positive; got {epsilon}.")
        if not use_gradient_accumulation and not lazy_adam:
            raise ValueError(
                "When disabling lazy Adam (`lazy_adam=False`), gradient accumulation must be used. Set "
                "`use_gradient_accumulation` to True."
            )
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.lazy_adam = lazy_adam
        self.sum_inside_sqrt = sum_inside_sqrt

    def _slots(self):
        return {"momenta": 0, "velocities": 0}


class FTRL(_Optimizer):
    """FTRL: the slots "accumulators" and "linears".

    Args:
      learning_rate: float, or a callable that returns one.
      learning_rate_power: float, the power of the accumulator.
      l1_regularization_strength, l2_regularization_strength, beta: what pulls parameters to zero.
      initial_accumulator_value: float, what "accumulators" holds first.
      multiply_linear_by_learning_rate, allow_zero_accumulator: how the rule is computed on a TPU.
      slot_variable_creation_fn: see Adagrad.
      use_gradient_accumulation, clip_weight_min, clip_weight_max, weight_decay_factor,
        multiply_weight_decay_factor_by_learning_rate, clipvalue, low_dimensional_packing_status: see SGD.

    Raises:
      ValueError: an argument is out of its range.

    Example:
      >>> import tracefn as tf
      >>> tf.tpu.experimental.embedding.FTRL(0.1)._slot_names()
      ['accumulators', 'linears']
    """

    def __init__(
        self,
        learning_rate=0.001,
        learning_rate_power=-0.5,
        l1_regularization_strength=0.0,
        l2_regularization_strength=0.0,
        beta=0.0,
        initial_accumulator_value=0.1,
        use_gradient_accumulation=True,
        clip_weight_min=None,
        clip_weight_max=None,
        weight_decay_factor=None,
        multiply_weight_decay_factor_by_learning_rate=None,
        slot_variable_creation_fn=None,
        clipvalue=None,
        multiply_linear_by_learning_rate=False,
        allow_zero_accumulator=False,
        low_dimensional_packing_status=False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            clipvalue,
            slot_variable_creation_fn,
            low_dimensional_packing_status,
        )
        _check_accumulator(initial_accumulator_value)
        self.learning_rate_power = learning_rate_power
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.beta = beta
        self.initial_accumulator_value = initial_accumulator_value
        self.multiply_linear_by_learning_rate = multiply_linear_by_learning_rate
        self.allow_zero_accumulator = allow_zero_accumulator

    def _slots(self):
        return {"accumulators": self.initial_accumulator_value, "linears": 0}
