"""`tf.saved_model.SaveOptions` and `LoadOptions`."""

from __future__ import annotations

import enum


class VariablePolicy(enum.Enum):
    """What files say about Variables. The copies that a strategy has of one are not in the files: there is one device.

    Attributes:
      NONE: a Variable of a strategy is one Variable, on no device.
      SAVE_VARIABLE_DEVICES: with their devices.
      EXPAND_DISTRIBUTED_VARIABLES: with their devices, and the copies of a Variable of a strategy.

    Example:
      >>> import tracefn as tf
      >>> tf.saved_model.SaveOptions(experimental_variable_policy="save_variable_devices").experimental_variable_policy
      <VariablePolicy.SAVE_VARIABLE_DEVICES: 'save_variable_devices'>
    """

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    def _save_variable_devices(self) -> bool:
        return self is not VariablePolicy.NONE

    @staticmethod
    def from_obj(obj) -> VariablePolicy:
        """The policy for a policy, its value, or None; capitals do not matter.

        Raises:
          ValueError: there is no such policy.
        """
        if obj is None or isinstance(obj, VariablePolicy):
            return obj or VariablePolicy.NONE
        try:
            return VariablePolicy(str(obj).lower())
        except ValueError:
            raise ValueError(f"Received invalid VariablePolicy value: {obj}.") from None


class SaveOptions:
    """Options of `tf.saved_model.save`.

    Args:
      namespace_whitelist: list of str, the namespaces of ops of other packages that may be saved; accepted, since ops of no other
        package can be here.
      save_debug_info: accepted, without effect: graphs in files name no lines of Python.
      function_aliases: dict from a name to a Function, under which other programs find its traces.
      experimental_debug_stripper: accepted, without effect.
      experimental_variable_policy: `tf.saved_model.experimental.VariablePolicy`, its value, or None: whether the
        devices of Variables count.
      experimental_io_device, experimental_custom_gradients, experimental_image_format,
      experimental_skip_saver, experimental_sharding_callback, extra_tags: accepted; tags are added, the rest has no effect.

    Raises:
      TypeError: `namespace_whitelist` is no list, or `function_aliases` no dict.
      ValueError: there is no such policy.

    Example:
      >>> import tracefn as tf
      >>> tf.saved_model.SaveOptions(function_aliases={}).function_aliases
      {}
    """

    __slots__ = (
        "experimental_custom_gradients",
        "experimental_debug_stripper",
        "experimental_image_format",
        "experimental_io_device",
        "experimental_sharding_callback",
        "experimental_skip_saver",
        "experimental_variable_policy",
        "extra_tags",
        "function_aliases",
        "namespace_whitelist",
        "save_debug_info",
    )

    def __init__(
        self,
        namespace_whitelist=None,
        save_debug_info=False,
        function_aliases=None,
        experimental_debug_stripper=False,
        experimental_io_device=None,
        experimental_variable_policy=None,
        experimental_custom_gradients=True,
        experimental_image_format=False,
        experimental_skip_saver=False,
        experimental_sharding_callback=None,
        extra_tags=None,
    ) -> None:
        if namespace_whitelist is not None and not isinstance(namespace_whitelist, (list, tuple)):
            raise TypeError(
                "`namespace_whitelist` must be a list of strings. Got: "
                f"{namespace_whitelist} with type {type(namespace_whitelist)}."
            )
        if function_aliases is not None and not isinstance(function_aliases, dict):
            raise TypeError(
                f"`function_aliases` must be a dict. Got: {function_aliases} with type {type(function_aliases)}."
            )
        self.namespace_whitelist = list(namespace_whitelist or [])
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


class LoadOptions:
    """Options of `tf.saved_model.load`.

    Args:
      allow_partial_checkpoint: whether Variables without values in the files keep their initial ones.
      experimental_io_device: accepted, without effect.
      experimental_variable_policy: `tf.saved_model.experimental.VariablePolicy`, its value, or None: whether the
        devices of Variables count.
      experimental_load_function_aliases: whether the result has `function_aliases`, a dict of Functions.
      experimental_skip_checkpoint: whether Variables are left without the values in the files.

    Raises:
      ValueError: there is no such policy.

    Example:
      >>> import tracefn as tf
      >>> tf.saved_model.LoadOptions(allow_partial_checkpoint=True).allow_partial_checkpoint
      True
    """

    __slots__ = (
        "allow_partial_checkpoint",
        "experimental_io_device",
        "experimental_load_function_aliases",
        "experimental_skip_checkpoint",
        "experimental_variable_policy",
    )

    def __init__(
        self,
        allow_partial_checkpoint=False,
        experimental_io_device=None,
        experimental_skip_checkpoint=False,
        experimental_variable_policy=None,
        experimental_load_function_aliases=False,
    ) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_load_function_aliases = experimental_load_function_aliases
