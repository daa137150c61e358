"""`tf.queue`: queues of tensors, through which threads pass elements on."""

from tracefn._namespaces import fill as _fill
from tracefn._queues import kinds as _  # noqa: F401 - it registers its names

_fill(globals(), "queue")
