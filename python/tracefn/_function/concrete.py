"""The public methods of ConcreteFunction (docs/tracing_rules.md, rules 67-80)."""

from __future__ import annotations

import re

from tracefn import _core, nest
from tracefn._function.keyword_names import sanitized
from tracefn._value_text import shortened, value_str, value_text
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import TensorSpec


def pretty_printed_signature(self, verbose: bool = True, style: str = "leaves") -> str:
    """The signature as text.

    Args:
      verbose: whether arguments and result are listed below the summary line.
      style: "leaves", the form of TensorFlow 2.12; "types", today's.
    """
    return _core.signature_text(self._function_name, self.function_type, style, verbose)


def explain_compilation(self) -> str:
    """What is compiled as a whole, and why loops run op by op; compiles the function if it has not run yet.

    Returns:
      str: one line per loop. Without loops "function: compiled as a whole" once a function has run often and is faster so,
      and empty before; empty for a function of scalars, which is compiled with its loops.

    Example:
      >>> import tracefn as tf
      >>> @tf.function
      ... def f(v, n):
      ...     for _ in tf.range(n):
      ...         v = tf.stack([v[1], v[0] + v[1]])
      ...     return v
      >>> concrete = f.get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([], tf.int32))
      >>> print(concrete.explain_compilation())
      while: compiled as a whole
    """
    return "\n".join(
        f"{name}: {f'op by op: {reason}' if reason else 'compiled as a whole'}" for name, reason, _ in self._loops()
    )


def code(self) -> str:
    """The code of what is compiled as a whole (explain_compilation), below the lines that it comes from.

    Registers are r0, r1 and so on, arrays and lists a0, a1 and so on. docs/compiler.md explains the instructions.

    Returns:
      str: empty if there is none, and for a function of scalars, which is compiled with its loops.

    Example:
      >>> import tracefn as tf
      >>> @tf.function
      ... def f(v, n):
      ...     for _ in tf.range(n):
      ...         v = tf.reverse(v, [0]) + 1.0
      ...     return v
      >>> concrete = f.get_concrete_function(tf.TensorSpec([100]), tf.TensorSpec([], tf.int32))
      >>> [line.split(": ", 1)[1] for line in concrete.code().splitlines() if "for i" in line]
      ['for i < 100: a1[i] = AddV2(a0[99 - i], 1)']
    """
    return "\n".join(f"{name}:\n{text}" for name, _, text in self._loops() if text)


def concrete_repr(self) -> str:
    arguments, arrow, result = str(self.function_type).partition(") -> ")
    leaves = nest.flatten(self.structured_outputs)
    if any(isinstance(leaf, TensorSpec) for leaf in leaves):  # of a saved model: they have names
        names = iter([leaf.name for leaf in leaves if isinstance(leaf, TensorSpec)])
        result = re.sub(r"name=None\)", lambda found: f"name={next(names, None)!r})", result)
    return f"<ConcreteFunction {arguments}{arrow}{result} at 0x{id(self):X}>"


def concrete_str(self) -> str:
    return "ConcreteFunction " + self.pretty_printed_signature()


def inputs(self) -> list:
    """The symbolic inputs, as a flat list: arguments, then captures."""
    arguments = self.graph.inputs[: self._num_args]
    return arguments + [inner for _, inner in self.graph.captures_and_constants]


def structured_input_signature(self):
    """The specs of the arguments as (args, kwargs)."""
    return getattr(self, "_input_signature", None) or _core.structured_input_signature(self.function_type)


def output_shapes(self):
    """The static shapes of the results, in their structure; a None result has an unknown shape."""
    return nest.map_structure(lambda t: TensorShape(None) if t is None else t.shape, self.structured_outputs, expand_composites=True)


def output_dtypes(self):
    """The dtypes of the results, in their structure."""
    return nest.map_structure(lambda t: None if t is None else t.dtype, self.structured_outputs, expand_composites=True)


def _arg_names(self) -> list[str]:
    """The names of the tensor arguments, in the order of the graph's inputs; a signature has names of its own."""
    given = getattr(self, "_arg_keywords", None)
    return list(given) if given is not None else [t.op.name for t in self.graph.inputs[: self._num_args]]


def _is_tensor(leaf) -> bool:
    return isinstance(leaf, _core.Tensor) or hasattr(leaf, "handle")


