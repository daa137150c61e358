"""`tensorflow.python.distribute.combinations`: combinations of arguments of tests, with strategies among them."""

from __future__ import annotations

from tracefn.function import function
from tracefn.python.framework import _combined_tests as base
from tracefn.python.framework import combinations as of_framework
from tracefn.python.framework._combined_tests import NamedObject, OptionalParameter, combine, times

__all__ = [
    "DistributionCombination",
    "DistributionParameter",
    "GPUCombination",
    "NamedDistribution",
    "NamedObject",
    "TPUCombination",
    "combine",
    "concat",
    "env",
    "generate",
    "in_main_process",
    "no_tf_function",
    "tf_function",
    "times",
]


class NamedDistribution:
    """A strategy with a name for the names of tests; it is made anew for each test.

    Args:
      name: str.
      distribution_fn: function without arguments that makes the strategy.
      required_gpus, required_physical_gpus: the numbers of GPUs that it needs.
      required_tpu, use_cloud_tpu: whether it needs a TPU.
      has_chief, num_workers, num_ps: the machines that it needs besides this process; none are there.
      share_gpu, pool_runner_fn, no_xla: accepted, without effect.
    """

    def __init__(
        self,
        name,
        distribution_fn,
        required_gpus=None,
        required_physical_gpus=0,
        required_tpu=False,
        use_cloud_tpu=False,
        has_chief=False,
        num_workers=1,
        num_ps=0,
        share_gpu=True,
        pool_runner_fn=None,
        no_xla=False,
    ) -> None:
        self._name = name
        self._distribution_fn = distribution_fn
        self.required_gpus = required_gpus
        self.required_physical_gpus = required_physical_gpus
        self.required_tpu = required_tpu
        self.use_cloud_tpu = use_cloud_tpu
        self.has_chief = has_chief
        self.num_workers = num_workers
        self.num_ps = num_ps
        self.share_gpu = share_gpu
        self.no_xla = no_xla
        self._pool_runner_fn = pool_runner_fn

    @property
    def runner(self):
        """The processes that run its tests; None for this one."""
        return None if self._pool_runner_fn is None else self._pool_runner_fn()

    @property
    def strategy(self):
        """A new strategy."""
        return self._distribution_fn()

    def __repr__(self) -> str:
        return self._name


def _distributions(kwargs: dict) -> list:
    return [value for value in kwargs.values() if isinstance(value, NamedDistribution)]


class DistributionParameter(base.ParameterModifier):
    """Makes a strategy of each NamedDistribution."""

    def modified_arguments(self, kwargs, requested_parameters) -> dict:
        """The strategies."""
        del requested_parameters
        return {name: value.strategy for name, value in kwargs.items() if isinstance(value, NamedDistribution)}


class DistributionCombination(base.TestCombination):
    """Arguments that are NamedDistributions. Those that need several machines are skipped: there is this one."""

    def should_execute_combination(self, kwargs) -> tuple:
        """Not if it needs several machines."""
        if any(one.has_chief or one.num_workers > 1 or one.num_ps > 0 for one in _distributions(kwargs)):
            return False, "Strategies of several machines are not supported."
        return True, None

    def parameter_modifiers(self) -> list:
        """They become strategies; arguments about machines are not passed to tests without such parameters."""
        return [DistributionParameter(), *map(OptionalParameter, ("use_var_policy", "has_chief", "num_workers", "num_ps"))]


class GPUCombination(base.TestCombination):
    """The arguments `required_gpus` and `required_physical_gpus`, and what strategies need: there are no GPUs."""

    def should_execute_combination(self, kwargs) -> tuple:
        """Not if a GPU is needed.

        Raises:
          ValueError: both arguments are there, or one of them beside a strategy.
        """
        asked, physical = kwargs.get("required_gpus") or 0, kwargs.get("required_physical_gpus") or 0
        of_strategies = _distributions(kwargs)
        if of_strategies and asked:
            raise ValueError("Do not use `required_gpus` and arguments of type NamedDistribution together.")
        if asked and physical:
            raise ValueError("Only one of `required_physical_gpus` and `required_gpus` should be set.")
        needed = [one.required_gpus or one.required_physical_gpus or 0 for one in of_strategies]
        count = max(asked, physical, *needed, 0)
        return (False, f"Only 0 of {count} required GPUs are available.") if count else (True, None)

    def parameter_modifiers(self) -> list:
        """The arguments are not passed to tests without such parameters."""
        return [OptionalParameter("required_gpus"), OptionalParameter("required_physical_gpus")]


class TPUCombination(base.TestCombination):
    """The arguments `required_tpus`, `required_tpu` and `use_cloud_tpu`, and what strategies need: there are no TPUs."""

    def should_execute_combination(self, kwargs) -> tuple:
        """Not if a TPU is needed.

        Raises:
          ValueError: both numbers are there, or one of them beside a strategy.
        """
        if "required_tpus" in kwargs and "required_tpu" in kwargs:
            raise ValueError("Do not use `required_tpu`.  Both `required_tpus` and `required_tpu` were specified.")
        asked = kwargs.get("required_tpus") or kwargs.get("required_tpu")
        of_strategies = _distributions(kwargs)
        if of_strategies and asked:
            raise ValueError("Do not use `required_tpus` and arguments of type NamedDistribution together.")
        needed = asked or any(one.required_tpu for one in of_strategies)
        return (False, "Test requires a TPU, but it's not available.") if needed else (True, None)

    def parameter_modifiers(self) -> list:
        """The arguments are not passed to tests without such parameters."""
        return [*map(OptionalParameter, ("required_tpus", "required_tpu", "use_cloud_tpu"))]


def generate(combinations, test_combinations=()):
    """`tensorflow.python.framework.combinations.generate`, for tests with strategies too."""
    known = (
        of_framework.EagerGraphCombination(),
        of_framework.TFVersionCombination(),
        DistributionCombination(),
        GPUCombination(),
        TPUCombination(),
    )
    return base.generate(combinations, test_combinations=known + tuple(test_combinations))


def concat(*combined) -> list:
    """The combinations of all lists, one after the other."""
    return [one for combinations in combined for one in combinations]


def in_main_process() -> bool:
    """True: tests run in the process that started them."""
    return True


class TestEnvironment:
    """What tests may ask about where they run."""

    __test__ = False  # for pytest

    def __init__(self) -> None:
        self.tf_data_service_dispatcher = None
        self.total_phsyical_gpus = None  # TensorFlow's name


_environment = TestEnvironment()


def env() -> TestEnvironment:
    """The one environment of tests in this process."""
    return _environment


tf_function = NamedObject("TfFunction", function)
no_tf_function = NamedObject("NoTfFunction", lambda f: f)
