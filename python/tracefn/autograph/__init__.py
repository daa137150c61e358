"""`tf.autograph`: Python control flow over tensors becomes graph nodes."""

from tracefn._missing import getter as _getter
from tracefn._user_code import started as _started  # noqa: F401 - notes the time of import
from tracefn.autograph import experimental
from tracefn.autograph.api import to_code, to_graph, trace
from tracefn.autograph.experimental import do_not_convert
from tracefn.autograph.reporting import set_verbosity

__all__ = ["do_not_convert", "experimental", "set_verbosity", "to_code", "to_graph", "trace"]


__getattr__ = _getter("autograph")