def _flat_leaves(self, args, kwargs) -> list:
    """The tensors of a call by the flat signature: by position, or by the name of a placeholder.

    Raises:
      TypeError: too many or too few arguments, an unknown name, or an argument that is not a tensor.
      ValueError: in a trace, the shape of a tensor is not compatible with that of its placeholder.
    """
    names = _arg_names(self)
    summary = f"{self._function_name}({', '.join(names)})"
    positional = self._num_positional_args
    if len(args) > positional:
        raise TypeError(f"{summary} takes {positional} positional arguments, got {len(args)}.")
    leaves, rest = list(args), dict(kwargs)
    for name in names[len(args) :]:
        if name in rest:
            leaves.append(rest.pop(name))
        else:
            missing = sorted(set(names) - set(names[: len(leaves)]) - set(rest))
            raise TypeError(f"{summary} missing required arguments: {', '.join(missing)}.")
    for name in rest:
        if name in names:
            raise TypeError(f"{summary} got two values for '{name}'.")
    if rest:
        raise TypeError(f"{summary} got unexpected keyword arguments: {', '.join(sorted(rest))}.")
    for i, leaf in enumerate(leaves):
        if not _is_tensor(leaf):
            raise TypeError(
                f"{summary}: expected argument #{i}(zero-based) to be a Tensor; got {type(leaf).__name__} ({value_str(leaf)})."
            )
    if _core.current_graph() is not None:
        for leaf, placeholder in zip(leaves, self.graph.inputs, strict=False):
            if isinstance(leaf, _core.Tensor) and not leaf.shape.is_compatible_with(placeholder.shape):
                raise ValueError(
                    f"Tensor {value_str(leaf)} is not compatible with the shape this function was traced with. Expected shape "
                    f"{placeholder.shape}, but got shape {leaf.shape}.\n\nIf you called get_concrete_function, you may "
                    "need to pass a tf.TensorSpec(..., shape=...) with a less specific shape, having None on axes which "
                    "can vary."
                )
    return leaves


def _check_shapes(self, leaves, args, kwargs) -> None:
    """Checks, in a trace, that each tensor fits the static shape of its placeholder (rule 75)."""
    for leaf, placeholder in zip(leaves, self.graph.inputs, strict=False):
        if isinstance(leaf, _core.Tensor) and not leaf.shape.is_subtype_of(placeholder.shape):
            given, wanted = (TensorSpec(t.shape, t.dtype) for t in (leaf, placeholder))
            raise TypeError(
                f"Binding inputs to tf.function failed due to `Can not cast {given!r} to {wanted!r}`. Received args: "
                f"{value_text(args)} and kwargs: {value_text(kwargs)} for signature: "
                f"{shortened(str(self.function_type), 800)}."
            )


def _structured_leaves(self, args, kwargs) -> list:
    """The tensors of a call by the structured signature.

    Raises:
      TypeError: an argument is missing, unknown or of another type.
    """
    kwargs = sanitized(kwargs, self.function_type.parameters)
    # Python arguments may be omitted in a call with tensors only (rules 69, 70).
    strict = not all(map(_is_tensor, (*args, *kwargs.values())))
    leaves = _core.structured_leaves(self, args, kwargs, strict)
    if _core.current_graph() is not None:
        _check_shapes(self, leaves, args, kwargs)
    return leaves


def call_with_structured_signature(self, args, kwargs):
    """Calls by the structured signature only."""
    return self._call_flat(_structured_leaves(self, args, kwargs))


def call_with_flat_signature(self, args, kwargs):
    """Calls by the flat signature only."""
    return self._call_flat(_flat_leaves(self, args, kwargs))


def call_structured(self, *args, **kwargs):
    """Calls by the structured signature or, if that does not fit, by the flat one (rules 69-73)."""
    try:
        leaves = _structured_leaves(self, args, kwargs)
    except TypeError as structured:
        try:
            leaves = _flat_leaves(self, args, kwargs)
        except (TypeError, ValueError) as flat:
            raise TypeError(f"{structured}\nFallback to flat signature also failed due to: {flat}") from None
    return self._call_flat(leaves)


def function_def(self):
    """The function as an entry of a GraphDef's library."""
    from tracefn._graph_def import function_def_of  # start-up time: few programs ask for messages

    return function_def_of(self)
