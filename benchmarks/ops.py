"""Every op of the list below, called eagerly on a million elements, against TensorFlow: which ops are slower.

python benchmarks/ops.py                                measures all, prints those that are slower
python benchmarks/ops.py --only 'image|sort'            some of them, by a regular expression
python benchmarks/ops.py --write docs/performance.md    replaces the document's table of slower ops
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from pathlib import Path

import report
from measure import Bench, Measured
from rows import Code, Row

_TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(_TESTS))
from support.elementwise_samples import BINARY, UNARY, dtypes_of

MARKS = "<!-- ops: begin -->", "<!-- ops: end -->"
DATA = """
random = np.random.RandomState(5)
def numbers(low, high, dtype, *shape):
    return arr(random.uniform(low, high, shape or (1_000_000,)).astype(dtype))
v = numbers(-3, 3, "float32")
w = numbers(-3, 3, "float32")
d = numbers(-3, 3, "float64")
m = numbers(-3, 3, "float32", 1000, 1000)
t = numbers(-3, 3, "float32", 100, 100, 100)
i = numbers(0, 1000, "int32")
j = numbers(0, 1_000_000, "int32")
ordered = arr(np.sort(random.randint(0, 1000, 1_000_000)).astype("int32"))
permutation = arr(random.permutation(1_000_000).astype("int32"))
b = arr(random.randint(0, 2, 1_000_000).astype(bool))
z = tf.complex(v, w)
bytes_ = numbers(0, 256, "uint8")
hot = numbers(0, 10, "int32", 100_000)
rows = numbers(0, 1000, "int32", 1000)
places = numbers(0, 1000, "int32", 100_000, 2)
square = arr(random.standard_normal((200, 200)).astype("float32"))
definite = tf.matmul(square, square, transpose_b=True) + 200 * tf.eye(200)
small = numbers(-1, 1, "float32", 10_000, 10, 10) + 10 * tf.eye(10)
images = numbers(0, 1, "float32", 4, 288, 288, 3)
photo = numbers(0, 256, "uint8", 4, 288, 288, 3)
planes = numbers(-1, 1, "float32", 8, 64, 64, 32)
filters = numbers(-1, 1, "float32", 3, 3, 32, 32)
channels = numbers(-1, 1, "float32", 32)
boxes = tf.concat([c := numbers(0, 0.9, "float32", 2000, 2), c + 0.1], 1)
def shape_of(x):
    return tf.shape(x[0] if isinstance(x, (list, tuple)) else x)
