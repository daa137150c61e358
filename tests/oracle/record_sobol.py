"""Writes cpp/ops/random/sobol_numbers.cpp from SciPy's copy of the direction numbers of S. Joe and F. Y. Kuo,
"Constructing Sobol sequences with better two-dimensional projections", 2008 (new-joe-kuo-6).

Run at the root of the repository, where SciPy is installed: `python tests/oracle/record_sobol.py`.
"""

from __future__ import annotations

import pathlib
import textwrap

import numpy as np
import scipy

DIMENSIONS = 1111
FILE = pathlib.Path("cpp/ops/random/sobol_numbers.cpp")


def table(name: str, values) -> str:
    """A table of 16-bit numbers, and the function that returns it."""
    lines = textwrap.fill(", ".join(map(str, values)), 118, initial_indent="  ", subsequent_indent="  ")
    span = f"std::span<const std::uint16_t> sobol_{name}() {{ return kAll_{name}; }}"
    return f"constexpr std::uint16_t kAll_{name}[] = {{\n{lines},\n}};\n{span}".replace(f"kAll_{name}", {
        "polynomials": "kPolynomials", "first_numbers": "kFirstNumbers"}[name])  # fmt: skip


def main() -> None:
    """Writes the file."""
    folder = pathlib.Path(scipy.__file__).parent / "stats"
    with np.load(folder / "_sobol_direction_numbers.npz") as data:
        polynomials, numbers = data["poly"][1:DIMENSIONS], data["vinit"][1:DIMENSIONS]
    first = [int(m) for p, row in zip(polynomials, numbers, strict=True) for m in row[: int(p).bit_length() - 1]]
    head = (
        "// The direction numbers of Sobol's sequence: S. Joe and F. Y. Kuo, \"Constructing Sobol sequences with better\n"
        "// two-dimensional projections\", 2008. Written by tests/oracle/record_sobol.py.\n"
        '#include "ops/random/sobol_numbers.h"\n\nnamespace tracefn {\n\n// clang-format off\n'
    )
    body = "\n\n".join([table("polynomials", polynomials), table("first_numbers", first)])
    FILE.write_text(head + body + "\n// clang-format on\n\n}  // namespace tracefn\n", encoding="utf-8")


if __name__ == "__main__":
    main()
