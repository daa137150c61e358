"""`tf.config.optimizer`: selects the passes that run over traced graphs.

The options belong to the process. They are read when a trace is compiled, at its first call. A trace that has been called
keeps the program that it was compiled to. Environment variables: `TRACEFN_PASSES=off` starts a process with
`disable_meta_optimizer` set, `TRACEFN_PASSES=verify` verifies graphs between passes, and with `TRACEFN_MACHINE_CODE=off`
loops over scalars are interpreted whatever the option machine_code says.
"""

from __future__ import annotations

import operator

from tracefn import _core
from tracefn._missing import getter as _getter

__all__ = ["get_experimental_options", "get_jit", "set_experimental_options", "set_jit"]

# In the order in which get_experimental_options has them.
_TOGGLES = (
    "layout_optimizer",
    "constant_folding",
    "shape_optimization",
    "remapping",
    "arithmetic_optimization",
    "common_subgraph_elimination",
    "dependency_optimization",
    "loop_optimization",
    "function_optimization",
    "debug_stripper",
    "scoped_allocator_optimization",
    "pin_to_host_optimization",
    "implementation_selector",
    "auto_mixed_precision",
    "use_plugin_optimizers",
    "auto_mixed_precision_onednn_bfloat16",
    "auto_mixed_precision_mkl",
    "machine_code",  # TensorFlow has none
)
_DISABLING = ("disable_model_pruning", "disable_meta_optimizer")

_options: dict = {"disable_meta_optimizer": True} if _core.passes_are_off() else {}
_jit = [False]


def get_jit() -> str:
    """The value given to `set_jit`: "autoclustering", or "" for none.

    Example:
      >>> tf.config.optimizer.get_jit()
      ''
    """
    return "autoclustering" if _jit[0] else ""


def set_jit(enabled: bool | str) -> None:
    """Stores the value for `get_jit`, without other effect: graphs are always compiled and fused natively.

    Args:
      enabled: `"autoclustering"` or True, which mean the same; anything else is off.
    """
    _jit[0] = enabled in (True, "autoclustering")


def get_experimental_options() -> dict:
    """The options that were set, and the two that disable passes.

    Returns:
      dict from option name to bool; `min_graph_nodes` to int.

    Example:
      >>> sorted(tf.config.optimizer.get_experimental_options())
      ['disable_meta_optimizer', 'disable_model_pruning']
    """
    found = {name: bool(_options[name]) for name in _TOGGLES if _options.get(name) is not None}
    found.update((name, bool(_options.get(name))) for name in _DISABLING)
    if _options.get("min_graph_nodes"):
        found["min_graph_nodes"] = _options["min_graph_nodes"]
    return found


def set_experimental_options(options: dict) -> None:
    """Switches passes on or off for traces that are compiled from now on.

    Args:
      options: dict from option name to bool, or to None for the default. By default every pass is on.
        - constant_folding: operations on constants are computed once.
        - shape_optimization: static shapes are refined, and shape arithmetic is computed once.
        - arithmetic_optimization: no-ops are removed, ops are replaced by cheaper ones with bit-identical results, and
          equal ops are merged.
        - common_subgraph_elimination: only the merging of equal ops.
        - loop_optimization: loop-invariant ops are hoisted out of the loop; loops over arrays run block by block.
        - function_optimization: calls and branches with a constant condition are inlined.
        - remapping: elementwise ops, reductions and normalizations are fused.
        - machine_code: scalar loops are compiled to machine code on x86-64, fusion groups with AVX-512; otherwise both
          are interpreted, with the same results.
        - disable_model_pruning: unused nodes are kept in the graph (they do not run).
        - disable_meta_optimizer: no pass runs, and there is no machine code.
        - min_graph_nodes (int): smaller graphs are left as they are.
        The other names that TensorFlow has (layout_optimizer, dependency_optimization, debug_stripper,
        scoped_allocator_optimization, pin_to_host_optimization, implementation_selector, auto_mixed_precision,
        auto_mixed_precision_mkl, auto_mixed_precision_onednn_bfloat16, use_plugin_optimizers) are kept and have no
        effect. Unknown names are ignored.

    Raises:
      TypeError: `options` is not a dict, or a value for one of the two that disable or for min_graph_nodes is not an
        integer.

    Example:
      >>> tf.config.optimizer.set_experimental_options({"constant_folding": False})
      >>> tf.config.optimizer.get_experimental_options()["constant_folding"]
      False
      >>> tf.config.optimizer.set_experimental_options({"constant_folding": None})
    """
    given = dict(_options)
    given.update(options)
    for name in (*_DISABLING, "min_graph_nodes"):
        if given.get(name) is not None:
            given[name] = operator.index(given[name])
    off = [name for name in _TOGGLES if given.get(name) is not None and not given[name]]
    off += [name.removeprefix("disable_") for name in _DISABLING if given.get(name)]
    _core.set_passes(off, given.get("min_graph_nodes") or 0)
    _options.clear()
    _options.update(given)


__getattr__ = _getter("config.optimizer")