logits = numbers(-3, 3, "float32", 10_000, 100)
labels = numbers(0, 100, "int32", 10_000)
words = arr(np.array([b"word %d of text" % n for n in range(100_000)]))
digits = arr(np.array([b"%d" % n for n in range(100_000)]))
"""
# Expressions, by what they show.
CALLS = {
    "reductions": """
        tf.reduce_sum(v)  tf.reduce_sum(m, 0)  tf.reduce_sum(m, 1)  tf.reduce_sum(t, [0, 2])  tf.reduce_sum(d)
        tf.reduce_mean(m, 0)  tf.reduce_mean(m, 1)  tf.reduce_max(m, 0)  tf.reduce_max(m, 1)  tf.reduce_min(v)
        tf.reduce_prod(m, 0)  tf.reduce_any(b)  tf.reduce_all(b)  tf.reduce_logsumexp(m, 1)  tf.reduce_sum(i)
        tf.math.reduce_variance(m, 0)  tf.math.reduce_std(m, 1)  tf.math.reduce_euclidean_norm(m, 1)
        tf.argmax(m, 0)  tf.argmax(m, 1)  tf.argmin(v)  tf.math.count_nonzero(m)  tf.math.zero_fraction(v)
        tf.cumsum(v)  tf.cumsum(m, 0)  tf.math.cumprod(m, 1)  tf.math.cumulative_logsumexp(m, 1)  tf.norm(v)
    """,
    "arrays": """
        tf.transpose(m)  tf.transpose(t, [2, 0, 1])  tf.transpose(t, [1, 0, 2])  tf.concat([m, m], 0)  tf.concat([m, m], 1)
        tf.stack([v, w])  tf.stack([v, w], 1)  tf.unstack(m)  tf.split(m, 10, 1)  tf.tile(m, [1, 2])  tf.pad(m, [[1, 1], [2, 2]])
        tf.pad(m, [[1, 1], [2, 2]], "REFLECT")  tf.reverse(m, [0])  tf.reverse(m, [1])  tf.roll(m, 7, 1)  m[:, ::2]  m[10:900, 5:700]
        tf.slice(m, [1, 2], [900, 800])  tf.gather(v, j)  tf.gather(m, rows)  tf.gather(m, rows, axis=1)  tf.gather_nd(m, places)
        tf.scatter_nd(places, v[:100_000], [1000, 1000])  tf.tensor_scatter_nd_update(m, places, v[:100_000])
        tf.tensor_scatter_nd_add(m, places, v[:100_000])  tf.where(b, v, w)  tf.where(b)  tf.boolean_mask(v, b)
        tf.one_hot(hot, 10)  tf.range(1_000_000)  tf.fill([1000, 1000], 1.5)  tf.zeros([1000, 1000])  tf.ones_like(m)
        tf.reshape(m, [-1])  tf.broadcast_to(v[:1000], [1000, 1000])  tf.identity(v)  tf.bitcast(v, tf.int32)
        tf.cast(v, tf.int32)  tf.cast(i, tf.float32)  tf.cast(v, tf.float16)  tf.cast(v, tf.bool)  tf.cast(bytes_, tf.float32)
        tf.saturate_cast(v, tf.uint8)  tf.repeat(v, 2)  tf.meshgrid(v[:1000], v[:1000])  tf.linspace(0.0, 1.0, 1_000_000)
        tf.sequence_mask(rows, 1000)  tf.reverse_sequence(m, rows, 1)  tf.space_to_batch(planes, [2, 2], [[0, 0], [0, 0]])
        tf.batch_to_space(planes, [2, 2], [[0, 0], [0, 0]])  tf.nn.depth_to_space(planes, 2)  tf.nn.space_to_depth(planes, 2)
        tf.eye(1000)  tf.linalg.diag(v[:1000])  tf.linalg.diag_part(m)  tf.linalg.set_diag(m, v[:1000])  tf.linalg.band_part(m, 5, 5)
        tf.math.invert_permutation(permutation)  tf.dynamic_partition(v, tf.cast(b, tf.int32), 2)
        tf.dynamic_stitch([permutation], [v])  tf.image.extract_patches(planes, [1, 3, 3, 1], [1, 1, 1, 1], [1, 1, 1, 1], "SAME")
    """,
    "orders and counts": """
        tf.sort(v)  tf.sort(m)  tf.argsort(m)  tf.math.top_k(m, 10)  tf.math.top_k(v, 100)  tf.unique(i)  tf.unique_with_counts(i)
        tf.searchsorted(tf.sort(v), w[:1000])  tf.math.bincount(i)  tf.histogram_fixed_width(v, [-3.0, 3.0])
        tf.math.in_top_k(labels, logits, 5)  tf.math.confusion_matrix(i, i)  tf.nn.in_top_k(labels, logits, 1)
        tf.math.segment_sum(v, ordered)  tf.math.segment_mean(v, ordered)  tf.math.segment_max(v, ordered)
        tf.math.unsorted_segment_sum(v, i, 1000)  tf.math.unsorted_segment_max(v, i, 1000)  tf.math.unsorted_segment_prod(v, i, 1000)
        tf.math.unsorted_segment_mean(v, i, 1000)  tf.raw_ops.SparseSegmentSum(data=m, indices=rows, segment_ids=tf.sort(rows))
    """,
    "matrices": """
        tf.matmul(m, m)  tf.matmul(m, m, transpose_b=True)  tf.linalg.matvec(m, v[:1000])  tf.matmul(small, small)
        tf.einsum("ij,jk->ik", m, m)  tf.einsum("bij,bjk->bik", small, small)  tf.tensordot(t, t, [[1, 2], [1, 2]])
        tf.linalg.cholesky(definite)  tf.linalg.cholesky(small)  tf.linalg.inv(square)  tf.linalg.inv(small)  tf.linalg.det(small)
        tf.linalg.solve(square, square)  tf.linalg.triangular_solve(definite, square)  tf.linalg.qr(square)  tf.linalg.svd(square)
        tf.linalg.eigh(definite)  tf.linalg.lu(square)  tf.linalg.expm(small)  tf.linalg.lstsq(square, square)  tf.linalg.trace(m)
        tf.linalg.slogdet(small)  tf.linalg.logdet(definite)  tf.linalg.pinv(square)  tf.linalg.matrix_transpose(m)
        tf.linalg.cross(tf.reshape(v[:999_999], [-1, 3]), tf.reshape(w[:999_999], [-1, 3]))
    """,
    "networks": """
        tf.nn.softmax(logits)  tf.nn.log_softmax(logits)  tf.nn.relu(v)  tf.nn.gelu(v)  tf.nn.silu(v)  tf.nn.leaky_relu(v)  tf.nn.crelu(v)
        tf.nn.conv2d(planes, filters, 1, "SAME")  tf.nn.depthwise_conv2d(planes, filters[:, :, :, :1], [1, 1, 1, 1], "SAME")
        tf.nn.conv2d_transpose(planes, filters, [8, 64, 64, 32], 1, "SAME")  tf.nn.max_pool2d(planes, 2, 2, "SAME")
        tf.nn.avg_pool2d(planes, 2, 2, "SAME")  tf.nn.max_pool2d(planes, 3, 1, "SAME")  tf.nn.bias_add(planes, channels)
        tf.nn.batch_normalization(planes, channels, 1.5, channels, 1.0, 1e-3)  tf.nn.local_response_normalization(planes)
        tf.nn.moments(planes, [0, 1, 2])  tf.nn.l2_normalize(m, 1)  tf.nn.dropout(v, 0.5)
        tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(labels, 100), logits)
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)  tf.nn.sigmoid_cross_entropy_with_logits(v, w)
        tf.nn.embedding_lookup(m, rows)  tf.nn.erosion2d(planes, filters[:, :, :, 0], [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1])
    """,
    "images": """
        tf.image.resize(images, [144, 144])  tf.image.resize(images, [400, 400])  tf.image.resize(images, [144, 144], "nearest")
        tf.image.resize(images, [400, 400], "bicubic")  tf.image.resize(images, [144, 144], "area")
        tf.image.resize(images, [144, 144], "lanczos3")  tf.image.resize(images, [144, 144], antialias=True)
        tf.image.flip_left_right(images)  tf.image.flip_up_down(images)  tf.image.rot90(images)  tf.image.transpose(images)
        tf.image.adjust_brightness(images, 0.1)  tf.image.adjust_contrast(images, 1.5)  tf.image.adjust_hue(images, 0.1)
        tf.image.adjust_saturation(images, 1.5)  tf.image.rgb_to_hsv(images)  tf.image.hsv_to_rgb(images)
        tf.image.rgb_to_grayscale(images)  tf.image.rgb_to_yuv(images)  tf.image.convert_image_dtype(photo, tf.float32)
        tf.image.per_image_standardization(images)  tf.image.sobel_edges(images)  tf.image.total_variation(images)
        tf.image.ssim(images, images, 1.0)  tf.image.psnr(images, images, 1.0)  tf.image.central_crop(images, 0.5)
        tf.image.crop_and_resize(images, boxes[:20], rows[:20] % 4, [64, 64])  tf.image.resize_with_pad(images, 200, 300)
        tf.image.non_max_suppression(boxes, v[:2000], 100)
    """,
    "random numbers": """
        tf.random.uniform([1_000_000])  tf.random.normal([1_000_000])  tf.random.truncated_normal([1_000_000])
        tf.random.uniform([1_000_000], maxval=1000, dtype=tf.int32)  tf.random.gamma([1_000_000], 1.5)
        tf.random.poisson([1_000_000], 3.5)  tf.random.categorical(logits[:100], 1000)  tf.random.shuffle(v)
        tf.random.stateless_uniform([1_000_000], [1, 2])  tf.random.stateless_normal([1_000_000], [1, 2])
        tf.random.stateless_binomial([1_000_000], [1, 2], 10.0, 0.3)
    """,
    "texts, 10^5": """
        tf.strings.lower(words)  tf.strings.upper(words)  tf.strings.length(words)  tf.strings.substr(words, 2, 5)
        tf.strings.join([words, digits], " ")  tf.strings.reduce_join(words, separator=" ")  tf.strings.to_number(digits)
        tf.strings.to_hash_bucket_fast(words, 1000)  tf.strings.to_hash_bucket_strong(words, 1000, [1, 2])
        tf.strings.regex_replace(words, "[0-9]+", "n")  tf.strings.regex_full_match(words, "word [0-9]+ of.*")
        tf.strings.strip(words)  tf.as_string(v[:100_000])  tf.strings.to_number(digits, tf.int32)
    """,
}
# Shapes alone are compared: numbers drawn without a seed, vectors determined up to a sign, and solutions of a system that is close to singular.
NOT_COMPARED = (
    "tf.random.",
    "tf.nn.dropout(",
    "tf.linalg.qr(",
    "tf.linalg.svd(",
    "tf.linalg.eigh(",
    "tf.linalg.lstsq(",
)


def expressions(texts: str) -> list[str]:
    """The calls in a text, two spaces or a line apart."""
    return [part.strip() for line in texts.splitlines() for part in line.split("  ") if part.strip()]


def elementwise(names: dict) -> list[tuple[str, str]]:
    """(statements that draw the arguments, call) for each elementwise op."""
    rows = []
    definitions = json.loads((_TESTS / "oracle" / "op_defs.json").read_text())["ops"]
    for op, (_, (low, high)) in names.items():
        dtype = next((d for d in ("float32", "int32", "complex64", "bool") if d in dtypes_of(op)), "float32")
        draws = f"numbers({low}, {high}, 'float32')"
        made = {"complex64": f"tf.complex({draws}, {draws})", "bool": f"{draws} > 0.5"}.get(
            dtype, f"tf.cast({draws}, '{dtype}')"
        )
        arguments = [argument["name"] for argument in definitions[op]["inputs"]]
        prepare = "\n".join(f"{name}_ = {made}" for name in arguments)
        rows.append((prepare, f"tf.raw_ops.{op}({', '.join(f'{name}={name}_' for name in arguments)})"))
    return rows


def rows() -> list[Row]:
    """One row per call."""
    calls = elementwise(UNARY) + elementwise(BINARY)
    calls += [("", call) for texts in CALLS.values() for call in expressions(texts)]
    made = []
    for prepare, call in calls:
        code = Code(DATA, call if not call.startswith(NOT_COMPARED) else f"shape_of({call})")
        made.append(Row(call, {"tracefn": code, "TF eager": code}, prepare=prepare, tolerance=1e-3, mismatches=1e-3))
    return made


def ratio(measured: Measured) -> float | None:
    """TensorFlow's time by ours."""
    figures = measured.medians()
    return figures["TF eager"] / figures["tracefn"] if {"tracefn", "TF eager"} <= figures.keys() else None


