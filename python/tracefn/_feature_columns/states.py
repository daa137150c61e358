"""Who keeps the variables and tables of columns."""

from __future__ import annotations

from collections import defaultdict

from tracefn._namespaces import root
from tracefn._tracking.base import Trackable, without_tracking
from tracefn._tracking.structure import wrap_or_unwrap

tf = root()


class StateManager:
    """Keeps the variables and tables that columns make, for a layer that has them.

    Args:
      layer: Keras layer that makes the variables, or None.
      trainable: whether they may be trainable.
    """

    def __init__(self, layer, trainable) -> None:
        self._layer, self._trainable = layer, trainable
        if layer is not None and not hasattr(layer, "_resources"):
            layer._resources = wrap_or_unwrap({})
        self._cols_to_vars_map: defaultdict = defaultdict(dict)
        self._cols_to_resources_map: defaultdict = defaultdict(dict)

    def create_variable(
        self, feature_column, name, shape, dtype=None, trainable=True, use_resource=True, initializer=None
    ):
        """Makes a variable of a column.

        Raises:
          ValueError: the column has one of that name.
        """
        if name in self._cols_to_vars_map[feature_column]:
            raise ValueError("Variable already exists.")
        layer = self._layer
        with without_tracking(layer):
            variable = layer.add_weight(
                name=name,
                shape=shape,
                dtype=dtype,
                initializer=initializer,
                trainable=self._trainable and trainable,
                use_resource=use_resource,
                getter=tf.compat.v1.get_variable,
            )
        if isinstance(variable, Trackable):
            layer._track_trackable(variable, f"{feature_column.name}/{name}")
        self._cols_to_vars_map[feature_column][name] = variable
        return variable

    def get_variable(self, feature_column, name):
        """A variable of a column.

        Raises:
          ValueError: the column has none of that name.
        """
        if name not in self._cols_to_vars_map[feature_column]:
            raise ValueError("Variable does not exist.")
        return self._cols_to_vars_map[feature_column][name]

    def add_resource(self, feature_column, resource_name, resource) -> None:
        """Keeps a table of a column; the layer saves it."""
        self._cols_to_resources_map[feature_column][resource_name] = resource
        if self._layer is not None and isinstance(resource, Trackable):
            held = self._layer._resources
            if feature_column.name not in held:
                held[feature_column.name] = wrap_or_unwrap({})
            if resource_name not in held[feature_column.name]:
                held[feature_column.name][resource_name] = resource

    def has_resource(self, feature_column, resource_name) -> bool:
        """Whether a column has a table of a name."""
        return resource_name in self._cols_to_resources_map[feature_column]

    def get_resource(self, feature_column, resource_name):
        """A table of a column.

        Raises:
          ValueError: the column has none of that name.
        """
        if not self.has_resource(feature_column, resource_name):
            raise ValueError("Resource does not exist.")
        return self._cols_to_resources_map[feature_column][resource_name]
