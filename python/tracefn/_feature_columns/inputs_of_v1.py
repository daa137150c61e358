"""`tf.compat.v1.feature_column`: columns as the inputs and weights of a graph's model."""

from __future__ import annotations

from collections.abc import Iterator

from tracefn._export import export
from tracefn._feature_columns.base import CategoricalColumn, DenseColumn, FeatureColumn, FeatureTransformationCache
from tracefn._feature_columns.states import StateManager
from tracefn._namespaces import root

tf = root()


class _InScope(StateManager):
    """Makes the variables of columns in the current variable scope."""

    def __init__(self, trainable: bool, collections) -> None:
        super().__init__(None, trainable)
        self._collections = collections

    def create_variable(
        self, feature_column, name, shape, dtype=None, trainable=True, use_resource=True, initializer=None
    ):
        """Makes a variable of a column."""
        del use_resource
        variable = _variable(name, shape, initializer, self._trainable and trainable, self._collections, dtype)
        self._cols_to_vars_map[feature_column][name] = variable
        return variable


def _variable(name: str, shape, initializer, trainable: bool, collections, dtype=None):
    return tf.compat.v1.get_variable(
        name, shape, dtype or tf.float32, initializer=initializer, trainable=trainable, collections=collections
    )


def _collections(weight_collections) -> list:
    """The collections that variables go into."""
    keys = tf.compat.v1.GraphKeys
    wanted = list(weight_collections or [])
    return wanted + [key for key in (keys.GLOBAL_VARIABLES, keys.MODEL_VARIABLES) if key not in wanted]


def _ordered(feature_columns) -> list:
    """Columns in the order of their names.

    Raises:
      ValueError: there are none, one is no column, or two have one name.
    """
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    columns = [feature_columns] if isinstance(feature_columns, FeatureColumn) else feature_columns
    if isinstance(columns, Iterator):
        columns = list(columns)
    named: dict = {}
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"Items of feature_columns must be a _FeatureColumn. Given (type {type(column)}): {column}.")
        if column.name in named:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and {named[column.name]}. This usually means "
                "that these columns refer to same base feature. Either one must be discarded or a duplicated but renamed "
                "item must be inserted in features dict."
            )
        named[column.name] = column
    if not named:
        raise ValueError("feature_columns must not be empty.")
    return [named[name] for name in sorted(named)]


