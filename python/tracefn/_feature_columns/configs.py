"""Columns as plain values, and back."""

from __future__ import annotations

from tracefn._feature_columns.base import FeatureColumn
from tracefn._namespaces import root

tf = root()
_classes: dict[str, type] = {}


class Fields(FeatureColumn):
    """A column whose fields say all about it; its class is a named tuple, too."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _classes[cls.__name__] = cls

    def get_config(self) -> dict:
        """Its fields, as plain values: columns and initializers are dicts of a class name and a config."""
        return {field: _plain(getattr(self, field)) for field in _fields_of(type(self))}

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        """The column with these fields.

        Args:
          config: what `get_config` gave.
          custom_objects: dict from names to functions and classes that the config mentions.
          columns_by_name: dict of columns to share, which is added to.

        Raises:
          ValueError: a field is missing, or there are others.
        """
        fields = _fields_of(cls)
        if set(config) != set(fields):
            raise ValueError(f"Invalid config: {config}, expected keys: {fields}")
        known = {} if columns_by_name is None else columns_by_name
        return cls(*(_value(field, config[field], custom_objects or {}, known) for field in fields))


class OfKey(Fields):
    """A column made from the one feature `key`, which it is named after."""

    key: str

    @property
    def name(self) -> str:
        """The key of the feature."""
        return self.key

    @property
    def parents(self) -> list:
        """The key of the feature."""
        return [self.key]


def _fields_of(column: type) -> tuple[str, ...]:
    """The fields of a class of columns."""
    return column._fields  # type: ignore[attr-defined]  # it is a named tuple


def _plain(value):
    if isinstance(value, FeatureColumn):
        return serialize_feature_column(value)
    if isinstance(value, tf.DType):
        return value.name
    if isinstance(value, tuple) and any(isinstance(item, FeatureColumn) for item in value):
        return tuple(_plain(item) for item in value)
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    return getattr(value, "__name__", value) if callable(value) else value


def _value(field: str, plain, custom_objects: dict, columns_by_name: dict):
    if isinstance(plain, dict) and set(plain) == {"class_name", "config"}:
        return _object(plain, custom_objects, columns_by_name)
    if field == "keys":
        return tuple(_value("key", item, custom_objects, columns_by_name) for item in plain)
    if field == "dtype":
        return tf.as_dtype(plain)
    if field == "normalizer_fn" and isinstance(plain, str):
        if plain not in custom_objects:
            raise ValueError(f"Unknown normalizer_fn: {plain}. Give the function as `custom_objects={{{plain!r}: …}}`.")
        return custom_objects[plain]
    return tuple(plain) if isinstance(plain, list) else plain


def _object(plain: dict, custom_objects: dict, columns_by_name: dict):
    name = plain["class_name"]
    if name in _classes or issubclass(custom_objects.get(name, object), FeatureColumn):
        return deserialize_feature_column(plain, custom_objects, columns_by_name)
    kind = custom_objects.get(name) or getattr(tf.compat.v1.initializers, name, None) or _initializer(name)
    return kind.from_config(plain["config"]) if hasattr(kind, "from_config") else kind(**plain["config"])


def _initializer(name: str):
    """The initializer class of TensorFlow 1 with a name; ValueError if there is none."""
    for attribute in dir(tf.compat.v1.initializers):
        found = getattr(tf.compat.v1.initializers, attribute)
        if getattr(found, "__name__", "") == name:
            return found
    raise ValueError(f"Unknown initializer: {name}. Give the class as `custom_objects={{{name!r}: …}}`.")


def serialize_feature_column(fc):
    """A column as a dict of its class's name and its config; a str stands for itself.

    Args:
      fc: a feature column, or a str.

    Raises:
      ValueError: it is neither.

    Example:
      >>> import tracefn as tf
      >>> column = tf.feature_column.categorical_column_with_identity("kind", 3)
      >>> tf.__internal__.feature_column.serialize_feature_column(column)["config"]
      {'key': 'kind', 'number_buckets': 3, 'default_value': None}
    """
    if isinstance(fc, str):
        return fc
    if isinstance(fc, FeatureColumn):
        return {"class_name": type(fc).__name__, "config": fc.get_config()}
    raise ValueError(f"Instance: {fc} is not a FeatureColumn")


def deserialize_feature_column(config, custom_objects=None, columns_by_name=None):
    """The column that `serialize_feature_column` made a dict of.

    Args:
      config: dict of a class's name and a config, or a str.
      custom_objects: dict from names to classes and functions of the program that the config mentions.
      columns_by_name: dict of columns to share, which is added to.

    Raises:
      ValueError: the class or a function is unknown, or a config does not fit.

    Example:
      >>> import tracefn as tf
      >>> column = tf.feature_column.numeric_column("price")
      >>> plain = tf.__internal__.feature_column.serialize_feature_column(column)
      >>> tf.__internal__.feature_column.deserialize_feature_column(plain) == column
      True
    """
    if isinstance(config, str):
        return config
    name = config["class_name"]
    kind = (custom_objects or {}).get(name) or _classes.get(name)
    if kind is None:
        raise ValueError(f"Unknown feature_column_v2: {name}")
    made = kind.from_config(config["config"], custom_objects=custom_objects, columns_by_name=columns_by_name)
    if columns_by_name is None:
        return made
    return columns_by_name.setdefault(f"{name}:{made.name}", made)