def page(all_measured: list[Measured]) -> str:
    """The table of the slower ones, as Markdown."""
    found = [(ratio(m), m) for m in all_measured]
    ratios = [r for r, _ in found if r is not None]
    slower = sorted(((r, m) for r, m in found if r is not None and r < 1), key=lambda pair: pair[0])
    known = report.reasons()
    won = len(ratios) - len(slower)
    lines = [
        f"{len(ratios)} calls on a million elements (texts: 10^5), eagerly, beside TensorFlow: {won} are as fast or faster.",
        f"The geometric mean of the ratios is {statistics.geometric_mean(ratios):.2g}.",
        "",
        "| slower call | tracefn | TensorFlow | ratio | reason |",
        "|---|---|---|---|---|",
    ]
    for r, m in slower:
        ours, theirs = report.amount(m, m.medians()["tracefn"]), report.amount(m, m.medians()["TF eager"])
        lines.append(f"| `{m.row.name}` | {ours} | {theirs} | {r:.2f} | {known.get(m.row.name, 'not known yet')} |")
    failed = [f"`{m.row.name}` ({'; '.join(m.notes.values())})" for r, m in found if r is None]
    if failed:
        lines += ["", "Without a ratio: " + ", ".join(failed) + "."]
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a regular expression that the call has to match")
    parser.add_argument("--rounds", type=int, default=3, help="how often contenders take turns")
    parser.add_argument("--write", type=Path, metavar="DOCUMENT", help="replace the table in a document")
    options = parser.parse_args()
    bench = Bench(rounds=options.rounds, seconds=0.02)
    all_measured = []
    for row in rows():
        if re.search(options.only, row.name):
            all_measured.append(bench.measure(row))
            print(f"{ratio(all_measured[-1]) or float('nan'):6.2f}  {report.line(all_measured[-1])}", flush=True)
    bench.close()
    text = page(all_measured)
    print(text)
    if options.write:
        report.write(options.write, text, MARKS)


if __name__ == "__main__":
    main()
