"""Collections of graphs, and the ops that initialize what is in them."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn._variable.sessions import set_initialized_value
from tracefn.compat.v1.arguments import today
from tracefn.framework import control_dependencies, default_graph, executing_eagerly
from tracefn.framework import name_scope as _name_scope


@export("compat.v1.GraphKeys")
class GraphKeys:
    """The names of collections that have a meaning.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.GraphKeys.TRAINABLE_VARIABLES
      'trainable_variables'
    """

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    VARIABLES = "variables"


@export("compat.v1.add_to_collection")
def add_to_collection(name, value) -> None:
    """Appends a value to a collection of the default graph.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     tf.compat.v1.add_to_collection("losses", 1.0)
      ...     print(tf.compat.v1.get_collection("losses"))
      [1.0]
    """
    default_graph().add_to_collection(name, value)


@export("compat.v1.add_to_collections")
def add_to_collections(names, value) -> None:
    """Appends a value to several collections of the default graph."""
    default_graph().add_to_collections(names, value)


@export("compat.v1.get_collection")
def get_collection(key, scope=None) -> list:
    """The values in a collection of the default graph.

    Args:
      key: the collection's name.
      scope: regular expression that the beginning of a value's name must match, or None.
    """
    return default_graph().get_collection(key, scope)


@export("compat.v1.get_collection_ref")
def get_collection_ref(key) -> list:
    """The list itself of a collection of the default graph."""
    return default_graph().get_collection_ref(key)


def _add_lister(public: str, key: str, what: str) -> None:
    def listed(scope=None):
        return get_collection(key, scope)

    listed.__name__ = listed.__qualname__ = public
    listed.__doc__ = f"The {what} of the default graph whose names begin with `scope`, a regular expression, or all."
    export(f"compat.v1.{public}")(listed)


for _public, _key, _what in (
    ("global_variables", "variables", "Variables"),
    ("local_variables", "local_variables", "local Variables"),
    ("trainable_variables", "trainable_variables", "trainable Variables"),
    ("model_variables", "model_variables", "Variables of models"),
    ("moving_average_variables", "moving_average_variables", "Variables with moving averages"),
):
    _add_lister(_public, _key, _what)


@export("compat.v1.all_variables")
def all_variables() -> list:
    """The Variables of the default graph."""
    return get_collection("variables")


@export("compat.v1.variables_initializer", "compat.v1.initialize_variables")
def variables_initializer(var_list, name="init"):
    """An op that assigns the initial values of Variables; nothing eagerly, where they have their values.

    Args:
      var_list: list of Variables.
      name: name of the op.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     v = tf.compat.v1.Variable(3.0)
      ...     with tf.compat.v1.Session() as session:
      ...         session.run(tf.compat.v1.variables_initializer([v]))
      ...         print(session.run(v))
      3.0
    """
    if var_list and not executing_eagerly():
        return today("group")(*[v.initializer for v in var_list if v.initializer is not None], name=name)
    return today("no_op")(name=name)


@export("compat.v1.global_variables_initializer", "compat.v1.initialize_all_variables")
def global_variables_initializer():
    """An op that assigns the initial values of the graph's Variables; nothing eagerly, where they have their values.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.global_variables_initializer()
    """
    if executing_eagerly():
        return today("no_op")(name="global_variables_initializer")
    return variables_initializer(get_collection("variables"))


@export("compat.v1.local_variables_initializer", "compat.v1.initialize_local_variables")
def local_variables_initializer():
    """An op that assigns the initial values of the graph's local Variables."""
    if executing_eagerly():
        return today("no_op")(name="local_variables_initializer")
    return variables_initializer(get_collection("local_variables"))


@export("compat.v1.tables_initializer", "compat.v1.initialize_all_tables")
def tables_initializer(name="init_all_tables"):
    """An op that fills the graph's tables; nothing eagerly, where they are filled when they are made."""
    initializers = get_collection("table_initializer")
    return today("group")(*initializers, name=name) if initializers else today("no_op")(name=name)


@export("compat.v1.is_variable_initialized")
def is_variable_initialized(variable):
    """A bool tensor: whether a Variable has a value."""
    return variable.is_initialized()


@export("compat.v1.report_uninitialized_variables")
def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables"):
    """The names of the Variables that have no value.

    Args:
      var_list: list of Variables; the global and local ones of the graph by default.
      name: name of the op.

    Returns:
      String vector.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     v = tf.compat.v1.Variable(3.0, name="v")
      ...     print(tf.compat.v1.Session().run(tf.compat.v1.report_uninitialized_variables()))
      [b'v']
    """
    if var_list is None:
        var_list = get_collection("variables") + get_collection("local_variables")
    with _name_scope(name):
        if not var_list:
            return today("constant")([], "string")
        missing = today("logical_not")(today("stack")([v.is_initialized() for v in var_list]))
        names = today("constant")([v.name.removesuffix(":0") for v in var_list])
        return today("boolean_mask")(names, missing)


