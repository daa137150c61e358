"""`tf.compat.v1.train.Optimizer`: gradients, slots, and the order of updates, which all optimizers share."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.optimizer_state import slot_key
from tracefn.compat.v1.optimizer_steps import OptimizerSteps, short_name
from tracefn.framework import control_dependencies, default_graph, executing_eagerly, init_scope
from tracefn.framework import name_scope as _name_scope
from tracefn.gradient_tape import GradientTape
from tracefn.indexed_slices import IndexedSlices
from tracefn.variable import Variable


@export("compat.v1.train.Optimizer")
class Optimizer(OptimizerSteps):
    """Minimizes a loss by steps along its gradients. Subclasses define the step.

    Args:
      use_locking: passed on to the ops, without effect.
      name: str, the name of the ops and slots.
      use_own_namescope_for_non_slot_vars: accepted, without effect.

    Raises:
      ValueError: there is no name.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking, name, use_own_namescope_for_non_slot_vars=False) -> None:
        del use_own_namescope_for_non_slot_vars
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._slots: dict[str, dict] = {}
        self._numbers: dict = {}  # Variables that belong to no other
        self._waiting_slots: dict[tuple, list] = {}

    def get_name(self) -> str:
        """The name."""
        return self._name

    def minimize(
        self,
        loss,
        global_step=None,
        var_list=None,
        gate_gradients=GATE_OP,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        name=None,
        grad_loss=None,
    ):
        """One step: `compute_gradients` and `apply_gradients`.

        Args:
          loss: scalar tensor of the graph; eagerly a function without arguments that returns it.
          global_step: Variable to increment, or None.
          var_list: list of Variables; the trainable ones by default.
          gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss: as for `compute_gradients`.
          name: name of the op.

        Returns:
          The Operation; None eagerly.

        Raises:
          ValueError: no Variable has a gradient.
          RuntimeError: ops run eagerly, and the loss is not a function.
        """
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(gradient is None for gradient, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, between "
                f"variables {[str(v) for _, v in pairs]} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss,
        var_list=None,
        gate_gradients=GATE_OP,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        grad_loss=None,
    ) -> list:
        """Pairs of a gradient, or None, and a Variable.

        Args:
          loss: scalar tensor of the graph, or a function without arguments that returns one.
          var_list: list of Variables; the trainable ones by default.
          gate_gradients: one of GATE_NONE, GATE_OP, GATE_GRAPH, without effect.
          aggregation_method: as in tf.gradients.
          colocate_gradients_with_ops: accepted, without effect.
          grad_loss: gradient of the loss, or None for 1.

        Raises:
          RuntimeError: ops run eagerly, and the loss is not a function.
          ValueError: there are no Variables, or the loss, its gradient or a Variable has a dtype that is not allowed.
        """
        del colocate_gradients_with_ops
        if gate_gradients not in (Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  Not "
                f"{gate_gradients}"
            )
        if callable(loss) and not isinstance(loss, _core.Tensor):
            return self._by_tape(loss, var_list, grad_loss)
        if executing_eagerly():
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        if var_list is None:
            var_list = default_graph().get_collection("trainable_variables")
        var_list = today("nest.flatten")(var_list)
        for variable in var_list:
            if not isinstance(variable, (Variable, _core.Tensor)):
                raise TypeError(f"Argument is not a tf.Variable: {variable}")
        if not var_list:
            raise ValueError("No variables to optimize.")
        gradients = today("gradients")(loss, var_list, grad_loss, aggregation_method=aggregation_method)
        self._assert_valid_dtypes([v for g, v in zip(gradients, var_list, strict=True) if g is not None])
        return list(zip(gradients, var_list, strict=True))

    def _by_tape(self, loss, var_list, grad_loss) -> list:
        with GradientTape() as tape:
            if var_list is not None:
                tape.watch([v.handle if isinstance(v, Variable) and v._is_argument else v for v in var_list])
            value = loss()
        variables = tape.watched_variables() if var_list is None else var_list
        return list(zip(tape.gradient(value, list(variables), grad_loss), variables, strict=True))

    def apply_gradients(self, grads_and_vars, global_step=None, name=None, skip_gradients_aggregation=False):
        """Applies gradients to Variables.

        Args:
          grads_and_vars: list of pairs of a gradient, or None, and a Variable.
          global_step: Variable to increment, or None.
          name: name of the op; that of the optimizer by default.
          skip_gradients_aggregation: accepted, without effect: gradients of replicas are not aggregated here.

        Returns:
          The Operation; None eagerly.

        Raises:
          ValueError: there are no pairs, or no gradients.
          TypeError, NotImplementedError: an element of a pair is something else.
        """
        del skip_gradients_aggregation
        pairs = tuple(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        pairs = tuple((_checked_gradient(g), _checked_variable(v)) for g, v in pairs)
        chosen = [(g, v) for g, v in pairs if g is not None]
        if not chosen:
            raise ValueError(f"No gradients provided for any variable: {[str(v) for _, v in pairs]}.")
        with init_scope():
            self._create_slots([v for _, v in chosen])
        with _name_scope(name or self._name) as scope:
            self._prepare()
            updates = []
            for gradient, variable in chosen:
                with _name_scope("update_" + short_name(variable)):
                    updates.append(self._update(gradient, variable))
            if global_step is None:
                done = self._finish(updates, scope)
            else:
                with control_dependencies([x for x in [self._finish(updates, "update")] if x is not None]):
                    one = today("constant")(1, global_step.dtype)
                    done = global_step.assign_add(one, name=scope, read_value=False)
        if executing_eagerly():
            return None
        graph = default_graph()
        if not graph.is_function and done not in graph.get_collection("train_op"):
            graph.add_to_collection("train_op", done)
        return done

    def _update(self, gradient, variable):
        if isinstance(gradient, IndexedSlices):
            if variable.constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable.")
            return self._resource_apply_sparse_duplicate_indices(gradient.values, variable, gradient.indices)
        update = self._resource_apply_dense(gradient, variable)
        if variable.constraint is None:
            return update
        with control_dependencies([x for x in [update] if x is not None]):
            return variable.assign(variable.constraint(variable), read_value=False)

    def get_slot(self, var, name):
        """The slot of a Variable with a name; None if there is none."""
        return self._slots.get(name, {}).get(slot_key(var))

    def get_slot_names(self) -> list[str]:
        """The names of the slots, sorted."""
        return sorted(self._slots)

    def variables(self) -> list:
        """The Variables that the optimizer made, sorted by name."""
        slots = [slot for slots in self._slots.values() for slot in slots.values()]
        graph = _core.current_graph()
        mine = [v for v in [*self._numbers.values(), *slots] if v._nodes is None or v.graph is graph]
        return sorted(mine, key=lambda v: v.name)


def _checked_gradient(gradient):
    if gradient is None or isinstance(gradient, (IndexedSlices, _core.Tensor)):
        return gradient
    try:
        return _core.convert_to_tensor(gradient)
    except TypeError:
        raise TypeError(f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {gradient}") from None


def _checked_variable(variable):
    if isinstance(variable, _core.Tensor):
        raise NotImplementedError("Trying to update a Tensor ", variable)
    if not isinstance(variable, Variable):
        raise TypeError(f"Argument is not a tf.Variable: {variable}")
    return variable
