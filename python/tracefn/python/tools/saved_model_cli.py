"""`tensorflow.python.tools.saved_model_cli`: shows what a saved model holds, runs a signature of it, and looks for ops.

    python -m tracefn.python.tools.saved_model_cli show --dir model --all
"""

from __future__ import annotations

import argparse
import os
import sys

import numpy as np

from tracefn._namespaces import root
from tracefn.python.tools import saved_model_texts as texts
from tracefn.python.tools import saved_model_utils
from tracefn.python.tools.saved_model_inputs import (
    load_inputs_from_input_arg_string,
    preprocess_input_examples_arg_string,
    preprocess_input_exprs_arg_string,
    preprocess_inputs_arg_string,
)

__all__ = [
    "create_parser",
    "get_signature_def_map",
    "load_inputs_from_input_arg_string",
    "main",
    "preprocess_input_examples_arg_string",
    "preprocess_input_exprs_arg_string",
    "preprocess_inputs_arg_string",
    "run_saved_model_with_feed_dict",
    "saved_model_utils",
    "scan_meta_graph_def",
]

tf = root()
_OP_DENYLIST = frozenset({"WriteFile", "ReadFile", "PrintV2"})


def _tags(tag_set: str) -> str:
    tags = [tag.strip() for tag in tag_set.split(",") if tag.strip()]
    if not tags:
        raise ValueError("tag_set cannot be empty.")
    return ",".join(tags)


def get_signature_def_map(saved_model_dir, tag_set: str):
    """The SignatureDefs of a graph of a saved model, by their keys.

    Args:
      saved_model_dir: path.
      tag_set: all tags of the graph, with commas between them.

    Raises:
      OSError: there is no saved model.
      RuntimeError: it has no graph with these tags.
    """
    return saved_model_utils.get_meta_graph_def(saved_model_dir, _tags(tag_set)).signature_def


def _signature(graph, key: str):
    if key not in graph.signature_def:
        raise ValueError(f'Could not find signature "{key}". Please choose from: {", ".join(graph.signature_def)}')
    return graph.signature_def[key]


def _show(arguments) -> None:
    if arguments.all:
        _show_all(arguments.dir)
    elif arguments.tag_set is None:
        if arguments.list_ops:
            print("--list_ops must be paired with a tag-set or with --all.")
        tag_sets = sorted(saved_model_utils.get_saved_model_tag_sets(arguments.dir))
        print("The given SavedModel contains the following tag-sets:")
        for tags in tag_sets:
            print(repr(", ".join(sorted(tags))))
    else:
        graph = saved_model_utils.get_meta_graph_def(arguments.dir, _tags(arguments.tag_set))
        if arguments.list_ops:
            print(texts.ops_text(graph))
        if arguments.signature_def is None:
            print("The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:")
            for key in sorted(graph.signature_def):
                print(f'SignatureDef key: "{key}"')
        else:
            print("\n".join(texts.signature_lines(_signature(graph, arguments.signature_def))))


def _show_all(saved_model_dir) -> None:
    graphs = sorted(saved_model_utils.read_saved_model(saved_model_dir).meta_graphs, key=lambda graph: list(graph.meta_info_def.tags))
    for graph in graphs:
        print("\n".join(texts.meta_graph_lines(graph)))
    if not any(graph.HasField("object_graph_def") for graph in graphs):
        return
    print("\nConcrete Functions:", end="")
    loaded = tf.saved_model.load(saved_model_dir)
    for name, value in sorted(vars(loaded).items()):
        traces = getattr(value, "concrete_functions", None)
        if traces is not None:
            print("\n".join(texts.function_lines(name, traces)))


def run_saved_model_with_feed_dict(
    saved_model_dir,
    tag_set: str,
    signature_def_key: str,
    input_tensor_key_feed_dict: dict,
    outdir: str | None,
    overwrite_flag: bool,
    worker=None,
    init_tpu: bool = False,
    use_tfrt: bool = False,
    tf_debug: bool = False,
) -> None:
    """Runs a signature of a saved model, prints its results, and saves them as OUTDIR/KEY.npy.

    Args:
      saved_model_dir: path.
      tag_set: all tags of the graph, with commas between them.
      signature_def_key: the key of the signature.
      input_tensor_key_feed_dict: dict from the keys of inputs to their values.
      outdir: the directory for the results; None: they are only printed.
      overwrite_flag: whether files that are there are replaced.
      worker: None: there is only this process.
      init_tpu, use_tfrt, tf_debug: False: what they ask for is not here.

    Raises:
      ValueError: there is no such signature or input.
      RuntimeError: there are no such tags, or the file of a result is there already.
      NotImplementedError: a TPU, another runtime or a debugger is asked for.
    """
    if init_tpu or use_tfrt or tf_debug:
        raise NotImplementedError("init_tpu, use_tfrt and tf_debug are not supported: leave them out.")
    tags = _tags(tag_set)
    signature = _signature(saved_model_utils.get_meta_graph_def(saved_model_dir, tags), signature_def_key)
    for key in input_tensor_key_feed_dict:
        if key not in signature.inputs:
            known = '"' + '", "'.join(signature.inputs) + '"'
            raise ValueError(f'"{key}" is not a valid input key. Please choose from {known}, or use --show option.')
    feeds = {signature.inputs[key].name: value for key, value in input_tensor_key_feed_dict.items()}
    keys = sorted(signature.outputs)
    with tf.compat.v1.Session(worker, graph=tf.Graph()) as session:
        tf.compat.v1.saved_model.load(session, tags.split(","), saved_model_dir)
        results = session.run([signature.outputs[key].name for key in keys], feed_dict=feeds)
    for key, result in zip(keys, results, strict=True):
        print(f"Result for output key {key}:\n{result}")
        if outdir:
            _save(result, key, outdir, overwrite_flag)


