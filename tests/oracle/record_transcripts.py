"""Writes TensorFlow's answers into tests/conformance/transcripts/*.txt, in place of the outputs there.

Run with the oracle's interpreter (TensorFlow 2.21): all transcripts, or those named by their stem.

    python tests/oracle/record_transcripts.py [stem ...]
"""

from __future__ import annotations

import pathlib
import sys

import tensorflow as tf

FOLDER = pathlib.Path(__file__).parent.parent / "conformance"
sys.path.insert(0, str(FOLDER))

from transcript import render


def main() -> None:
    stems = sys.argv[1:] or [path.stem for path in sorted((FOLDER / "transcripts").glob("*.txt"))]
    for stem in stems:
        path = FOLDER / "transcripts" / f"{stem}.txt"
        path.write_text(render(path.read_text(), tf))


if __name__ == "__main__":
    main()
