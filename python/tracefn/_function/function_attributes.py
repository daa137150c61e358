"""The attributes that functions have in GraphDefs: those of `tf.function(experimental_attributes=...)`, and what other options say."""

from __future__ import annotations

from typing import Any

_ALLOWED = frozenset(
    """
    _OutputsOnOpDevice _disable_acd _implements _noinline _tf_data_function api_implements api_preferred_device
    disable_summaries_at_runtime experimental_ints_on_device function_runs_at_most_once go_backwards
    runtime_constant_optimization time_major
    """.split()
)


def check(attributes) -> None:
    """Checks the names of attributes that a program gives.

    Raises:
      ValueError: a function cannot have one of that name.
    """
    for name in attributes or ():
        if name not in _ALLOWED:
            raise ValueError(f"`{name} is not supported by tf.function as an attribute.")


def given(options) -> dict[str, Any]:
    """The attributes that were given, and what the function implements."""
    implements = {} if options.implements is None else {"_implements": options.implements}
    return {**(options.attributes or {}), **implements}


def remember(name: str, options) -> None:
    """Notes the attributes of the trace of a name."""
    compiled = {} if options.jit_compile is None else {"_XlaMustCompile": bool(options.jit_compile)}
    attributes = {**given(options), **compiled}
    if attributes:
        from tracefn._graph_def import attributes_of_functions  # start-up time: few functions have attributes

        attributes_of_functions[name] = attributes