@export("compat.v1.add_check_numerics_ops")
def add_check_numerics_ops():
    """An op that checks all floating tensors of the graph for infinities and NaNs.

    Raises:
      RuntimeError: ops run eagerly.
      InvalidArgumentError: when it runs, a value is not finite.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     x = tf.math.log(tf.constant(-1.0))
      ...     check = tf.compat.v1.add_check_numerics_ops()
      ...     try:
      ...         tf.compat.v1.Session().run(check)
      ...     except tf.errors.InvalidArgumentError as error:
      ...         print("NaN" in str(error))
      True
    """
    if executing_eagerly():
        raise RuntimeError(
            "add_check_numerics_ops() is not compatible with eager execution. To check for Inf's and NaN's under eager "
            "execution, call tf.debugging.enable_check_numerics() once before executing the checked operations."
        )
    checks: list = []
    for operation in default_graph().get_operations():
        for output in operation.outputs:
            if output.dtype.is_floating and output.dtype != "float16":
                message = f"{operation.name}:{output.value_index}"
                with control_dependencies(checks):
                    checked = today("debugging.check_numerics")(output, message)
                checks = [checked.op]
    return today("group")(*checks)


def _initialized_value(variable):
    with _name_scope("cond_initialized"):
        return today("cond")(variable.is_initialized(), variable.read_value, lambda: variable.initial_value)


set_initialized_value(_initialized_value)


def _add_updater(public: str, update, what: str) -> None:
    def locking(ref, indices, updates, use_locking=True, name=None):
        del use_locking
        return update(ref, indices, updates, name)

    def not_locking(ref, indices, updates, use_locking=False, name=None):
        del use_locking
        return update(ref, indices, updates, name)

    chosen = locking if public.endswith("update") else not_locking  # TensorFlow's defaults, without effect
    chosen.__name__ = chosen.__qualname__ = public
    chosen.__doc__ = f"`ref.{public}` {what}; returns the Variable."
    export(f"compat.v1.{public}")(chosen)


def _by_rows(method: str):
    def update(ref, indices, updates, name):
        slices = today("IndexedSlices")(_core.convert_to_tensor(updates, dtype=ref.dtype), _core.convert_to_tensor(indices))
        return getattr(ref, method)(slices, name=name)

    return update


def _by_vectors(method: str):
    return lambda ref, indices, updates, name: getattr(ref, method)(indices, updates, name=name)


for _public in ("scatter_add", "scatter_sub", "scatter_mul", "scatter_div", "scatter_min", "scatter_max", "scatter_update"):
    _add_updater(_public, _by_rows(_public), "of rows `indices` by `updates`")
_add_updater("batch_scatter_update", _by_rows("batch_scatter_update"), "of rows `indices` by `updates`")
for _public in ("scatter_nd_add", "scatter_nd_sub", "scatter_nd_update"):
    _add_updater(_public, _by_vectors(_public), "at index vectors `indices` by `updates`")


@export("compat.v1.count_up_to")
def count_up_to(ref, limit, name=None):
    """`ref.count_up_to(limit)`: increments a Variable, and returns the value before.

    Raises:
      OutOfRangeError: the value has already reached `limit`.
    """
    return _core.raw_op("ResourceCountUpTo")(resource=ref.handle, limit=limit, T=ref.dtype, name=name)


@export("compat.v1.variable_creator_scope")
def variable_creator_scope(variable_creator):
    """`tf.variable_creator_scope`."""
    return today("variable_creator_scope")(variable_creator)


@export("compat.v1.dimension_at_index")
def dimension_at_index(shape, index):
    """The dimension of a TensorShape at an index, of unknown size if the rank is unknown.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.dimension_at_index(tf.TensorShape([2, 3]), 1).value
      3
    """
    return today("compat.dimension_at_index")(shape, index)


@export("compat.v1.no_regularizer")
def no_regularizer(_):
    """A regularizer without a loss: None."""


@export("compat.v1.fixed_size_partitioner")
def fixed_size_partitioner(num_shards, axis=0):
    """A function from a shape and dtype to the numbers of pieces per dimension: `num_shards` along `axis`.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.fixed_size_partitioner(2)(tf.TensorShape([4, 3]), tf.float32)
      [2, 1]
    """

    def partitioner(shape, dtype=None):
        del dtype
        pieces = [1] * len(shape)
        pieces[axis] = min(num_shards, shape.dims[axis].value)
        return pieces

    return partitioner
