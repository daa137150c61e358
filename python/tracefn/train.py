"""`tf.train`: checkpoints; views of objects that hold others; averages of Variables; threads; messages of examples."""

from tracefn._checkpoint.checkpoint import Checkpoint
from tracefn._checkpoint.files import checkpoints_iterator, list_variables, load_checkpoint, load_variable
from tracefn._checkpoint.manager import CheckpointManager
from tracefn._checkpoint.options import CheckpointOptions
from tracefn._checkpoint.python_state import PythonState as _PythonState
from tracefn._checkpoint.state_file import get_checkpoint_state, latest_checkpoint
from tracefn._checkpoint.view import CheckpointView
from tracefn._deprecated import leave_out as _leave_out
from tracefn._missing import namespace as _namespace
from tracefn._missing.refused import refused as _refused
from tracefn._namespaces import fill as _fill
from tracefn._namespaces import load as _load
from tracefn._tracking.views import TrackableView
from tracefn._training.coordinator import Coordinator
from tracefn.distribute._cluster_messages import NAMES as _MESSAGES
from tracefn.distribute._cluster_messages import message_class as _message_class
from tracefn.distribute._cluster_spec import ClusterSpec

__all__ = [
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "CheckpointView",
    "ClusterSpec",
    "Coordinator",
    "TrackableView",
    "checkpoints_iterator",
    "experimental",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]

_ONE_FILE = "all tensors of a checkpoint are in one file."
experimental = _namespace(
    "train.experimental",
    "`tf.train.experimental`: values of Python in checkpoints.",
    {
        "PythonState": _PythonState,
        **{
            name: _refused(f"train.experimental.{name}", _ONE_FILE)
            for name in ("MaxShardSizePolicy", "ShardByTaskPolicy", "ShardableTensor", "ShardingCallback")
        },
    },
)
_fill(globals(), "train")
__all__.append("ExponentialMovingAverage")  # by __getattr__


def __getattr__(name: str):
    if name == "ExponentialMovingAverage":
        from tracefn._training import moving_averages  # start-up time: few programs average Variables

        globals()[name] = moving_averages.ExponentialMovingAverage
        return globals()[name]
    message = _message_class(name)
    return _load(globals(), "train", name) if message is None else message


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *filter(_message_class, _MESSAGES)})
_leave_out(globals(), "train")
