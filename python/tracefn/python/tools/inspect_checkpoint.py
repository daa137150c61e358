"""`tensorflow.python.tools.inspect_checkpoint`: what a checkpoint holds, printed."""

from __future__ import annotations

import argparse
import math
import re

from tracefn import _numpy as np
from tracefn._checkpoint.reader import NewCheckpointReader
from tracefn.errors import OpError

__all__ = ["parse_numpy_printoption", "print_tensors_in_checkpoint_file"]


def _print_tensor(reader, name: str, with_value: bool) -> None:
    shape = reader.get_variable_to_shape_map()[name]
    print(f"tensor: {name} ({reader.get_variable_to_dtype_map()[name].name}) {shape}")
    if with_value:
        print(reader.get_tensor(name))


def _count(shapes: dict, pattern: str) -> int:
    """The number of elements in tensors of some shapes, less those whose name a pattern finds; these are printed."""
    left_out = {name for name in shapes if pattern and re.search(pattern, name)}
    sizes = {name: math.prod(shape) for name, shape in shapes.items()}
    if pattern:
        params = sum(sizes[name] for name in left_out)
        print(f"# Excluding {len(left_out)} tensors ({params} params) that match {pattern} when counting.")
    return sum(size for name, size in sizes.items() if name not in left_out)


def print_tensors_in_checkpoint_file(
    file_name, tensor_name, all_tensors, all_tensor_names=False, count_exclude_pattern=""
) -> None:
    """Prints the tensors in a checkpoint, and how many elements they have. A file that cannot be read is said to be one.

    Args:
      file_name: path of the checkpoint, without the endings of its files.
      tensor_name: name of the one tensor to print; none, without the others: a list of all.
      all_tensors: whether all tensors are printed.
      all_tensor_names: whether their names, dtypes and shapes are.
      count_exclude_pattern: regular expression for names of tensors that are not counted.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.tools.inspect_checkpoint import print_tensors_in_checkpoint_file
      >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write("inspected")
      >>> print_tensors_in_checkpoint_file(path, "v/.ATTRIBUTES/VARIABLE_VALUE", False)
      tensor: v/.ATTRIBUTES/VARIABLE_VALUE (float32) [2]
      [1. 2.]
      # Total number of params: 3
      >>> for file in tf.io.gfile.glob("inspected.*"):
      ...     tf.io.gfile.remove(file)
    """
    try:
        reader = NewCheckpointReader(file_name)
    except (OpError, ValueError) as error:
        print(error)  # as TensorFlow does: the program only prints
        return
    shapes = reader.get_variable_to_shape_map()
    if all_tensors or all_tensor_names:
        for name in sorted(shapes):
            _print_tensor(reader, name, all_tensors)
    elif not tensor_name:
        print(reader.debug_string().decode("utf-8", errors="ignore"))
    elif tensor_name not in shapes:
        print(f"Tensor {tensor_name} not found in checkpoint")
        return
    else:
        _print_tensor(reader, tensor_name, True)
    print(f"# Total number of params: {_count(shapes, count_exclude_pattern)}")


def parse_numpy_printoption(kv_str: str) -> None:
    """Sets one of NumPy's options for printing, given as `name=value`.

    Raises:
      argparse.ArgumentTypeError: it has another form, there is no such option, or the value does not fit it.

    Example:
      >>> from tracefn.python.tools.inspect_checkpoint import parse_numpy_printoption
      >>> parse_numpy_printoption("threshold=1000")
    """
    name, equals, value = kv_str.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"'{kv_str}' is not in the form k=v.")
    options = np.get_printoptions()
    if name not in options:
        raise argparse.ArgumentTypeError(f"'{name}' is not a valid printoption.")
    kind = type(options[name])
    try:
        np.set_printoptions(**{name: kind(value)})
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