def _scope_name(column) -> str:
    """The name of a column's variable scope."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "_.\\-/") else "_" for c in column._var_scope_name)


def _flat(column, tensor):
    """A dense tensor as a matrix, with a row per example."""
    return tf.reshape(tensor, [tf.shape(tensor)[0], column.variable_shape.num_elements()])


def _check_rows(tensors: list, columns: list) -> None:
    """
    Raises:
      ValueError: columns are known to have different numbers of examples.
    """
    known = [(i, tensor.shape[0]) for i, tensor in enumerate(tensors) if tensor.shape[0] is not None]
    for i, rows in known[1:]:
        first, expected = known[0]
        if rows != expected:
            raise ValueError(
                "Batch size (first dimension) of each feature must be same. Batch size of columns "
                f"({columns[first].name}, {columns[i].name}): ({expected}, {rows})"
            )


def _made_in_scope() -> list:
    graph = tf.compat.v1.get_default_graph()
    return graph.get_collection(tf.compat.v1.GraphKeys.GLOBAL_VARIABLES, tf.compat.v1.get_variable_scope().name)


@export("compat.v1.feature_column.input_layer")
def input_layer(
    features, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None, cols_to_output_tensors=None
):
    """The dense tensors of columns side by side, in the order of the columns' names.

    Args:
      features: dict from names to tensors and SparseTensors [batch, ...].
      feature_columns: dense columns.
      weight_collections: names of collections that variables are added to.
      trainable: whether variables are.
      cols_to_vars: dict to which the list of each column's variables is added, or None.
      cols_to_output_tensors: dict to which each column's tensor [batch, size] is added, or None.

    Returns:
      Tensor [batch, all sizes], float32.

    Raises:
      ValueError: a column is not dense, two have one name, or the numbers of examples differ.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     price = tf.feature_column.numeric_column("price")
      ...     inputs = tf.compat.v1.feature_column.input_layer({"price": [[1.0], [2.0]]}, [price])
      ...     print(tf.compat.v1.Session().run(inputs).tolist())
      [[1.0], [2.0]]
    """
    columns = _ordered(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an "
                f"embedding_column or indicator_column. Given: {column}"
            )
    cache, state = FeatureTransformationCache(features), _InScope(trainable, _collections(weight_collections))
    outputs = []
    with tf.compat.v1.variable_scope(None, default_name="input_layer"):
        for column in columns:
            with tf.compat.v1.variable_scope(None, default_name=_scope_name(column)):
                column.create_state(state)
                outputs.append(_flat(column, column.get_dense_tensor(cache, state)))
                if cols_to_vars is not None:
                    cols_to_vars[column] = _made_in_scope()
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = outputs[-1]
        _check_rows(outputs, columns)
        return tf.concat(outputs, 1)


@export("compat.v1.feature_column.linear_model")
def linear_model(
    features,
    feature_columns,
    units=1,
    sparse_combiner="sum",
    weight_collections=None,
    trainable=True,
    cols_to_vars=None,
):
    """A sum of the columns' values with weights, which are variables that begin with 0, and of a bias.

    Args:
      features: dict from names to tensors and SparseTensors [batch, ...].
      feature_columns: dense and categorical columns.
      units: int, how many sums.
      sparse_combiner: "sum", "mean" or "sqrtn": how the weights of an example's ids are combined.
      weight_collections: names of collections that variables are added to.
      trainable: whether variables are.
      cols_to_vars: dict to which the list of each column's variables is added, and those of "bias", or None.

    Returns:
      Tensor [batch, units], float32.

    Raises:
      ValueError: a column is neither dense nor categorical, two have one name, or the numbers of examples differ.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     price = tf.feature_column.numeric_column("price")
      ...     sums = tf.compat.v1.feature_column.linear_model({"price": [[1.0], [2.0]]}, [price])
      ...     _ = session.run(tf.compat.v1.global_variables_initializer())
      ...     print(session.run(sums).tolist())
      [[0.0], [0.0]]
    """
    columns = _ordered(feature_columns)
    for column in columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise ValueError(
                f"Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. Given: {column}"
            )
    collections = _collections(weight_collections)
    cache, state = FeatureTransformationCache(features), _InScope(trainable, collections)
    sums = []
    zeros = tf.compat.v1.zeros_initializer()
    with tf.compat.v1.variable_scope(None, default_name="linear_model"):
        for column in columns:
            with tf.compat.v1.variable_scope(None, default_name=_scope_name(column)):
                has_ids = isinstance(column, CategoricalColumn)
                size = column.num_buckets if has_ids else column.variable_shape.num_elements()
                weights = _variable("weights", (size, units), zeros, trainable, collections)
                column.create_state(state)
                if has_ids:
                    sums.append(_sum_of_ids(column, weights, sparse_combiner, cache, state))
                else:
                    sums.append(tf.matmul(_flat(column, column.get_dense_tensor(cache, state)), weights))
                if cols_to_vars is not None:
                    cols_to_vars[column] = _made_in_scope()
        _check_rows(sums, columns)
        bias = _variable("bias_weights", [units], zeros, trainable, collections)
        if cols_to_vars is not None:
            cols_to_vars["bias"] = [bias]
        return tf.nn.bias_add(tf.add_n(sums), bias, name="weighted_sum")


def _sum_of_ids(column, weights, combiner: str, cache, state):
    """The weights of the ids of each example, combined."""
    ids, factors = column.get_sparse_tensors(cache, state)
    flat = [tf.shape(ids)[0], -1]
    ids = tf.sparse.reshape(ids, flat)
    if factors is not None:
        factors = tf.sparse.reshape(factors, flat)
    return tf.nn.safe_embedding_lookup_sparse(weights, ids, factors, combiner=combiner, name="weighted_sum")
