"""Random chains of up to six transformations over small ranges give what plain Python gives: elements, their number, their
static shape, in Python's loops and in traced ones."""

import itertools
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

tf = pytest.importorskip("tracefn")
_UNKNOWN = -2
_MOST = 60  # elements that are looked at


class Model(NamedTuple):
    """A pipeline in Python: its elements, ints or lists of lists of them; their static shape; whether the number is known."""

    rows: list
    shape: tuple
    known: bool = True
    infinite: bool = False


class Step(NamedTuple):
    """One transformation, of a dataset and of its model; the model returns None where the step does not apply."""

    text: str
    of_dataset: object
    of_model: object


def shape_of(row) -> tuple:
    return (len(row), *shape_of(row[0])) if isinstance(row, list) and row else (0,) if isinstance(row, list) else ()


def total(row):
    return sum(map(total, row)) if isinstance(row, list) else row


def mapped(function, row):
    return [mapped(function, part) for part in row] if isinstance(row, list) else function(row)


def some(model, rows) -> list:
    """The first elements of a dataset without end; all of any other."""
    return rows[:_MOST] if model.infinite else rows


def taken(model, count):
    if model.infinite and len(model.rows) < count:
        return None  # the model does not have that many
    return model._replace(rows=model.rows[:count], infinite=False)


def batched(model, size, drop):
    rows = [model.rows[i : i + size] for i in range(0, len(model.rows), size)]
    if any(len({str(shape_of(row)) for row in batch}) > 1 for batch in rows):
        return None  # elements of different shapes make no batch
    if rows and (drop or model.infinite) and len(rows[-1]) < size:
        rows.pop()
    return model._replace(rows=rows, shape=(size if drop else None, *model.shape))


def unbatched(model):
    if not model.shape:
        return None
    return model._replace(rows=some(model, [part for row in model.rows for part in row]), shape=model.shape[1:], known=False)


def repeated(model, count):
    if count is None:
        if not model.rows or model.infinite:
            return None
        return model._replace(rows=list(itertools.islice(itertools.cycle(model.rows), _MOST)), infinite=True)
    return None if model.infinite else model._replace(rows=model.rows * count)


def windowed(model, size):
    rows = [model.rows[i : i + size] for i in range(0, len(model.rows), size)]
    if any(len({str(shape_of(row)) for row in window}) > 1 for window in rows):
        return None
    if model.infinite and rows and len(rows[-1]) < size:
        rows.pop()
    return model._replace(rows=rows, shape=(None, *model.shape), known=False)


sizes = st.integers(1, 5)
STEPS = st.one_of(
    sizes.map(lambda n: Step(f"take({n})", lambda d: d.take(n),
                             lambda m: taken(m, n))),
    sizes.map(lambda n: Step(f"skip({n})", lambda d: d.skip(n), lambda m: m._replace(rows=m.rows[n:]))),
    sizes.map(lambda n: Step(f"map(+{n})", lambda d: d.map(lambda x: x + n),
                             lambda m: m._replace(rows=mapped(lambda x: x + n, m.rows)))),
    sizes.map(lambda n: Step(f"parallel map(*{n})", lambda d: d.map(lambda x: x * n, num_parallel_calls=2),
                             lambda m: m._replace(rows=mapped(lambda x: x * n, m.rows)))),
    sizes.map(lambda n: Step(f"filter(%{n})", lambda d: d.filter(lambda x: tf.reduce_sum(x) % n == 0),
                             lambda m: None if m.infinite else
                             m._replace(rows=[r for r in m.rows if total(r) % n == 0], known=False))),
    st.tuples(sizes, st.booleans()).map(lambda a: Step(f"batch{a}", lambda d: d.batch(*a), lambda m: batched(m, *a))),
    st.just(Step("unbatch", lambda d: d.unbatch(), unbatched)),
    st.sampled_from([None, 0, 1, 2]).map(lambda n: Step(f"repeat({n})", lambda d: d.repeat(n), lambda m: repeated(m, n))),
    sizes.map(lambda n: Step(f"shard({n})", lambda d: d.shard(n, n - 1), lambda m: m._replace(rows=m.rows[n - 1 :: n]))),
    st.just(Step("prefetch", lambda d: d.prefetch(2), lambda m: m)),
    st.just(Step("cache", lambda d: d.cache(), lambda m: None if m.infinite else m)),
    sizes.map(lambda n: Step(f"window({n})", lambda d: d.window(n).flat_map(lambda w: w.batch(n)),
                             lambda m: windowed(m, n))),
    st.just(Step("flat_map", lambda d: d.flat_map(lambda x: tf.data.Dataset.from_tensors(x).repeat(2)),
                 lambda m: m._replace(rows=some(m, [r for row in m.rows for r in (row, row)]), known=False))),
    st.just(Step("interleave", lambda d: d.interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), cycle_length=1),
                 lambda m: m._replace(rows=some(m, [r for row in m.rows for r in (row, row)]), known=False))),
    sizes.map(lambda n: Step(f"concatenate({n})", lambda d: d.concatenate(d.take(n)),
                             lambda m: m if m.infinite else m._replace(rows=m.rows + m.rows[:n]))),
    st.just(Step("scan", lambda d: d.scan(tf.constant(0, tf.int64), lambda s, x: (s + 1, x + s)),
                 lambda m: m._replace(rows=[mapped(lambda x, i=i: x + i, r) for i, r in enumerate(m.rows)]))),
)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 12), st.lists(STEPS, max_size=6))
def test_chains(stop, steps):
    dataset, model = tf.data.Dataset.range(stop), Model(list(range(stop)), ())
    for step in steps:
        changed = step.of_model(model)
        if changed is not None and len(changed.rows) <= _MOST:
            dataset, model = step.of_dataset(dataset), changed
    spec = dataset.element_spec
    assert spec.dtype == tf.int64 and spec.shape.rank == len(model.shape)
    assert all(wanted is None or size in (None, wanted) for size, wanted in zip(spec.shape.as_list(), model.shape, strict=True))
    count = 20 if model.infinite else len(model.rows)
    found = [x.numpy().tolist() for x in dataset.take(min(count, len(model.rows)) if model.infinite else -1)]
    assert found == model.rows[: len(found)] and (model.infinite or len(found) == len(model.rows))
    cardinality = int(dataset.cardinality())
    if not model.infinite:
        assert cardinality in ((len(model.rows),) if model.known else (len(model.rows), _UNKNOWN))
    if not model.infinite:
        assert int(_traced_total(dataset)) == total(model.rows)
        assert int(dataset.reduce(tf.constant(0, tf.int64), lambda s, x: s + tf.reduce_sum(x))) == total(model.rows)


@tf.function(reduce_retracing=True)
def _traced_total(dataset):
    found = tf.constant(0, tf.int64)
    for x in dataset:
        found += tf.reduce_sum(x)
    return found
