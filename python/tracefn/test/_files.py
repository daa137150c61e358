"""Files, folders and commands of test cases, which TensorFlow's TestCase has from absl."""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
import subprocess
import tempfile
import urllib.parse
from collections.abc import Mapping

from tracefn.test._values import ValueAssertions


class TempFile:
    """A file of a test: `os.fspath` gives its path.

    Attributes:
      full_path: str.
    """

    def __init__(self, full_path: str) -> None:
        self.full_path = full_path

    def __fspath__(self) -> str:
        return self.full_path

    def open_text(self, mode="rt", encoding="utf8", errors="strict"):
        """The file, opened for text: a context manager."""
        return open(self.full_path, mode, encoding=encoding, errors=errors)

    def open_bytes(self, mode="rb"):
        """The file, opened for bytes: a context manager."""
        return open(self.full_path, mode)

    def read_text(self, encoding="utf8", errors="strict") -> str:
        """The text in the file."""
        with self.open_text(encoding=encoding, errors=errors) as file:
            return file.read()

    def read_bytes(self) -> bytes:
        """The bytes in the file."""
        with self.open_bytes() as file:
            return file.read()

    def write_text(self, text, mode="w", encoding="utf8", errors="strict") -> None:
        """Replaces the contents; with the mode "a", adds to them."""
        with self.open_text(mode, encoding, errors) as file:
            file.write(text)

    def write_bytes(self, data, mode="wb") -> None:
        """Replaces the contents; with the mode "ab", adds to them."""
        with self.open_bytes(mode) as file:
            file.write(data)


