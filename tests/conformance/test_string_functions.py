"""tf.strings: splitting, n-grams, Unicode, and all functions of ragged tensors."""

import pytest

pytestmark = pytest.mark.rule(27)


class Ragged(list):
    """The rows of a ragged tensor."""


def value(tf, x):
    return tf.ragged.constant(list(x)) if isinstance(x, Ragged) else tf.constant(x)


def plain(tf, x):
    """Nested lists of a result."""
    if isinstance(x, (list, tuple)):
        return [plain(tf, item) for item in x]
    if isinstance(x, tf.RaggedTensor):
        return x.to_list()
    if isinstance(x, tf.SparseTensor):
        return [plain(tf, part) for part in (x.indices, x.values, x.dense_shape)]
    array = x.numpy()
    return array.tolist() if hasattr(array, "tolist") else array


def near(got, want):
    if isinstance(want, float):
        return got == pytest.approx(want, rel=1e-5, abs=1e-6)
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(near, got, want))
    return got == want


def open_spec(tf, x):
    """The spec of a value with all sizes unknown."""
    sizes = [None] * x.shape.rank
    if isinstance(x, tf.RaggedTensor):
        return tf.RaggedTensorSpec(sizes, x.dtype, x.ragged_rank, x.row_splits.dtype)
    return tf.TensorSpec(sizes, x.dtype)


