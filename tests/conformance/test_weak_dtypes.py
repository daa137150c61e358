"""Weak dtypes: what expressions give in the modes "all" and "safe" of `experimental_enable_numpy_behavior`.

The expectations are TensorFlow's answers. weak_dtypes_safe.json has those that are not the same as in weak_dtypes_all.json.
To record both again, with TensorFlow: `python tests/conformance/test_weak_dtypes.py`
"""

import functools
import json
import pathlib
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.rule("surface")

HERE = pathlib.Path(__file__).parent

# Of TensorFlow alone: no kernel, or an error of its own insides.
NOT_TOLD = ("NotFoundError", "AbortedError", "AssertionError")
# Where tracefn differs, and why.
DIFFERENT = {
    r"(wi32|tf\..*\(wi32), vf16\)": "the error is InvalidArgumentError",
    r"tf\.(math\.)?logical_(and|not)\(": "the error of what is not boolean is InvalidArgumentError",
    r"tf\.(arg)?sort\(b8|tnp\.(arg)?sort\(b8|tf\.math\.angle\((wi32|2|\[1)|tnp\.vander\((2|0\.5)\)|tf\.one_hot\(0\.5|tf\.norm\(b8|"
    r"tnp\.matmul\(wf32, 2|traced loop over|mixed lists|.* \| 1\.5": "the error has another class",
    r"wc128 / b8": "division by zero gives infinity",
    r"tf\.math\.special\.spence\(f32": "the sign of zero",
    r"tnp\.(nanmean|nansum|nanprod|isnan|isfinite)\(wc128|tnp\.var\(.*ddof=1|tnp\.linspace\(\[|tnp\.iscomplex\(b8|tf\.math\.erfcinv\(b8|"
    r"tf\.einsum\('ij,jk->ik', \[|tf\.nn\.moments\(\[\[|tnp\.logaddexp2?\(\[|"
    r"tf\.nn\.(sigmoid_cross_entropy_with_logits|log_poisson_loss)\(1\.5, 2": "works",
    r"tf\.nn\.(sigmoid_cross_entropy_with_logits|log_poisson_loss)\((wf32, 2|2, wf32)": "dtypes are checked before shapes",
    r"tnp\.rad2deg\(b8": "TensorFlow gives a boolean",
    r"tnp\.logaddexp2?\((wi32|i32|i8|2),": "of integers, the result is float64",
    r"tf\.math\.l2_normalize\((wi32|2|\[1)|tf\.einsum\('ij,jk->ik', np\.eye": "dtypes are not promoted",
}


@functools.cache
def answers(implementation: str, mode: str) -> dict:
    """What the implementation gives in a process of its own."""
    command = [sys.executable, str(HERE / "weak_dtype_cases.py"), implementation, mode]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def recorded(mode: str) -> dict:
    """TensorFlow's answers."""
    found = json.loads((HERE / "weak_dtypes_all.json").read_text())
    return found | json.loads((HERE / "weak_dtypes_safe.json").read_text()) if mode == "safe" else found


def agree(expected: str, answer: str) -> bool:
    """Whether the answers are the same; errors that do not say why are compared by their class."""
    return expected == answer or (": " not in answer and expected.startswith(f"{answer}: "))


@pytest.mark.parametrize("mode", ["all", "safe"])
def test_answers(tf, mode):
    expected, given = recorded(mode), answers(tf.__name__, mode)
    assert expected.keys() == given.keys()
    differing = {
        case: (expected[case], given[case])
        for case in expected
        if not agree(expected[case], given[case]) and expected[case] not in NOT_TOLD
    }
    if tf.__name__ == "tracefn":
        different = re.compile("|".join(DIFFERENT))
        differing = {case: answer for case, answer in differing.items() if not different.match(case)}
    assert not differing


@pytest.mark.parametrize("reason", DIFFERENT)
def test_differences_are_needed(tf, reason):
    if tf.__name__ != "tracefn":
        pytest.skip("about tracefn")
    cases = [case for case in recorded("safe") if re.match(reason, case)]
    assert any(
        not agree(recorded(mode)[case], answers("tracefn", mode)[case]) for mode in ("all", "safe") for case in cases
    )


def record() -> None:
    """Writes the files of expectations."""
    in_all, in_safe = answers("tensorflow", "all"), answers("tensorflow", "safe")
    other = {case: answer for case, answer in in_safe.items() if answer != in_all[case]}
    for mode, found in (("all", in_all), ("safe", other)):
        (HERE / f"weak_dtypes_{mode}.json").write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    record()
