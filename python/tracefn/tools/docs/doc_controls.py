"""`tensorflow.tools.docs.doc_controls`: decorators that tell a generator of documentation what to show."""

from __future__ import annotations

__all__ = [
    "do_not_doc_in_subclasses",
    "do_not_doc_inheritable",
    "do_not_generate_docs",
    "doc_in_current_and_subclasses",
    "doc_private",
    "for_subclass_implementers",
    "get_header",
    "get_inheritable_header",
    "header",
    "inheritable_header",
    "set_deprecated",
]
_HEADER, _INHERITABLE_HEADER = "_tf_docs_header", "_tf_docs_inheritable_header"


def _mark(name: str, text: str):
    """A decorator that sets an attribute on what it decorates; a property is marked at its getter."""

    def mark(obj):
        setattr(obj.fget if isinstance(obj, property) else obj, name, None)
        return obj

    mark.__doc__ = text
    return mark


set_deprecated = _mark("_tf_docs_deprecated", "Marks something as deprecated.")
do_not_generate_docs = _mark("_tf_docs_do_not_document", "Leaves something out.")
do_not_doc_inheritable = _mark("_tf_docs_do_not_doc_inheritable", "Leaves a method out, in subclasses too.")
do_not_doc_in_subclasses = for_subclass_implementers = _mark(
    "_tf_docs_tools_for_subclass_implementers", "Shows a method only in the class that defines it."
)
doc_in_current_and_subclasses = _mark(
    "_tf_docs_doc_in_current_and_subclasses", "Shows a method in subclasses, even if a base class leaves it out."
)
doc_private = _mark("_tf_docs_doc_private", "Shows something whose name starts with an underscore.")


def _with_text(name: str, text: str):
    def mark(cls):
        setattr(cls, name, text)
        return cls

    return mark


def header(text: str):
    """A decorator that sets the text above the page of a class, not of its subclasses."""
    return _with_text(_HEADER, text)


def inheritable_header(text: str):
    """A decorator that sets the text above the pages of a class and its subclasses."""
    return _with_text(_INHERITABLE_HEADER, text)


def get_header(obj) -> str | None:
    """The text of `header`."""
    return vars(obj).get(_HEADER)


def get_inheritable_header(obj) -> str | None:
    """The text of `inheritable_header`."""
    return getattr(obj, _INHERITABLE_HEADER, None)
