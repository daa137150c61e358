"""Runs the tests of libraries on top of TensorFlow, as installed, on TensorFlow and on tracefn, and compares what passes.

python python/tools/library_tests.py keras --on tensorflow           runs them there; results go to build/library_tests
python python/tools/library_tests.py keras --on tracefn              the same files, with the same limits of time
python python/tools/library_tests.py keras --on tracefn --files ops  only files whose path matches
python python/tools/library_tests.py keras --report docs/keras.md    per folder: passed on each, and the reasons grouped

An environment is made on first use: that of tracefn installs this checkout.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import venv
import xml.etree.ElementTree
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build" / "library_tests"
TENSORFLOW = "tensorflow-cpu==2.21.0"
# What both environments have besides: peers of the libraries' tests.
COMMON = (
    "numpy==2.4.6",
    "pytest",
    "absl-py",
    "scipy",
    "pandas",
    "scikit-learn",
    "pillow",
    "h5py",
    "ml_dtypes",
    "tensorboard",
    "jax",
)
LINE_OF_NUMBERS = re.compile(r"0x[0-9a-f]+|-?\d+(\.\d+)?(e-?\d+)?")


# Sonnet's docstrings show numbers as NumPy 1 does.
SONNET_PLUGIN = """
import numpy as np

np.set_printoptions(legacy="1.25")
"""

# What Keras's tests import from a file that its package leaves out.
KERAS_CONFTEST = """
import keras
import pytest


def skip_if_backend(given_backend, reason):
    return pytest.mark.skipif(keras.config.backend() == given_backend, reason=reason)
"""


class Settings(NamedTuple):
    """How tests run: seconds for a process, options of pytest, and a folder whose content lies where they run."""

    limit: int
    options: list[str]
    data: pathlib.Path | None


class Library(NamedTuple):
    """A library: what to install, the folder with its tests below site-packages, the names of their files, variables, the
    module `conftest` that they import, and a plugin of pytest's."""

    packages: tuple[str, ...]
    folder: str
    pattern: str
    variables: dict[str, str]
    conftest: str = ""
    plugin: str = ""


LIBRARIES = {
    "keras": Library(
        ("keras==3.15.1", "optree", "rich", "requests", "grain", "orbax-checkpoint"),
        "keras/src",
        "*_test.py",
        {"KERAS_BACKEND": "tensorflow"},
        KERAS_CONFTEST,
    ),
    "sonnet": Library(
        ("dm-sonnet==2.0.2", "tf_keras==2.21.0", "dm-tree", "wrapt", "tabulate"),
        "sonnet",
        "*_test.py",
        {"TF_USE_LEGACY_KERAS": "1"},
        plugin=SONNET_PLUGIN,
    ),
    "tensorly": Library(("tensorly==0.10.0",), "tensorly", "test_*.py", {"TENSORLY_BACKEND": "tensorflow"}),
    "tf_slim": Library(
        ("tf_slim==1.1.0", "tf_keras==2.21.0", "wrapt"), "tf_slim", "*_test.py", {"TF_USE_LEGACY_KERAS": "1"}
    ),
    "tf_agents": Library(
        ("tf_agents==0.19.0", "tf_keras==2.21.0", "tensorflow_probability==0.25.0", "dm-tree", "gym==0.23.0"),
        "tf_agents",
        "*_test.py",
        {"TF_USE_LEGACY_KERAS": "1"},
    ),
    "tensorflow_recommenders": Library(
        ("tensorflow_recommenders==0.7.7", "tf_keras==2.21.0"),
        "tensorflow_recommenders",
        "*_test.py",
        {"TF_USE_LEGACY_KERAS": "1"},
    ),
    "tensorflow_lattice": Library(
        ("tensorflow_lattice==2.1.1", "tf_keras==2.21.0", "matplotlib"),
        "tensorflow_lattice",
        "*_test.py",
        {"TF_USE_LEGACY_KERAS": "1"},
    ),
    "tensorflow_graphics": Library(
        ("tensorflow_graphics==2021.12.3", "tf_keras==2.21.0", "trimesh", "networkx", "tensorflow_datasets==4.9.9"),
        "tensorflow_graphics",
        "*_test.py",
        {"TF_USE_LEGACY_KERAS": "1"},
    ),
    "tensorflow_gan": Library(
        ("tensorflow_gan==2.1.0", "tf_keras==2.21.0", "tf_slim==1.1.0", "tensorflow_hub", "tensorflow_probability==0.25.0"),
        "tensorflow_gan",
        "*_test.py",
        {"TF_USE_LEGACY_KERAS": "1"},
    ),
    "larq": Library(
        ("larq==0.14.0", "tf_keras==2.21.0", "pytest-mock", "snapshottest"),
        "larq",
        "*_test.py",
        {"TF_USE_LEGACY_KERAS": "1"},
    ),
    "official": Library(
        ("tf-models-official==2.19.1", "tf_keras==2.21.0", "gin-config"),
        "official",
        "*_test.py",
        {"TF_USE_LEGACY_KERAS": "1"},
    ),
    "einops": Library(
        ("einops==0.8.2", "parameterized"), "einops/tests", "test_*.py", {"EINOPS_TEST_BACKENDS": "numpy,tensorflow"}
    ),
}


