"""Records checkpoints that TensorFlow writes, as tests/support/checkpoints.

Run with the oracle's interpreter (TensorFlow 2.21), from anywhere:

    PYTHONPATH=tests python tests/oracle/record_checkpoints.py

tests/conformance/test_checkpoints_of_tensorflow.py reads them.
"""

from __future__ import annotations

import shutil

import tensorflow as tf
from support import checkpoint_programs as programs


def main() -> None:
    shutil.rmtree(programs.FOLDER, ignore_errors=True)
    programs.FOLDER.mkdir()
    programs.objects(tf, 3).save(programs.FOLDER / "objects")
    (programs.FOLDER / "checkpoint").rename(programs.FOLDER / "state_of_objects")
    programs.slots(tf, 2).write(programs.FOLDER / "slots")
    tf.compat.v1.train.Saver(programs.named(tf, 3)).save(None, str(programs.FOLDER / "named"), write_state=False)
    programs.write_parts(tf, str(programs.FOLDER / "parts"))
    programs.write_older(tf, str(programs.FOLDER / "older"))
    programs.keras_model(tf, 2).write(programs.FOLDER / "keras")


if __name__ == "__main__":
    main()
