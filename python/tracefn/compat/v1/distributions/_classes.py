"""Distributions of classes: Bernoulli, of two, and Categorical, of any number."""

from __future__ import annotations

from tracefn import _core
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.distributions._checks import event_of
from tracefn.compat.v1.distributions._divergence import RegisterKL
from tracefn.compat.v1.distributions._parameters import WithProbabilities, parameter, same_shapes
from tracefn.dtypes import as_dtype
from tracefn.ops._build import op
from tracefn.python.framework.ops import name_scope
from tracefn.tensor_shape import TensorShape


class Bernoulli(WithProbabilities):
    """The distribution of 1, with a probability, and 0.

    Args:
      logits: floating-point tensor, the logarithms of the odds; or None.
      probs: floating-point tensor, the probabilities of 1; or None.
      dtype: dtype of samples.
      validate_args: whether arguments are checked while the ops run.
      allow_nan_stats: whether statistics that are not defined are NaN, instead of an error.
      name: name of the ops.

    Raises:
      ValueError: both logits and probs are given, or none.
      TypeError: they are not floating-point.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.distributions.Bernoulli(probs=[0.25, 0.75]).prob(1).numpy().round(4).tolist()
      [0.25, 0.75]
    """

    def __init__(
        self, logits=None, probs=None, dtype="int32", validate_args=False, allow_nan_stats=True, name="Bernoulli"
    ) -> None:
        dtype = as_dtype(dtype)
        given = dict(locals())
        with name_scope(name) as name:
            self._make_probabilities(logits, probs, validate_args, name)
        self._all = (self._logits,)
        self._finish(given, dtype, [self._logits, self._probs], name)

    _event_rank = 0
    _param_shapes = same_shapes("logits")

    def _sample_n(self, n, seed=None):
        numbers = today("random.uniform")(self._sizes(n), dtype=self.probs.dtype, seed=seed)
        return today("cast")(numbers < self.probs, self.dtype)

    def _log_prob(self, value):
        event = today("cast")(event_of(value, "bool") if self.validate_args else value, self.logits.dtype)
        logits = self.logits + op("ZerosLike")(x=event)
        event = event + op("ZerosLike")(x=logits)
        return -today("nn.sigmoid_cross_entropy_with_logits")(labels=event, logits=logits)

    def _entropy(self):
        return -self.logits * (op("Sigmoid")(x=self.logits) - 1.0) + op("Softplus")(features=-self.logits)

    def _mean(self):
        return op("Identity")(input=self.probs)

    def _variance(self):
        return self.probs * (1.0 - self.probs)

    def _mode(self):
        return today("cast")(self.probs > 0.5, self.dtype)


class Categorical(WithProbabilities):
    """The distribution of one of several classes, which are numbered from 0.

    Args:
      logits: floating-point tensor [..., classes], the logarithms of probabilities; or None.
      probs: floating-point tensor [..., classes], the probabilities; or None.
      dtype: dtype of samples.
      validate_args: whether arguments are checked while the ops run.
      allow_nan_stats: whether statistics that are not defined are NaN, instead of an error.
      name: name of the ops.

    Raises:
      ValueError: both logits and probs are given, or none; or they are scalars.
      TypeError: they are not floating-point.

    Example:
      >>> import tracefn as tf
      >>> float(tf.compat.v1.distributions.Categorical(probs=[0.25, 0.5, 0.25]).cdf(2))
      0.75
    """

    def __init__(
        self, logits=None, probs=None, dtype="int32", validate_args=False, allow_nan_stats=True, name="Categorical"
    ) -> None:
        dtype = as_dtype(dtype)
        given = dict(locals())
        with name_scope(name) as name:
            self._make_probabilities(logits, probs, validate_args, name)
            shape = self._logits.shape.with_rank_at_least(1)
            known = None if shape.rank is None else shape[-1]
            size = op("Shape")(input=self._logits)[-1] if known is None else known
            self._event_size = _core.convert_to_tensor(size, dtype="int32", name="event_size")
        self._all = (self._logits,)
        self._finish(given, dtype, [self._logits, self._probs], name)

    event_size = parameter("event_size", "The number of classes, as a tensor.")

    def _event_shape(self):
        return TensorShape([])

    def _event_shape_tensor(self):
        return _core.convert_to_tensor([], dtype="int32")

    def _sample_n(self, n, seed=None):
        rows = op("Reshape")(tensor=self.logits, shape=today("stack")([-1, self.event_size]))
        kind = "int64" if self.dtype.size > 4 else "int32"
        drawn = today("transpose")(today("random.categorical")(rows, n, dtype=kind, seed=seed))
        return today("cast")(op("Reshape")(tensor=drawn, shape=self._sizes(n)), self.dtype)

    def _together(self, value, parameters):
        """Events and parameters of the same batches."""
        event = event_of(value, "int32") if self.validate_args else value
        if event.dtype.is_floating:
            event = today("cast")(event, "int32")
        elif not event.dtype.is_integer:
            raise TypeError(f"`value` should have integer `dtype` or `self.dtype` ({self.dtype.base_dtype})")
        parameters = parameters * today("ones_like")(event[..., None], dtype=parameters.dtype)
        return event * today("ones")(op("Shape")(input=parameters)[:-1], dtype=event.dtype), parameters

    def _cdf(self, value):
        event, probs = self._together(value, self.probs)
        counted = today("sequence_mask")(event, self.event_size)
        return today("reduce_sum")(today("where")(counted, probs, op("ZerosLike")(x=probs)), -1)

    def _log_prob(self, value):
        event, logits = self._together(value, self.logits)
        return -today("nn.sparse_softmax_cross_entropy_with_logits")(labels=event, logits=logits)

    def _entropy(self):
        return -today("reduce_sum")(today("nn.log_softmax")(self.logits) * self.probs, -1)

    def _mode(self):
        return today("cast")(today("argmax")(self.logits, axis=-1), self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _kl_of_two_classes(a, b, name=None):
    with name_scope(name, "kl_bernoulli_bernoulli"):
        softplus = op("Softplus")
        zeros = softplus(features=-b.logits) - softplus(features=-a.logits)
        ones = softplus(features=b.logits) - softplus(features=a.logits)
        return op("Sigmoid")(x=a.logits) * zeros + op("Sigmoid")(x=-a.logits) * ones


@RegisterKL(Categorical, Categorical)
def _kl_of_classes(a, b, name=None):
    with name_scope(name, "kl_categorical_categorical"):
        difference = today("nn.log_softmax")(a.logits) - today("nn.log_softmax")(b.logits)
        return today("reduce_sum")(today("nn.softmax")(a.logits) * difference, -1)
