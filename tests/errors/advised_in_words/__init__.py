"""Programs with one mistake each, whose message says in words what to do, and the programs after it; by subject."""

from advised_in_words import control_flow, values, variables_and_gradients

PAIRS = {**control_flow.PAIRS, **values.PAIRS, **variables_and_gradients.PAIRS}