CASES = [
    (lambda tf, a: tf.strings.bytes_split(a), [["ab", "", "c"]], [[b"a", b"b"], [], [b"c"]]),
    (lambda tf, a: tf.strings.bytes_split(a), ["ab"], [b"a", b"b"]),
    (lambda tf, a: tf.strings.bytes_split(a), [[["ab", ""], ["c", "xyz"]]], [[[b"a", b"b"], []], [[b"c"], [b"x", b"y", b"z"]]]),
    (lambda tf, a: tf.strings.bytes_split(a), [Ragged([["ab", ""], ["c"]])], [[[b"a", b"b"], []], [[b"c"]]]),
    (lambda tf, a: tf.strings.split(a), [["hello  world ", "a b c", ""]], [[b"hello", b"world"], [b"a", b"b", b"c"], []]),
    (lambda tf, a: tf.strings.split(a, ",", 1), ["a,b,,c"], [b"a", b"b,,c"]),
    (
        lambda tf, a: tf.strings.split(a, maxsplit=1),
        [[["a b", "c"], ["d", "e f g"]]],
        [[[b"a", b"b"], [b"c", b""]], [[b"d", b""], [b"e", b"f g"]]],
    ),
    (lambda tf, a: tf.strings.split(a, "--"), [Ragged([["a--b", "c"], [], ["d"]])], [[[b"a", b"b"], [b"c"]], [], [[b"d"]]]),
    (lambda tf, a: tf.compat.v1.string_split(a), [["a b", "c"]], [[[0, 0], [0, 1], [1, 0]], [b"a", b"b", b"c"], [2, 2]]),
    (
        lambda tf, a: tf.compat.v1.string_split(a, ",", skip_empty=False, result_type="RaggedTensor"),
        [["a,,b", "c"]],
        [[b"a", b"", b"b"], [b"c"]],
    ),
    (
        lambda tf, a: tf.compat.v1.strings.split(a),
        [[["a b", "c"], ["d", "e"]]],
        [[[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0]], [b"a", b"b", b"c", b"d", b"e"], [2, 2, 2]],
    ),
    (lambda tf, a: tf.compat.v1.strings.split(a, result_type="RaggedTensor"), ["a b"], [[b"a", b"b"]]),
    (lambda tf, a: tf.strings.ngrams(a, [1, 3]), [["A", "B", "C", "D"]], [b"A", b"B", b"C", b"D", b"A B C", b"B C D"]),
    (lambda tf, a: tf.strings.ngrams(a, 3, pad_values=("l", "r"), padding_width=1), [["A", "B"]], [b"l A B", b"A B r"]),
    (lambda tf, a: tf.strings.ngrams(a, 3, preserve_short_sequences=True), [["A", "B"]], [b"A B"]),
    (lambda tf, a: tf.strings.ngrams(a, 2, separator=""), [[["A", "B"], ["C", "D"]]], [[b"AB"], [b"CD"]]),
    (
        lambda tf, a: tf.strings.ngrams(a, 2, pad_values="x"),
        [Ragged([[["A", "B"], []], [["C"]]])],
        [[[b"x A", b"A B", b"B x"], [b"x x"]], [[b"x C", b"C x"]]],
    ),
    (lambda tf, a: tf.strings.unicode_decode(a, "UTF-8"), ["a\u00e9\U0001f600"], [97, 233, 128512]),
    (
        lambda tf, a: tf.strings.unicode_decode_with_offsets(a, "UTF-8"),
        [["a\u00e9\U0001f600", ""]],
        [[[97, 233, 128512], []], [[0, 1, 3], []]],
    ),
    (
        lambda tf, a: tf.strings.unicode_decode(a, "UTF-8"),
        [[["a\u00e9", ""], ["b", "cc"]]],
        [[[97, 233], []], [[98], [99, 99]]],
    ),
    (
        lambda tf, a: tf.strings.unicode_decode_with_offsets(a, "UTF-8"),
        [Ragged([["a\u00e9", ""], ["b"]])],
        [[[[97, 233], []], [[98]]], [[[0, 1], []], [[0]]]],
    ),
    (
        lambda tf, a: tf.strings.unicode_decode(a, "UTF-8", replacement_char=65, replace_control_characters=True),
        [b"a\xff\x01"],
        [97, 65, 65],
    ),
    (lambda tf, a: tf.strings.unicode_decode(a, "UTF-8", errors="ignore"), [b"a\xff"], [97]),
    (lambda tf, a: tf.strings.unicode_encode(a, "UTF-8"), [[72, 8364]], b"H\xe2\x82\xac"),
    (lambda tf, a: tf.strings.unicode_encode(a, "UTF-16-BE"), [[[72, 8364], [-1, 2]]], [b"\x00H \xac", b"\xff\xfd\x00\x02"]),
    (lambda tf, a: tf.strings.unicode_encode(a, "UTF-8"), [Ragged([[[72, 8364], [1]], []])], [[b"H\xe2\x82\xac", b"\x01"], []]),
    (
        lambda tf, a: tf.strings.unicode_split(a, "UTF-8"),
        [["a\u00e9\U0001f600", ""]],
        [[b"a", b"\xc3\xa9", b"\xf0\x9f\x98\x80"], []],
    ),
    (lambda tf, a: tf.strings.unicode_split_with_offsets(a, "UTF-8"), ["a\u00e9"], [[b"a", b"\xc3\xa9"], [0, 1]]),
    (
        lambda tf, a: tf.strings.unicode_split_with_offsets(a, "UTF-8"),
        [Ragged([["a\u00e9", ""], ["b"]])],
        [[[[b"a", b"\xc3\xa9"], []], [[b"b"]]], [[[0, 1], []], [[0]]]],
    ),
    (lambda tf, a: tf.strings.length(a), [Ragged([["Ab", " c d "], [], ["12"]])], [[2, 5], [], [2]]),
    (
        lambda tf, a: (tf.strings.lower(a), tf.strings.upper(a), tf.strings.strip(a)),
        [Ragged([["Ab", " c d "], [], ["12"]])],
        [[[b"ab", b" c d "], [], [b"12"]], [[b"AB", b" C D "], [], [b"12"]], [[b"Ab", b"c d"], [], [b"12"]]],
    ),
    (
        lambda tf, a: (tf.strings.substr(a, 0, 1), tf.strings.regex_replace(a, "b", "c")),
        [Ragged([["Ab", " c d "], [], ["12"]])],
        [[[b"A", b" "], [], [b"1"]], [[b"Ac", b" c d "], [], [b"12"]]],
    ),
    (
        lambda tf, a: (tf.strings.regex_full_match(a, ".b"), tf.strings.to_hash_bucket_fast(a, 5)),
        [Ragged([["Ab", " c d "], [], ["12"]])],
        [[[True, False], [], [False]], [[1, 1], [], [3]]],
    ),
    (lambda tf, a: tf.strings.to_number(a), [Ragged([["1"], [], ["2", "3.5"]])], [[1.0], [], [2.0, 3.5]]),
    (
        lambda tf, a, b: tf.strings.join([a, "-", b]),
        [Ragged([["a"], [], ["b", "c"]]), Ragged([["x"], [], ["y", "z"]])],
        [[b"a-x"], [], [b"b-y", b"c-z"]],
    ),
    (lambda tf, a: tf.strings.as_string(a), [Ragged([[1], [2, 3]])], [[b"1"], [b"2", b"3"]]),
    (
        lambda tf, a: (tf.strings.reduce_join(a), tf.strings.reduce_join(a, 0), tf.strings.reduce_join(a, -1, True, "+")),
        [Ragged([["a"], [], ["b", "c"]])],
        [b"abc", [b"ab", b"c"], [[b"a"], [b""], [b"b+c"]]],
    ),
    (
        lambda tf, a: tf.strings.unicode_transcode(a, "UTF-8", "UTF-16-BE"),
        [Ragged([["a"], [], ["b", "c"]])],
        [[b"\x00a"], [], [b"\x00b", b"\x00c"]],
    ),
    (
        lambda tf, a, b: tf.strings.format("x {} y {}", [a, b], summarize=1),
        [Ragged([[1, 2, 3, 4, 5], [], [6]]), [7, 8]],
        b"x [[1, ..., 5], ..., [6]] y [7 8]",
    ),
    (lambda tf, a: tf.strings.format("{}", [a]), [Ragged([["it's"], ["a\\b"]])], b"[['it\\'s'], ['a\\\\b']]"),
    (lambda tf, a: tf.strings.reduce_join(a), [[["a", "b"], ["c", "d"]]], b"abcd"),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_values(tf, case):
    function, arguments, want = CASES[case]
    arguments = [value(tf, x) for x in arguments]

    def call(*args):
        return function(tf, *args)

    specs = [open_spec(tf, x) for x in arguments]
    for run in (call, tf.function(call), tf.function(call, input_signature=specs)):
        assert near(plain(tf, run(*arguments)), want)


@pytest.mark.parametrize(
    "kind, text, function",
    [
        ("ValueError", "statically-known rank", lambda tf, x: tf.strings.bytes_split(x)),
        ("ValueError", "Rank of data must be known", lambda tf, x: tf.strings.ngrams(x, 2)),
        ("ValueError", "Rank of `input` must be statically known", lambda tf, x: tf.strings.unicode_decode(x, "UTF-8")),
    ],
)
def test_unknown_rank(tf, kind, text, function):
    with pytest.raises(ValueError, match=text):
        tf.function(lambda x: function(tf, x), input_signature=[tf.TensorSpec(None, tf.string)])(["a"])


def test_split_of_unknown_rank(tf):
    split = tf.function(tf.strings.split, input_signature=[tf.TensorSpec(None, tf.string)])
    assert split(["a b", "c"]).to_list() == [[b"a", b"b"], [b"c"]]


@pytest.mark.parametrize(
    "kind, text, function",
    [
        (ValueError, "Data must have rank>0", lambda tf: tf.strings.ngrams("a", 1)),
        (ValueError, "All ngram_widths must be greater than 0. Got", lambda tf: tf.strings.ngrams(["a"], [1, 0])),
        (
            TypeError,
            "pad_values must be a string, tuple of strings, or None",
            lambda tf: tf.strings.ngrams(["a"], 1, pad_values=3),
        ),
        (ValueError, "padding_width must be greater than 0", lambda tf: tf.strings.ngrams(["a"], 1, padding_width=0)),
        (ValueError, "pad_values must be provided", lambda tf: tf.strings.ngrams(["a"], 1, padding_width=2)),
        (ValueError, "rank must be at least 1", lambda tf: tf.strings.unicode_encode(72, "UTF-8")),
        (ValueError, "result_type must be", lambda tf: tf.compat.v1.string_split(["a"], result_type="x")),
        (
            ValueError,
            "num placeholders in template and num inputs must match",
            lambda tf: tf.strings.format("{} {}", [tf.ragged.constant([[1]])]),
        ),
    ],
)
def test_errors(tf, kind, text, function):
    with pytest.raises(kind, match=text):
        function(tf)


def test_invalid_bytes_and_code_points(tf):
    for function in (
        lambda: tf.strings.unicode_decode(b"a\xff", "UTF-8", errors="strict"),
        lambda: tf.strings.unicode_encode([-1], "UTF-8", errors="strict"),
        lambda: tf.strings.unicode_decode("a", "UTF-99"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            function()


def test_names_of_tensorflow_1(tf):
    v1 = tf.compat.v1
    assert v1.substr("hello", 1, 2).numpy() == v1.strings.substr("hello", 1, 2, "name").numpy() == b"el"
    assert v1.string_to_number(input="1.5").numpy() == v1.strings.to_number(string_tensor="1.5").numpy() == 1.5
    assert v1.reduce_join([["a", "b"]], 1, keep_dims=True).numpy().tolist() == [[b"ab"]]
    assert v1.string_join(["a", "b"], "-").numpy() == b"a-b"
    assert v1.strings.length(["ab"], unit="UTF8_CHAR").numpy().tolist() == [2]
    assert v1.string_to_hash_bucket(["1"], 10).numpy().tolist() == v1.strings.to_hash_bucket(["1"], 10).numpy().tolist()
    with pytest.raises(ValueError, match="Cannot specify both"):
        v1.string_to_number("1", input="2")


def test_fingerprints_of_strings(tf):
    of_one = tf.fingerprint(["a", "b"]).numpy().tolist()
    # A row of one string has the string's fingerprint, a row of several that of theirs.
    assert tf.fingerprint([["a"], ["b"]]).numpy().tolist() == of_one
    assert of_one[0] == [227, 117, 223, 182, 101, 66, 69, 179]
    assert tf.fingerprint([["a", "b"]]).numpy().tolist() == [[122, 64, 59, 169, 136, 60, 55, 83]]
