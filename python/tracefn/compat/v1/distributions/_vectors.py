"""Distributions of vectors: Dirichlet, of probabilities, and those of counts of classes."""

from __future__ import annotations

from tracefn import _core
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.distributions._checks import after, positive, whole_counts
from tracefn.compat.v1.distributions._distribution import NOT_REPARAMETERIZED
from tracefn.compat.v1.distributions._divergence import RegisterKL
from tracefn.compat.v1.distributions._parameters import WithParameters, WithProbabilities, parameter
from tracefn.ops._build import op
from tracefn.python.framework.ops import name_scope
from tracefn.python.ops.distributions.util import gen_new_seed


def _sum(x, keepdims: bool = False):
    return today("reduce_sum")(x, -1, keepdims)


def _log_combinations(total, counts):
    """The logarithm of the number of orders of counted items."""
    return op("Lgamma")(x=total + 1) - _sum(op("Lgamma")(x=counts + 1))


def _matrix(x, y, diagonal):
    """-x y^T, with another diagonal."""
    return today("linalg.set_diag")(-today("matmul")(x[..., None], y[..., None, :]), diagonal)


def _counted(classes, depth):
    """The counts of drawn classes, along the last dimension."""
    return today("reduce_sum")(today("one_hot")(classes, depth), -2)


class _OfCounts(WithParameters):
    """A distribution of counts of classes, which sum up to `total_count`."""

    _event_rank = 1
    _reparameterization = NOT_REPARAMETERIZED

    total_count = parameter("total_count", "The sum of the counts.")

    def _make_total(self, total_count, validate_args: bool) -> None:
        total = _core.convert_to_tensor(total_count, name="total_count")
        self._total_count = whole_counts(total) if validate_args else total

    _sums = "counts must sum to `self.total_count`"

    def _checked_counts(self, counts):
        if not self.validate_args:
            return counts
        counts = whole_counts(counts)
        return after([today("debugging.assert_equal")(self.total_count, _sum(counts), message=self._sums)], counts)


class _Concentrated(WithParameters):
    """A distribution made of positive concentrations of classes."""

    _event_rank = 1

    concentration = parameter("concentration", "The concentrations.")
    total_concentration = parameter("total_concentration", "Their sum.")

    def _make_concentration(self, concentration, validate_args: bool) -> None:
        values = _core.convert_to_tensor(concentration, name="concentration")
        if validate_args:
            rank = "Concentration parameter must have >=1 dimensions."
            size = "Concentration parameter must have event_size >= 2."
            values = after(
                [
                    positive(values, "Concentration parameter must be positive."),
                    today("debugging.assert_rank_at_least")(values, 1, message=rank),
                    today("debugging.assert_less")(1, op("Shape")(input=values)[-1], message=size),
                ],
                values,
            )
        self._concentration = values
        self._total_concentration = _sum(values)
        self._all = (values,)


class Dirichlet(_Concentrated):
    """Dirichlet's distribution, of the probabilities of classes.

    Args:
      concentration: floating-point tensor [..., classes], positive.
      validate_args: whether arguments are checked while the ops run.
      allow_nan_stats: whether statistics that are not defined are NaN, instead of an error.
      name: name of the ops.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.distributions.Dirichlet([1.0, 3.0]).mean().numpy().tolist()
      [0.25, 0.75]
    """

    def __init__(self, concentration, validate_args=False, allow_nan_stats=True, name="Dirichlet") -> None:
        given = dict(locals())
        with name_scope(name) as name:
            self._make_concentration(concentration, validate_args)
        self._finish(given, self._concentration.dtype, [self._concentration, self._total_concentration], name)

    def _sample_n(self, n, seed=None):
        numbers = today("random.gamma")([n], self.concentration, dtype=self.dtype, seed=seed)
        return numbers / _sum(numbers, keepdims=True)

    def _checked(self, value):
        if not self.validate_args:
            return value
        one = _core.convert_to_tensor(1, dtype=self.dtype)
        message = "sample last-dimension must sum to `1`"
        sums = today("debugging.assert_near")(one, _sum(value), message=message)
        return after([positive(value, "samples must be positive"), sums], value)

    def _log_prob(self, value):
        x = self._checked(value)
        return _sum(op("Xlogy")(x=self.concentration - 1.0, y=x)) - today("math.lbeta")(self.concentration)

    def _entropy(self):
        a, total = self.concentration, self.total_concentration
        k = today("cast")(self.event_shape_tensor()[0], self.dtype)
        of_total = (total - k) * op("Digamma")(x=total)
        return today("math.lbeta")(a) + of_total - _sum((a - 1.0) * op("Digamma")(x=a))

    def _mean(self):
        return self.concentration / self.total_concentration[..., None]

    def _scaled(self):
        scale = op("Rsqrt")(x=1.0 + self.total_concentration[..., None])
        return scale, scale * self._mean()

    def _variance(self):
        scale, x = self._scaled()
        return x * (scale - x)

    def _covariance(self):
        x = self._scaled()[1]
        return _matrix(x, x, self._variance())

    def _mode(self):
        k = today("cast")(self.event_shape_tensor()[0], self.dtype)
        mode = (self.concentration - 1.0) / (self.total_concentration[..., None] - k)
        message = "Mode undefined when any concentration <= 1"
        return self._where_defined(
            today("reduce_all")(self.concentration > 1.0, -1), mode,
            lambda: self._above_one(self.concentration, message),
        )  # fmt: skip


