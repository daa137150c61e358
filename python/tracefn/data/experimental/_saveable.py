"""`tf.data.experimental.make_saveable_from_iterator`: the position of an iterator, for tf.compat.v1.train.Saver."""

from __future__ import annotations

from tracefn._checkpoint.saveable import SaveableObject, SaveSpec
from tracefn.data._iterator import saved_position, to_saved_position
from tracefn.data._options import ExternalStatePolicy

_POLICIES = {"warn": ExternalStatePolicy.WARN, "ignore": ExternalStatePolicy.IGNORE, "fail": ExternalStatePolicy.FAIL}


class _IteratorSaveable(SaveableObject):
    """The position of an iterator, as one tensor."""

    def __init__(self, resource, name: str, policy: ExternalStatePolicy) -> None:
        ((key, state),) = saved_position(resource, policy).items()
        self._key = key
        super().__init__(resource, [SaveSpec(state, "", name + key, device="")], name)

    def restore(self, restored_tensors, restored_shapes):
        """Lets the iterator go to a position."""
        del restored_shapes
        return to_saved_position(self.op, {self._key: restored_tensors[0]})


def make_saveable_from_iterator(iterator, external_state_policy=None):
    """What lets tf.compat.v1.train.Saver save the position of an iterator; add it to the collection "saveable_objects".

    Args:
      iterator: tf.compat.v1.data.Iterator.
      external_state_policy: "fail" or None, "warn" or "ignore", if the position depends on what the dataset does not hold.

    Returns:
      A SaveableObject.

    Raises:
      ValueError: there is no such policy.

    Example:
      >>> import tempfile, tracefn as tf
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     iterator = tf.compat.v1.data.make_one_shot_iterator(tf.compat.v1.data.Dataset.range(5))
      ...     step = iterator.get_next()
      ...     saver = tf.compat.v1.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])
      ...     numbers = [int(session.run(step))]
      ...     path = saver.save(session, tempfile.mkdtemp() + "/c")
      ...     numbers += [int(session.run(step)), int(session.run(step))]
      ...     saver.restore(session, path)
      ...     print(numbers, session.run(step))
      [0, 1, 2] 1
    """
    policy = "fail" if external_state_policy is None else external_state_policy
    policy = policy if isinstance(policy, ExternalStatePolicy) else _POLICIES.get(policy)
    if policy is None:
        raise ValueError(
            "Invalid `ExternalStatePolicy.` Supported values include 'warn', 'ignore', and 'fail.' Received "
            f"{external_state_policy}."
        )
    resource = iterator._iterator_resource
    return _IteratorSaveable(resource, getattr(resource, "name", "iterator"), policy)
