"""Random pipelines over small ranges, some with something wrong, and what iterating over one gives.

`generate(subject)` makes the pipelines as expressions, `answer` evaluates one with a module in the place of `tf`. The generator
is seeded; its pipelines are kept beside TensorFlow's answers, so that a test needs neither.
"""

from __future__ import annotations

import random

import numpy as np

COUNT = 120
MOST_STEPS = 6
MOST_ELEMENTS = 30


def _small(rng: random.Random, least: int = 1) -> int:
    return rng.randint(least, 5)


def _lengths(rng: random.Random) -> str:
    return f"cycle_length={rng.randint(1, 3)}, block_length={rng.randint(1, 2)}"


# Transformations that take elements of any structure.
GENERAL = {
    "take": lambda r: f"take({r.choice([-1, 0, 1, 2, 5, 9])})",
    "skip": lambda r: f"skip({r.choice([-1, 0, 1, 2, 5])})",
    "plus": lambda r: f"map(each(lambda t: t + {_small(r)}))",
    "times": lambda r: f"map(each(lambda t: t * {_small(r)}), num_parallel_calls={r.choice([1, 2, -1])})",
    "shape": lambda r: "map(each(tf.shape))",
    "filter": lambda r: f"filter(lambda *x: total(x) % {_small(r)} == 0)",
    "while": lambda r: f"take_while(lambda *x: total(x) < {_small(r) * 8})",
    "batch": lambda r: f"batch({_small(r)}, drop_remainder={r.random() < 0.4})",
    "parallel batch": lambda r: f"batch({_small(r)}, num_parallel_calls=2)",
    "padded": lambda r: f"padded_batch({_small(r)}, drop_remainder={r.random() < 0.4})",
    "ragged": lambda r: f"ragged_batch({_small(r)}, drop_remainder={r.random() < 0.4})",
    "rebatch": lambda r: f"rebatch({r.choice([1, 2, 3, [2, 1]])}, drop_remainder={r.random() < 0.4})",
    "unbatch": lambda r: "unbatch()",
    "repeat": lambda r: f"repeat({r.choice([0, 1, 2, 3])})",
    "shard": lambda r: f"shard({r.randint(1, 3)}, {r.choice([0, 0, 1, 3])})",
    "prefetch": lambda r: f"prefetch({r.choice([0, 1, 2, -1])})",
    "cache": lambda r: "cache()",
    "enumerate": lambda r: f"enumerate({r.choice([0, 5])})",
    "shuffle": lambda r: f"shuffle({r.choice([1, 2, 4, 20])}, seed={_small(r)})",
    "window": lambda r: f"window({_small(r)}, shift={r.choice([None, 1, 3])}, stride={r.choice([1, 2])}, "
    f"drop_remainder={r.random() < 0.5}).flat_map(whole)",
    "flat map": lambda r: f"flat_map(lambda *x: tf.data.Dataset.from_tensors(one(x)).repeat({r.randint(0, 2)}))",
    "slices": lambda r: "flat_map(lambda *x: tf.data.Dataset.from_tensor_slices(one(x)))",
    "interleave": lambda r: f"interleave(lambda *x: tf.data.Dataset.from_tensors(one(x)).repeat({r.randint(1, 3)}), "
    f"{_lengths(r)})",
    "parallel": lambda r: f"interleave(lambda *x: tf.data.Dataset.from_tensors(one(x)).repeat({r.randint(1, 3)}), "
    f"{_lengths(r)}, num_parallel_calls=2)",
    "concatenate": lambda r: f"apply(lambda d: d.concatenate(d.take({_small(r, 0)})))",
    "zip": lambda r: f"apply(lambda d: tf.data.Dataset.zip((d, d.skip({_small(r, 0)}))))",
    "named": lambda r: "map(lambda *x: {'a': one(x), 'b': (total(x),)})",
    "scan": lambda r: "scan(tf.constant(0, tf.int64), lambda s, *x: (s + 1, (s, x)))",
    "grouped": lambda r: f"group_by_window(lambda *x: total(x) % {_small(r)}, lambda key, d: d.batch(2), {r.randint(1, 3)})",
    "ignored": lambda r: "ignore_errors()",
    "counted": lambda r: f"apply(tf.data.experimental.assert_cardinality({r.choice([3, 4, 5, -1])}))",
}
# Those that need scalars of int64 or grow rows of their own.
NUMBERS = {
    "rows": lambda r: "map(lambda x: tf.range(x))",
    "filled": lambda r: f"map(lambda x: tf.fill([x % {_small(r)}], x))",
    "failing": lambda r: f"map(lambda x: {r.choice([6, 7])} // (x - {_small(r)}) + x)",
    "unique": lambda r: f"map(lambda x: x % {_small(r)}).unique()",
    "sampled": lambda r: f"apply(lambda d: tf.data.Dataset.sample_from_datasets([d, d.map(lambda x: -x)], seed={_small(r)}))",
    "chosen": lambda r: "apply(lambda d: tf.data.Dataset.choose_from_datasets("
    "[d, d.map(lambda x: -x)], tf.data.Dataset.range(2).repeat(4)))",
    "bucketed": lambda r: "map(lambda x: tf.range(x % 4)).bucket_by_sequence_length("
    f"lambda x: tf.shape(x)[0], [2], [{_small(r)}, 2])",
    "reduced": lambda r: f"window({_small(r)}).flat_map(lambda w: tf.data.Dataset.from_tensors("
    "w.reduce(tf.constant(0, tf.int64), lambda s, x: s + x)))",
}
SUBJECTS = {"general": GENERAL, "numbers": NUMBERS}


