"""`tf.profiler.experimental`: records when ops run, on which threads, and what memory their results take."""

from __future__ import annotations

import gzip
import os
import socket
import threading
import time
from typing import NamedTuple

from tracefn import _core
from tracefn._export import export
from tracefn._logging import get_logger
from tracefn.errors import AlreadyExistsError, UnavailableError
from tracefn.ops.gfile import text_bytes


class _Options(NamedTuple):
    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


@export("profiler.experimental.ProfilerOptions")
class ProfilerOptions(_Options):
    """What a profile holds.

    Args:
      host_tracer_level: 0 for nothing; from 1 on, all ops.
      python_tracer_level: not supported: calls of Python functions are not recorded.
      device_tracer_level, delay_ms: accepted, without effect.

    Example:
      >>> import tracefn as tf
      >>> tf.profiler.experimental.ProfilerOptions(host_tracer_level=3)
      ProfilerOptions(host_tracer_level=3, python_tracer_level=0, device_tracer_level=1, delay_ms=None)
    """

    __slots__ = ()


_lock = threading.Lock()
_directory: bytes | None = None  # of the profile that is recorded


@export("profiler.experimental.start")
def start(logdir, options=None):
    """Starts to record a profile of all threads. It costs some hundred nanoseconds per op.

    Args:
      logdir: path of the directory for the profile.
      options: a `tf.profiler.experimental.ProfilerOptions`, or None.

    Raises:
      AlreadyExistsError: a profile is being recorded.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> directory = tempfile.mkdtemp()
      >>> tf.profiler.experimental.start(directory)
      >>> y = tf.matmul(tf.ones([8, 8]), tf.ones([8, 8]))
      >>> tf.profiler.experimental.stop()
      >>> run, = tf.io.gfile.listdir(f"{directory}/plugins/profile")
      >>> sorted(name.split(".", 1)[1] for name in tf.io.gfile.listdir(f"{directory}/plugins/profile/{run}"))
      ['trace.json.gz', 'xplane.pb']
    """
    global _directory
    options = ProfilerOptions() if options is None else options
    with _lock:
        if _directory is not None:
            raise AlreadyExistsError(None, None, "Another profiler is running.")
        if options.python_tracer_level:
            get_logger().warning("ProfilerOptions: python_tracer_level is not supported: Python functions are not recorded.")
        _directory = text_bytes(logdir)
        if options.host_tracer_level:
            _core.start_profile()


@export("profiler.experimental.stop")
def stop(save=True):
    """Ends the profile that `tf.profiler.experimental.start` has started, and writes it.

    The files are `plugins/profile/TIME/HOST.xplane.pb` in the directory, for TensorBoard's profile plugin, and
    `HOST.trace.json.gz` beside it, for chrome://tracing.

    Args:
      save: whether it is written.

    Raises:
      UnavailableError: no profile is recorded.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> tf.profiler.experimental.start(tempfile.mkdtemp())
      >>> tf.profiler.experimental.stop(save=False)
    """
    global _directory
    with _lock:
        directory, _directory = _directory, None
        if directory is None:
            raise UnavailableError(None, None, "Cannot export profiling results. No profiler is running.")
        host = socket.gethostname().split(".")[0]
        space, trace = _core.stop_profile(host)
    if not save:
        return
    run = os.path.join(os.fsdecode(directory), "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
    _core.make_local_directories(os.fsencode(run))
    _core.write_local_file(os.fsencode(os.path.join(run, f"{host}.xplane.pb")), space)
    _core.write_local_file(os.fsencode(os.path.join(run, f"{host}.trace.json.gz")), gzip.compress(trace))


@export("profiler.experimental.Profile")
class Profile:
    """A context that is profiled.

    Args:
      logdir: path of the directory for the profile.
      options: a `tf.profiler.experimental.ProfilerOptions`, or None.

    Raises:
      AlreadyExistsError: on entry: a profile is being recorded.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> with tf.profiler.experimental.Profile(tempfile.mkdtemp()):
      ...     y = tf.matmul(tf.ones([8, 8]), tf.ones([8, 8]))
    """

    def __init__(self, logdir, options=None):
        self._logdir = logdir
        self._options = options

    def __enter__(self):
        start(self._logdir, self._options)

    def __exit__(self, *error):
        stop()


@export("profiler.experimental.Trace")
class Trace:
    """A context that is an event of its own in profiles, from the call of `Trace` to its end.

    Args:
      name: str.
      **kwargs: details of the event. `step_num` and `_r=1` mark a step of training.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> with tf.profiler.experimental.Profile(tempfile.mkdtemp()):
      ...     for step in range(2):
      ...         with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
      ...             y = tf.matmul(tf.ones([8, 8]), tf.ones([8, 8]))
    """

    def __init__(self, name, **kwargs):
        self._name = name
        self._details = kwargs
        self._begin = _core.profile_clock() if _core.profiling() else None

    def __enter__(self):
        return self

    def set_metadata(self, **kwargs):
        """Adds details to the event."""
        self._details.update(kwargs)

    def __exit__(self, *error):
        if self._begin is not None:
            details = [(key, str(value)) for key, value in self._details.items()]
            _core.note_profile_event(self._name, self._begin, details)


__all__ = ["Profile", "ProfilerOptions", "Trace", "start", "stop"]
