"""`tf.compat.v1.distributions`: distributions of random numbers and vectors."""

from tracefn._deprecated import leave_out as _leave_out
from tracefn._missing import getter as _getter
from tracefn.compat.v1.distributions._classes import Bernoulli, Categorical
from tracefn.compat.v1.distributions._distribution import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
    ReparameterizationType,
)
from tracefn.compat.v1.distributions._divergence import RegisterKL, kl_divergence
from tracefn.compat.v1.distributions._intervals import Beta, Exponential, Gamma, Uniform
from tracefn.compat.v1.distributions._locations import Laplace, Normal, StudentT
from tracefn.compat.v1.distributions._vectors import Dirichlet, DirichletMultinomial, Multinomial

__all__ = [
    "FULLY_REPARAMETERIZED",
    "NOT_REPARAMETERIZED",
    "Bernoulli",
    "Beta",
    "Categorical",
    "Dirichlet",
    "DirichletMultinomial",
    "Distribution",
    "Exponential",
    "Gamma",
    "Laplace",
    "Multinomial",
    "Normal",
    "RegisterKL",
    "ReparameterizationType",
    "StudentT",
    "Uniform",
    "kl_divergence",
]

__getattr__ = _getter("compat.v1.distributions")
_leave_out(globals(), "compat.v1.distributions")
