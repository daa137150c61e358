"""Options, markers and fixtures of the conformance tests: one suite, run against tracefn or against TensorFlow.

    pytest tests/conformance                      tracefn
    pytest tests/conformance --impl tensorflow    TensorFlow 2.21 or later; with 2.12 the `signature_text` tests alone

Every test names the rules of docs/tracing_rules.md that it holds up: `@pytest.mark.rule(28, 43)`.
"""

from __future__ import annotations

import importlib
import logging
import os
import subprocess
import sys
import textwrap
import warnings

import pytest

# What tracefn does not have yet. Taking a word out of this table turns its tests on.
NOT_YET = {
    "keras": "the requirements of the tests leave Keras out; tests/keras_programs tests it where it is installed",
    "ops": "the rest of the everyday ops has an issue of its own",
}

MARKERS = {
    "rule": "rule(28, 'Y5'): the rules of docs/tracing_rules.md that the test holds up",
    "superset": "superset('Y2'): works in tracefn and not in TensorFlow, by the rule named",
    "signature_text": "signature_text: the signature text, which is that of TensorFlow 2.12: tracefn and TensorFlow 2.12",
    "needs": "needs('keras'): uses a feature that tracefn may not have yet (NOT_YET in conftest.py)",
}
BUILT_IN = {"parametrize", "usefixtures", "filterwarnings", "skipif"}

IMPL = pytest.StashKey()


def pytest_addoption(parser):
    parser.addoption("--impl", choices=["tracefn", "tensorflow"], default="tracefn", help="the module under test")


def implementation(config) -> str:
    """The module's name; the default where this file was loaded too late for its option to be known."""
    return config.getoption("--impl", default="tracefn")


def pytest_configure(config):
    for text in MARKERS.values():
        config.addinivalue_line("markers", text)
    name = implementation(config)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            config.stash[IMPL] = importlib.import_module(name)
    except ImportError as error:
        raise pytest.UsageError(f"--impl {name}: the module cannot be imported: {error}") from error
    config.addinivalue_line("filterwarnings", "error")
    if name == "tensorflow":  # Its own and its dependencies' deprecations say nothing about the rules.
        config.addinivalue_line("filterwarnings", "ignore::DeprecationWarning")


def pytest_report_header(config):
    module = config.stash[IMPL]
    return f"conformance: {module.__name__} {module.__version__}"


def skip_reason(item, name: str, old_text: bool) -> str | None:
    """Why this test does not concern the module under test; None when it does."""
    signature_text = item.get_closest_marker("signature_text") is not None
    if name == "tensorflow":
        if signature_text != old_text:
            return "signature text is compared with TensorFlow 2.12, everything else with 2.21"
        superset = item.get_closest_marker("superset")
        return f"more works than in TensorFlow: {superset.args[0]}" if superset else None
    missing = [word for mark in item.iter_markers("needs") for word in mark.args if word in NOT_YET]
    return f"not in tracefn yet: {missing[0]} ({NOT_YET[missing[0]]})" if missing else None


def check_marks(item) -> None:
    """Refuses unknown marks, unknown feature words, and a test that names no rule."""
    for mark in item.iter_markers():
        if mark.name not in MARKERS and mark.name not in BUILT_IN:
            raise pytest.UsageError(f"{item.nodeid}: unknown mark {mark.name!r}")
        if mark.name == "needs" and not set(mark.args) <= FEATURES:
            raise pytest.UsageError(f"{item.nodeid}: needs{mark.args}: the words are {sorted(FEATURES)}")
    if not any(mark.args for mark in item.iter_markers("rule")):
        raise pytest.UsageError(f"{item.nodeid}: names no rule")


FEATURES = frozenset({"autograph", "gradient", "keras", "data", "summary", "ops"})


def pytest_collection_modifyitems(config, items):
    here = os.path.dirname(__file__)
    module = config.stash[IMPL]
    old_text = module.__name__ == "tensorflow" and tuple(map(int, module.__version__.split(".")[:2])) < (2, 13)
    for item in items:
        if os.path.dirname(str(item.path)) != here:
            continue
        check_marks(item)
        reason = skip_reason(item, module.__name__, old_text)
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def tf(request):
    """The module under test."""
    return request.config.stash[IMPL]


@pytest.fixture(scope="session")
def internal(tf):
    """The modules below `tensorflow.python`, by their paths there."""

    def module(path: str):
        if tf.__name__ == "tensorflow":
            return importlib.import_module(f"tensorflow.python.{path}")
        return importlib.import_module("tracefn.as_tensorflow.internal_modules").module_at(f"python.{path}")

    return module


@pytest.fixture(autouse=True)
def no_global_seed(tf):
    """The seed that one test sets is not the next one's."""
    yield
    tf.random.set_seed(None)


@pytest.fixture
def traces():
    """A list for a Python function to append to: its length is the number of times the body was traced."""
    return []


@pytest.fixture
def traces_of(tf):
    """Counts the traces that a one-parameter function makes for arguments given one after the other."""

    def count(*arguments, **options):
        runs = []

        def probe(x):
            runs.append(None)

        f = tf.function(probe, **options)
        for argument in arguments:
            f(argument)
        return len(runs)

    return count


@pytest.fixture
def traced_value(tf):
    """Runs `body` inside a trace, unconverted, and gives back the Python object that it returned there."""

    def run(body, *arguments, **options):
        seen = []

        def probe(*args):
            seen.append(body(*args))

        tf.function(probe, autograph=False, **options)(*arguments)
        return seen[0]

    return run


@pytest.fixture
def log_lines(tf):
    """The records written to the module's logger during the test, as (level name, text)."""
    lines = []

    class Collect(logging.Handler):
        def emit(self, record):
            lines.append((record.levelname, record.getMessage()))

    handler = Collect()
    logger = tf.get_logger()
    level = logger.level
    logger.addHandler(handler)
    yield lines
    logger.removeHandler(handler)
    logger.setLevel(level)


@pytest.fixture
def run_program(tf):
    """Runs a program in a process of its own, `tf` being the module under test; gives back its stdout and stderr."""

    def run(source):
        program = f"import {tf.__name__} as tf\n" + textwrap.dedent(source)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    return run


@pytest.fixture
def v1(tf):
    """The names of TensorFlow 1."""
    return tf.compat.v1


@pytest.fixture
def graph(tf):
    """A graph that ops are added to during the test."""
    with tf.Graph().as_default() as graph:
        yield graph
