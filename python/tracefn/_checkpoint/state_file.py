"""The file "checkpoint" in a directory, which names its checkpoints: TensorFlow's message CheckpointState as text."""

from __future__ import annotations

import os
import re

from tracefn import _core
from tracefn._export import export
from tracefn._logging import get_logger, inform, warn
from tracefn._wire import quoted_text
from tracefn.errors import OpError

_NAMES = {
    "model_checkpoint_path": str,
    "all_model_checkpoint_paths": list,
    "all_model_checkpoint_timestamps": list,
    "last_preserved_timestamp": float,
}
_FIELD = re.compile(
    r"""(?:\s|\#[^\n]*+)*+(?P<name>\w+)\s*:\s*(?:(?P<text>(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\s)+)|(?P<number>[-+.\w]+))\s*[,;]?""",
    re.ASCII,
)
_STRING = r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
_LIST = re.compile(rf"""\#[^\n]*|{_STRING}|(?P<name>\w+)\s*:\s*\[(?P<items>(?:{_STRING}|[^]"'\#])*)\]""", re.ASCII)
_ITEM = re.compile(rf"{_STRING}|[-+.\w]+", re.ASCII)
_PIECE = re.compile(r""""((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'""")
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL)
_SIMPLE = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


class CheckpointState:
    """What the file says.

    Args:
      model_checkpoint_path: str, the latest checkpoint.
      all_model_checkpoint_paths: list of str, all of them, the oldest first.
      all_model_checkpoint_timestamps: list of float, when each was written, in seconds since 1970.
      last_preserved_timestamp: float, the time of the last one that is kept for ever; None: it does not say.
    """

    def __init__(
        self,
        model_checkpoint_path="",
        all_model_checkpoint_paths=(),
        all_model_checkpoint_timestamps=(),
        last_preserved_timestamp=None,
    ) -> None:
        self.model_checkpoint_path = model_checkpoint_path
        self.all_model_checkpoint_paths = list(all_model_checkpoint_paths or ())
        self.all_model_checkpoint_timestamps = [float(t) for t in all_model_checkpoint_timestamps or ()]
        self.last_preserved_timestamp = float(last_preserved_timestamp or 0.0)

    def __str__(self) -> str:
        lines = []
        if self.model_checkpoint_path:
            lines.append(f"model_checkpoint_path: {quoted_text(self.model_checkpoint_path)}")
        lines += [f"all_model_checkpoint_paths: {quoted_text(path)}" for path in self.all_model_checkpoint_paths]
        lines += [f"all_model_checkpoint_timestamps: {time!r}" for time in self.all_model_checkpoint_timestamps]
        if self.last_preserved_timestamp:
            lines.append(f"last_preserved_timestamp: {self.last_preserved_timestamp!r}")
        return "".join(line + "\n" for line in lines)

    __repr__ = __str__

    def __eq__(self, other) -> bool:
        return isinstance(other, CheckpointState) and str(self) == str(other)

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def parse(cls, text: str) -> CheckpointState:
        """The state in a text.

        Raises:
          ValueError: it is no such text.
        """
        state, at = cls(), 0
        while text[at:].strip() and not re.fullmatch(r"(\s|#[^\n]*+)*+", text[at:]):
            found = _FIELD.match(text, at)
            name = found["name"] if found else None
            if found is None or name not in _NAMES:
                line = text.count("\n", 0, at) + 1
                raise ValueError(f"line {line}: expected a field of CheckpointState, got {text[at:].strip()[:40]!r}")
            if ("path" in found["name"]) != (found["text"] is not None):
                raise ValueError(f"{found['name']}: a value of another type")
            value = _unquoted(found["text"]) if found["text"] is not None else _number(found["number"])
            if _NAMES[found["name"]] is list:
                getattr(state, found["name"]).append(value)
            else:
                setattr(state, found["name"], value)
            at = found.end()
        return state


def _with_lists_spelled_out(text: str) -> str:
    """A text with `name: [a, b]` as `name: a name: b`."""

    def fields(found) -> str:
        if found["name"] is None:
            return found[0]
        return " ".join(f"{found['name']}: {item}" for item in _ITEM.findall(found["items"]))

    return _LIST.sub(fields, text)


def _number(text: str) -> float:
    return float(text if text[-1] not in "fF" or text.lower().endswith("inf") else text[:-1])


def _unquoted(text: str) -> str:
    def plain(found) -> bytes:
        code = found[1]
        if code[:1] == b"x" and len(code) > 1:
            return bytes([int(code[1:], 16)])
        if code[:1] in b"uU" and len(code) > 1:
            return chr(int(code[1:], 16)).encode()
        if code[:1].isdigit():
            return bytes([int(code, 8) & 0xFF])
        return _SIMPLE.get(code, code)

    pieces = (double or single for double, single in _PIECE.findall(text))
    return os.fsdecode(b"".join(_ESCAPE.sub(plain, os.fsencode(piece)) for piece in pieces))


def _path_of(directory, latest_filename) -> str:
    return os.path.join(os.fspath(directory), latest_filename or "checkpoint")