def environment(library: str, on: str) -> pathlib.Path:
    """The Python of the environment of a library on one of the two, made on first use."""
    folder = RESULTS / f"{library}-{on}"
    python = folder / "bin" / "python"
    if not (folder / "done").exists():
        venv.create(folder, with_pip=True, clear=True)
        below = TENSORFLOW if on == "tensorflow" else str(ROOT)
        subprocess.run([python, "-m", "pip", "install", "-q", below, *COMMON, *LIBRARIES[library].packages], check=True)
        (folder / "done").touch()
    return python


def files_of(library: str, python: pathlib.Path, wanted: str) -> list[pathlib.Path]:
    """The test files whose path matches."""
    where = [python, "-c", "import sysconfig; print(sysconfig.get_paths()['platlib'])"]
    packages = pathlib.Path(subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip())
    found = sorted((packages / LIBRARIES[library].folder).rglob(LIBRARIES[library].pattern))
    return [file for file in found if re.search(wanted, str(file.relative_to(packages)))]


def key_of(file: str, library: str) -> str:
    """The path of a test file below site-packages."""
    folder = LIBRARIES[library].folder
    return folder + "/" + file.rpartition(f"{folder}/")[2]


def run_files(files: list[pathlib.Path], library: str, on: str, python: pathlib.Path, settings: Settings) -> dict:
    """[outcome, reason] of each test of some files, by file and name. They run in one process; if it ends badly, each by itself."""
    with tempfile.TemporaryDirectory() as folder:
        if settings.data:
            shutil.copytree(settings.data, folder, dirs_exist_ok=True)
        report = pathlib.Path(folder, "report.xml")
        start = (
            [python, "-m", "pytest"] if on == "tensorflow" else [python, "-m", "tracefn.as_tensorflow", "-m", "pytest"]
        )
        packages = next(parent for parent in files[0].parents if parent.name == "site-packages")
        # Settings of its own: the environment may lie in a folder that has others.
        ini = pathlib.Path(folder, "pytest.ini")
        ini.write_text("[pytest]\n")
        options = ["-q", "-p", "no:cacheprovider", "-c", ini, "--rootdir", packages, "--continue-on-collection-errors"]
        options += ["-p", "library_plugin", "--junitxml", report, *settings.options]
        command = [*start, *options, *files]
        (pathlib.Path(folder) / "modules").mkdir()
        (pathlib.Path(folder) / "modules" / "conftest.py").write_text(LIBRARIES[library].conftest)
        (pathlib.Path(folder) / "modules" / "library_plugin.py").write_text(LIBRARIES[library].plugin)
        path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), f"{folder}/modules"]))
        variables = {**os.environ, **LIBRARIES[library].variables, "PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "3"}
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=variables,
                capture_output=True,
                text=True,
                timeout=settings.limit,
                stdin=subprocess.DEVNULL,
            )
            why = f"ended with {done.returncode}: {done.stderr.strip()[-300:]}"
        except subprocess.TimeoutExpired:
            why = f"took longer than {settings.limit} s"
        if report.exists():
            keys = [key_of(str(file), library) for file in files]
            found = dict(read_report(report, keys))
            ran = {name.partition("::")[0] for name in found}
            nothing = {key: ["error", "no tests"] for key in keys if key not in ran}
            return found | nothing
    if len(files) == 1:
        return {key_of(str(files[0]), library): ["error", why]}
    return {
        name: result
        for file in files
        for name, result in run_files([file], library, on, python, settings).items()
    }


def read_report(report: pathlib.Path, keys: list[str]):
    """(file and name, [outcome, reason]) of each test in JUnit's format, which names files as modules: "a.b.test_c.Class"."""
    modules = {key.removesuffix(".py").replace("/", "."): key for key in keys}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        outcome, reason = "passed", ""
        for child in case:
            if child.tag in ("failure", "error", "skipped"):
                outcome = {"failure": "failed"}.get(child.tag, child.tag)
                reason = reason_of(child)
        names = f"{case.get('classname', '')}.{case.get('name')}."  # a file that cannot be imported is a name
        file = next((key for module, key in modules.items() if f"{module}." in names), "")
        yield f"{file}::{case.get('classname', '').rpartition('.')[2]}.{case.get('name')}", [outcome, reason]


def reason_of(failure) -> str:
    """The first line of an error's text."""
    lines = (failure.get("message") or "").strip().splitlines()
    text = (failure.text or "").strip().splitlines()
    place = next((line for line in reversed(text) if re.match(r"\S+:\d+: ", line)), "")
    return f"{' '.join(lines)[:400]} [{place.rpartition('/')[2]}]" if place else " ".join(lines)[:400]


