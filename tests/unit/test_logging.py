"""Records of the package's logger: to what the program has configured and nowhere else; otherwise one line on stderr."""

import logging
import subprocess
import sys
import textwrap
import unittest

import pytest
import tracefn as tf

# What a program does to logging, with `tf` imported already or to be imported below; "{file}" is a file of its own.
BEFORE_IMPORT = "logging.basicConfig(filename='{file}')\nimport tracefn as tf"
AFTER_IMPORT = "import tracefn as tf\nlogging.basicConfig(filename='{file}')"
AFTER_USE = "import tracefn as tf\ntf.get_logger()\nlogging.basicConfig(filename='{file}')"
FILE_HANDLER = "h = logging.FileHandler('{file}'); h.setFormatter(logging.Formatter('%(levelname)s:%(name)s:%(message)s'))\n"
DICT_CONFIG = """
import logging.config, tracefn as tf
logging.config.dictConfig({{
    "version": 1, "disable_existing_loggers": {disable},
    "formatters": {{"f": {{"format": "%(levelname)s:%(name)s:%(message)s"}}}},
    "handlers": {{"h": {{"class": "logging.FileHandler", "filename": "{file}", "formatter": "f"}}}},
    {loggers},
}})
"""
TO_ROOT = '"root": {{"handlers": ["h"]}}'
TO_OURS = '"loggers": {{"tracefn": {{"handlers": ["h"]}}}}'
TO_TENSORFLOW = '"loggers": {{"tensorflow": {{"handlers": ["h"], "propagate": False}}}}'


def dict_config(loggers: str, disable: bool) -> str:
    return DICT_CONFIG.replace("{loggers}", loggers).replace("{disable}", str(disable))


CONFIGURED = {
    "basicConfig before the import": BEFORE_IMPORT,
    "basicConfig after the import": AFTER_IMPORT,
    "basicConfig after get_logger": AFTER_USE,
    "a handler on our logger": "import tracefn as tf\n" + FILE_HANDLER + "tf.get_logger().addHandler(h)",
    "a handler on the logger tracefn, before the import": FILE_HANDLER
    + "logging.getLogger('tracefn').addHandler(h)\nimport tracefn as tf",
    "a handler on the logger tensorflow": "import tracefn as tf\n" + FILE_HANDLER + "logging.getLogger('tensorflow').addHandler(h)",
    "a handler on ours, which does not propagate": "import tracefn as tf\nlogging.basicConfig()\n"
    + FILE_HANDLER
    + "tf.get_logger().addHandler(h); tf.get_logger().propagate = False",
    "another lastResort": "import tracefn as tf\n" + FILE_HANDLER + "logging.lastResort = h",
    "dictConfig of root": dict_config(TO_ROOT, False),
    "dictConfig of root, other loggers disabled": dict_config(TO_ROOT, True),
    "dictConfig of tracefn": dict_config(TO_OURS, True),
    "dictConfig of tensorflow": dict_config(TO_TENSORFLOW, True),
}

SILENCED = {
    "the level of our logger": "tf.get_logger().setLevel('ERROR')",
    "the level of tensorflow": "logging.getLogger('tensorflow').setLevel(logging.ERROR)",
    "the level of tracefn": "logging.getLogger('tracefn').setLevel(logging.ERROR)",
    "the level of root": "logging.getLogger().setLevel(logging.ERROR)",
    "logging.disable": "logging.disable(logging.WARNING)",
    "a NullHandler": "logging.getLogger('tensorflow').addHandler(logging.NullHandler())",
    "our logger disabled": "tf.get_logger().disabled = True",
    "no lastResort": "logging.lastResort = None",
    "set_verbosity": "tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)",
    "a filter": "tf.get_logger().addFilter(lambda record: False)",
}

