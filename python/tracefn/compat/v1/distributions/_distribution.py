"""The base class of distributions."""

from __future__ import annotations

import contextlib
import functools
import math

from tracefn import _core
from tracefn._static_value import get_static_value
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.distributions._divergence import cross_entropy, kl_divergence
from tracefn.framework import is_tensor
from tracefn.ops._build import op
from tracefn.python.framework.ops import name_scope
from tracefn.tensor_shape import TensorShape, as_shape


class ReparameterizationType:
    """Whether gradients flow through the samples of a distribution; each is equal to itself only."""

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"

    def __eq__(self, other) -> bool:
        return self is other

    __hash__ = object.__hash__


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


class Distribution:
    """A batch of distributions of random tensors, which are called events.

    A subclass defines `_sample_n`, `_log_prob` or `_prob`, `_mean` and the like for the methods that it has. A
    distribution has a shape of batches and a shape of events; samples have any shape before these.

    Args:
      dtype: dtype of samples.
      reparameterization_type: ReparameterizationType.
      validate_args: whether arguments are checked while the ops run.
      allow_nan_stats: whether statistics that are not defined are NaN, instead of an error.
      parameters: dict, the arguments with which the subclass was made.
      graph_parents: list of the tensors that the distribution is made of.
      name: str; that of the class by default.

    Raises:
      ValueError: one of `graph_parents` is no tensor.
    """

    def __init__(
        self, dtype, reparameterization_type, validate_args, allow_nan_stats, parameters=None, graph_parents=None, name=None
    ) -> None:
        self._graph_parents = list(graph_parents or [])
        for i, tensor in enumerate(self._graph_parents):
            if tensor is None or not is_tensor(tensor):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {tensor}.")
        if not name or not name.endswith("/"):
            with name_scope(name or type(self).__name__) as name:
                pass
        self._dtype = dtype
        self._reparameterization_type = reparameterization_type
        self._validate_args = validate_args
        self._allow_nan_stats = allow_nan_stats
        self._set_parameters(parameters or {})
        self._name = name

    @property
    def name(self) -> str | None:
        """The name scope of its ops, with "/"; None if it was made while ops run eagerly."""
        return self._name

    @property
    def dtype(self):
        """The dtype of samples."""
        return self._dtype

    @property
    def parameters(self) -> dict:
        """The arguments with which it was made."""
        return dict(self._parameters)

    def _set_parameters(self, given: dict) -> None:
        """Sets the arguments, which are given as the local names of a constructor."""
        self._parameters = {k: v for k, v in given.items() if not k.startswith("__") and k != "self"}

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether gradients flow through samples."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """Whether statistics that are not defined are NaN, instead of an error."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Whether arguments are checked while the ops run."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs):
        """A distribution of the same class and arguments, except for those that are given."""
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    @classmethod
    def param_shapes(cls, sample_shape, name="DistributionParamShapes"):
        """The shapes of parameters, as tensors by name, with which one sample has a shape."""
        with name_scope(name):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape):
        """The same as TensorShapes.

        Raises:
          ValueError: the shape is not fully known.
        """
        if isinstance(sample_shape, TensorShape):
            if not sample_shape.is_fully_defined():
                raise ValueError("TensorShape sample_shape must be fully defined")
            sample_shape = sample_shape.as_list()
        known = {name: get_static_value(shape) for name, shape in cls.param_shapes(sample_shape).items()}
        if any(shape is None for shape in known.values()):
            raise ValueError("sample_shape must be a fully-defined TensorShape or list/tuple")
        return {name: TensorShape(shape.tolist()) for name, shape in known.items()}

    # Shapes.

    @property
    def batch_shape(self) -> TensorShape:
        """The shape of the batch, as far as it is known."""
        return as_shape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """The shape of one event, as far as it is known."""
        return as_shape(self._event_shape())

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        """The shape of the batch, as an int32 vector."""
        with self._name_scope(name):
            return _sizes(self.batch_shape, self._batch_shape_tensor)

    def event_shape_tensor(self, name="event_shape_tensor"):
        """The shape of one event, as an int32 vector."""
        with self._name_scope(name):
            return _sizes(self.event_shape, self._event_shape_tensor)

    def is_scalar_event(self, name="is_scalar_event"):
        """Whether events are scalars, as a tensor."""
        with self._name_scope(name):
            return _is_scalar(self.event_shape, self.event_shape_tensor)

    def is_scalar_batch(self, name="is_scalar_batch"):
        """Whether this is one distribution, as a tensor."""
        with self._name_scope(name):
            return _is_scalar(self.batch_shape, self.batch_shape_tensor)

    # What subclasses define.

    def _batch_shape(self):
        return TensorShape(None)

    def _event_shape(self):
        return TensorShape(None)

    @staticmethod
    def _param_shapes(sample_shape):
        raise NotImplementedError("_param_shapes not implemented")

    def _lacks(self, what: str):
        raise NotImplementedError(f"{what} is not implemented: {type(self).__name__}")

    def _batch_shape_tensor(self):
        self._lacks("batch_shape_tensor")

    def _event_shape_tensor(self):
        self._lacks("event_shape_tensor")

    def _sample_n(self, n, seed=None):
        self._lacks("sample_n")

    def _log_prob(self, value):
        self._lacks("log_prob")

    def _prob(self, value):
        self._lacks("prob")

    def _log_cdf(self, value):
        self._lacks("log_cdf")

    def _cdf(self, value):
        self._lacks("cdf")

    def _log_survival_function(self, value):
        self._lacks("log_survival_function")

    def _survival_function(self, value):
        self._lacks("survival_function")

    def _quantile(self, value):
        self._lacks("quantile")

    def _entropy(self):
        self._lacks("entropy")

    def _mean(self):
        self._lacks("mean")

    def _variance(self):
        self._lacks("variance")

    def _stddev(self):
        self._lacks("stddev")

    def _covariance(self):
        self._lacks("covariance")

    def _mode(self):
        self._lacks("mode")

    def _cross_entropy(self, other):
        return cross_entropy(self, other, allow_nan_stats=self.allow_nan_stats)

    def _kl_divergence(self, other):
        return kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    # What users call.

    def sample(self, sample_shape=(), seed=None, name="sample"):
        """Random events.

        Args:
          sample_shape: int or int32 vector, the shape before those of batches and events.
          seed: int, or None.
          name: name of the ops.

        Returns:
          Tensor of the distribution's dtype.

        Raises:
          ValueError: `sample_shape` is of rank 2 or more.
        """
        with self._name_scope(name):
            shape = _core.convert_to_tensor(sample_shape, dtype="int32", name="sample_shape")
            known = get_static_value(shape)
            if shape.shape.rank is not None and shape.shape.rank > 1:
                raise ValueError("Input is neither scalar nor vector.")
            if known is None:
                sizes = shape if shape.shape.rank == 1 else op("Reshape")(tensor=shape, shape=[-1])
                n = op("Prod")(input=sizes, reduction_indices=[0])
            else:
                sizes = known.reshape(-1).tolist()
                n = math.prod(sizes)
            found = self._sample_n(n, seed)
            found = op("Reshape")(tensor=found, shape=today("concat")([sizes, op("Shape")(input=found)[1:]], 0))
            if not isinstance(found, _core.EagerTensor):
                before = TensorShape(None if known is None else known.reshape(-1).tolist())
                found.set_shape(before.concatenate(self.batch_shape).concatenate(self.event_shape))
            return found

    def log_prob(self, value, name="log_prob"):
        """The logarithm of the probability, or of its density, of events."""
        return self._of_value(value, name, self._log_prob, lambda x: op("Log")(x=self._prob(x)))

    def prob(self, value, name="prob"):
        """The probability, or its density, of events."""
        return self._of_value(value, name, self._prob, lambda x: op("Exp")(x=self._log_prob(x)))

    def log_cdf(self, value, name="log_cdf"):
        """The logarithm of the probability of events that are not larger."""
        return self._of_value(value, name, self._log_cdf, lambda x: op("Log")(x=self._cdf(x)))

    def cdf(self, value, name="cdf"):
        """The probability of events that are not larger."""
        return self._of_value(value, name, self._cdf, lambda x: op("Exp")(x=self._log_cdf(x)))

    def log_survival_function(self, value, name="log_survival_function"):
        """The logarithm of the probability of larger events."""
        return self._of_value(value, name, self._log_survival_function, lambda x: op("Log1p")(x=-self.cdf(x)))

    def survival_function(self, value, name="survival_function"):
        """The probability of larger events."""
        return self._of_value(value, name, self._survival_function, lambda x: 1.0 - self.cdf(x))

    def quantile(self, value, name="quantile"):
        """The event whose `cdf` is a value."""
        return self._of_value(value, name, self._quantile)

    def entropy(self, name="entropy"):
        """Shannon's entropy, in nats."""
        with self._name_scope(name):
            return self._entropy()

    def mean(self, name="mean"):
        """The mean of events."""
        with self._name_scope(name):
            return self._mean()

    def variance(self, name="variance"):
        """The variance of each element of events."""
        with self._name_scope(name):
            return _either(self._variance, lambda: op("Square")(x=self._stddev()))

    def stddev(self, name="stddev"):
        """The standard deviation of each element of events."""
        with self._name_scope(name):
            return _either(self._stddev, lambda: op("Sqrt")(x=self._variance()))

    def covariance(self, name="covariance"):
        """The covariances of the elements of events, which are vectors."""
        with self._name_scope(name):
            return self._covariance()

    def mode(self, name="mode"):
        """The most probable event."""
        with self._name_scope(name):
            return self._mode()

    def cross_entropy(self, other, name="cross_entropy"):
        """The cross entropy with another distribution."""
        with self._name_scope(name):
            return self._cross_entropy(other)

    def kl_divergence(self, other, name="kl_divergence"):
        """The Kullback-Leibler divergence from another distribution."""
        with self._name_scope(name):
            return self._kl_divergence(other)

    def __str__(self) -> str:
        shapes = (("batch_shape", self.batch_shape), ("event_shape", self.event_shape))
        shown = "".join(f", {name}={shape}" for name, shape in shapes if shape.rank is not None)
        return f'tfp.distributions.{type(self).__name__}("{self.name}"{shown}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape={self.batch_shape} "
            f"event_shape={self.event_shape} dtype={self.dtype.name}>"
        )

    @contextlib.contextmanager
    def _name_scope(self, name):
        with name_scope(self.name), name_scope(name) as scope:
            yield scope

    def _of_value(self, value, name: str, *ways):
        with self._name_scope(name):
            value = _core.convert_to_tensor(value, dtype_hint=self.dtype, name="value")
            return _either(*(functools.partial(way, value) for way in ways))


def _either(first, *others):
    """The result of the first function that is implemented; the error is that of the first one."""
    try:
        return first()
    except NotImplementedError as error:
        for other in others:
            try:
                return other()
            except NotImplementedError:
                continue  # the first error says what is missing
        raise error


def _sizes(known: TensorShape, compute):
    return _core.convert_to_tensor(known.as_list(), dtype="int32") if known.is_fully_defined() else compute()


def _is_scalar(known: TensorShape, sizes):
    found = known.rank == 0 if known.rank is not None else op("Equal")(x=op("Size")(input=sizes()), y=0)
    return _core.convert_to_tensor(found)
