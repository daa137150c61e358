"""Distributions with a location and a scale: Normal, Laplace and Student's t."""

from __future__ import annotations

import math

from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.distributions._checks import positive
from tracefn.compat.v1.distributions._divergence import RegisterKL
from tracefn.compat.v1.distributions._parameters import WithParameters, parameter, same_shapes
from tracefn.ops._build import EPSILONS, op
from tracefn.python.framework.ops import name_scope
from tracefn.python.ops.distributions.util import gen_new_seed


def _where(condition, x, y):
    return today("where")(condition, x, y)


def _normal_cdf(x):
    """The distribution function of the standard normal distribution, precise far from 0."""
    half = math.sqrt(0.5)
    w = x * half
    z = op("Abs")(x=w)
    tail = op("Erfc")(x=z)
    return 0.5 * _where(z < half, 1.0 + op("Erf")(x=w), _where(w > 0.0, 2.0 - tail, tail))


def _log_normal_cdf(x):
    """Its logarithm; far below 0 by three terms of the asymptotic series."""
    lower, upper = (-20.0, 8.0) if x.dtype.name == "float64" else (-10.0, 5.0)
    below = op("Minimum")(x=x, y=lower)
    square = op("Square")(x=below)
    series = 1.0 - 1.0 / square + 3.0 / square**2.0 - 15.0 / square**3.0
    asymptotic = -0.5 * square - op("Log")(x=-below) - 0.5 * math.log(2.0 * math.pi) + op("Log")(x=series)
    middle = op("Log")(x=_normal_cdf(op("Maximum")(x=x, y=lower)))
    return _where(x > upper, -_normal_cdf(-x), _where(x > lower, middle, asymptotic))


def _log_laplace_cdf(x):
    return _where(x < 0.0, x - math.log(2.0), op("Log1p")(x=-0.5 * op("Exp")(x=-op("Abs")(x=x))))


class _Located(WithParameters):
    """A distribution of loc + scale * a standard one."""

    loc = parameter("loc", "The location.")
    scale = parameter("scale", "The scale.")

    def _standard(self, x):
        return (x - self.loc) / self.scale

    def _mean(self):
        return self._spread(self.loc)

    def _mode(self):
        return self._mean()


class Normal(_Located):
    """The normal distribution.

    Args:
      loc: floating-point tensor, the means.
      scale: floating-point tensor, the standard deviations, which are positive.
      validate_args: whether arguments are checked while the ops run.
      allow_nan_stats: whether statistics that are not defined are NaN, instead of an error.
      name: name of the ops.

    Raises:
      ValueError: loc and scale have different dtypes, or such as are not floating-point.

    Example:
      >>> import tracefn as tf
      >>> normal = tf.compat.v1.distributions.Normal(loc=[0.0, 1.0], scale=2.0)
      >>> normal.mean().numpy().tolist(), normal.sample(3).shape
      ([0.0, 1.0], TensorShape([3, 2]))
    """

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Normal") -> None:
        given = dict(locals())
        with name_scope(name) as name:
            self._keep([positive(scale)] if validate_args else [], loc=loc, scale=scale)
        self._finish(given, self.scale.dtype, self._all, name)

    _param_shapes = same_shapes("loc", "scale")

    def _sample_n(self, n, seed=None):
        return today("random.normal")(self._sizes(n), dtype=self.dtype, seed=seed) * self.scale + self.loc

    def _log_prob(self, value):
        scale = 0.5 * math.log(2.0 * math.pi) + op("Log")(x=self.scale)
        return -0.5 * op("Square")(x=self._standard(value)) - scale

    def _cdf(self, value):
        return _normal_cdf(self._standard(value))

    def _log_cdf(self, value):
        return _log_normal_cdf(self._standard(value))

    def _survival_function(self, value):
        return _normal_cdf(-self._standard(value))

    def _log_survival_function(self, value):
        return _log_normal_cdf(-self._standard(value))

    def _quantile(self, value):
        return op("Ndtri")(x=value) * self.scale + self.loc

    def _entropy(self):
        return 0.5 * math.log(2.0 * math.pi * math.e) + op("Log")(x=self._spread(self.scale))

    def _stddev(self):
        return self._spread(self.scale)


