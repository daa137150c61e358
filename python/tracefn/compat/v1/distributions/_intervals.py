"""Distributions of numbers from an interval: Uniform, Gamma, Exponential and Beta."""

from __future__ import annotations

import math

from tracefn import _core
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.distributions._checks import after, floats, positive
from tracefn.compat.v1.distributions._divergence import RegisterKL
from tracefn.compat.v1.distributions._parameters import WithParameters, parameter, same_shapes
from tracefn.ops._build import op
from tracefn.python.framework.ops import name_scope
from tracefn.python.ops.distributions.util import gen_new_seed


class Uniform(WithParameters):
    """The uniform distribution from low to high.

    Args:
      low, high: floating-point tensors.
      validate_args: whether arguments are checked while the ops run.
      allow_nan_stats: whether statistics that are not defined are NaN, instead of an error.
      name: name of the ops.

    Raises:
      ValueError: low and high have different dtypes, or such as are not floating-point.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.distributions.Uniform(0.0, [2.0, 4.0]).prob(1.0).numpy().tolist()
      [0.5, 0.25]
    """

    def __init__(self, low=0.0, high=1.0, validate_args=False, allow_nan_stats=True, name="Uniform") -> None:
        given = dict(locals())
        with name_scope(name) as name:
            message = "uniform not defined when low >= high."
            checks = [today("debugging.assert_less")(low, high, message=message)] if validate_args else []
            self._keep(checks, low=low, high=high)
        self._finish(given, self.low.dtype, self._all, name)

    _param_shapes = same_shapes("low", "high")
    low = parameter("low", "The lower bound.")
    high = parameter("high", "The upper bound.")

    def range(self, name="range"):
        """high - low."""
        with self._name_scope(name):
            return self.high - self.low

    def _sample_n(self, n, seed=None):
        return self.low + self.range() * today("random.uniform")(self._sizes(n), dtype=self.dtype, seed=seed)

    def _prob(self, value):
        x = self._spread(value)
        where = today("where")
        outside = op("LogicalOr")(x=x < self.low, y=x >= self.high)
        density = where(outside, op("ZerosLike")(x=x), op("OnesLike")(x=x) / self.range())
        return where(op("IsNan")(x=x), x, density)

    def _cdf(self, value):
        x, where = self._spread(value), today("where")
        below = where(x < self.low, op("ZerosLike")(x=x), (x - self.low) / self.range())
        return where(x >= self.high, op("OnesLike")(x=x), below)

    def _entropy(self):
        return op("Log")(x=self.range())

    def _mean(self):
        return (self.low + self.high) / 2.0

    def _variance(self):
        return op("Square")(x=self.range()) / 12.0

    def _stddev(self):
        return self.range() / math.sqrt(12.0)


class Gamma(WithParameters):
    """The gamma distribution.

    Args:
      concentration, rate: floating-point tensors, positive.
      validate_args: whether arguments are checked while the ops run.
      allow_nan_stats: whether statistics that are not defined are NaN, instead of an error.
      name: name of the ops.

    Raises:
      ValueError: the parameters have different dtypes, or such as are not floating-point.

    Example:
      >>> import tracefn as tf
      >>> float(tf.compat.v1.distributions.Gamma(3.0, rate=2.0).mean())
      1.5
    """

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name="Gamma") -> None:
        given = dict(locals())
        with name_scope(name) as name:
            checks = [positive(concentration), positive(rate)] if validate_args else []
            self._keep(checks, concentration=concentration, rate=rate)
        self._finish(given, self.concentration.dtype, self._all, name)

    _param_shapes = same_shapes("concentration", "rate")
    concentration = parameter("concentration", "The concentration, or shape.")
    rate = parameter("rate", "The rate, or inverse scale.")

    def _sample_n(self, n, seed=None):
        return today("random.gamma")([n], self.concentration, beta=self.rate, dtype=self.dtype, seed=seed)

    def _checked(self, value):
        floats(value, dtype=self.dtype)
        return after([positive(value)], value) if self.validate_args else value

    def _log_prob(self, value):
        x = self._checked(value)
        scale = op("Lgamma")(x=self.concentration) - self.concentration * op("Log")(x=self.rate)
        return op("Xlogy")(x=self.concentration - 1.0, y=x) - self.rate * x - scale

    def _cdf(self, value):
        return op("Igamma")(a=self.concentration, x=self.rate * self._checked(value))

    def _entropy(self):
        a = self.concentration
        return a - op("Log")(x=self.rate) + op("Lgamma")(x=a) + (1.0 - a) * op("Digamma")(x=a)

    def _mean(self):
        return self.concentration / self.rate

    def _variance(self):
        return self.concentration / op("Square")(x=self.rate)

    def _stddev(self):
        return op("Sqrt")(x=self.concentration) / self.rate

    def _mode(self):
        message = "mode not defined when any concentration <= 1"
        mode = (self.concentration - 1.0) / self.rate
        return self._where_defined(
            self.concentration > 1.0, mode, lambda: self._above_one(self.concentration, message)
        )


