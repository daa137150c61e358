"""When two answers to a call count as the same, and which differences are deliberate, each with its reason."""

from __future__ import annotations

import re

import numpy as np

TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5, "float64": 1e-8, "complex64": 2e-5, "complex128": 1e-8}


def difference(want, have) -> str | None:
    """How the answers differ, or None."""
    if isinstance(want, dict) and "error" in want or isinstance(have, dict) and "error" in have:
        failed = [isinstance(a, dict) and a.get("error") for a in (want, have)]
        if all(failed):
            return None if failed[0] == failed[1] else "errors"
        return "not_refused" if failed[0] else "refused"
    if isinstance(want, list) or isinstance(have, list):
        if type(want) is not type(have) or len(want) != len(have):
            return "structure"
        return next((d for d in map(difference, want, have) if d), None)
    if set(want) != set(have):
        return "structure"
    if "dtype" not in want:
        return (
            next((d for k in want if (d := difference(want[k], have[k]))), None)
            if "text" not in want
            else (None if want == have else "text")
        )
    if want["dtype"] != have["dtype"]:
        return "dtype"
    if want["shape"] != have["shape"]:
        return "shape"
    return None if close(want["dtype"], want["values"], have["values"]) else "values"


def close(dtype: str, want: list, have: list) -> bool:
    tolerance = TOLERANCE.get(dtype)
    if tolerance is None:
        return want == have
    kind = complex if dtype.startswith("complex") else float
    a, b = np.array([kind(v) for v in want]), np.array([kind(v) for v in have])
    with np.errstate(all="ignore"):
        return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True))


# Errors of Python itself inside TensorFlow, where ours says what is wrong, or has an answer.
ACCIDENTS = {
    "AttributeError",
    "IndexError",
    "KeyError",
    "UnboundLocalError",
    "AssertionError",
    "ZeroDivisionError",
    "crash",
}
ACCIDENTS |= {"MemoryError", "AbortedError"}
# A call with several mistakes is refused for the first that is seen, and the two look in different orders.
REFUSALS = {"ValueError", "TypeError", "InvalidArgumentError", "UnimplementedError", "NotImplementedError"}
REFUSALS |= {"FailedPreconditionError"}

# (pattern of the call, kinds of difference or None for all, reason)
EXCEPTIONS: list[tuple[str, str | None, str]] = [
    (
        r"tf\.(math\.(un)?sorted_segment|gather|nn\.embedding_lookup|tensor_scatter|scatter)",
        "refused",
        "indices are checked also where the result has no elements",
    ),
    (r"tf\.nn\.\w*(pool|conv)", "refused", "ranks that the documentation excludes are refused"),
    (r"tf\.nn\.\w*conv", "values", "padding times a NaN of the filter: no element (oneDNN) or NaN"),
    (
        r"tf\.linalg\.(eig|svd|qr)|tf\.math\.(eig|svd)",
        "values",
        "eigenvectors have no sign, and NaN spreads differently",
    ),
    (
        r"tf\.(sort|argsort|math\.top_k|math\.in_top_k|nn\.in_top_k)|tf\.experimental\.numpy\.(arg)?sort",
        "values",
        "NaN has no order",
    ),
    (r"tf\.searchsorted", "values", "the sequence is not sorted"),
    (
        r"tf\.image\.(rgb_to|hsv|adjust|stateless_random|random)",
        "values",
        "NaN spreads differently; float64 is computed as float32",
    ),
    (r"tf\.(math\.pow|experimental\.numpy\.(float_)?power)", "values", "0j ** 0j is 1, as in NumPy"),
    (r"tf\.experimental\.numpy\.(geomspace|logspace|hsplit|vsplit|moveaxis)", "refused not_refused", "as in NumPy"),
    (r"tf\.reverse", "refused", "a scalar in place of the axes is refused also without elements"),
    (
        r"tf\.math\.(cumulative_logsumexp|(unsorted_)?segment_m(in|ax)|softmax)|tf\.nn\.(log_)?softmax",
        "values",
        "NaN spreads",
    ),
    (r"tf\.random\.stateless_binomial", "values", "a probability of NaN gives no numbers in TensorFlow"),
    (
        r"tf\.experimental\.numpy\.(isclose|allclose|log1p|fliplr|flipud)",
        None,
        "bfloat16 is inexact; complex kernels differ at the edges",
    ),
    (r"tf\.math\.(zeta|polygamma)", "values", "left: outside the domain NaN and infinities differ"),
    (r"tf\.nn\.(weighted_)?moments", "values", "NaN spreads"),
    (r"tf\.saturate_cast", "values", "a float32 above the range of int64 becomes its largest number, not its smallest"),
    (
        r"tf\.(boolean_mask|broadcast_dynamic_shape|math\.(add|accumulate_n)|nn\.isotonic_regression)",
        "not_refused",
        "more forms of arguments work",
    ),
    (r"tf\.truncate(div|mod)", "errors", "division by zero is named"),
    (
        r"tf\.math\.is_(strictly_increasing|non_decreasing)",
        "refused",
        "complex numbers have no order, however few they are",
    ),
    (
        r"tf\.nn\.collapse_repeated|tf\.stack|tf\.experimental\.numpy\.split",
        "refused",
        "labels and lists of the wrong kind are refused",
    ),
    (
        r"tf\.(roll|constant|gather_nd|linalg\.matvec|math\.truediv|strings\.reduce_join)",
        "not_refused",
        "more forms of arguments work",
    ),
    (r"tf\.shape_n", "refused", "wants a list, as in a traced function"),
    (r"tf\.unstack", "refused", "a number that is not the size of the axis is refused"),
    (r"tf\.experimental\.numpy\.", "not_refused", "as in NumPy"),
    (r"tf\.(math\.)?approx_(min|max|top)_k", None, "TensorFlow has no kernel for it on a CPU"),
    (r"tf\.(linalg\.)?eye|tf\.linalg\.eye", "not_refused", "a batch shape may be int64"),
    (
        r"tf\.nn\.(batch_normalization|weighted_cross_entropy\w*)|tf\.meshgrid|tf\.histogram_fixed\w*",
        "not_refused",
        "arguments agree on a dtype",
    ),
    (
        r"tf\.(make_tensor_proto|identity_n|tensor_scatter_nd_\w+|image\.(resize|ssim))",
        "not_refused",
        "more forms of arguments work",
    ),
]


def excused(call: str, want, have) -> str | None:
    """Why a difference is left, or None."""
    kind = difference(want, have)
    if kind in ("errors", "not_refused"):
        if want["error"] in ACCIDENTS:
            return "an accident of Python inside TensorFlow"
        if want["error"] == "NotFoundError":
            return "TensorFlow has no kernel for the dtype"
    if kind == "errors" and {want["error"], have["error"]} <= REFUSALS:
        return "several mistakes in one call"
    for pattern, kinds, why in EXCEPTIONS:
        if re.match(pattern, call) and (kinds is None or kind in kinds.split()):
            return why
    return None