def generate(subject: str) -> list[str]:
    """COUNT different pipelines; those of `numbers` begin with a transformation of it."""
    rng = random.Random(subject)
    found: dict[str, None] = {}
    while len(found) < COUNT:
        steps = [rng.choice(list(GENERAL.values()))(rng) for _ in range(rng.randint(1, MOST_STEPS - 1))]
        if subject == "numbers":
            steps.insert(0, rng.choice(list(NUMBERS.values()))(rng))
        if rng.random() < 0.1:
            steps[MOST_STEPS - 1 :] = ["repeat()"]  # the last one: others may look for an element that never comes
        if any("assert_cardinality" in step for step in steps) and "ignore_errors()" in steps:
            continue  # its error comes again and again
        found[".".join([f"tf.data.Dataset.range({rng.choice([0, 1, 3, 8, 12])})", *steps])] = None
    return list(found)


def evaluate(expression: str, tf):
    """The dataset that an expression makes with `tf`."""

    def one(parts: tuple):
        return parts[0] if len(parts) == 1 else parts

    def each(function):
        return lambda *x: tf.nest.map_structure(function, one(x))

    def total(parts):
        return tf.add_n([tf.cast(tf.reduce_sum(part), tf.int64) for part in tf.nest.flatten(parts)])

    def whole(*windows):
        return tf.data.Dataset.zip(tf.nest.map_structure(lambda w: w.batch(3), one(windows)))

    return eval(expression, {"tf": tf, "one": one, "each": each, "total": total, "whole": whole})


def plain(value):
    """An element as JSON has it."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    if hasattr(value, "to_list"):
        return value.to_list()
    array = np.asarray(value.numpy())
    return [str(x) for x in array.reshape(-1)] if array.dtype.kind == "f" else array.tolist()


def answer(expression: str, tf) -> dict:
    """The specs of the elements, their number, the first ones, and the type of the error that ends them."""
    try:
        dataset = evaluate(expression, tf)
    except Exception as error:
        return {"error": type(error).__name__}
    found: dict = {
        "spec": str(dataset.element_spec), "cardinality": int(dataset.cardinality()), "elements": []
    }  # fmt: skip
    try:
        for element in dataset.take(MOST_ELEMENTS):
            found["elements"].append(plain(element))
    except Exception as error:
        found["error"] = type(error).__name__
    return found