class Exponential(Gamma):
    """The exponential distribution.

    Args:
      rate: floating-point tensor, positive.
      validate_args: whether arguments are checked while the ops run.
      allow_nan_stats: whether statistics that are not defined are NaN, instead of an error.
      name: name of the ops.

    Example:
      >>> import tracefn as tf
      >>> float(tf.compat.v1.distributions.Exponential(2.0).mean())
      0.5
    """

    def __init__(self, rate, validate_args=False, allow_nan_stats=True, name="Exponential") -> None:
        given = dict(locals())
        with name_scope(name) as name:
            rate = _core.convert_to_tensor(rate, name="rate")
        super().__init__(today("ones")([], dtype=rate.dtype), rate, validate_args, allow_nan_stats, name)
        self._set_parameters(given)

    _param_shapes = same_shapes("rate")

    def _sample_n(self, n, seed=None):
        # The numbers are above 0, where the logarithm is finite: the smallest is a normal number.
        tiny = {"float64": 2.0**-1022, "float16": 2.0**-14}.get(self.dtype.name, 2.0**-126)
        numbers = today("random.uniform")(self._sizes(n), minval=tiny, maxval=1.0, dtype=self.dtype, seed=seed)
        return -op("Log")(x=numbers) / self.rate

    def _log_survival_function(self, value):
        return self._log_prob(value) - op("Log")(x=self.rate)


class Beta(WithParameters):
    """The beta distribution, of numbers between 0 and 1.

    Args:
      concentration1, concentration0: floating-point tensors, positive: of successes and of failures.
      validate_args: whether arguments are checked while the ops run.
      allow_nan_stats: whether statistics that are not defined are NaN, instead of an error.
      name: name of the ops.

    Raises:
      ValueError: the parameters have different dtypes, or such as are not floating-point.

    Example:
      >>> import tracefn as tf
      >>> float(tf.compat.v1.distributions.Beta(1.0, 3.0).mean())
      0.25
    """

    def __init__(
        self, concentration1=None, concentration0=None, validate_args=False, allow_nan_stats=True, name="Beta"
    ) -> None:
        given = dict(locals())
        with name_scope(name) as name:
            message = "Concentration parameter must be positive."
            pair = []
            for value, called in ((concentration1, "concentration1"), (concentration0, "concentration0")):
                value = _core.convert_to_tensor(value, name=called)
                pair.append(after([positive(value, message)], value) if validate_args else value)
            self._concentration1, self._concentration0 = pair
            floats(*pair)
            self._total_concentration = self._concentration1 + self._concentration0
        self._all = (self._total_concentration,)
        self._finish(given, self._total_concentration.dtype, [*pair, self._total_concentration], name)

    _param_shapes = same_shapes("concentration1", "concentration0")
    concentration1 = parameter("concentration1", "The concentration of successes.")
    concentration0 = parameter("concentration0", "The concentration of failures.")
    total_concentration = parameter("total_concentration", "The sum of both.")

    def _sample_n(self, n, seed=None):
        ones = op("OnesLike")(x=self.total_concentration)
        first = today("random.gamma")([n], ones * self.concentration1, dtype=self.dtype, seed=seed)
        seed = gen_new_seed(seed, "beta")
        second = today("random.gamma")([n], ones * self.concentration0, dtype=self.dtype, seed=seed)
        return first / (first + second)

    def _checked(self, value):
        if not self.validate_args:
            return value
        one = _core.convert_to_tensor(1, dtype=self.dtype)
        below = today("debugging.assert_less")(value, one, message="sample must be less than `1`.")
        return after([positive(value, "sample must be positive"), below], value)

    def _log_normalization(self):
        terms = [op("Lgamma")(x=x) for x in (self.concentration1, self.concentration0, self.total_concentration)]
        return terms[0] + terms[1] - terms[2]

    def _log_prob(self, value):
        x = self._checked(value)
        ones = op("Xlogy")(x=self.concentration1 - 1.0, y=x)
        return ones + (self.concentration0 - 1.0) * op("Log1p")(x=-x) - self._log_normalization()

    def _cdf(self, value):
        return today("math.betainc")(self.concentration1, self.concentration0, value)

    def _entropy(self):
        a, b, total = self.concentration1, self.concentration0, self.total_concentration
        return (
            self._log_normalization() - (a - 1.0) * op("Digamma")(x=a) - (b - 1.0) * op("Digamma")(x=b)
            + (total - 2.0) * op("Digamma")(x=total)
        )  # fmt: skip

    def _mean(self):
        return self.concentration1 / self.total_concentration

    def _variance(self):
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self.total_concentration)

    def _mode(self):
        mode = (self.concentration1 - 1.0) / (self.total_concentration - 2.0)
        defined = op("LogicalAnd")(x=self.concentration1 > 1.0, y=self.concentration0 > 1.0)
        return self._where_defined(
            defined, mode,
            lambda: self._above_one(self.concentration1, "Mode undefined for concentration1 <= 1."),
            lambda: self._above_one(self.concentration0, "Mode undefined for concentration0 <= 1."),
        )  # fmt: skip


@RegisterKL(Gamma, Gamma)
def _kl_of_gammas(a, b, name=None):
    with name_scope(name, "kl_gamma_gamma"):
        shapes = op("Lgamma")(x=b.concentration) - op("Lgamma")(x=a.concentration)
        return (
            (a.concentration - b.concentration) * op("Digamma")(x=a.concentration) + shapes
            + b.concentration * (op("Log")(x=a.rate) - op("Log")(x=b.rate)) + a.concentration * (b.rate / a.rate - 1.0)
        )  # fmt: skip


@RegisterKL(Beta, Beta)
def _kl_of_betas(a, b, name=None):
    with name_scope(name, "kl_beta_beta"):
        return (
            b._log_normalization() - a._log_normalization()
            - op("Digamma")(x=a.concentration1) * (b.concentration1 - a.concentration1)
            - op("Digamma")(x=a.concentration0) * (b.concentration0 - a.concentration0)
            + op("Digamma")(x=a.total_concentration) * (b.total_concentration - a.total_concentration)
        )  # fmt: skip
