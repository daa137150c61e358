"""Optimizers of `tf.compat.v1.train` whose step is one op."""

from __future__ import annotations

from typing import ClassVar

from tracefn import _core
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.optimizer import Optimizer
from tracefn.compat.v1.optimizer_steps import called, with_distinct_rows


class ByOp(Optimizer):
    """An optimizer whose step is one op, dense or by rows."""

    _dense_op = ""
    _sparse_op = ""
    # The attributes that hold the numbers as tensors, by the names of the op's inputs. Subclasses of programs read them.
    _tensor_names: ClassVar[dict[str, str]] = {
        "alpha": "_learning_rate_tensor",
        "epsilon": "_epsilon_tensor",
        "l1": "_l1_regularization_strength_tensor",
        "l2": "_l2_regularization_strength_tensor",
        "lr": "_learning_rate_tensor",
        "momentum": "_momentum_tensor",
        "rho": "_decay_tensor",
    }

    def _tensors(self) -> dict:
        """The numbers that the op takes, by the names of its inputs."""
        raise NotImplementedError

    def _states(self, variable) -> dict:
        """The slots that the op takes, by the names of its inputs."""
        del variable
        return {}

    def _flags(self) -> dict:
        return {}

    def _prepare(self) -> None:
        self._prepared = {}
        for key, value in self._tensors().items():
            attribute = self._tensor_names[key]
            name = attribute.removeprefix("_").removesuffix("_tensor").removesuffix("_t")
            self._prepared[key] = _core.convert_to_tensor(called(value), name=name)
            setattr(self, attribute, self._prepared[key])

    def _arguments(self, variable) -> dict:
        states = {key: slot.handle for key, slot in self._states(variable).items()}
        numbers = {key: today("cast")(value, variable.dtype) for key, value in self._prepared.items()}
        return {"var": variable.handle, **states, **numbers, **self._flags(), "use_locking": bool(self._use_locking)}

    def _resource_apply_dense(self, grad, handle):
        return _core.raw_op(self._dense_op)(grad=grad, **self._arguments(handle))

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        values, distinct = with_distinct_rows(grad, indices)
        return _core.raw_op(self._sparse_op)(grad=values, indices=distinct, **self._arguments(handle))


class WithSum(ByOp):
    """An optimizer by one op whose only slot is the sum of squared gradients.

    Args:
      learning_rate: number, tensor, or function that returns one.
      initial: positive number, the sum at the start.
      use_locking: without effect.
      name: name of the ops and slots.

    Raises:
      ValueError: the initial sum is not positive.
    """

    def __init__(self, learning_rate, initial, use_locking, name) -> None:
        if initial <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial}")
        super().__init__(use_locking, name)
        self._learning_rate, self._initial = learning_rate, initial

    def _create_slots(self, var_list) -> None:
        for variable in var_list:
            self._slot(variable, "accumulator", filled(self._initial))

    def _states(self, variable) -> dict:
        return {"accum": self.get_slot(variable, "accumulator")}


def filled(number):
    """A function of a shape and a dtype that returns such a tensor of one number."""
    return lambda shape, dtype: today("fill")(shape, today("cast")(number, dtype))