class TempDir:
    """A folder of a test: `os.fspath` gives its path.

    Attributes:
      full_path: str.
    """

    def __init__(self, full_path: str) -> None:
        self.full_path = full_path

    def __fspath__(self) -> str:
        return self.full_path

    def create_file(self, file_path=None, content=None, mode="w", encoding="utf8", errors="strict") -> TempFile:
        """Makes a file in the folder.

        Args:
          file_path: path below the folder; None for a name that is not taken.
          content: str or bytes, or None for an empty file.
          mode, encoding, errors: as for `open`.
        """
        if file_path is None:
            number, path = tempfile.mkstemp(dir=self.full_path)
            os.close(number)
        else:
            path = os.path.join(self.full_path, file_path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
        made = TempFile(path)
        if isinstance(content, bytes):
            made.write_bytes(content, f"{mode.rstrip('bt')}b")
        else:
            made.write_text(content or "", mode, encoding, errors)
        return made

    def mkdir(self, dir_path=None) -> TempDir:
        """Makes a folder in the folder; `dir_path` is its path below, None for a name that is not taken."""
        if dir_path is None:
            return TempDir(tempfile.mkdtemp(dir=self.full_path))
        path = os.path.join(self.full_path, dir_path)
        os.makedirs(path, exist_ok=True)
        return TempDir(path)


def _plain_equality(x, y):
    return x == y, None


def _in_order(mapping) -> list:
    """The keys, sorted if they can be."""
    try:
        return sorted(mapping)
    except TypeError:
        return list(mapping)


class FileCase(ValueAssertions):
    """A test case with files and folders, which are removed when the test ends, and assertions about commands."""

    def _folder(self) -> TempDir:
        return TempDir(self.get_temp_dir())

    def get_temp_dir(self) -> str:
        """A folder for the files of this test, the same at every call; it is removed when the test ends."""
        if not getattr(self, "_tempdir", None):  # what runs a test twice takes it away between the two
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            self._tempdir = folder.name
        return self._tempdir

    def create_tempdir(self, name=None, cleanup=None) -> TempDir:
        """A new folder.

        Args:
          name: str, or None for a name that is not taken.
          cleanup: accepted, without effect: it is removed when the test ends.
        """
        del cleanup
        return self._folder().mkdir(name)

    def create_tempfile(self, file_path=None, content=None, mode="w", encoding="utf8", errors="strict", cleanup=None) -> TempFile:
        """A new file; the arguments are those of `TempDir.create_file`, and `cleanup` as for `create_tempdir`."""
        del cleanup
        return self._folder().create_file(file_path, content, mode, encoding, errors)

    def enter_context(self, manager):
        """Enters a context, which ends with the test, and returns what it gives."""
        return self.enterContext(manager)

    def record_property(self, property_name, property_value) -> None:
        """Keeps a value under a name, for reports about the test."""
        self.get_recorded_properties()[property_name] = property_value

    def get_recorded_properties(self) -> dict:
        """What `record_property` kept."""
        return self.__dict__.setdefault("_recorded_properties", {})

    def assertUrlEqual(self, a, b, msg=None):
        """Asserts that two URLs have the same parts, and the same parameters in any order."""
        first, second = urllib.parse.urlparse(a), urllib.parse.urlparse(b)
        for name in ("scheme", "netloc", "path", "fragment"):
            self.assertEqual(getattr(first, name), getattr(second, name), msg)
        self.assertEqual(sorted(first.params.split(";")), sorted(second.params.split(";")), msg)
        given, wanted = (urllib.parse.parse_qs(part.query, keep_blank_values=True) for part in (first, second))
        self.assertEqual(given, wanted, msg)

    def assertMappingEqual(self, a, b, msg=None, mapping_type=Mapping, check_values_equality=_plain_equality):
        """Asserts that two mappings have the same keys and values; the message says where they differ.

        Args:
          a, b: the mappings.
          msg: str to add to the message, or None.
          mapping_type: type that both have.
          check_values_equality: function of two values, which returns whether they are equal, and what to say if not, or None.
        """
        for name, value in (("a", a), ("b", b)):
            if not isinstance(value, mapping_type):
                self.fail(f"{name} should be a {mapping_type.__name__}, found type: {type(value).__name__}", msg)
        if a == b:
            return
        more = {key: repr(b[key]) for key in _in_order(b) if key not in a}
        fewer = {key: repr(a[key]) for key in _in_order(a) if key not in b}
        changed = {}
        for key in _in_order(a):
            if key in b:
                equal, problem = check_values_equality(a[key], b[key])
                if not equal:
                    changed[key] = problem or f"{a[key]!r} != {b[key]!r}"
        if not (more or fewer or changed):
            return
        lines = [f"{a!r} != {b!r}{f'({msg})' if msg else ''}"]
        kinds = ("Unexpected, but present entries:", "repr() of differing entries:", "Missing entries:")
        for kind, entries in zip(kinds, (more, changed, fewer), strict=True):
            if entries:
                lines += [kind, *(f"{key!r}: {text}" for key, text in entries.items()), ""]
        raise self.failureException("\n".join(lines))

    def assertDictEqual(self, a, b, msg=None):
        """Asserts that two dicts have the same keys and values; the message says where they differ."""
        self.assertMappingEqual(a, b, msg, mapping_type=dict)

    def assertDataclassEqual(self, first, second, msg=None):
        """Asserts that two instances of a dataclass are equal; the message names the fields that differ."""
        for which, value in (("First", first), ("Second", second)):
            if not dataclasses.is_dataclass(value) or isinstance(value, type):
                raise self.failureException(f"{which} argument {value!r} is not a dataclass instance.")
        if first == second:
            return
        if type(first) is not type(second):
            self.fail(f"Found different dataclass types: {type(first)} != {type(second)}", msg)
        names = [field.name for field in dataclasses.fields(first) if field.compare]
        pairs = {name: (getattr(first, name), getattr(second, name)) for name in names}
        lines = [f"{name}: {mine!r} != {other!r}" for name, (mine, other) in pairs.items() if mine != other]
        why = ["Fields that differ:", *lines] if lines else ["Cannot detect difference by examining the fields of the dataclass."]
        self.fail("\n".join([f"{first!r} != {second!r}", *why]), msg)

    def assertMultiLineEqual(self, first, second, msg=None, *, line_limit=0):
        """Asserts that two texts are equal; the message has the lines that differ, at most `line_limit` of them if it is not 0."""
        assert isinstance(first, str), f"First argument is not a string: {first!r}"
        assert isinstance(second, str), f"Second argument is not a string: {second!r}"
        if first == second:
            return
        lines = [line.removesuffix("\n") for line in difflib.ndiff(first.splitlines(True), second.splitlines(True))]
        left_out = len(lines) - line_limit if line_limit else 0
        if left_out > 0:
            lines[line_limit:] = [f"(... and {left_out} more delta lines omitted for brevity.)"]
        raise self.failureException("\n".join([f"{msg}:" if msg else "", *lines, ""]))

    def assertCommandSucceeds(self, command, regexes=(b"",), env=None, close_fds=True, msg=None):
        """Asserts that a command succeeds, and that its output matches one of some patterns.

        Args:
          command: list of str, or a str for the shell.
          regexes: patterns of str or bytes.
          env: dict of the environment, or None for that of the test.
          close_fds: as for `subprocess.Popen`.
        """
        status, output = _run(command, env, close_fds)
        self.assertEqual(status, 0, self._formatMessage(msg, _told("Running command", command, f"failed with error code {status} "
                                                                   f"and message {output!r}")))
        self._assert_matches(output, regexes, command, msg)

    def assertCommandFails(self, command, regexes, env=None, close_fds=True, msg=None):
        """Asserts that a command fails, and that its output matches one of some patterns; see `assertCommandSucceeds`."""
        status, output = _run(command, env, close_fds)
        self.assertNotEqual(status, 0, self._formatMessage(msg, _told("The following command succeeded while expected to fail:",
                                                                      command, "")))
        self._assert_matches(output, regexes, command, msg)

    def _assert_matches(self, output: bytes, regexes, command, msg) -> None:
        patterns = [one.encode() if isinstance(one, str) else one for one in regexes]
        if not any(re.search(pattern, output, re.MULTILINE | re.DOTALL) for pattern in patterns):
            self.fail(_told("The output of", command, f"{output!r} matches none of {patterns}"), msg)


def _run(command, env, close_fds) -> tuple[int, bytes]:
    done = subprocess.run(
        command, shell=isinstance(command, str), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, close_fds=close_fds,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def _told(before: str, command, after: str) -> str:
    return f"{before} {command!r} {after}".rstrip()
