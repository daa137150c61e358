"""`tensorflow.python.util.tf_decorator`: wrappers that say what they wrap."""

from tracefn._decorators import TFDecorator, make_decorator, rewrap, unwrap

__all__ = ["TFDecorator", "make_decorator", "rewrap", "unwrap"]