UNCONFIGURED = {
    "nothing": "",
    "captureWarnings": "logging.captureWarnings(True)",
    "no propagation, no handler": "tf.get_logger().propagate = False",
    "the C++ level of TensorFlow": "import os; os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'",
    "a logger of the program's own": "logging.getLogger('app').addHandler(logging.StreamHandler(sys.stdout))",
}

RETRACES = """
f = tf.function(lambda x: x)
for n in range(5):
    f(n)
"""


def outputs_of(program: str, *arguments: str) -> tuple[str, str]:
    """stdout and stderr of a program in a process of its own."""
    source = "import logging, sys\n" + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", source, *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.parametrize("how", CONFIGURED)
def test_a_configured_program_gets_the_record_once_and_stderr_nothing(how, tmp_path):
    file = tmp_path / "log"
    assert outputs_of(CONFIGURED[how].format(file=file) + RETRACES) == ("", "")
    (line,) = file.read_text().splitlines()
    assert "5 out of the last 5 calls to <function <lambda> at 0x" in line
    assert line.startswith("WARNING:tracefn:") or how == "another lastResort"


@pytest.mark.parametrize("how", SILENCED)
def test_it_can_be_silenced(how):
    assert outputs_of(f"import tracefn as tf\n{SILENCED[how]}\n{RETRACES}") == ("", "")


@pytest.mark.parametrize("how", UNCONFIGURED)
def test_an_unconfigured_program_gets_one_line_on_stderr(how):
    out, err = outputs_of(f"import tracefn as tf\n{UNCONFIGURED[how]}\n{RETRACES}")
    (line,) = err.splitlines()
    assert out == "" and line.startswith("WARNING:tracefn:5 out of the last 5 calls to ")


def test_the_line_goes_to_what_stderr_is_at_the_time():
    out, err = outputs_of(f"import tracefn as tf\ntf.get_logger()\nsys.stderr = sys.stdout\n{RETRACES}")
    assert err == "" and len(out.splitlines()) == 1


def test_a_lower_level_shows_more():
    program = """
    import tracefn as tf
    tf.get_logger().setLevel("INFO")
    tf.autograph.set_verbosity(1)
    @tf.function
    def f(x):
        return x
    f(1)
    tf.get_logger().info("the program's own")
    """
    out, err = outputs_of(program)
    assert out == "" and "INFO:tracefn:the program's own\n" in err


def test_importing_and_making_the_logger_configures_nothing():
    program = """
    import tracefn as tf
    root = logging.getLogger()
    logger = tf.get_logger()
    print(root.handlers, root.level, logger.level, logger.propagate, logging.getLogger("tensorflow").handlers)
    """
    assert outputs_of(program)[0] == "[] 30 0 True []\n"


def test_a_record_that_cannot_be_formatted_is_reported_by_logging():
    out, err = outputs_of("import tracefn as tf\ntf.get_logger().warning('%d', 'x')\nprint('on')")
    assert out == "on\n" and "--- Logging error ---" in err


def retrace():
    f = tf.function(eval("lambda x: x"))  # the warning comes twice for a code object
    for n in range(5):
        f(n)  # the line of the record


def test_caplog_sees_it_and_stderr_does_not(caplog, capfd):
    retrace()
    (record,) = caplog.records
    assert record.name == "tracefn" and record.levelno == logging.WARNING
    assert record.pathname == __file__ and record.funcName == "retrace"
    assert record.lineno == retrace.__code__.co_firstlineno + 3
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["tracefn", "tensorflow"])
def test_the_level_for_caplog_is_found_under_both_names(name, caplog):
    with caplog.at_level(logging.ERROR, logger=name):
        retrace()
    assert caplog.records == []


@pytest.mark.parametrize("name", [None, "tracefn", "tensorflow"])
def test_assert_logs(name, capfd):
    case = unittest.TestCase()
    with case.assertLogs(name, "WARNING") as logs:
        retrace()
    with case.assertNoLogs(name, "WARNING"):
        tf.function(lambda x: x)(1)
    assert len(logs.output) == 1 and logs.output[0].startswith("WARNING:tracefn:5 out of the last 5")
    assert capfd.readouterr().err == ""


