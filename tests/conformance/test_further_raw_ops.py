"""Raw ops that few programs call: Einsum, recurrent cells, maps of tensors, loops that call functions, Sobol's sequence,
later and older versions of other ops."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


def numbers(*shape, dtype="float32"):
    values = np.sin(np.arange(1, np.prod(shape, dtype=int) + 1)).reshape(shape)
    return (values + 0.5j * np.cos(values) if "complex" in dtype else values).astype(dtype)


EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk->ki", (2, 3), (3, 4)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("i,j->ij", (2,), (3,)),
    ("i,i->", (3,), (3,)),
    ("ij->", (2, 3)),
    ("ij->j", (2, 3)),
    ("ijk->kji", (2, 3, 4)),
    ("ii->i", (3, 3)),
    ("ii->", (3, 3)),
    ("i->ii", (3,)),
    ("ij->iij", (2, 3)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
    ("a...b,...b->...a", (2, 1, 3), (4, 3)),
    ("...->...", (2, 3)),
    ("i...->...", (2, 3)),
    ("ij,ik->i", (2, 3), (2, 4)),
    ("iji,j->ij", (2, 3, 2), (3,)),
    ("ab,b->", (2, 3), (3,)),
    ("ij,jk->ik", (2, 0), (0, 4)),
]


@pytest.mark.parametrize("equation, shapes", [(e, shapes) for e, *shapes in EQUATIONS])
@pytest.mark.parametrize("dtype", ["float32", "complex64", "int32"])
def test_einsum(tf, equation, shapes, dtype):
    inputs = [numbers(*shape, dtype=dtype if dtype != "int32" else "float32") for shape in shapes]
    if dtype == "int32":
        inputs = [(8 * x).astype(np.int32) for x in inputs]
    found = tf.raw_ops.Einsum(inputs=inputs, equation=equation)
    if equation in ("i->ii", "ij->iij"):  # NumPy has no such results
        expected = np.zeros([inputs[0].shape[0]] + list(inputs[0].shape), inputs[0].dtype)
        for i in range(len(expected)):
            expected[i, i] = inputs[0][i]
    else:
        expected = np.einsum(equation, *inputs)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-5)
    traced = tf.function(lambda *xs: tf.raw_ops.Einsum(inputs=list(xs), equation=equation))
    specs = [tf.TensorSpec([None] * len(shape), dtype) for shape in shapes]
    np.testing.assert_allclose(traced.get_concrete_function(*specs)(*map(tf.constant, inputs)), expected, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("equation, shapes", [(e, shapes) for e, *shapes in EQUATIONS])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_gradients_of_einsum(tf, equation, shapes, dtype):
    inputs = [tf.constant(numbers(*shape, dtype=dtype)) for shape in shapes]

    def gradients(function):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = function(inputs)
            loss = tf.reduce_sum(tf.math.real(y * tf.cast(tf.reshape(tf.range(1, tf.size(y) + 1), tf.shape(y)), dtype)))
        return tape.gradient(loss, inputs)

    def by_sums(xs):
        """The same by broadcasting."""
        if equation in ("i->ii", "ij->iij"):
            rows = tf.shape(xs[0])[0]
            mask = tf.eye(rows, dtype=dtype)
            return mask * xs[0] if equation == "i->ii" else mask[:, :, None] * xs[0][None]
        return tf.einsum(equation, *xs)

    for found, expected in zip(gradients(lambda xs: tf.raw_ops.Einsum(inputs=xs, equation=equation)), gradients(by_sums), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "equation, shapes, words",
    [
        ("ij", [(2, 2)], "exactly one '->'"),
        ("i,j,k->ijk", [(1,), (1,), (1,)], "1 or 2 input subscripts"),
        ("...->", [(2, 2)], "no ellipsis"),
        ("ii->", [(2, 3)], "Expected dimension 2"),
        ("ij,jk->ik", [(2, 3), (4, 2)], "Expected dimension 3"),
        ("i->i", [(2, 2)], "rank"),
        ("i,j->ij", [(2,)], "inputs|operands"),
    ],
)
def test_mistakes_in_equations(tf, equation, shapes, words):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        tf.raw_ops.Einsum(inputs=[numbers(*shape) for shape in shapes], equation=equation)


def gru_weights(inputs, cell):
    return {
        "w_ru": numbers(inputs + cell, 2 * cell),
        "w_c": numbers(inputs + cell, cell),
        "b_ru": numbers(2 * cell),
        "b_c": numbers(cell),
    }


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("batch", [1, 3, 0])
def test_gru(tf, batch):
    x, h, w = numbers(batch, 4), numbers(batch, 2), gru_weights(4, 2)
    r, u, c, new = tf.raw_ops.GRUBlockCell(x=x, h_prev=h, **w)
    gates = sigmoid(np.concatenate([x, h], 1) @ w["w_ru"] + w["b_ru"])
    np.testing.assert_allclose(r, gates[:, :2], rtol=1e-5)
    np.testing.assert_allclose(u, gates[:, 2:], rtol=1e-5)
    candidate = np.tanh(np.concatenate([x, h * gates[:, :2]], 1) @ w["w_c"] + w["b_c"])
    np.testing.assert_allclose(c, candidate, rtol=1e-5)
    np.testing.assert_allclose(new, gates[:, 2:] * h + (1 - gates[:, 2:]) * candidate, rtol=1e-5)


def test_the_gradient_of_gru(tf):
    x, h, w = tf.constant(numbers(3, 4)), tf.constant(numbers(3, 2)), gru_weights(4, 2)
    dh = numbers(3, 2)
    with tf.GradientTape() as tape:
        tape.watch([x, h])
        gates = tf.sigmoid(tf.concat([x, h], 1) @ w["w_ru"] + w["b_ru"])
        r, u = tf.split(gates, 2, 1)
        c = tf.tanh(tf.concat([x, h * r], 1) @ w["w_c"] + w["b_c"])
        new = u * h + (1 - u) * c
    expected = tape.gradient(new, [x, h], dh)
    found = tf.raw_ops.GRUBlockCellGrad(x=x, h_prev=h, **w, r=r, u=u, c=c, d_h=dh)
    for a, b in zip(found[:2], expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def lstm_weights(inputs, cell, dtype="float32"):
    return {
        "w": numbers(inputs + cell, 4 * cell, dtype=dtype),
        **{name: numbers(cell, dtype=dtype) for name in ("wci", "wcf", "wco")},
        "b": numbers(4 * cell, dtype=dtype),
    }


def lstm(tf, x, cs, h, w, *, order, peephole, forget_bias, clip):
    """A step of an LSTM by plain ops: cs and h."""
    parts = dict(zip(order, tf.split(tf.concat([x, h], 1) @ w["w"] + w["b"], 4, 1), strict=True))
    look = 1.0 if peephole else 0.0
    i = tf.sigmoid(parts["i"] + look * w["wci"] * cs)
    f = tf.sigmoid(parts["f"] + forget_bias + look * w["wcf"] * cs)
    new = tf.tanh(parts["c"]) * i + cs * f
    if clip > 0:
        new = tf.clip_by_value(new, -clip, clip)
    o = tf.sigmoid(parts["o"] + look * w["wco"] * new)
    return new, o * tf.tanh(new)


@pytest.mark.parametrize("peephole", [False, True])
@pytest.mark.parametrize("clip", [-1.0, 0.2])
def test_lstm(tf, peephole, clip):
    x, cs, h, w = numbers(3, 4), numbers(3, 2), numbers(3, 2)[::-1].copy(), lstm_weights(4, 2)
    found = tf.raw_ops.LSTMBlockCell(
        x=x, cs_prev=cs, h_prev=h, **w, forget_bias=0.5, cell_clip=clip, use_peephole=peephole
    )
    expected = lstm(tf, x, cs, h, w, order="icfo", peephole=peephole, forget_bias=0.5, clip=clip)
    np.testing.assert_allclose(found.cs, expected[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.h, expected[1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("peephole", [False, True])
@pytest.mark.parametrize("version", ["BlockLSTM", "BlockLSTMV2"])
@pytest.mark.parametrize("steps", [3, 2, 0])
def test_lstm_over_time(tf, peephole, version, steps):
    w = {name: tf.constant(value) for name, value in lstm_weights(4, 2).items()}
    x, cs, h = tf.constant(numbers(3, 2, 4)), tf.constant(numbers(2, 2)), tf.constant(numbers(2, 2)[::-1].copy())
    weights = list(w.values()) if peephole else [w["w"], w["b"]]
    sources = [x, cs, h, *weights]
    dy = numbers(3, 2, 2)

    def fused():
        return getattr(tf.raw_ops, version)(seq_len_max=np.int64(steps), x=x, cs_prev=cs, h_prev=h, **w, cell_clip=0.0,
                                            use_peephole=peephole, **({"forget_bias": 0.5} if version == "BlockLSTM" else {})).h  # fmt: skip

    def plain():
        state, outputs = (cs, h), []
        for t in range(3):
            if t < steps:
                order, bias = ("icfo", 0.5) if version == "BlockLSTM" else ("ifco", 0.0)
                state = lstm(tf, x[t], *state, w, order=order, peephole=peephole, forget_bias=bias, clip=0)
            outputs.append(state[1] if t < steps else tf.zeros_like(h))
        return tf.stack(outputs)

    results = []
    for run in (fused, plain):
        with tf.GradientTape() as tape:
            tape.watch(sources)
            y = run()
        results.append((y, tape.gradient(y, sources, dy, unconnected_gradients="zero")))
    (y, found), (expected, gradients) = results
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
    if version == "BlockLSTMV2" and not hasattr(tf, "array_api"):
        return  # TensorFlow takes the gates in the order of BlockLSTM there, which gives wrong gradients
    for a, b in zip(found, gradients, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_lstm_of_half(tf):
    w = lstm_weights(4, 2, "float16")
    found = tf.raw_ops.LSTMBlockCell(x=numbers(3, 4, dtype="float16"), cs_prev=numbers(3, 2, dtype="float16"),
                                     h_prev=numbers(3, 2, dtype="float16"), **w)  # fmt: skip
    wide = tf.raw_ops.LSTMBlockCell(x=numbers(3, 4), cs_prev=numbers(3, 2), h_prev=numbers(3, 2), **lstm_weights(4, 2))
    assert found.h.dtype == tf.float16
    np.testing.assert_allclose(found.h.numpy().astype("float32"), wide.h, atol=0.01)


def test_maps_of_tensors(tf):
    raw = tf.raw_ops
    made = raw.EmptyTensorMap()
    for key in (1, 2, 1):
        made = raw.TensorMapInsert(input_handle=made, key=key, value=tf.fill([key], float(key)))
    assert raw.TensorMapSize(input_handle=made).numpy() == 2
    assert raw.TensorMapLookup(input_handle=made, key=2, value_dtype=tf.float32).numpy().tolist() == [2, 2]
    less = raw.TensorMapErase(input_handle=made, key=2, value_dtype=tf.float32)
    assert not raw.TensorMapHasKey(input_handle=less, key=2).numpy()
    assert raw.TensorMapHasKey(input_handle=made, key=2).numpy()
    assert sorted(raw.TensorMapStackKeys(input_handle=made, key_dtype=tf.int32).numpy()) == [1, 2]
    for call, words in [
        (lambda: raw.TensorMapLookup(input_handle=less, key=2, value_dtype=tf.float32), "non-existent key"),
        (lambda: raw.TensorMapErase(input_handle=less, key=2, value_dtype=tf.float32), "non-existent item"),
        (lambda: raw.TensorMapStackKeys(input_handle=raw.EmptyTensorMap(), key_dtype=tf.int32), "empty map"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            call()


def test_keys_that_are_strings(tf):
    raw = tf.raw_ops
    made = raw.TensorMapInsert(input_handle=raw.EmptyTensorMap(), key="a", value=tf.constant([1, 2]))
    assert raw.TensorMapLookup(input_handle=made, key="a", value_dtype=tf.int32).numpy().tolist() == [1, 2]
    assert not raw.TensorMapHasKey(input_handle=made, key="b").numpy()


def test_for(tf):
    body = tf.function(lambda i, x: x * 2.0 + tf.cast(i, tf.float32))
    body = body.get_concrete_function(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32))
    run = lambda start, limit, delta: tf.raw_ops.For(start=start, limit=limit, delta=delta, input=[1.0], body=body)
    assert run(0, 3, 1)[0].numpy() == 12
    assert run(3, 0, -1)[0].numpy() == 25
    assert run(2, 2, 1)[0].numpy() == 1
    for wrong in [(0, 3, 0), (3, 0, 1), (0, 3, -1)]:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid start/limit/delta"):
            run(*wrong)


def test_mapped_functions(tf):
    product = tf.function(lambda x, y: (x * y, x + y))
    product = product.get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([]))
    found = tf.raw_ops.MapDefun(
        arguments=[numbers(3, 2)], captured_inputs=[2.0], output_types=[tf.float32] * 2, output_shapes=[[2], [2]], f=product
    )
    np.testing.assert_allclose(found[0], numbers(3, 2) * 2)
    np.testing.assert_allclose(found[1], numbers(3, 2) + 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="dimension|Expected"):
        tf.raw_ops.MapDefun(
            arguments=[numbers(3, 2), numbers(2)], captured_inputs=[], output_types=[tf.float32] * 2, output_shapes=[[2], [2]], f=product
        )


@pytest.mark.parametrize("dim, skip", [(1, 0), (2, 5), (40, 1000), (1111, 3)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sobol_points(tf, dim, skip, dtype):
    found = tf.math.sobol_sample(dim, 64, skip, dtype)
    assert found.dtype == tf.as_dtype(dtype) and found.shape == [64, dim]
    # Halves of each axis hold half of any 2^k points that follow each other from a multiple of 2^k on, less one.
    assert np.abs((found.numpy() < 0.5).mean(0) - 0.5).max() < 0.1
    more = tf.math.sobol_sample(dim, 64 + skip, dtype=dtype)
    np.testing.assert_array_equal(found, more[skip:])


def test_the_first_sobol_points(tf):
    found = tf.math.sobol_sample(6, 7)
    assert found.numpy().tolist() == [
        [0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
        [0.75, 0.25, 0.25, 0.25, 0.75, 0.75],
        [0.25, 0.75, 0.75, 0.75, 0.25, 0.25],
        [0.375, 0.375, 0.625, 0.875, 0.375, 0.125],
        [0.875, 0.875, 0.125, 0.375, 0.875, 0.625],
        [0.625, 0.125, 0.875, 0.625, 0.625, 0.875],
        [0.125, 0.625, 0.375, 0.125, 0.125, 0.375],
    ]


@pytest.mark.parametrize("given", [(0, 1, 0), (1, 0, 0), (1, 1, -1), (30000, 1, 0), (2, 5, 2**31 - 3)])
def test_sobol_points_that_there_are_not(tf, given):
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least|at most|non-negative|less than"):
        tf.math.sobol_sample(*given)


def test_index_shuffle(tf):
    found = tf.random_index_shuffle(tf.range(10), [1, 2, 3], 9)
    assert sorted(found.numpy()) == list(range(10))
    again = tf.random_index_shuffle(index=tf.range(10), seed=[1, 2, 3], max_index=9, rounds=4)
    np.testing.assert_array_equal(found, again)


def test_conv(tf):
    x, w = numbers(2, 5, 5, 3), numbers(2, 2, 3, 4)
    expected = tf.nn.conv2d(x, w, 1, "VALID")
    np.testing.assert_allclose(tf.conv(x, w, [1, 1, 1, 1], "VALID"), expected, rtol=1e-5)
    volumes, filters = numbers(1, 3, 4, 4, 2), numbers(2, 2, 2, 2, 3)
    expected = tf.nn.conv3d(volumes, filters, [1] * 5, "SAME")
    np.testing.assert_allclose(tf.conv(volumes, filters, [1] * 5, "SAME"), expected, rtol=1e-5)
    for wrong in ({"groups": 3}, {"data_format": "CHANNELS_FIRST"}):
        with pytest.raises((tf.errors.UnimplementedError, tf.errors.InvalidArgumentError)):
            tf.conv(x, w, [1, 1, 1, 1], "VALID", **wrong)


@pytest.mark.parametrize("types", [("int8", "int8", "int32"), ("uint8", "int8", "int32"), ("float32",) * 3])
def test_products_of_batches(tf, types):
    x, y = (tf.cast(tf.constant(np.arange(8).reshape(shape)), t) for shape, t in (((2, 2, 2), types[0]), ((2, 2, 2), types[1])))
    found = tf.raw_ops.BatchMatMulV3(x=x, y=y, Tout=types[2])
    expected = tf.matmul(tf.cast(x, types[2]), tf.cast(y, types[2]))
    assert found.dtype == tf.as_dtype(types[2])
    np.testing.assert_array_equal(found, expected)


def test_approximate_top_k(tf):
    values, indices = tf.raw_ops.ApproxTopK(input=[[3.0, 1.0, 2.0]], k=2)
    assert values.numpy().tolist() == [[3, 2]] and indices.numpy().tolist() == [[0, 2]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least k|>= k"):
        tf.raw_ops.ApproxTopK(input=[[3.0, 1.0, 2.0]], k=4)
    with pytest.raises(tf.errors.NotFoundError):
        tf.raw_ops.ApproxTopK(input=[[3.0, 1.0, 2.0]], k=2, is_max_k=False)


@pytest.mark.parametrize("l1", [0.0, 0.5])
def test_dual_averaging(tf, l1):
    var, sums, squares = (tf.Variable([x, 2.0, -1.0]) for x in (1.0, 0.5, 4.0))
    squares.assign([0.1, 0.2, 0.3])
    grad = np.array([0.5, -1, 2], np.float32)
    g, gg = sums.numpy() + grad, squares.numpy() + grad**2
    tf.raw_ops.ResourceApplyAdagradDA(
        var=var.handle, gradient_accumulator=sums.handle, gradient_squared_accumulator=squares.handle, grad=grad, lr=0.1,
        l1=l1, l2=0.2, global_step=np.int64(3),
    )  # fmt: skip
    expected = -np.sign(g) * 0.1 * np.maximum(np.abs(g) - l1 * 3, 0) / (0.2 * 3 * 0.1 + np.sqrt(gg))
    np.testing.assert_allclose(var, expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(sums, g)
    np.testing.assert_allclose(squares, gg)


def test_constants_of_files(tf, tmp_path):
    file = tmp_path / "bytes"
    file.write_bytes(np.arange(6, dtype=np.float32).tobytes())
    found = tf.raw_ops.ImmutableConst(dtype=tf.float32, shape=[2, 3], memory_region_name=str(file))
    assert found.numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(tf.errors.OpError):
        tf.raw_ops.ImmutableConst(dtype=tf.string, shape=[1], memory_region_name=str(file))


def test_composite_variants(tf):
    raw = tf.raw_ops
    encoded = raw.CompositeTensorVariantFromComponents(components=[[1.0], 2], metadata="")
    found = raw.CompositeTensorVariantToComponents(encoded=encoded, metadata="", Tcomponents=[tf.float32, tf.int32])
    assert [x.numpy().tolist() for x in found] == [[1], 2]
    for wrong, words in [([tf.float32], "2 tensor components"), ([tf.int32] * 2, "had dtype DT_FLOAT")]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            raw.CompositeTensorVariantToComponents(encoded=encoded, metadata="", Tcomponents=wrong)


def test_the_time(tf):
    import time

    traced = tf.function(tf.timestamp)
    for now in (tf.timestamp(), traced(), tf.raw_ops.Timestamp()):
        assert now.dtype == tf.float64 and abs(float(now) - time.time()) < 60
