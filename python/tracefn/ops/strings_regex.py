"""`tf.strings`: regular expressions."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import op


@export("strings.regex_full_match")
def regex_full_match(input, pattern, name=None):
    r"""Whether each whole string matches a regular expression.

    The syntax is RE2's (https://github.com/google/re2/wiki/Syntax), without `\C`; a match takes time proportional to the
    string.

    Args:
      input: string tensor.
      pattern: str, or scalar string tensor.
      name: name of the op.

    Returns:
      bool tensor of the shape of `input`.

    Raises:
      InvalidArgumentError: the pattern is not valid.

    Example:
      >>> import tracefn as tf
      >>> tf.strings.regex_full_match(["abc", "abcd"], "a.c").numpy().tolist()
      [True, False]
    """
    if isinstance(pattern, (str, bytes)):
        return op("StaticRegexFullMatch")(input=input, pattern=pattern, name=name)
    return op("RegexFullMatch")(input=input, pattern=pattern, name=name)


@export("strings.regex_replace", "compat.v1.regex_replace")
def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    r"""Replaces the matches of a regular expression.

    Args:
      input: string tensor.
      pattern: str, or scalar string tensor, in the syntax of `tf.strings.regex_full_match`.
      rewrite: str, or scalar string tensor, in which `\0` stands for the match and `\1` to `\9` for its groups.
      replace_global: whether all matches are replaced, not only the first.
      name: name of the op.

    Returns:
      string tensor of the shape of `input`.

    Raises:
      InvalidArgumentError: the pattern is not valid.

    Example:
      >>> import tracefn as tf
      >>> tf.strings.regex_replace("3 + 14", r"(\d+)", r"<\1>").numpy()
      b'<3> + <14>'
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return op("StaticRegexReplace")(
            input=input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name
        )
    return op("RegexReplace")(input=input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name)