def run(library: str, on: str, python: pathlib.Path, wanted: str, jobs: int, settings: Settings) -> dict[str, list]:
    """The results of all files; they are written as they come."""
    groups: dict[tuple, list] = collections.defaultdict(list)
    for number, file in enumerate(files_of(library, python, wanted)):
        groups[file.parent, number // 12].append(file)
    target = RESULTS / f"{library}-{on}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    found = json.loads(target.read_text()) if target.exists() else {}
    ran: dict[str, list] = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(run_files, files, library, on, python, settings): files for files in groups.values()}
        for number, job in enumerate(concurrent.futures.as_completed(waiting), 1):
            results = job.result()
            keys = {key_of(str(file), library) for file in waiting[job]}
            found = {name: value for name, value in found.items() if name.partition("::")[0] not in keys} | results
            ran |= results
            count = collections.Counter(outcome for outcome, _ in results.values())
            print(
                f"[{number}/{len(groups)}] {folder_of(library, min(keys))}, {len(keys)} files: {dict(count)}",
                flush=True,
            )
            target.write_text(json.dumps(found, indent=0, sort_keys=True))
    return ran


def folder_of(library: str, test: str) -> str:
    """The folder of a test below the library's own."""
    below = test.removeprefix(LIBRARIES[library].folder + "/")
    return "/".join(below.partition("::")[0].split("/")[:-1][:2]) or "."


def group_of(reason: str) -> str:
    """The reason without what differs from test to test."""
    text = re.sub(r'"[^"]*site-packages/', '"', reason.partition(" [")[0])
    return LINE_OF_NUMBERS.sub("N", text)[:160]


def results_of(library: str, on: str) -> dict[str, list]:
    """The recorded results by test; addresses in the names of tests differ from run to run."""
    found = json.loads((RESULTS / f"{library}-{on}.json").read_text())
    return {re.sub(r"0x[0-9a-f]+", "0x", name): result for name, result in found.items()}


def report(library: str) -> str:
    """The comparison, in Markdown."""
    there, here = results_of(library, "tensorflow"), results_of(library, "tracefn")
    passed = {test for test, (outcome, _) in there.items() if outcome == "passed"}
    ours = {test for test, (outcome, _) in here.items() if outcome == "passed"}
    folders = sorted({folder_of(library, test) for test in passed})
    lines = ["| folder | passes on TensorFlow | of these on tracefn | missing |", "|---|---:|---:|---:|"]
    for folder in folders:
        those = {test for test in passed if folder_of(library, test) == folder}
        lines.append(f"| {folder} | {len(those)} | {len(those & ours)} | {len(those - ours)} |")
    share = 100 * len(passed & ours) / max(len(passed), 1)
    lines.append(f"| all | {len(passed)} | {len(passed & ours)} ({share:.1f} %) | {len(passed - ours)} |")
    reasons: dict[str, list[str]] = collections.defaultdict(list)
    for test in sorted(passed - ours):
        reasons[group_of(here.get(test, ["", "not run"])[1])].append(test)
    lines += ["", "| tests | why they do not pass | one of them |", "|---:|---|---|"]
    for reason, tests in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
        text = reason.replace("|", "\\|").replace("\n", " ")
        lines.append(f"| {len(tests)} | {text} | {tests[0].rpartition('/')[2][:90]} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("--on", choices=("tensorflow", "tracefn"))
    parser.add_argument("--python", type=pathlib.Path, help="of an environment that is there already")
    parser.add_argument("--files", default="", help="a regular expression that paths of test files match")
    parser.add_argument("--limit", type=int, default=600, help="seconds for a process")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="files that run side by side")
    parser.add_argument("--all-pass", action="store_true", help="ends with 1 if a test fails, and prints those that do")
    parser.add_argument("--report", type=pathlib.Path, help="a document whose part between the marks is replaced")
    parser.add_argument("--data", type=pathlib.Path, help="a folder whose content is laid where the tests run")
    parser.add_argument("--options", default="", type=shlex.split, help="of pytest, in one argument")
    given = parser.parse_args()
    if given.on:
        python = given.python or environment(given.library, given.on)
        settings = Settings(given.limit, given.options, given.data)
        ran = run(given.library, given.on, python, given.files, given.jobs, settings)
        print(dict(collections.Counter(outcome for outcome, _ in ran.values())))
        bad = {test: reason for test, (outcome, reason) in ran.items() if outcome in ("failed", "error")}
        if given.all_pass and (bad or not ran):
            print("\n".join(f"{test}: {reason}" for test, reason in bad.items()) or "no test ran")
            return 1
    if given.report:
        text = report(given.library)
        begin, end = f"<!-- {given.library}: begin -->", f"<!-- {given.library}: end -->"
        before, _, rest = given.report.read_text().partition(begin)
        given.report.write_text(f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}")
    elif not given.on:
        print(report(given.library))
    return 0


if __name__ == "__main__":
    sys.exit(main())
