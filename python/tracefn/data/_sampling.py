"""Datasets that draw elements from several datasets, and resampling to other class frequencies."""

from __future__ import annotations

from typing import Any

from tracefn import _core
from tracefn import _numpy as np
from tracefn.data import _structure as structure
from tracefn.data._base import DatasetBase, emit, is_dataset, made
from tracefn.data._mapping import map_dataset
from tracefn.data._sources import random_dataset, tensor_dataset, zip_datasets
from tracefn.framework import get_static_value
from tracefn.ops.control_flow import cond
from tracefn.tensor_spec import TensorSpec

_op = _core.raw_op
_tensor = _core.convert_to_tensor


def directed_interleave(selector, datasets, stop_on_empty_dataset: bool):
    """The elements of several datasets, in the order that a dataset of their numbers gives."""
    datasets = list(datasets)
    spec = datasets[0].element_spec
    for i, dataset in enumerate(datasets[1:], 1):
        try:
            spec = structure.common_spec(spec, dataset.element_spec)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 element_spec="
                f"{datasets[0].element_spec}.\nDataset {i} element_spec={dataset.element_spec}."
            ) from error
    variant = emit(
        "DirectedInterleaveDataset",
        spec,
        selector_input_dataset=selector._variant_tensor,
        data_input_datasets=[dataset._variant_tensor for dataset in datasets],
        stop_on_empty_dataset=stop_on_empty_dataset,
    )
    return made("_DirectedInterleaveDataset", variant, spec, [selector, *datasets])


def _drawn(logits, seed):
    """One draw from the distribution with some logits."""
    draw = _op("StatelessMultinomial")(logits=logits, num_samples=1, seed=seed)
    return _op("Squeeze")(input=draw, squeeze_dims=[0, 1])


def _checked_weights(datasets, weights):
    """(the datasets whose weight is not 0, the logits of their weights)."""
    if weights is None:
        return datasets, _tensor([[1.0] * len(datasets)])
    if isinstance(weights, _core.Tensor):
        if not weights.shape.is_compatible_with([len(datasets)]):
            raise ValueError(
                "Invalid `weights`. The shape of `weights` should be compatible with `[len(datasets)]` but is "
                f"{weights.shape}."
            )
    elif len(datasets) != len(weights):
        raise ValueError(
            "Invalid `weights`. `weights` should have the same length as `datasets` but got `len(weights)="
            f"{len(weights)}` vs. `len(datasets)={len(datasets)}`."
        )
    else:
        kept = [(dataset, weight) for dataset, weight in zip(datasets, weights, strict=True) if weight > 0]
        datasets = [dataset for dataset, _ in kept] or [datasets[0].take(0)]
        weights = [weight for _, weight in kept] or [1.0]
    weights = _tensor(weights, name="weights")
    if weights.dtype.name not in ("float32", "float64"):
        raise TypeError(
            f"Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is {weights.dtype}."
        )
    return datasets, _op("ExpandDims")(input=_op("Log")(x=weights), axis=0)


def _acceptance(initial, target):
    """The probabilities of keeping elements of each class, and that of taking an element as it comes."""
    tiny = float(np.finfo(initial.dtype.as_numpy_dtype).tiny)
    ratio = target / (initial + tiny)
    least, most = (_op(name)(input=ratio, reduction_indices=[0]) for name in ("Min", "Max"))
    return (ratio - least) / (most - least), least


def _static_probability_of_original(initial, target):
    known, wanted = get_static_value(initial), get_static_value(target)
    return None if known is None or wanted is None else float(np.min(wanted / known))


def _estimated_distribution(target, classes, batch_size: int = 32, smoothing: int = 10):
    """A dataset of estimates of the class frequencies, from the elements so far."""
    count = target.shape[0] if target.shape.rank and target.shape[0] is not None else _op("Shape")(input=target)[0]
    seen = _op("Fill")(
        dims=_op("Pack")(values=[_tensor(count, dtype="int32")]), value=_tensor(smoothing, dtype="int64")
    )

    def update(seen, batch):
        one, zero = _tensor(1, dtype="int64"), _tensor(0, dtype="int64")
        hot = _op("OneHot")(indices=batch, depth=_tensor(count, dtype="int32"), on_value=one, off_value=zero)
        seen = seen + _op("Sum")(input=hot, reduction_indices=[0])
        total = _op("Sum")(input=seen, reduction_indices=[0])
        share = _op("Cast")(
            x=_op("RealDiv")(x=_op("Cast")(x=seen, DstT="float64"), y=_op("Cast")(x=total, DstT="float64")),
            DstT="float32",
        )
        return seen, _op("Tile")(input=_op("ExpandDims")(input=share, axis=0), multiples=[batch_size, 1])

    return classes.batch(batch_size).scan(seen, update).unbatch()


def _kept(dataset, acceptance, initial, class_func, seed):
    """The elements that pass by chance, with their classes."""

    def warned(accepted, initial):
        rejected = _op("Sum")(input=(1 - accepted) * initial, reduction_indices=[0])
        text = "Proportion of examples rejected by sampler is high: "

        def with_warning():
            return _op("Print")(
                input=accepted, data=[rejected, initial, accepted], message=text, summarize=100, first_n=10
            )

        return cond(rejected < 0.5, lambda: accepted, with_warning)

    def with_class(accepted, data):
        kind = class_func(*data) if isinstance(data, tuple) else class_func(data)
        return kind, _op("GatherV2")(params=accepted, indices=kind, axis=0), data

    acceptance = zip_datasets((acceptance, initial)).map(warned)
    found = zip_datasets((acceptance, dataset)).map(with_class)
    from tracefn.ops.random import uniform  # start-up time: few programs resample

    kept = found.filter(lambda kind, p, data: uniform([], seed=seed, dtype=p.dtype) < p)
    return kept.map(lambda kind, p, data: (kind, data))


