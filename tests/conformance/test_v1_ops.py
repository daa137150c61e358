"""Ops of older programs, through tf.raw_ops."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(50)

M = np.float32([[4, 1], [1, 3]])


def refused(tf, words, op, **arguments):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        getattr(tf.raw_ops, op)(**arguments)


def test_others_in_another_order(tf):
    raw = tf.raw_ops
    assert raw.Concat(concat_dim=-1, values=[M, M]).shape == [2, 4]
    assert raw.Concat(concat_dim=0, values=[["a"], ["b"]]).numpy().tolist() == [b"a", b"b"]
    assert raw.Gather(params=["a", "b"], indices=[[1], [0]]).numpy().tolist() == [[b"b"], [b"a"]]
    refused(tf, r"indices\[0\] = 5 is not in \[0, 2\)", "Gather", params=M, indices=[5])
    for dims in ([True, False], [False, True], [True, True], [False, False]):
        step = [slice(None, None, -1 if d else 1) for d in dims]
        np.testing.assert_array_equal(raw.Reverse(tensor=M, dims=dims).numpy(), M[tuple(step)])
    assert raw.Reverse(tensor=3, dims=np.zeros(0, bool)).numpy() == 3
    refused(tf, "'dims' must have the same number of values", "Reverse", tensor=M, dims=[True])
    np.testing.assert_allclose(raw.BatchMatMul(x=[M], y=[M], adj_x=True).numpy(), [M.T @ M])
    refused(tf, "must be the same", "BatchMatMul", x=[M, M], y=[M])
    np.testing.assert_allclose(raw.BiasAddV1(value=M, bias=[1.0, 2.0]).numpy(), M + [1, 2])
    refused(tf, "as many biases as the last dimension", "BiasAddV1", value=M, bias=[1.0, 2.0, 3.0])
    half = tf.cast(M, tf.bfloat16)
    assert raw.SparseMatMul(a=half, b=M, transpose_b=True).dtype == tf.float32


def test_their_gradients(tf):
    raw = tf.raw_ops
    x, w = tf.constant(M), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        results = {
            "concat": raw.Concat(concat_dim=1, values=[x, w])[:, 1:3],
            "gather": raw.Gather(params=x, indices=[1, 1]),
            "reverse": raw.Reverse(tensor=x, dims=[True, False]) * w,
            "product": raw.BatchMatMul(x=x, y=w, adj_y=True),
            "bias": raw.BiasAddV1(value=x, bias=w[0]),
            "sparse": raw.SparseMatMul(a=x, b=w, transpose_a=True),
            "print": raw.Print(input=x, data=[], message="", first_n=0) * 2.0,
            "default": raw.PlaceholderWithDefault(input=x, shape=[2, 2]) * 3.0,
        }
    expected = {
        "concat": ([[0, 1], [0, 1]], [[1, 0], [1, 0]]),
        "gather": ([[0, 0], [2, 2]], None),
        "reverse": ([[3, 4], [1, 2]], [[1, 3], [4, 1]]),
        "product": ([[4, 6], [4, 6]], [[5, 4], [5, 4]]),
        "bias": ([[1, 1], [1, 1]], [[2, 2], [0, 0]]),
        "sparse": ([[3, 3], [7, 7]], [[5, 5], [4, 4]]),
        "print": ([[2, 2], [2, 2]], None),
        "default": ([[3, 3], [3, 3]], None),
    }
    for name, result in results.items():
        found = [None if g is None else tf.convert_to_tensor(g).numpy().tolist() for g in tape.gradient(result, [x, w])]
        assert found == list(expected[name]), name


def test_differences_of_lists(tf):
    for dtype in ("int8", "uint16", "int64", "float16", "float64"):
        out, idx = tf.raw_ops.ListDiff(x=tf.cast([1, 2, 3, 2, 5], dtype), y=tf.cast([2, 7], dtype), out_idx=tf.int64)
        assert out.numpy().tolist() == [1, 3, 5] and idx.numpy().tolist() == [0, 2, 4] and out.dtype == dtype
    assert tf.raw_ops.ListDiff(x=["a", "b"], y=["a"]).out.numpy().tolist() == [b"b"]
    assert tf.raw_ops.ListDiff(x=[np.nan, 1.0], y=[np.nan]).idx.numpy().tolist() == [0, 1]
    assert tf.raw_ops.ListDiff(x=np.zeros(0, np.int32), y=[1]).out.shape == [0]
    refused(tf, "x should be a 1D vector", "ListDiff", x=[[1]], y=[1])


def test_in_top_k(tf):
    scores = np.float32([[0.1, 0.7, 0.7], [np.inf, 0.3, 0.2], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]])
    targets = [2, 1, 0, 5]
    for k, expected in ((1, [True, False, False, False]), (3, [True, False, True, False])):
        assert tf.raw_ops.InTopK(predictions=scores, targets=targets, k=k).numpy().tolist() == expected
        assert tf.raw_ops.InTopKV2(predictions=scores, targets=targets, k=k).numpy().tolist() == expected
    refused(tf, "First dimension of predictions 4 must match length of targets 1", "InTopKV2", predictions=scores, targets=[0], k=1)


def test_truth(tf):
    for value, expected in ((0.0, False), (3, True), ("", False), ("a", True), ([0.0], True), (np.zeros(0), False), (False, False)):
        assert bool(tf.raw_ops.ToBool(input=value)) is expected
    refused(tf, "uint16 cannot be converted to a boolean", "ToBool", input=tf.constant(2, tf.uint16))


def test_empty_and_copies(tf):
    assert tf.raw_ops.Empty(shape=[2, 0], dtype=tf.int8).shape == [2, 0]
    assert tf.raw_ops.Empty(shape=[2], dtype=tf.string, init=True).numpy().tolist() == [b"", b""]
    refused(tf, "shape must be a vector of int32", "Empty", shape=[[2]], dtype=tf.float32)
    assert tf.raw_ops.DeepCopy(x=["a"]).numpy().tolist() == [b"a"]
    assert tf.raw_ops.Fact().numpy() == b"0! == 1" and tf.compat.v1.user_ops.my_fact().numpy() == b"0! == 1"


def test_print(tf, capfd):
    @tf.function
    def f(x):
        return tf.raw_ops.Print(input=x, data=[x, x + 1], message="m ", first_n=2, summarize=1)

    for i in range(3):
        assert f(tf.constant([i, i])).numpy().tolist() == [i, i]
    assert capfd.readouterr().err.splitlines()[-2:] == ["m [0...][1...]", "m [1...][2...]"]


def test_changes_in_place(tf):
    v = np.float32([[10, 20], [30, 40]])
    np.testing.assert_array_equal(tf.raw_ops.InplaceAdd(x=tf.constant(M), i=[1, -2], v=v).numpy(), M + v[::-1])
    np.testing.assert_array_equal(tf.raw_ops.InplaceSub(x=tf.constant(M), i=[0, 3], v=v).numpy(), M - v)
    np.testing.assert_array_equal(tf.raw_ops.InplaceUpdate(x=tf.constant(M), i=[0, 0], v=v).numpy(), [v[1], M[1]])
    refused(tf, "i must be a vector", "InplaceUpdate", x=M, i=0, v=v)
    refused(tf, "x and v shape doesn't match at index 1", "InplaceUpdate", x=M, i=[0], v=[[1.0]])
    refused(tf, "i and x shape doesn't match at index 0", "InplaceUpdate", x=M, i=[0], v=v)


def test_orders_of_dimensions(tf):
    raw = tf.raw_ops
    assert raw.DataFormatDimMap(x=[0, 1, 2, 3, -1, -4, 5]).numpy().tolist() == [0, 2, 3, 1, 1, 0, 2]
    assert raw.DataFormatDimMap(x=np.int64(4), src_format="NDHWC", dst_format="NCDHW").numpy() == 1
    assert raw.DataFormatVecPermute(x=[1, 2, 3, 4]).numpy().tolist() == [1, 4, 2, 3]
    assert raw.DataFormatVecPermute(x=[1, 2], src_format="NHWC", dst_format="NCWH").numpy().tolist() == [2, 1]
    assert raw.DataFormatVecPermute(x=[[1, 2], [3, 4], [5, 6], [7, 8]]).numpy().tolist() == [[1, 2], [7, 8], [3, 4], [5, 6]]
    assert raw.DataFormatVecPermute(x=[1, 2, 3, 4, 5], src_format="NDHWC", dst_format="NCDHW").numpy().tolist() == [1, 5, 2, 3, 4]
    refused(tf, "1D input must be of size 2 or 4", "DataFormatVecPermute", x=[1, 2, 3])
    refused(tf, "Second dimension of 2D input must be of size 2", "DataFormatVecPermute", x=[[1, 2, 3]] * 4)
    refused(tf, "must be of length 4 or 5", "DataFormatDimMap", x=1, src_format="NHW")
    refused(tf, "must determine a permutation", "DataFormatDimMap", x=1, dst_format="NHWX")


def test_padded_convolutions(tf):
    images = np.arange(9, dtype=np.float32).reshape(1, 3, 3, 1)
    rest = {"paddings": [[0, 0], [1, 1], [1, 1], [0, 0]], "filter": np.ones((2, 2, 1, 1), np.float32), "strides": [1, 1, 1, 1]}
    found = tf.raw_ops.FusedPadConv2D(input=images, mode="SYMMETRIC", padding="VALID", **rest)
    padded = tf.pad(images, rest["paddings"], "SYMMETRIC")
    np.testing.assert_allclose(found.numpy(), tf.nn.conv2d(padded, rest["filter"], 1, "VALID").numpy())
    found = tf.raw_ops.FusedResizeAndPadConv2D(input=images, size=[4, 5], mode="REFLECT", padding="VALID", **rest)
    resized = tf.compat.v1.image.resize_bilinear(images, [4, 5])
    padded = tf.pad(resized, rest["paddings"], "REFLECT")
    np.testing.assert_allclose(found.numpy(), tf.nn.conv2d(padded, rest["filter"], 1, "VALID").numpy(), rtol=1e-5)


@pytest.mark.parametrize(("op", "version", "instead"), [("BatchCholesky", 13, "Use Cholesky"), ("BatchMatrixDiag", 14, "Use MatrixDiag"),
                                                        ("SelfAdjointEig", 11, "Use SelfAdjointEigV2")])  # fmt: skip
def test_removed_ops(tf, op, version, instead):
    argument = "diagonal" if op == "BatchMatrixDiag" else "input"
    with pytest.raises(tf.errors.UnimplementedError, match=rf"{op} is not available in GraphDef version \d+. It has been removed in version {version}. {instead}"):
        getattr(tf.raw_ops, op)(**{argument: M})
    with pytest.raises(NotImplementedError, match=f"removed in version {version}"):
        tf.function(lambda: getattr(tf.raw_ops, op)(**{argument: M}))()
