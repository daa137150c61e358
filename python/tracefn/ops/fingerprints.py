"""`tf.fingerprint`: hashes of rows."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.ops._build import convert, op


@export("fingerprint")
def fingerprint(data, method="farmhash64", name=None):
    """The FarmHash fingerprint of each row of a tensor.

    Args:
      data: tensor of rank 1 or more.
      method: "farmhash64".
      name: name of the op.

    Returns:
      uint8 tensor [rows, 8]. A fingerprint depends on the bytes of a row alone, not on the shape or dtype.

    Raises:
      InvalidArgumentError: `data` is a scalar, or there is no such method.

    Source: FarmHash's Fingerprint64, G. Pike, 2014.

    Example:
      >>> import tracefn as tf
      >>> tf.fingerprint(["a", "b"]).numpy().tolist()
      [[227, 117, 223, 182, 101, 66, 69, 179], [22, 241, 200, 94, 33, 96, 178, 163]]
    """
    return op("Fingerprint")(data=convert(data), method=_core.convert_to_tensor(method, dtype="string"), name=name)