class DirichletMultinomial(_OfCounts, _Concentrated):
    """The distribution of counts of classes whose probabilities have Dirichlet's distribution.

    Args:
      total_count: tensor, the sums of the counts, which broadcast to the batch.
      concentration: floating-point tensor [..., classes], positive.
      validate_args: whether arguments are checked while the ops run.
      allow_nan_stats: whether statistics that are not defined are NaN, instead of an error.
      name: name of the ops.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.distributions.DirichletMultinomial(4.0, [1.0, 3.0]).mean().numpy().tolist()
      [1.0, 3.0]
    """

    _sums = "counts last-dimension must sum to `self.total_count`"

    def __init__(
        self, total_count, concentration, validate_args=False, allow_nan_stats=True, name="DirichletMultinomial"
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            self._make_total(total_count, validate_args)
            self._make_concentration(concentration, validate_args)
        self._finish(given, self._concentration.dtype, [self._total_count, self._concentration], name)

    def _sample_n(self, n, seed=None):
        k = self.event_shape_tensor()[0]
        weights = today("random.gamma")([n], self.concentration, dtype=self.dtype, seed=seed)
        rows = op("Reshape")(tensor=op("Log")(x=weights), shape=today("stack")([-1, k]))
        count = today("cast")(self.total_count, "int32")
        seed = gen_new_seed(seed, "dirichlet_multinomial")
        drawn = today("random.categorical")(rows, count, seed=seed)
        sizes = today("concat")([self._sizes(n), [k]], 0)
        return today("cast")(op("Reshape")(tensor=_counted(drawn, k), shape=sizes), self.dtype)

    def _log_prob(self, value):
        counts = self._checked_counts(value)
        lbeta = today("math.lbeta")
        orders = _log_combinations(self.total_count, counts)
        return lbeta(self.concentration + counts) - lbeta(self.concentration) + orders

    def _mean(self):
        return self.total_count * (self.concentration / self.total_concentration[..., None])

    def _scaled(self):
        total = self.total_concentration[..., None]
        scale = op("Sqrt")(x=(1.0 + total / self.total_count) / (1.0 + total))
        return scale, scale * self._mean()

    def _variance(self):
        scale, x = self._scaled()
        return x * (self.total_count * scale - x)

    def _covariance(self):
        x = self._scaled()[1]
        return _matrix(x, x, self._variance())


class Multinomial(_OfCounts, WithProbabilities):
    """The distribution of counts of classes in a number of draws.

    Args:
      total_count: floating-point tensor, the numbers of draws, which broadcast to the batch.
      logits: floating-point tensor [..., classes], the logarithms of probabilities; or None.
      probs: floating-point tensor [..., classes], the probabilities; or None.
      validate_args: whether arguments are checked while the ops run.
      allow_nan_stats: whether statistics that are not defined are NaN, instead of an error.
      name: name of the ops.

    Raises:
      ValueError: both logits and probs are given, or none.
      TypeError: they are not floating-point.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.distributions.Multinomial(4.0, probs=[0.25, 0.75]).mean().numpy().tolist()
      [1.0, 3.0]
    """

    def __init__(
        self, total_count, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="Multinomial"
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            self._make_total(total_count, validate_args)
            self._make_probabilities(logits, probs, validate_args, name)
            self._mean_of_counts = self._total_count[..., None] * self._probs
        self._all = (self._mean_of_counts,)
        self._finish(given, self._probs.dtype, [self._total_count, self._logits, self._probs], name)

    def _sample_n(self, n, seed=None):
        k = self.event_shape_tensor()[0]
        draws = today("cast")(self.total_count, "int32") * today("ones_like")(self.logits[..., 0], dtype="int32")
        logits = self.logits * today("ones_like")(draws[..., None], dtype=self.logits.dtype)
        rows = op("Reshape")(tensor=logits, shape=today("stack")([-1, k]))

        def counts_of_one(one):
            row, count = one
            drawn = today("random.categorical")(row[None], count, seed=seed)
            return _counted(op("Reshape")(tensor=drawn, shape=today("stack")([n, -1])), k)

        numbers = n * op("Reshape")(tensor=draws, shape=[-1])
        counts = today("map_fn")(counts_of_one, [rows, numbers], fn_output_signature=self.dtype)
        sizes = today("concat")([self._sizes(n), [k]], 0)
        return op("Reshape")(tensor=today("transpose")(counts, [1, 0, 2]), shape=sizes)

    def _log_prob(self, value):
        counts = self._checked_counts(value)
        return _sum(counts * today("nn.log_softmax")(self.logits)) + _log_combinations(self.total_count, counts)

    def _mean(self):
        return op("Identity")(input=self._mean_of_counts)

    def _spread_probs(self):
        return self.probs * op("OnesLike")(x=self.total_count)[..., None]

    def _variance(self):
        return self._mean_of_counts - self._mean_of_counts * self._spread_probs()

    def _covariance(self):
        return _matrix(self._mean_of_counts, self._spread_probs(), self._variance())


@RegisterKL(Dirichlet, Dirichlet)
def _kl_of_dirichlet_ones(a, b, name=None):
    with name_scope(name, "kl_dirichlet_dirichlet"):
        logarithms = op("Digamma")(x=a.concentration) - op("Digamma")(x=_sum(a.concentration, keepdims=True))
        scales = today("math.lbeta")(b.concentration) - today("math.lbeta")(a.concentration)
        return _sum((a.concentration - b.concentration) * logarithms) + scales
