"""`tf.compat.v1.profiler.ProfileOptionBuilder`: makes the dicts of options of profiles."""

from __future__ import annotations

import copy

from tracefn._export import export
from tracefn.compat.v1.model_profiles.logs import TRAINABLE_VARIABLES


def _options(**changed) -> dict:
    return {
        "max_depth": 10000,
        "min_bytes": 0,
        "min_micros": 0,
        "min_params": 0,
        "min_float_ops": 0,
        "min_occurrence": 0,
        "order_by": "name",
        "account_type_regexes": [".*"],
        "start_name_regexes": [".*"],
        "trim_name_regexes": [],
        "show_name_regexes": [".*"],
        "hide_name_regexes": [],
        "account_displayed_op_only": True,
        "select": [],
        "step": -1,
        "output": "stdout",
        **changed,
    }


@export("compat.v1.profiler.ProfileOptionBuilder")
class ProfileOptionBuilder:
    """Makes the options of a profile. Each method returns the builder itself; `build` returns the dict.

    Args:
      options: a dict of options to start with, or None.

    Example:
      >>> import tracefn as tf
      >>> builder = tf.compat.v1.profiler.ProfileOptionBuilder
      >>> builder(builder.float_operation()).with_max_depth(3).with_empty_output().build()["max_depth"]
      3
    """

    def __init__(self, options=None) -> None:
        default = _options(max_depth=100, account_displayed_op_only=False, select=["micros"])
        self._options = default if options is None else copy.deepcopy(options)

    @staticmethod
    def trainable_variables_parameter():
        """The options that show the parameters of trainable Variables."""
        return _options(account_type_regexes=[TRAINABLE_VARIABLES], select=["params"])

    @staticmethod
    def float_operation():
        """The options that show floating point operations."""
        return _options(min_float_ops=1, order_by="float_ops", select=["float_ops"])

    @staticmethod
    def time_and_memory(
        min_micros=1,
        min_bytes=1,
        min_accelerator_micros=0,
        min_cpu_micros=0,
        min_peak_bytes=0,
        min_residual_bytes=0,
        min_output_bytes=0,
    ):
        """The options that show the times and the memory of runs, where they are at least these numbers."""
        return _options(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
            order_by="micros",
            select=["micros", "bytes"],
        )

    def build(self):
        """The options: a dict."""
        return copy.deepcopy(self._options)

    def _with(self, **options):
        self._options.update(options)
        return self

    def with_max_depth(self, max_depth):
        """Shows so many levels of scopes or of nodes, or so many types of ops."""
        return self._with(max_depth=max_depth)

    def with_min_memory(self, min_bytes=0, min_peak_bytes=0, min_residual_bytes=0, min_output_bytes=0):
        """Shows what takes at least so much memory."""
        return self._with(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(self, min_micros=0, min_accelerator_micros=0, min_cpu_micros=0):
        """Shows what takes at least so much time."""
        return self._with(min_micros=min_micros, min_accelerator_micros=min_accelerator_micros, min_cpu_micros=min_cpu_micros)

    def with_min_parameters(self, min_params):
        """Shows what has at least so many parameters."""
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence):
        """Shows what runs at least so often."""
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops):
        """Shows what takes at least so many floating point operations."""
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes):
        """Counts only nodes of which a type matches one of these regular expressions: their ops, devices, and types in logs."""
        return self._with(account_type_regexes=copy.copy(account_type_regexes))

    def with_node_names(self, start_name_regexes=None, show_name_regexes=None, hide_name_regexes=None, trim_name_regexes=None):
        """Shows names by regular expressions: where the tree starts, which names are shown, which are not, and below which none is."""
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._with(**{name: copy.copy(value) for name, value in given.items() if value is not None})

    def account_displayed_op_only(self, is_true):
        """Whether totals count only what is shown."""
        return self._with(account_displayed_op_only=is_true)

    def with_empty_output(self):
        """Prints no report."""
        return self._with(output="none")

    def with_stdout_output(self):
        """Prints the report."""
        return self._with(output="stdout")

    def with_file_output(self, outfile):
        """Writes the report to a file."""
        return self._with(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file):
        """Writes a timeline to a file. A profile with it raises NotImplementedError."""
        return self._with(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file):
        """Writes a file for pprof, which only the view "code" has, which is not supported."""
        return self._with(output=f"pprof:outfile={pprof_file}")

    def order_by(self, attribute):
        """Orders by an attribute, such as "name", "float_ops" or "params"."""
        return self._with(order_by=attribute)

    def select(self, attributes):
        """Shows a list of attributes, such as "float_ops" and "params"."""
        return self._with(select=copy.copy(attributes))

    def with_step(self, step):
        """Shows a step of `Profiler.add_step`; the mean of all for -1."""
        return self._with(step=step)