@export("compat.v1.train.generate_checkpoint_state_proto")
def generate_checkpoint_state_proto(
    save_dir,
    model_checkpoint_path,
    all_model_checkpoint_paths=None,
    all_model_checkpoint_timestamps=None,
    last_preserved_timestamp=None,
):
    """The state of a directory of checkpoints.

    Args:
      save_dir: str, the directory; if it is relative, paths below become relative to it.
      model_checkpoint_path: str, the latest checkpoint.
      all_model_checkpoint_paths: list of str, all, the oldest first; None: the latest.
      all_model_checkpoint_timestamps: list of float, when each was written, or None.
      last_preserved_timestamp: float, the time of the last one that is kept for ever, or None.

    Raises:
      ValueError: there are fewer or more times than paths.
    """
    paths = list(all_model_checkpoint_paths or ())
    if not paths or paths[-1] != model_checkpoint_path:
        inform(f"{model_checkpoint_path} is not in all_model_checkpoint_paths. Manually adding it.")
        paths.append(model_checkpoint_path)
    if all_model_checkpoint_timestamps and len(all_model_checkpoint_timestamps) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got paths "
            f"{paths} and timestamps {all_model_checkpoint_timestamps})"
        )
    if not os.path.isabs(save_dir):
        model_checkpoint_path, *paths = (
            path if os.path.isabs(path) else os.path.relpath(path, save_dir) for path in (model_checkpoint_path, *paths)
        )
    return CheckpointState(model_checkpoint_path, paths, all_model_checkpoint_timestamps, last_preserved_timestamp)


@export("compat.v1.train.update_checkpoint_state")
def update_checkpoint_state(
    save_dir,
    model_checkpoint_path,
    all_model_checkpoint_paths=None,
    latest_filename=None,
    all_model_checkpoint_timestamps=None,
    last_preserved_timestamp=None,
) -> None:
    """Writes the file "checkpoint" of a directory.

    Args:
      latest_filename: str, another name for it.
      save_dir, model_checkpoint_path, all_model_checkpoint_paths, all_model_checkpoint_timestamps, last_preserved_timestamp: see
        `generate_checkpoint_state_proto`.

    Raises:
      RuntimeError: the checkpoint has the name of the file.
    """
    update_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        False,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


def update_state(
    save_dir,
    model_checkpoint_path,
    all_model_checkpoint_paths=None,
    latest_filename=None,
    save_relative_paths=False,
    all_model_checkpoint_timestamps=None,
    last_preserved_timestamp=None,
) -> None:
    """As `update_checkpoint_state`; with `save_relative_paths`, the file has paths relative to the directory."""
    target = _path_of(save_dir, latest_filename)
    latest, paths = model_checkpoint_path, list(all_model_checkpoint_paths or ())
    if save_relative_paths:
        latest, *paths = (os.path.relpath(path, save_dir) if os.path.isabs(path) else path for path in (latest, *paths))
    state = generate_checkpoint_state_proto(
        save_dir, latest, paths, all_model_checkpoint_timestamps, last_preserved_timestamp
    )
    if target == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state.  Please use a different save path."
        )
    _core.write_local_file(os.fsencode(target), str(state).encode())


@export("train.get_checkpoint_state")
def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """What the file "checkpoint" of a directory says.

    Args:
      checkpoint_dir: str or path.
      latest_filename: str, another name for the file.

    Returns:
      A CheckpointState with `model_checkpoint_path`, `all_model_checkpoint_paths` and more; None if there is no such file, or, with
      a warning, if it cannot be read.

    Raises:
      ValueError: the file names no checkpoint.

    Example:
      >>> import tempfile, tracefn as tf
      >>> directory = tempfile.mkdtemp()
      >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(directory + "/c")
      >>> tf.train.get_checkpoint_state(directory).model_checkpoint_path == path
      True
    """
    directory = os.fspath(checkpoint_dir)
    file = _path_of(directory, latest_filename)
    local = _core.local_path(os.fsencode(file))
    if not os.path.exists(local):
        return None
    try:
        with open(local, encoding="utf-8", errors="surrogateescape") as opened:
            text = opened.read()
        state = CheckpointState.parse(_with_lists_spelled_out(text))
    except (OSError, OpError, ValueError) as error:
        warn(f"{type(error).__name__}: {error}")
        warn(f"{file}: Checkpoint ignored")
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {directory}")
    state.model_checkpoint_path = os.path.join(directory, state.model_checkpoint_path)
    state.all_model_checkpoint_paths = [os.path.join(directory, path) for path in state.all_model_checkpoint_paths]
    return state


def files_of(prefix: str) -> list[bytes]:
    """The paths of a checkpoint's files that name it: the index, or the file of the older format."""
    pattern = os.fsencode(prefix)
    return _core.matching_local_files(pattern + b".index") or _core.matching_local_files(pattern)


@export("train.latest_checkpoint")
def latest_checkpoint(checkpoint_dir, latest_filename=None):
    """The latest checkpoint of a directory, for `tf.train.Checkpoint.restore`.

    Args:
      checkpoint_dir: str or path.
      latest_filename: str, another name for the file "checkpoint".

    Returns:
      str; None if there is none.

    Example:
      >>> import tempfile, tracefn as tf
      >>> directory = tempfile.mkdtemp()
      >>> tf.train.latest_checkpoint(directory) is None
      True
      >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(directory + "/c")
      >>> tf.train.latest_checkpoint(directory) == path
      True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if files_of(state.model_checkpoint_path):
        return state.model_checkpoint_path
    get_logger().error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None
