"""`tf.train.ExponentialMovingAverage`: averages of Variables over the steps of a training, the later ones with more weight."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.variable_scopes import AUTO_REUSE, current_store, variable_scope
from tracefn.compat.v1.variables import get_variable
from tracefn.distribute import ReduceOp, get_replica_context, get_strategy, has_strategy
from tracefn.framework import default_graph, executing_eagerly, init_scope, inside_function
from tracefn.framework import name_scope as _name_scope
from tracefn.variable import Variable

_FLOATS = ("bfloat16", "float16", "float32", "float64")
_COLLECTION = "moving_average_variables"


def _short(named) -> str:
    """The name of a Variable or tensor without the number of its output."""
    return named.name.removesuffix(":0")


def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """Moves a Variable towards a value: to `variable * decay + value * (1 - decay)`.

    `tf.__internal__.train` has it, and says what the arguments are.
    """
    with _name_scope(name or "AssignMovingAvg") as scope:
        rest = _core.convert_to_tensor(1.0 - decay, name="decay")
        if rest.dtype != variable.dtype:
            rest = today("cast")(rest, variable.dtype)
        states = _numbers_for_debiasing(variable) if zero_debias else ()

        def step(average, value, *states):
            if states:
                return _unbiased_step(average, value, *states, rest, scope)
            return average.assign_sub((average - value) * rest, name=scope)

        return _updated(variable, step, value, states)


def _updated(variable, step, value, states: tuple):
    """The result of a step of a Variable, by all replicas together if there are some."""
    if not has_strategy():
        return step(variable, value, *states)

    def merged(strategy, variable, value, *states):
        mean = strategy.extended.reduce_to(ReduceOp.MEAN, value, variable)
        return strategy.extended.update(variable, step, args=(mean, *states))

    replica = get_replica_context()
    if replica is not None:
        return replica.merge_call(merged, args=(variable, value, *states))
    return get_strategy().extended.update(variable, step, args=(value, *states))


def _unbiased_step(average, value, biased, count, rest, scope: str):
    """An average that begins at zero is too small by the weights of the values that it has not seen."""
    new = biased.assign_sub((biased - value) * rest)
    seen = 1 - today("pow")(1.0 - rest, count.assign_add(1))
    return average.assign(new / seen, name=scope)


def _numbers_for_debiasing(variable) -> tuple:
    """The average with its bias, and the number of values, as new Variables below the name of the average."""
    zeros = today("compat.v1.zeros_initializer")()
    is_traced = inside_function() and today("compat.v1.executing_eagerly_outside_functions")()
    # All traces of a tf.function have the same Variables.
    with variable_scope(_short(variable), reuse=AUTO_REUSE if is_traced else None) as scope:
        arguments = {"dtype": variable.dtype, "initializer": zeros, "trainable": False}
        biased = get_variable(_new_name(scope, "biased"), variable.shape, **arguments)
        return biased, get_variable(_new_name(scope, "local_step"), [], **arguments)


def _new_name(scope, name: str) -> str:
    """A name that `get_variable` has not made in the scope; the name itself if the scope finds Variables again."""
    if scope.reuse:
        return name
    made, new, count = current_store().made, name, 0
    while f"{scope.name}/{new}" in made:
        count += 1
        new = f"{name}_{count}"
    return new


def _value_so_far(variable):
    """The value of a Variable; the initial one, if a session asks for it before the Variable is initialized."""
    initialized = today("compat.v1.is_variable_initialized")(variable)
    return today("cond")(initialized, variable.read_value, lambda: variable.initial_value)


@export("train.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Keeps averages of Variables, in which earlier values fade.

    The first `apply` makes a Variable for each average, with the Variable's value. All further ones update it to
    `decay * average + (1 - decay) * variable`. An evaluation with the averages is often better than one with the last
    values.

    The object itself is not saved in checkpoints: the Variables that `average` returns are.

    Args:
      decay: float32 scalar, a float, tensor or Variable, near 1: 0.999 or more.
      num_updates: scalar, the number of training steps so far, or None. With it, the decay is at most
        `(1 + num_updates) / (10 + num_updates)`, so that averages move faster at first.
      zero_debias: whether averages of tensors in graphs of TensorFlow 1, which begin at zero, are corrected for that.
      name: str, the last part of the names of the averages, and the scope of the ops.

    Example:
      >>> import tracefn as tf
      >>> weights = tf.Variable([1.0, 2.0])
      >>> ema = tf.train.ExponentialMovingAverage(decay=0.75)
      >>> ema.apply([weights])
      >>> _ = weights.assign([5.0, 6.0])
      >>> ema.apply([weights])
      >>> ema.average(weights).numpy().tolist()
      [2.0, 3.0]
    """

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage") -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict = {}  # by references to what is averaged

    @property
    def name(self) -> str:
        """The last part of the names of the averages."""
        return self._name

    def apply(self, var_list=None):
        """Makes the averages that are not there yet, and updates all of them.

        Args:
          var_list: list of Variables of dtype bfloat16, float16, float32 or float64; in a graph of TensorFlow 1 also
            tensors. The graph's trainable Variables if None.

        Returns:
          The Operation that updates them; None eagerly, where they are updated.

        Raises:
          TypeError: a Variable has another dtype, or it is a tensor and no graph of TensorFlow 1 is being built.
        """
        if var_list is None:
            var_list = default_graph().get_collection("trainable_variables")
        for variable in var_list:
            if isinstance(variable, _core.Tensor) and today("compat.v1.executing_eagerly_outside_functions")():
                raise TypeError(
                    "tf.train.ExponentialMovingAverage does not support non-Variable tensors when eager execution is enabled."
                )
        from_zero = set()
        for variable in var_list:
            if variable.dtype.name not in _FLOATS:
                raise TypeError(f"The variables must be half, float, or double: {variable.name}")
            if variable.ref() not in self._averages:
                self._averages[variable.ref()] = average = self._new_average(variable)
                if self._zero_debias and isinstance(variable, _core.Tensor):
                    from_zero.add(average.ref())
        with _name_scope(self._name) as scope:
            decay = self._decay_now()
            updates = []
            for variable in var_list:
                average = self._averages[variable.ref()]
                updates.append(assign_moving_average(average, variable, decay, average.ref() in from_zero))
            return today("group")(*updates, name=scope)

    def _decay_now(self):
        decay = _core.convert_to_tensor(self._decay, dtype="float32", name="decay")
        if self._num_updates is None:
            return decay
        count = today("cast")(self._num_updates, "float32", name="num_updates")
        return today("minimum")(decay, (1.0 + count) / (10.0 + count))

    def _new_average(self, variable):
        with init_scope():
            is_tensor = isinstance(variable, _core.Tensor)
            if is_tensor:
                sizes = variable.shape if variable.shape.is_fully_defined() else today("shape")(variable)
                value = today("zeros")(sizes, variable.dtype)
            else:
                value = _value_so_far(variable)
                if not executing_eagerly():  # eagerly, it would keep the Variable alive
                    default_graph().add_to_collection(_COLLECTION, variable)
            with variable_scope(None, f"{_short(variable)}/{self._name}") as scope, _name_scope(""):
                name = scope.name if executing_eagerly() else f"{scope.name}/"  # the name scope itself, in a graph
                is_known = value.shape.is_fully_defined()
                return Variable(value, trainable=False, validate_shape=is_known, name=name, dtype=variable.dtype)

    def average(self, var):
        """The Variable that holds the average of a Variable; None if there is none."""
        return self._averages.get(var.ref())

    def average_name(self, var) -> str:
        """The name of the Variable that holds the average of a Variable, or would hold it.

        Example:
          >>> import tracefn as tf
          >>> weights = tf.Variable(1.0, name="weights")
          >>> tf.train.ExponentialMovingAverage(0.99).average_name(weights)
          'weights/ExponentialMovingAverage'
        """
        if var.ref() in self._averages:
            return _short(self._averages[var.ref()])
        return default_graph().unique_name(f"{_short(var)}/{self._name}", mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables=None) -> dict:
        """What to give `tf.compat.v1.train.Saver` to restore averages into the Variables themselves.

        Args:
          moving_avg_variables: list of the Variables to restore from their averages. If None, those of the graph that are
            trainable or have an average; eagerly, those that have one here.

        Returns:
          dict from names in the checkpoint to Variables: the names of averages, or, for the other Variables of the graph,
          their own.

        Example:
          >>> import tracefn as tf
          >>> v1 = tf.compat.v1
          >>> with tf.Graph().as_default():
          ...     weights = v1.get_variable("weights", initializer=1.0)
          ...     sorted(v1.train.ExponentialMovingAverage(0.99).variables_to_restore())
          ['weights/ExponentialMovingAverage']
        """
        graph = default_graph()
        if moving_avg_variables is None:
            moving_avg_variables = graph.get_collection("trainable_variables") + graph.get_collection(_COLLECTION)
            if executing_eagerly():
                moving_avg_variables += [reference.deref() for reference in self._averages]
        averaged = {variable.ref(): variable for variable in moving_avg_variables}.values()
        found = {self.average_name(variable): variable for variable in averaged}
        names = {variable.name for variable in averaged}
        for variable in graph.get_collection("variables"):
            if variable.name not in names:
                found.setdefault(_short(variable), variable)
        return found
