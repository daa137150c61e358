"""The public methods of a Function."""

from __future__ import annotations

from tracefn import nest
from tracefn._core import Function, UnknownArgument
from tracefn._function import function_attributes


def get_concrete_function(self: Function, *args, **kwargs):
    """The ConcreteFunction for these arguments: tensors, TensorSpecs and Python values. Traces if necessary; runs nothing."""
    return self._impl.concrete_for(args, kwargs)


def get_initialization_function(self: Function, *args, **kwargs):
    """A function that initializes the Variables that the Function makes in its first call; the Function is traced, but not run.

    Args:
      *args, **kwargs: as for `get_concrete_function`.

    Returns:
      callable without arguments; its result is None.

    Raises:
      RuntimeError: the Function has been used.
      UnliftableError: an initial value depends on an argument.

    Example:
      >>> import tracefn as tf
      >>> made = []
      >>> @tf.function
      ... def scaled(x):
      ...     if not made:
      ...         made.append(tf.Variable(2.0))
      ...     return made[0] * x
      >>> scaled.get_initialization_function(tf.TensorSpec([]))()
      >>> scaled(tf.constant(3.0))
      <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """
    return self._impl.initializer_for(args, kwargs)


def tracing_count(self: Function) -> int:
    """How often the Python function was traced."""
    return self._impl.tracing_count


def all_concrete_functions(self: Function) -> list:
    """The traces, oldest first: what TensorFlow calls `_list_all_concrete_functions`, and libraries that export ask for."""
    restored = getattr(self, "concrete_functions", None)  # those of a loaded model
    if restored is not None:
        return list(restored)
    return [record.concrete for record in self._impl.records.copy().values()]


def traces_to_save(self: Function) -> list:
    """One trace for each signature: what TensorFlow calls `_list_all_concrete_functions_for_serialization`.

    As there, each is asked for by the specs of the trace that exists. These have the names of the parameters, which the
    tensors of a call do not have, so a function without an input_signature is traced once more. Traces for arguments
    that no file holds, such as objects of the program, are left out.
    """
    if getattr(self, "concrete_functions", None) is not None:
        return all_concrete_functions(self)
    if self.input_signature is not None:
        return [self.get_concrete_function()]
    signatures: list = []
    for concrete in all_concrete_functions(self):
        signature = concrete.structured_input_signature
        is_known = not any(isinstance(leaf, UnknownArgument) for leaf in nest.flatten(signature))
        if is_known and signature not in signatures:
            signatures.append(signature)
    return [self.get_concrete_function(*args, **kwargs) for args, kwargs in signatures]


def trackable_children(self: Function, save_type: str = "checkpoint", **kwargs) -> dict:
    """The traces by the names that a saved model gives them; none for a checkpoint."""
    del kwargs
    if save_type == "checkpoint":
        return {}
    return {f"trace_{i}": concrete for i, concrete in enumerate(traces_to_save(self))}


def pretty_printed_concrete_signatures(self: Function, verbose: bool = True, style: str = "leaves") -> str:
    """The signatures of all traces, oldest first (docs/tracing_rules.md, rules 81-88).

    Args:
      verbose: whether arguments and results are listed below the summary line.
      style: "leaves", the form of TensorFlow 2.12; "types", today's.
    """
    texts = [concrete.pretty_printed_signature(verbose, style) for concrete in all_concrete_functions(self)]
    return ("\n\n" if verbose else "\n").join(texts)


def input_signature(self: Function) -> tuple | None:
    """The specs that the arguments are cast to; None without input_signature, except that () is that of a function without
    parameters."""
    given = self._impl.options.input_signature
    if given is not None:
        return tuple(given)
    return None if [name for name in self._impl.function_type.parameters if name != "self"] else ()


def get_compiler_ir(self: Function, *args, **kwargs):
    """Not supported: graphs are compiled to a bytecode of this package, not to XLA's IR.

    Raises:
      ValueError: the Function does not have `jit_compile=True`.
      NotImplementedError: it has.
    """
    if not self._impl.options.jit_compile:
        raise ValueError("Compiler IR can only be returned for functions marked with 'jit_compile=True'")
    raise NotImplementedError("experimental_get_compiler_ir: there is no XLA here; `graph.text()` shows the graph.")


def explain(self: Function) -> list:
    """Why each trace was made: one Explanation per trace, oldest first. `print` shows them as text.

    Example:
      >>> import tracefn as tf
      >>> f = tf.function(lambda x, n: x * n)
      >>> _ = f(tf.constant(1.0), 2.0), f(tf.constant(1.0), 3.0)
      >>> f.explain()[1].differences[0].path
      'n'
    """
    return [record.explain(self._impl.name, self._impl.options) for record in self._impl.records.copy().values()]


def attributes(self: Function) -> dict:
    """The attributes of its traces: those that were given, and what it implements."""
    return function_attributes.given(self._impl.options)


def decorate(self: Function, decorator) -> None:
    """Replaces the Python function by what a decorator makes of it, as libraries do to methods of their classes.

    Args:
      decorator: callable that takes the Python function and returns another one.

    Raises:
      ValueError: the Function has been traced.
    """
    self._impl.decorate(decorator)


class Signature:
    """`__signature__` of a Function, for the module inspect; the class itself has none."""

    def __get__(self, function, owner=None):
        if function is None:
            return None
        import inspect  # start-up time: few programs ask for signatures

        try:
            return inspect.signature(function.python_function)
        except (TypeError, ValueError) as error:
            raise AttributeError("__signature__") from error
