"""`tf.saved_model.experimental.TrackableResource`: an object that stands for a resource, such as a table."""

from __future__ import annotations

from tracefn._tracking.base import Trackable
from tracefn.framework import init_scope


class TrackableResource(Trackable):
    """An object with a resource that functions capture by its handle. Subclasses define how it is made and filled.

    A saved model keeps these methods as functions, and a loaded one calls them.

    Args:
      device: accepted: there is one device.

    Example:
      >>> import tracefn as tf
      >>> issubclass(tf.lookup.StaticHashTable, tf.saved_model.experimental.TrackableResource)
      True
    """

    def __init__(self, device="") -> None:
        self._resource_device = device
        self._resource_handle = None

    @property
    def resource_handle(self):
        """The handle, a scalar tensor of dtype resource; the resource is made when it is first asked for."""
        if self._resource_handle is None:
            with init_scope():
                self._resource_handle = self._create_resource()
        return self._resource_handle

    def _create_resource(self):
        """Makes the resource and returns its handle.

        Raises:
          NotImplementedError: a subclass has not defined it.
        """
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self):
        """Fills the resource."""

    def _destroy_resource(self):
        """Frees what the resource holds."""
