"""Names of keyword arguments: those that `**kwargs` takes become names of placeholders (rule 16)."""

from __future__ import annotations


def _is_plain(name: str) -> bool:
    return name[:1].isalpha() and name.replace("_", "a").isalnum()


def _plain(name: str) -> str:
    plain = "".join(c if c.isalnum() else "_" for c in name)
    return plain if plain[:1].isalpha() else f"arg_{plain}"


def sanitized(kwargs: dict, parameters) -> dict:
    """The keyword arguments, whose names are letters, digits and underscores, and begin with a letter.

    Args:
      kwargs: the keyword arguments of a call, or their specs.
      parameters: the names of the function's parameters, which stay as they are.

    Raises:
      ValueError: two names become one.
    """
    if all(map(_is_plain, kwargs)):
        return kwargs
    found = {name if name in parameters else _plain(name): value for name, value in kwargs.items()}
    if len(found) < len(kwargs):
        raise ValueError(
            "Name collision after sanitization. Please rename tf.function input parameters. Original: "
            f"{sorted(kwargs)}, Sanitized: {sorted(found)}"
        )
    return found
