"""The inputs of a signature, as the command line of `saved_model_cli` gives them: in files, as Python literals, as Examples."""

from __future__ import annotations

import ast
import re

import numpy as np

from tracefn._logging import warn
from tracefn._namespaces import root

tf = root()


def preprocess_inputs_arg_string(inputs_str: str) -> dict:
    """The files of inputs: "key=file;key=file[name]" as key -> (file, name or None).

    Raises:
      RuntimeError: the text has another form.

    Example:
      >>> preprocess_inputs_arg_string("x=a.npy;y=b.npz[c]")
      {'x': ('a.npy', None), 'y': ('b.npz', 'c')}
    """
    found = {}
    for text in filter(None, inputs_str.split(";")):
        parts = re.fullmatch(r"([^=]+)=([^\[\]]+)(?:\[([^\[\]]+)\])?", text)
        if parts is None:
            raise RuntimeError(
                f'--inputs "{text}" format is incorrect. Please follow"<input_key>=<filename>", or'
                '"<input_key>=<filename>[<variable_name>]"'
            )
        found[parts[1]] = parts[2], parts[3]
    return found


def preprocess_input_exprs_arg_string(input_exprs_str: str, safe: bool = True) -> dict:
    """The literals of inputs: "key=[1, 2];key=3" as key -> value.

    Args:
      input_exprs_str: the text.
      safe: True: other expressions than literals are not evaluated.

    Raises:
      RuntimeError: the text has another form, or a value is no literal.
      ValueError: `safe` is False.

    Example:
      >>> preprocess_input_exprs_arg_string("x=[1, 2];y='a'")
      {'x': [1, 2], 'y': 'a'}
    """
    if not safe:
        raise ValueError("Only Python literals are evaluated: leave `safe` out.")
    found = {}
    for text in filter(None, input_exprs_str.split(";")):
        key, equals, expression = text.partition("=")
        if not equals:
            raise RuntimeError(
                f'--input_exprs "{input_exprs_str}" format is incorrect. Please follow"<input_key>=<python expression>"'
            )
        try:
            found[key] = ast.literal_eval(expression)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
            raise RuntimeError(f'Expression "{expression}" is not a valid python literal.') from error
    return found


def preprocess_input_examples_arg_string(input_examples_str: str) -> dict:
    """The Examples of inputs: 'key=[{"feature": [1, 2]}]' as key -> list of serialized tf.train.Example.

    Raises:
      RuntimeError: as `preprocess_input_exprs_arg_string`.
      ValueError: a value is no list of dicts of lists of numbers or texts.
    """
    found = preprocess_input_exprs_arg_string(input_examples_str)
    for key, examples in found.items():
        if not isinstance(examples, list):
            raise ValueError(f'tf.Example input must be a list of dictionaries, but "{examples}" is {type(examples)}')
        found[key] = [_example(example) for example in examples]
    return found


def _example(features: dict) -> bytes:
    made = tf.train.Example()
    for name, values in features.items():
        if not isinstance(values, list):
            raise ValueError(f'feature value must be a list, but {name}: "{values}" is {type(values)}')
        feature = made.features.feature[name]
        if isinstance(values[0], float):
            feature.float_list.value.extend(values)
        elif isinstance(values[0], (str, bytes)):
            feature.bytes_list.value.extend([v.encode("utf-8") if isinstance(v, str) else v for v in values])
        elif isinstance(values[0], int):
            feature.int64_list.value.extend(values)
        else:
            raise ValueError(f"Type {type(values[0])} for value {values[0]} is not supported for tf.train.Feature.")
    return made.SerializeToString()


def load_inputs_from_input_arg_string(inputs_str: str, input_exprs_str: str, input_examples_str: str) -> dict:
    """The values of inputs by key; of a key that is given in several ways, the last of the three counts.

    Args:
      inputs_str, input_exprs_str, input_examples_str: see the functions above. Files are those of NumPy, or pickles.

    Raises:
      RuntimeError: a text has another form; a file has not the array that is named, or several and none is named.
      ValueError: as `preprocess_input_examples_arg_string`.
    """
    found = {key: _of_file(*place) for key, place in preprocess_inputs_arg_string(inputs_str).items()}
    for key, value in preprocess_input_exprs_arg_string(input_exprs_str).items():
        if key in found:
            warn(
                f"input_key {key} has been specified with both --inputs and --input_exprs options. Value in --input_exprs will "
                "be used."
            )
        found[key] = value
    for key, value in preprocess_input_examples_arg_string(input_examples_str).items():
        if key in found:
            warn(f"input_key {key} has been specified in multiple options. Value in --input_examples will be used.")
        found[key] = value
    return found


def _of_file(file: str, name: str | None):
    with tf.io.gfile.GFile(file, "rb") as opened:
        data = np.load(opened, allow_pickle=True)
        if isinstance(data, np.ndarray):
            if name:
                warn(f'Input file {file} contains a single ndarray. Name key "{name}" ignored.')
            return data
        if name:
            if name not in data:
                raise RuntimeError(f'Input file {file} does not contain variable with name "{name}".')
            return data[name]
        if not hasattr(data, "files"):
            return data
        if len(data.files) != 1:
            raise RuntimeError(f"Input file {file} contains more than one ndarrays. Please specify the name of ndarray to use.")
        return data[data.files[0]]
