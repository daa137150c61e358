"""`tensorflow.python.autograph.core.converter`: how functions are converted."""

from __future__ import annotations

from tracefn.autograph.experimental import Feature

__all__ = ["STANDARD_OPTIONS", "ConversionOptions", "Feature"]


class ConversionOptions:
    """How a function and those that it calls are converted. They are values: equal ones have the same hash.

    Args:
      recursive: whether called functions are converted, too.
      user_requested: whether the program asked for the conversion, so that functions of libraries are converted, too.
      internal_convert_user_code: whether functions of the program are converted at all.
      optional_features: Feature, or sequence of Features, or None.

    Example:
      >>> import tracefn as tf
      >>> options = tf.python.autograph.core.converter.ConversionOptions(recursive=True)
      >>> options.uses(tf.autograph.experimental.Feature.LISTS), options.call_options().user_requested
      (True, False)
    """

    def __init__(
        self, recursive=False, user_requested=False, internal_convert_user_code=True, optional_features=Feature.ALL
    ) -> None:
        self.recursive = recursive
        self.user_requested = user_requested
        # Functions that a program asked for are converted even within one whose calls are not.
        self.internal_convert_user_code = internal_convert_user_code
        features = optional_features or ()
        self.optional_features = frozenset(features if isinstance(features, (set, frozenset, list, tuple)) else (features,))

    def as_tuple(self) -> tuple:
        """The options in the order of the arguments."""
        return self.recursive, self.user_requested, self.internal_convert_user_code, self.optional_features

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def __eq__(self, other) -> bool:
        return isinstance(other, ConversionOptions) and self.as_tuple() == other.as_tuple()

    def __str__(self) -> str:
        return f"ConversionOptions[{self.as_tuple()}]"

    def uses(self, feature) -> bool:
        """Whether a feature is on."""
        return Feature.ALL in self.optional_features or feature in self.optional_features

    def call_options(self) -> ConversionOptions:
        """The options of the functions that a function with these options calls."""
        return ConversionOptions(
            recursive=self.recursive,
            user_requested=False,
            internal_convert_user_code=self.recursive,
            optional_features=self.optional_features,
        )


STANDARD_OPTIONS = ConversionOptions(
    recursive=True, user_requested=False, internal_convert_user_code=True, optional_features=None
)