class Sampling(DatasetBase):
    """The methods of `tf.data.Dataset` that draw elements by chance or by number."""

    @staticmethod
    def sample_from_datasets(
        datasets, weights=None, seed=None, stop_on_empty_dataset=False, rerandomize_each_iteration=None
    ) -> Any:
        """Elements drawn by chance from several datasets.

        Args:
          datasets: list of Datasets with the same structure of elements.
          weights: list or vector of probabilities, one for each dataset; or a Dataset of such vectors; None: equal ones.
          seed: int, or None.
          stop_on_empty_dataset: whether it ends as soon as one dataset has.
          rerandomize_each_iteration: whether each iteration draws anew.

        Raises:
          ValueError: there are no datasets, or not as many weights.
          TypeError: weights are no floats, or elements differ in structure.

        Example:
          >>> import tracefn as tf
          >>> ones, twos = (tf.data.Dataset.from_tensors(i).repeat(2) for i in (1, 2))
          >>> sorted(int(x) for x in tf.data.Dataset.sample_from_datasets([ones, twos], seed=1))
          [1, 1, 2, 2]
        """
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        seeds = random_dataset(seed, rerandomize_each_iteration).batch(2)  # type: ignore[attr-defined]
        if is_dataset(weights):
            logits = weights.map(lambda *p: _op("Log")(x=_tensor(p[0] if len(p) == 1 else p)))
            varying = zip_datasets((logits, seeds))
            selector = map_dataset(varying, lambda p, seed: _drawn(_as_rows(p), seed), use_inter_op_parallelism=False)
        else:
            datasets, constant = _checked_weights(datasets, weights)
            if len(datasets) == 1:
                return datasets[0]
            selector = map_dataset(seeds, lambda seed: _drawn(constant, seed), use_inter_op_parallelism=False)
        return directed_interleave(selector, datasets, stop_on_empty_dataset)

    @staticmethod
    def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True) -> Any:
        """Elements of several datasets, in the order that a dataset of their numbers gives.

        Args:
          datasets: list of Datasets with the same structure of elements.
          choice_dataset: Dataset of int64 scalars, from 0 to the number of datasets.
          stop_on_empty_dataset: whether it ends as soon as one dataset has.

        Raises:
          ValueError: there are no datasets.
          TypeError: `choice_dataset` has other elements.

        Example:
          >>> import tracefn as tf
          >>> datasets = [tf.data.Dataset.from_tensors(word).repeat() for word in ("foo", "bar", "baz")]
          >>> choice = tf.data.Dataset.from_tensor_slices(tf.constant([0, 2, 1], tf.int64))
          >>> list(tf.data.Dataset.choose_from_datasets(datasets, choice).as_numpy_iterator())
          [b'foo', b'baz', b'bar']
        """
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        if not is_dataset(choice_dataset):
            raise TypeError(
                "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
                f"{type(choice_dataset)}."
            )
        if not structure.are_compatible(choice_dataset.element_spec, TensorSpec([], "int64")):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
                f"{choice_dataset.element_spec}."
            )
        return directed_interleave(choice_dataset, datasets, stop_on_empty_dataset)

    def rejection_resample(self, class_func, target_dist, initial_dist=None, seed=None, name=None) -> Any:
        """Pairs of a class and an element, drawn so that classes have other frequencies.

        Args:
          class_func: callable that takes an element and returns its class, an int scalar.
          target_dist: vector of the frequencies to reach.
          initial_dist: vector of the frequencies in this dataset; None: they are estimated.
          seed: int, or None.
          name: name of the dataset, or None.

        Example:
          >>> import tracefn as tf
          >>> dataset = tf.data.Dataset.from_tensor_slices([0, 1]).repeat(50)
          >>> resampled = dataset.rejection_resample(lambda x: x, [0.0, 1.0], [0.5, 0.5], seed=1)
          >>> {int(kind) for kind, _ in resampled}
          {1}
        """
        target = _op("Cast")(x=_tensor(target_dist, name="target_dist"), DstT="float32")
        static = None
        if initial_dist is None:
            classes = self.map(class_func, name=name)  # type: ignore[attr-defined]
            initial_dataset = _estimated_distribution(target, classes)
            both = initial_dataset.map(lambda initial: _acceptance(initial, target))
            acceptance = both.map(lambda accepted, _: accepted)
            original = both.map(lambda _, probability: probability)
        else:
            initial = _op("Cast")(x=_tensor(initial_dist, name="initial_dist"), DstT="float32")
            constants: Any = [tensor_dataset(t).repeat() for t in (initial, *_acceptance(initial, target))]  # type: ignore[attr-defined]
            initial_dataset, acceptance, original = constants
            static = _static_probability_of_original(initial, target)
        kept = _kept(self, acceptance, initial_dataset, class_func, seed).prefetch(3, name=name)

        def with_class(*element):
            return class_func(*element), element[0] if len(element) == 1 else element

        if static == 0:
            return kept
        labelled = self.map(with_class, name=name)  # type: ignore[attr-defined]
        if static == 1:
            return labelled
        weights = original.map(lambda p: _op("Pack")(values=[p, 1.0 - p]))
        return Sampling.sample_from_datasets([labelled, kept], weights=weights, seed=seed, stop_on_empty_dataset=True)


def _as_rows(logits):
    """Logits as a matrix of one row."""
    return logits if logits.shape.rank == 2 else _op("Reshape")(tensor=logits, shape=[1, -1])
