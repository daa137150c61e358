"""`tf.experimental.dlpack`: tensors exchanged with other libraries through DLPack.

>>> tf.experimental.dlpack.from_dlpack(np.arange(3.0))
<tf.Tensor: shape=(3,), dtype=float64, numpy=array([0., 1., 2.])>
"""

from tracefn._core import from_dlpack, to_dlpack
from tracefn._missing import getter as _getter

__all__ = ["from_dlpack", "to_dlpack"]


__getattr__ = _getter("experimental.dlpack")
