"""The signatures of a saved model: functions from tensors by name to tensors by name."""

from __future__ import annotations

from collections.abc import Mapping

from tracefn import _core, nest
from tracefn._saved_model.view import Children, ConcreteFunction, Function, is_function
from tracefn._tracking.base import Trackable
from tracefn.composite import CompositeTensor
from tracefn.function import function as traced_function
from tracefn.tensor_spec import TensorSpec, VariableSpec

DEFAULT_KEY = "serving_default"
INIT_KEY = "__saved_model_init_op"


def _concrete_of(function):
    """The trace that makes a signature; None if there is none."""
    if isinstance(function, Function) and function.input_signature is not None:
        function = function.get_concrete_function()
    return function if isinstance(function, ConcreteFunction) else None


def function_to_export(root, children: Children):
    """The function that becomes the signature of an object without any given: its own default one, or the only
    one that can be a signature."""
    named = children.of(root)
    # As a child, since a property that raises counts as none there.
    default = named.get("_default_save_signature")
    if is_function(default):
        return default
    traces = [trace for trace in map(_concrete_of, named.values()) if trace is not None and _is_possible(trace)]
    return traces[0] if len(traces) == 1 else None


def _is_possible(concrete) -> bool:
    """Whether a trace can be a signature: it takes no Variables, and returns tensors, in a list or by name."""
    takes = nest.flatten(concrete.structured_input_signature)
    if not concrete.outputs or any(isinstance(spec, VariableSpec) for spec in takes):
        return False
    try:
        _normalized(concrete.structured_outputs, "", "")
    except ValueError:
        return False
    return True


def _normalized(outputs, function_name: str, key: str) -> dict:
    """The results by name."""
    if isinstance(outputs, Mapping):
        for name in outputs:
            if not isinstance(name, str):
                raise ValueError(
                    f"Got a dictionary with a non-string key {name!r} in the output of the function {function_name} used to "
                    f"generate the SavedModel signature {key!r}."
                )
        named = dict(outputs)
    else:
        given = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        named = {f"output_{i}": output for i, output in enumerate(given)}
    for name, value in named.items():
        if not isinstance(value, (_core.Tensor, CompositeTensor)):
            raise ValueError(
                f"Got a non-Tensor value {value!r} for key {name!r} in the output of the function {function_name} used to "
                f"generate the SavedModel signature {key!r}. Outputs for functions used as signatures must be a single Tensor, "
                "a sequence of Tensors, or a dictionary from string to Tensor."
            )
    return named


def _inputs_of(concrete) -> dict:
    """The specs of a trace's tensors, in the order of its inputs, by the names of the nodes that stand for them."""
    args, kwargs = concrete.structured_input_signature
    named: dict = {}
    for argument in (*args, *(kwargs[name] for name in sorted(kwargs))):
        leaves = nest.flatten(argument, expand_composites=True)
        specs = [leaf for leaf in leaves if hasattr(leaf, "is_compatible_with")]
        nodes = [tensor.name.partition(":")[0] for tensor in concrete.inputs[len(named) : len(named) + len(specs)]]
        given = [getattr(spec, "name", None) == node for spec, node in zip(specs, nodes, strict=True)]
        # The nodes of a dict are made in the order in which it was filled; names that are not the program's follow its keys.
        free = sorted((n for n, is_given in zip(nodes, given, strict=True) if not is_given), key=lambda n: (len(n), n))
        for spec, node, is_given in zip(specs, nodes, given, strict=True):
            named[node if is_given else free.pop(0)] = spec
    return named


def parameter_name(name: str) -> str:
    """The name of a parameter for the tensor of that name: letters, digits and underscores, a letter first.

    >>> parameter_name("0/discount"), parameter_name("x")
    ('arg_0_discount', 'x')
    """
    swapped = "".join(c if c.isalnum() else "_" for c in name)
    return swapped if swapped[:1].isalpha() else f"arg_{swapped}"


def _wrapper(concrete, key: str, function):
    """A trace that takes tensors by name and gives tensors by name; it is called after the function given for it."""
    name = concrete.name.decode()
    named = _inputs_of(concrete)
    specs = {parameter_name(given): spec for given, spec in named.items()}
    if len(specs) < len(named):
        raise ValueError(f"Two inputs of the signature {key!r} have names that differ in signs only: {list(named)}.")

    def signature_wrapper(**kwargs):
        return _normalized(concrete._call_flat([kwargs[parameter] for parameter in specs]), name, key)

    if hasattr(function, "__name__"):
        signature_wrapper.__name__ = f"signature_wrapper_{function.__name__}"
    return traced_function(signature_wrapper, autograph=False).get_concrete_function(**{
        parameter: TensorSpec(spec.shape, spec.dtype, given) if type(spec) is TensorSpec else spec
        for (given, spec), parameter in zip(named.items(), specs, strict=True)
    })  # fmt: skip


def canonical(signatures) -> dict:
    """The traces to save as signatures, by name.

    Args:
      signatures: None, a function, or a dict from names to functions.

    Raises:
      ValueError: one is no function with known inputs.
    """
    if signatures is None:
        return {}
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT_KEY: signatures}
    found = {}
    for key, function in signatures.items():
        concrete = _concrete_of(function)
        if concrete is None:
            raise ValueError(
                "Expected a TensorFlow function for which to generate a signature, but got "
                f"{function}. Only `tf.functions` with an input signature or concrete functions can be used as a signature."
            )
        found[key] = _wrapper(concrete, key, function)
    return found


class SignatureMap(Mapping, Trackable):
    """The signatures of a loaded model: `loaded.signatures`."""

    def __init__(self) -> None:
        self._signatures: dict = {}

    def _add_signature(self, name, concrete) -> None:
        """Adds a function, which takes arguments by name; by position too if there is one only."""
        concrete._arg_keywords = list(concrete.structured_input_signature[1])
        concrete._num_positional_args = 1 if len(concrete._arg_keywords) == 1 else 0
        self._signatures[name] = concrete

    def __getitem__(self, name):
        return self._signatures[name]

    def __iter__(self):
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._signatures})"

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        del kwargs
        return dict(self._signatures) if save_type == "savedmodel" else {}


def refuse_other_signatures(root, children: Children) -> None:
    """Refuses an attribute `signatures` that no loaded model has given the object.

    Raises:
      ValueError: there is one.
    """
    if not isinstance(children.of(root).get("signatures", SignatureMap()), SignatureMap):
        raise ValueError(
            f"Exporting an object {root} which has an attribute named 'signatures'. This is a reserved attribute used to store "
            "SavedModel signatures in objects which come from `tf.saved_model.load`. Delete this attribute (e.g. "
            "`del obj.signatures`) before saving if this shadowing is acceptable."
        )
