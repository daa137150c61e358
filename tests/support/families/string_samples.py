"""Samples of the ops on strings beyond the first ones: regular expressions, hashes, Unicode, splitting, n-grams."""

import numpy as np

from support.sample_values import f32, grid, i32, i64


def words(*values) -> np.ndarray:
    """Strings."""
    return np.array([v.encode() if isinstance(v, str) else v for v in values], object)


TEXT = words("ab é-12", "", "x.y z", b"a\xffb\n", "ΑΣ ß ﬁ")
_DECODED = [
    {"input": TEXT, "input_encoding": "UTF-8"},
    {"input": TEXT, "input_encoding": "UTF-8", "errors": "ignore", "replace_control_characters": True},
    {"input": words(b"\x00a\xd8\x3d\xde\x00"), "input_encoding": "UTF-16-BE", "Tsplits": "int32"},
]
_NGRAMS = {"data": words(*"abcdef"), "data_splits": i64(0, 2, 2, 6), "separator": "|", "left_pad": "<", "right_pad": ">"}

CALLS = {
    "RegexFullMatch": [{"input": TEXT, "pattern": np.array(b".*[a-y]", object)}],
    "StaticRegexFullMatch": [{"input": TEXT, "pattern": r"\w+(?: é)?.*"}],
    "RegexReplace": [
        {"input": TEXT, "pattern": np.array(rb"(\w)", object), "rewrite": np.array(rb"<\1>", object)},
        {
            "input": TEXT,
            "pattern": np.array(b"", object),
            "rewrite": np.array(b"-", object),
            "replace_global": False,
        },
    ],
    "StaticRegexReplace": [
        {"input": TEXT, "pattern": "(?i)[a-zσ]*", "rewrite": r"[\0]"},
        {"input": TEXT, "pattern": "x|y", "rewrite": r"\\", "replace_global": False},
    ],
    "StringToHashBucket": [{"string_tensor": TEXT, "num_buckets": 1000003}],
    "StringToHashBucketFast": [
        {"input": words(*("x" * n for n in (0, 1, 5, 12, 20, 40, 64, 65, 128, 200))), "num_buckets": 2**62}
    ],
    "StringToHashBucketStrong": [{"input": TEXT, "num_buckets": 2**62, "key": [5, -7]}],
    "Fingerprint": [
        {"data": grid(3, 4), "method": np.array(b"farmhash64", object)},
        {"data": TEXT, "method": np.array(b"farmhash64", object)},
        {"data": np.stack([TEXT, TEXT[::-1]]), "method": np.array(b"farmhash64", object)},
    ],
    "UnicodeDecode": _DECODED,
    # TensorFlow aborts where the splits are int32.
    "UnicodeDecodeWithOffsets": _DECODED[:2],
    "UnicodeEncode": [
        {"input_values": i32(97, 233, 0x1F600, 0x110000, 98), "input_splits": i64(0, 2, 2, 5), "output_encoding": code}
        for code in ("UTF-8", "UTF-16-BE", "UTF-32-BE")
    ],
    "UnicodeScript": [{"input": i32(97, 0x3B1, -1, 0x110000, 0x4E00)}],
    "UnicodeTranscode": [
        {"input": TEXT, "input_encoding": "UTF-8", "output_encoding": "UTF-16-BE"},
        {"input": TEXT, "input_encoding": "ISO-8859-1", "output_encoding": "UTF-8", "replace_control_characters": True},
    ],
    "StringSplitV2": [
        {"input": TEXT, "sep": np.array(b"", object)},
        {"input": words("a--b----c", ""), "sep": np.array(b"--", object), "maxsplit": 2},
    ],
    "StringSplit": [
        {"input": TEXT, "delimiter": np.array(b" .", object)},
        {"input": TEXT, "delimiter": np.array(b"", object), "skip_empty": False},
    ],
    "StringNGrams": [
        {**_NGRAMS, "ngram_widths": [2, 3], "pad_width": -1, "preserve_short_sequences": False},
        {**_NGRAMS, "ngram_widths": [5], "pad_width": 1, "preserve_short_sequences": True},
        {**_NGRAMS, "ngram_widths": [3], "pad_width": 0, "preserve_short_sequences": True},
    ],
    "UnsortedSegmentJoin": [
        {
            "inputs": np.stack([TEXT, TEXT]),
            "segment_ids": i32(1, 1),
            "num_segments": np.int32(3),
            "separator": ":",
        }
    ],
    "EditDistance": [
        {
            "hypothesis_indices": i64([0, 0], [1, 0], [2, 0]),
            "hypothesis_values": f32(1, 2, 3),
            "hypothesis_shape": i64(3, 2),
            "truth_indices": i64([0, 0], [0, 1], [1, 0], [3, 0]),
            "truth_values": f32(1, 5, 6, 7),
            "truth_shape": i64(4, 2),
            "normalize": normalize,
        }
        for normalize in (True, False)
    ],
}
