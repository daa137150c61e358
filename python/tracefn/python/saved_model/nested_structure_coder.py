"""`tensorflow.python.saved_model.nested_structure_coder`: nests of specs as messages of the class StructuredValue."""

from __future__ import annotations

from tracefn._structured_value import NotEncodableError, decoded, encoded
from tracefn.as_tensorflow.message_modules import required_message_module

__all__ = ["NotEncodableError", "can_encode", "decode_proto", "encode_structure"]


def _message():
    user = "nested_structure_coder.encode_structure"
    return required_message_module("core.protobuf.struct_pb2", user, "StructuredValue").StructuredValue()


def can_encode(nested_structure) -> bool:
    """Whether a nest of specs and Python values has a form in the message.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.saved_model import nested_structure_coder
      >>> nested_structure_coder.can_encode([tf.TensorSpec([2])]), nested_structure_coder.can_encode(object())
      (True, False)
    """
    try:
        encoded(nested_structure)
    except NotEncodableError:
        return False
    return True


def encode_structure(nested_structure):
    """A nest of specs and Python values as a StructuredValue.

    Raises:
      NotEncodableError: something in it has no form in the message.
      ModuleNotFoundError: tensorboard, which has the class, is not installed.
    """
    message = _message()
    message.ParseFromString(encoded(nested_structure))
    return message


def decode_proto(proto):
    """The nest that a StructuredValue, or its bytes, stands for.

    Raises:
      ValueError: a class of specs that it names is not registered.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.saved_model import nested_structure_coder
      >>> message = nested_structure_coder.encode_structure({"x": tf.TensorSpec([2]), "n": (1, "a")})
      >>> nested_structure_coder.decode_proto(message)["n"]
      (1, 'a')
    """
    return decoded(proto if isinstance(proto, bytes) else proto.SerializeToString())