def _save(result, key: str, outdir: str, overwrite: bool) -> None:
    os.makedirs(outdir, exist_ok=True)
    path = os.path.join(outdir, f"{key}.npy")
    if not overwrite and os.path.exists(path):
        raise RuntimeError(f'Output file {path} already exists. Add "--overwrite" to overwrite the existing output files.')
    np.save(path, result)
    print(f"Output {key} is saved to {path}")


def _run(arguments) -> None:
    given = (arguments.inputs, arguments.input_exprs, arguments.input_examples)
    if not any(given):
        raise AttributeError("At least one of --inputs, --input_exprs or --input_examples must be required")
    run_saved_model_with_feed_dict(
        arguments.dir,
        arguments.tag_set or "",
        arguments.signature_def,
        load_inputs_from_input_arg_string(*given),
        arguments.outdir,
        arguments.overwrite,
        worker=arguments.worker,
        init_tpu=arguments.init_tpu,
        use_tfrt=arguments.use_tfrt,
        tf_debug=arguments.tf_debug,
    )


def scan_meta_graph_def(meta_graph_def, op_denylist) -> None:
    """Prints which ops of a set a graph uses."""
    denied = set(op_denylist)
    found, tags = denied & texts.ops_of(meta_graph_def), list(meta_graph_def.meta_info_def.tags)
    if found:
        print(f"MetaGraph with tag set {tags} contains the following denylisted ops: {found}")
    else:
        print(f"MetaGraph with tag set {tags} does not contain the default denylisted ops: {denied}")


def _scan(arguments) -> None:
    denied = arguments.op_denylist.split(",") if arguments.op_denylist else _OP_DENYLIST
    if arguments.tag_set:
        graphs = [saved_model_utils.get_meta_graph_def(arguments.dir, _tags(arguments.tag_set))]
    else:
        graphs = saved_model_utils.read_saved_model(arguments.dir).meta_graphs
    for graph in graphs:
        scan_meta_graph_def(graph, denied)


def create_parser() -> argparse.ArgumentParser:
    """The parser of the command line; each command is a function of its result, `func`."""
    parser = argparse.ArgumentParser(description="saved_model_cli: Command-line interface for SavedModel")
    parser.add_argument("-v", "--version", action="version", version="0.1.0")
    commands = parser.add_subparsers(title="commands", description="valid commands", help="additional help")
    show = commands.add_parser("show", description="Shows the tag-sets, signatures and ops of a SavedModel.")
    show.add_argument("--all", action="store_true", help="show everything")
    show.add_argument("--list_ops", action="store_true", help="show the ops of the graph")
    run = commands.add_parser("run", description="Runs a signature of a SavedModel.")
    run.add_argument("--inputs", default="", help="KEY=FILE[NAME];KEY=FILE: arrays of files of NumPy, or pickles")
    run.add_argument("--input_exprs", default="", help="KEY=LITERAL;KEY=LITERAL: Python literals")
    run.add_argument("--input_examples", default="", help='KEY=[{"FEATURE": [VALUE, ...]}]: tf.train.Examples')
    run.add_argument("--outdir", help="where results are saved, as KEY.npy")
    run.add_argument("--overwrite", action="store_true", help="replace files of results")
    run.add_argument("--worker", help="not supported: a session runs in this process")
    for flag in ("--init_tpu", "--use_tfrt", "--tf_debug"):
        run.add_argument(flag, action="store_true", help="not supported")
    scan = commands.add_parser("scan", description="Looks for ops in a SavedModel that may be unsafe.")
    scan.add_argument("--op_denylist", help="OP,OP: the ops; by default those that read and write files, and print")
    for command, function in ((show, _show), (run, _run), (scan, _scan)):
        command.add_argument("--dir", required=True, help="the directory of the SavedModel")
        command.add_argument("--tag_set", help="TAG,TAG: all tags of the graph")
        command.set_defaults(func=function)
    for command in (show, run):
        command.add_argument("--signature_def", help="the key of a signature")
    return parser


def main(argv=None) -> int:
    """Runs the command line.

    Args:
      argv: list of arguments without the program's name; None: those of the process.

    Returns:
      0.
    """
    parser = create_parser()
    arguments = parser.parse_args(sys.argv[1:] if argv is None else argv)
    if not hasattr(arguments, "func"):
        parser.error("Too few arguments.")
    arguments.func(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