def test_printing_to_the_log(caplog):
    tf.print("to the log:", tf.constant([1, 2]), output_stream="warning")
    assert [(r.name, r.levelname, r.getMessage().strip()) for r in caplog.records] == [
        ("tracefn", "WARNING", "to the log: [1 2]")
    ]


@pytest.mark.parametrize(
    "level, name", [(20, "INFO"), (30, "WARNING"), (40, "ERROR"), (0, "INFO"), (-1, "WARNING"), (-2, "ERROR"), (0.0, "INFO")]
)
def test_printing_to_the_log_by_the_number_of_a_level(caplog, level, name):
    with caplog.at_level("DEBUG", logger="tracefn"):
        tf.print("to the log", output_stream=level)
    assert [(r.levelname, r.getMessage().strip()) for r in caplog.records] == [(name, "to the log")]


@pytest.mark.parametrize("level", [-3, 1, 10, 50, True])
def test_other_numbers_are_no_streams(level):
    with pytest.raises(ValueError, match=f"Unsupported output stream, logging level, or file.{level}"):
        tf.print("x", output_stream=level)


def test_the_functions_of_compat(caplog):
    log = tf.compat.v1.logging
    with caplog.at_level(log.DEBUG, logger="tracefn"):
        assert log.get_verbosity() == log.DEBUG
        for level in ("debug", "info", "warn", "warning", "error", "fatal"):
            getattr(log, level)("%s here", level)
        log.log(log.WARN, "at %d", 1)
        log.log_if(log.WARN, "yes", True)
        log.log_if(log.WARN, "no", False)
        log.TaskLevelStatusMessage("status")
        for i in range(5):
            log.log_every_n(log.INFO, "every second: %d", 2, i)
            log.log_first_n(log.INFO, "the first: %d", 2, i)
    tf.print("printed", output_stream=log.error)
    assert [(r.levelname, r.getMessage().strip()) for r in caplog.records] == [
        *[("DEBUG", "debug here"), ("INFO", "info here"), ("WARNING", "warn here"), ("WARNING", "warning here")],
        *[("ERROR", "error here"), ("CRITICAL", "fatal here"), ("WARNING", "at 1"), ("WARNING", "yes"), ("ERROR", "status")],
        *[("INFO", "every second: 0"), ("INFO", "the first: 0"), ("INFO", "the first: 1"), ("INFO", "every second: 2")],
        *[("INFO", "every second: 4"), ("ERROR", "printed")],
    ]
    assert {r.pathname for r in caplog.records[:-1]} == {__file__}


def test_a_warning_of_python_names_the_users_line():
    program = """
    import warnings, tracefn as tf
    slices = tf.IndexedSlices(tf.zeros([1, 20000]), tf.constant([0]), dense_shape=tf.constant([10000, 20000]))
    warnings.filterwarnings("error", module="__main__")
    try:
        tf.convert_to_tensor(slices)
    except UserWarning as warning:
        print(warning)
    """
    assert "sparse IndexedSlices" in outputs_of(program)[0]


def test_iterations_that_are_not_parallel_are_told_once(caplog):
    from tracefn.ops import functional

    functional._warn_of_parallel_iterations.cache_clear()
    x = tf.constant([1, 2])
    with caplog.at_level(logging.WARNING, tf.get_logger().name):
        tf.map_fn(lambda row: row, x)
        tf.map_fn(lambda row: row, x, parallel_iterations=1)
        tf.function(lambda x: tf.map_fn(lambda row: row, x, parallel_iterations=5))(x)
        assert caplog.messages == []
        for _ in range(2):
            tf.map_fn(lambda row: row, x, parallel_iterations=5)
    (text,) = caplog.messages
    assert text.startswith("Setting parallel_iterations > 1 has no effect when executing eagerly. ")
