"""`tf.compat.v1.profiler.profile`, `Profiler` and `advise`."""

from __future__ import annotations

import sys

from tracefn._export import export
from tracefn._proto import message_class
from tracefn.compat.v1.model_profiles.logs import graph_or_default, merge_default_with_oplog
from tracefn.compat.v1.model_profiles.nodes import Nodes
from tracefn.compat.v1.model_profiles.op_types import op_types
from tracefn.compat.v1.model_profiles.option_builder import ProfileOptionBuilder
from tracefn.compat.v1.model_profiles.options import Options, options_from
from tracefn.compat.v1.model_profiles.runs import has_runs
from tracefn.compat.v1.model_profiles.texts import preface
from tracefn.compat.v1.model_profiles.trees import inputs, scopes
from tracefn.errors import InvalidArgumentError

_VIEWS = {"graph": inputs, "op": op_types, "scope": scopes}
_CHECKERS = ("OperationChecker", "ExpensiveOperationChecker", "AcceleratorUtilizationChecker")


@export("compat.v1.profiler.profile")
def profile(graph=None, run_meta=None, op_log=None, cmd="scope", options=0):
    """What the nodes of a graph cost: a report, and a message with the same numbers.

    Args:
      graph: Graph; None is the default one.
      run_meta: RunMetadata of a run, for its times and memory; or None.
      op_log: OpLogProto with types and numbers for nodes, or None.
      cmd: str: "scope" has nodes below their scopes, "graph" below those that read them, "op" by the types of their ops.
      options: a dict as `ProfileOptionBuilder` makes it; by default the parameters of trainable Variables are shown.

    Returns:
      GraphNodeProto, or MultiGraphNodeProto for "op".

    Raises:
      InvalidArgumentError: there is no such view.
      NotImplementedError: the view is "code", or the output a timeline.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph:
      ...     x = tf.matmul(tf.ones([2, 3]), tf.ones([3, 4]), name="x")
      >>> profiler = tf.compat.v1.profiler
      >>> options = profiler.ProfileOptionBuilder(profiler.ProfileOptionBuilder.float_operation()).with_empty_output().build()
      >>> profiler.profile(graph, options=options).total_float_ops
      48
    """
    graph = graph_or_default(graph)
    if isinstance(options, int) and options == 0:
        options = ProfileOptionBuilder.trainable_variables_parameter()
    log = merge_default_with_oplog(graph, op_log, run_meta, add_trace=False)
    if cmd not in _VIEWS and cmd != "code":
        raise InvalidArgumentError(None, None, f"unknown cmd: {cmd}\n")
    nodes = _nodes(graph)
    if has_runs(run_meta):
        nodes.add_runs(0, run_meta)
    nodes.add_log(log)
    return _profile(nodes, cmd, options)


@export("compat.v1.profiler.Profiler")
class Profiler:
    """Profiles of several steps of a program.

    Args:
      graph: Graph; None is the default one.
      op_log: OpLogProto with types and numbers for nodes, or None.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph:
      ...     x = tf.matmul(tf.ones([2, 3]), tf.ones([3, 4]), name="x")
      >>> profiler = tf.compat.v1.profiler.Profiler(graph)
      >>> builder = tf.compat.v1.profiler.ProfileOptionBuilder
      >>> profiler.profile_operations(builder(builder.float_operation()).with_empty_output().build()).total_float_ops
      48
    """

    def __init__(self, graph=None, op_log=None) -> None:
        self._graph = graph_or_default(graph)
        self._nodes = _nodes(self._graph)
        self._nodes.add_log(merge_default_with_oplog(self._graph, op_log, add_trace=False))

    def add_step(self, step, run_meta):
        """Adds the times and memory of a run.

        Args:
          step: int, which options name; runs of the same step are summed.
          run_meta: RunMetadata.
        """
        log = merge_default_with_oplog(self._graph, run_meta=run_meta, add_trace=False)
        if self._graph is not None:
            self._nodes.add_graph(self._graph)
        if has_runs(run_meta):
            self._nodes.add_runs(step, run_meta)
        else:
            print(f"Invalid RunMetadata for step {step}", file=sys.stderr)
        self._nodes.add_log(log)

    def profile_python(self, options):
        """Not supported: profiles by lines of Python."""
        return _profile(self._nodes, "code", options)

    def profile_operations(self, options):
        """MultiGraphNodeProto of the types of ops."""
        return _profile(self._nodes, "op", options)

    def profile_name_scope(self, options):
        """GraphNodeProto of nodes below their scopes."""
        return _profile(self._nodes, "scope", options)

    def profile_graph(self, options):
        """GraphNodeProto of nodes below those that read them."""
        return _profile(self._nodes, "graph", options)

    def advise(self, options):
        """AdviceProto: see `tf.compat.v1.profiler.advise`."""
        return _advise(self._nodes, options)

    def serialize_to_string(self):
        """Not supported: a profile as bytes."""
        raise NotImplementedError("Profiler.serialize_to_string is not supported.")


