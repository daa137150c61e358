"""How much is missing: numbers that a test lets only shrink, in tests/oracle/coverage_limits.json.

    PYTHONPATH=python python python/tools/coverage_limits.py            print them
    PYTHONPATH=python python python/tools/coverage_limits.py --record   write those that have become smaller
"""

from __future__ import annotations

import json
import pathlib
import sys

import keras_names
from coverage_page import all_different_signatures, missing_names
from left_out import NOT_YET, group_of

LIMITS = pathlib.Path(__file__).parents[2] / "tests" / "oracle" / "coverage_limits.json"


def numbers() -> dict[str, int]:
    """The numbers now."""
    missing = missing_names()
    return {
        "missing names": len(missing),
        "missing names without a reason": sum(group_of(path) is NOT_YET for path in missing),
        "other signatures": len(all_different_signatures()),
        "missing names that Keras uses": len(keras_names.missing(keras_names.recorded())),
    }


def recorded() -> dict[str, int]:
    """The recorded numbers."""
    return json.loads(LIMITS.read_text(encoding="utf-8")) if LIMITS.exists() else {}


def main(arguments: list[str]) -> None:
    found = numbers()
    if "--record" in arguments:
        before = recorded()
        found = {key: min(value, before.get(key, value)) for key, value in found.items()}
        LIMITS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print("\n".join(f"{key}: {value}" for key, value in found.items()))


if __name__ == "__main__":
    main(sys.argv[1:])
