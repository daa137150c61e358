"""What columns need from an Example."""

from __future__ import annotations

from tracefn._export import export
from tracefn._feature_columns.base import FeatureColumn


@export("feature_column.make_parse_example_spec", "compat.v1.feature_column.make_parse_example_spec")
def make_parse_example_spec(feature_columns):
    """The specs of all features that columns need, for `tf.io.parse_example`.

    Args:
      feature_columns: columns.

    Returns:
      dict from names of features to specs.

    Raises:
      ValueError: one is no column, or two need one feature in different ways.

    Example:
      >>> import tracefn as tf
      >>> columns = [tf.feature_column.numeric_column("a"), tf.feature_column.categorical_column_with_identity("b", 3)]
      >>> tf.feature_column.make_parse_example_spec(columns)["b"]
      VarLenFeature(dtype=tf.int64)
    """
    specs: dict = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"All feature_columns must be FeatureColumn instances. Given: {column}")
        for key, spec in column.parse_example_spec.items():
            if specs.setdefault(key, spec) != spec:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {spec} and {specs[key]}"
                )
    return specs
