"""`tf.__internal__.saved_model.load`: which classes objects of a saved model become."""

from __future__ import annotations

__all__ = ["VersionedTypeRegistration", "get_setter", "register_revived_type", "registered_identifiers"]
_registered: dict[str, tuple] = {}


class VersionedTypeRegistration:
    """One version of a class of saved objects.

    Args:
      object_factory: callable that takes what was saved of an object and returns one.
      version: int, of what this program saves.
      min_producer_version: the oldest version that it can load.
      min_consumer_version: the oldest version that can load what it saves.
      bad_consumers: versions that cannot, all the same.
      setter: callable that takes (object, name, value) and sets a child.
    """

    def __init__(
        self, object_factory, version, min_producer_version, min_consumer_version, bad_consumers=None, setter=setattr
    ) -> None:
        self.setter = setter
        self.version = version
        self._factory = object_factory
        self._min_producer_version, self._min_consumer_version = min_producer_version, min_consumer_version
        self._bad_consumers = list(bad_consumers or ())
        self.identifier: str | None = None

    @property
    def min_consumer_version(self) -> int:
        """The oldest version that can load what this saves."""
        return self._min_consumer_version

    def from_proto(self, proto):
        """An object for what was saved."""
        return self._factory(proto)

    def should_load(self, proto) -> bool:
        """Whether this version can load what was saved."""
        if proto.identifier != self.identifier or self.version < proto.version.min_consumer:
            return False
        return proto.version.producer >= self._min_producer_version and self.version not in proto.version.bad_consumers


def register_revived_type(identifier, predicate, versions) -> None:
    """Says which objects are saved under a name, and what they become when they are loaded.

    Args:
      identifier: str, the name.
      predicate: callable that takes an object and returns whether it is one of these.
      versions: VersionedTypeRegistrations.

    Raises:
      AssertionError: two versions have the same number, or there is none.
    """
    versions = sorted(versions, key=lambda registration: registration.version, reverse=True)
    if not versions:
        raise AssertionError("Need at least one version of a registered type.")
    if len({registration.version for registration in versions}) < len(versions):
        raise AssertionError(f"Got multiple registrations with version {versions[0].version} for type {identifier}.")
    for registration in versions:
        registration.identifier = identifier
    _registered[identifier] = (predicate, versions)


def registered_identifiers() -> list[str]:
    """The names under which objects are saved."""
    return list(_registered)


def get_setter(proto):
    """The function that sets children of an object that was saved; None for an unknown one."""
    for registration in _registered.get(proto.identifier, (None, ()))[1]:
        if registration.should_load(proto):
            return registration.setter
    return None
