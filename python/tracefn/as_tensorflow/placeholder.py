"""Stands for a name that is missing: it can be imported and named as a base class, and using it raises an error."""

from __future__ import annotations

_PAGE = "docs/coverage.md lists what there is."


class _Placeholder(type):
    """The type of placeholders, which are classes because libraries test `isinstance(x, name)` and derive from them."""

    _text: str

    def __call__(cls, *args, **kwargs):
        raise NotImplementedError(f"{cls._text} {_PAGE}")

    def __getattr__(cls, name: str):
        text = type.__getattribute__(cls, "_text")
        raise AttributeError(f"{text} Its attribute {name!r} was asked for. {_PAGE}", name=name, obj=cls)

    def __repr__(cls) -> str:
        return f"<missing name {cls.__name__}>"


def placeholder(name: str, text: str) -> type:
    """A class that stands for a missing name; `text` says which one, and who imports it."""
    return _Placeholder(name, (), {"_text": text, "__doc__": text})
