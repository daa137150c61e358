"""`tensorflow.python.keras.saving.saving_utils`: the call of a model of any Keras, as a tf.function for those who convert it."""

from __future__ import annotations

from tracefn import nest
from tracefn._core import Function
from tracefn._nest.shallow import yield_flat_paths
from tracefn.function import function


def model_input_signature(model, keep_original_batch_size=False) -> list | tuple | None:
    """The specs that a model of Keras 2 states for its inputs, as a sequence of one structure; None if it has not seen any.

    Args:
      model: has the method `_get_save_spec`.
      keep_original_batch_size: whether a known size of batches stays.
    """
    specs = model._get_save_spec(dynamic_batch=not keep_original_batch_size)
    if specs is None:
        return None
    names = [getattr(spec, "name", None) for spec in nest.flatten(specs)]
    if any(names) and None in names:  # all have names, or none has
        specs = nest.map_structure(_without_name, specs)
    return specs if isinstance(specs, list | tuple) and len(specs) == 1 else [specs]


def _without_name(spec):
    return type(spec)(spec.shape, spec.dtype) if getattr(spec, "name", None) is not None else spec


def trace_model_call(model, input_signature=None) -> Function:
    """A tf.function that calls a model for inference and returns its outputs in a dict by their names.

    Args:
      model: Keras model, of Keras 2 or 3.
      input_signature: list of specs, one for each input; None: those that the model states.

    Raises:
      ValueError: the model has not seen any inputs.
    """
    if input_signature is None and isinstance(model.call, Function):
        input_signature = model.call.input_signature
    if input_signature is None:
        input_signature = model_input_signature(model)
    if input_signature is None:
        raise ValueError(
            f"Model {model} cannot be saved because the input shapes have not been set. Usually, input shapes are "
            "automatically determined from calling `.fit()` or `.predict()`. To manually set the shapes, call "
            "`model.build(input_shape)`."
        )

    @function(input_signature=input_signature)
    def _wrapped_model(*args):
        outputs = model(args[0] if len(input_signature) == 1 else list(args), training=False)
        names = model.output_names
        if names is None:  # a subclass of Model
            names = _names_of(outputs)
        return dict(zip(names, nest.flatten(outputs), strict=False))

    return _wrapped_model


def _names_of(outputs) -> list[str]:
    """The names of outputs that have none, by their places, counted from 1: `output_1`, `a_2`."""
    names = []
    for path in yield_flat_paths(outputs):
        places = [str(key + 1 if isinstance(key, int) else key) for key in path] or ["1"]
        is_keyed = bool(path) and not isinstance(path[0], int)
        names.append(("" if is_keyed else "output_") + "_".join(places))
    return names
