"""Records what the programs return on TensorFlow: `python tests/keras_programs/record.py`, where TensorFlow 2.21 and Keras are."""

from __future__ import annotations

import json

import tensorflow as tf
from answers import FILE, answer
from programs import PROGRAMS

FILE.write_text(json.dumps({name: answer(name, tf) for name in PROGRAMS}, indent=0) + "\n")
print(f"{len(PROGRAMS)} programs")