class Laplace(_Located):
    """Laplace's distribution, whose density falls exponentially on both sides.

    Args:
      loc: floating-point tensor, the means.
      scale: floating-point tensor, positive.
      validate_args: whether arguments are checked while the ops run.
      allow_nan_stats: whether statistics that are not defined are NaN, instead of an error.
      name: name of the ops.

    Raises:
      ValueError: loc and scale have different dtypes, or such as are not floating-point.

    Example:
      >>> import tracefn as tf
      >>> float(tf.compat.v1.distributions.Laplace(0.0, 1.0).prob(0.0))
      0.5
    """

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Laplace") -> None:
        given = dict(locals())
        with name_scope(name) as name:
            self._keep([positive(scale)] if validate_args else [], loc=loc, scale=scale)
        self._finish(given, self.loc.dtype, self._all, name)

    _param_shapes = same_shapes("loc", "scale")

    def _sample_n(self, n, seed=None):
        # The numbers are above -1, where the logarithm is finite.
        least = EPSILONS[self.dtype.name] / 2.0 - 1.0
        numbers = today("random.uniform")(self._sizes(n), minval=least, maxval=1.0, dtype=self.dtype, seed=seed)
        return self.loc - self.scale * op("Sign")(x=numbers) * op("Log1p")(x=-op("Abs")(x=numbers))

    def _log_prob(self, value):
        return -op("Abs")(x=self._standard(value)) - (math.log(2.0) + op("Log")(x=self.scale))

    def _cdf(self, value):
        z = self._standard(value)
        return 0.5 + 0.5 * op("Sign")(x=z) * (1.0 - op("Exp")(x=-op("Abs")(x=z)))

    def _log_cdf(self, value):
        return _log_laplace_cdf(self._standard(value))

    def _log_survival_function(self, value):
        return _log_laplace_cdf(-self._standard(value))

    def _entropy(self):
        return math.log(2.0) + 1.0 + op("Log")(x=self._spread(self.scale))

    def _stddev(self):
        return math.sqrt(2.0) * self._spread(self.scale)


class StudentT(_Located):
    """Student's t-distribution, moved and scaled.

    Args:
      df: floating-point tensor, the degrees of freedom, which are positive.
      loc: floating-point tensor, the centers.
      scale: floating-point tensor.
      validate_args: whether arguments are checked while the ops run.
      allow_nan_stats: whether statistics that are not defined are NaN, instead of an error.
      name: name of the ops.

    Raises:
      ValueError: the parameters have different dtypes, or such as are not floating-point.

    Example:
      >>> import tracefn as tf
      >>> float(tf.compat.v1.distributions.StudentT(3.0, loc=1.0, scale=2.0).variance())
      12.0
    """

    def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True, name="StudentT") -> None:
        given = dict(locals())
        with name_scope(name) as name:
            self._keep([positive(df)] if validate_args else [], df=df, loc=loc, scale=scale)
        self._finish(given, self.scale.dtype, self._all, name)

    _param_shapes = same_shapes("df", "loc", "scale")
    df = parameter("df", "The degrees of freedom.")

    def _sample_n(self, n, seed=None):
        normal = today("random.normal")(self._sizes(n), dtype=self.dtype, seed=seed)
        df = self._spread(self.df)
        seed = gen_new_seed(seed, "student_t")
        gamma = today("random.gamma")([n], 0.5 * df, beta=0.5, dtype=self.dtype, seed=seed)
        return normal * op("Rsqrt")(x=gamma / df) * self.scale + self.loc

    def _log_prob(self, value):
        half = 0.5 * (self.df + 1.0)
        return -half * op("Log1p")(x=self._standard(value) ** 2.0 / self.df) - (
            op("Log")(x=op("Abs")(x=self.scale)) + 0.5 * op("Log")(x=self.df) + 0.5 * math.log(math.pi)
            + op("Lgamma")(x=0.5 * self.df) - op("Lgamma")(x=half)
        )  # fmt: skip

    def _cdf(self, value):
        y = (value - self.loc) / op("Abs")(x=self.scale)
        tail = 0.5 * today("math.betainc")(0.5 * self.df, 0.5, self.df / (y**2.0 + self.df))
        return _where(y < 0.0, tail, 1.0 - tail)

    def _entropy(self):
        df = self._spread(self.df)
        half = 0.5 * (self.df + 1.0)
        beta = today("math.lbeta")(today("stack")([0.5 * df, op("OnesLike")(x=df) / 2.0], -1))
        return op("Log")(x=op("Abs")(x=self.scale)) + 0.5 * op("Log")(x=self.df) + beta + half * (
            op("Digamma")(x=half) - op("Digamma")(x=0.5 * self.df)
        )

    def _mean(self):
        return self._if_above_one(self._spread(self.loc), "mean")

    def _variance(self):
        # Gradients of both branches have to be numbers.
        above = _where(self.df > 2.0, self.df - 2.0, op("OnesLike")(x=self.df))
        variance = self._spread(op("Square")(x=self.scale) * self.df / above)
        infinite = today("constant")(math.inf, dtype=self.dtype)
        return self._if_above_one(_where(self._spread(self.df) > 2.0, variance, infinite), "variance")

    def _if_above_one(self, value, what: str):
        message = f"{what} not defined for components of df <= 1"
        return self._where_defined(self._spread(self.df) > 1.0, value, lambda: self._above_one(self.df, message))

    def _mode(self):
        return op("Identity")(input=self.loc)


@RegisterKL(Normal, Normal)
def _kl_of_normal_ones(a, b, name=None):
    with name_scope(name, "kl_normal_normal"):
        first, second = op("Square")(x=a.scale), op("Square")(x=b.scale)
        ratio = first / second
        distance = op("SquaredDifference")(x=a.loc, y=b.loc) / (2.0 * second)
        return distance + 0.5 * (ratio - 1.0 - op("Log")(x=ratio))