@export("compat.v1.profiler.advise")
def advise(graph=None, run_meta=None, options=0):
    """What could be better about a graph, by TensorFlow's checks: none has an objection to a graph that has run on CPUs only.

    Args:
      graph: Graph; None is the default one.
      run_meta: None: runs are not checked.
      options: a dict whose keys are the names of checks; all of them by default.

    Returns:
      AdviceProto.

    Raises:
      NotImplementedError: operations that take long are looked for in runs.
    """
    graph = graph_or_default(graph)
    nodes = _nodes(graph)
    if has_runs(run_meta):
        nodes.add_runs(0, run_meta)
    merge_default_with_oplog(graph, None, run_meta)  # it reports nodes without shapes
    return _advise(nodes, dict.fromkeys(_CHECKERS, {}) if isinstance(options, int) and options == 0 else options)


def _nodes(graph) -> Nodes:
    nodes = Nodes()
    if graph is not None:
        nodes.add_graph(graph)
    return nodes


def _message(command: str):
    return message_class("MultiGraphNodeProto" if command == "op" else "GraphNodeProto")()


def _profile(nodes: Nodes, command: str, given: dict):
    """The message of a view, whose report is written where the options say."""
    if command == "code":
        raise NotImplementedError('The view "code" of profiles, by lines of Python, is not supported; there are "graph", "op" and "scope".')
    options = options_from(given)
    if options is None:
        return _message(command)
    to_stdout = options.output == "stdout"
    if to_stdout:
        print("\n=========================Options=============================")
        print(options, end="")
        print("\n==================Model Analysis Report======================")
    message = _view(nodes, command, options)
    if to_stdout:
        print("\n======================End of Report==========================", flush=True)
    return message


def _view(nodes: Nodes, command: str, options: Options):
    if options.step >= 0 and options.step not in nodes.steps:
        steps = "".join(f"{step} " for step in sorted(nodes.steps))
        print(f"Options -step={options.step} not found.\nAvailable steps: {steps}", file=sys.stderr)
        return _message(command)
    if options.output == "pprof":
        print("Only 'code' view supports pprof output now.", file=sys.stderr)
    elif options.output == "timeline":
        if command != "op":
            raise NotImplementedError(f"The timeline of the view {command!r} is not supported; `tf.compat.v1.train.ProfilerHook` writes timelines.")
        print("op view doesn't support timeline yet. Consider graph/scope/code view.", file=sys.stderr)
    text, message = _VIEWS[command](nodes, options)
    report = preface(command, options.selected) + text
    if options.output == "stdout":
        print(report, end="")
    elif options.output == "file":
        with open(options.file or "", "w", encoding="utf-8") as file:
            file.write(report)
    return message


def _advise(nodes: Nodes, options: dict):
    advice = message_class("AdviceProto")()
    chosen = [name for name in _CHECKERS if name in options]
    if "ExpensiveOperationChecker" in chosen:
        if nodes.steps:
            raise NotImplementedError("ExpensiveOperationChecker of tf.compat.v1.profiler.advise, which looks at runs, is not supported.")
        print("Missing RunMetadata info. Skip ExpensiveOperationChecker", file=sys.stderr)
    for name in chosen:
        _ = advice.checkers[name]  # which adds it, without reports
        print(f"\n{name}:")
    return advice
