"""tf.io.read_file, write_file, matching_files, and tf.io.gfile: results, errors and their words."""

import os

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "e" / "f").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "c.dat", ".h.txt", "e/x.txt", "e/f/y.txt"):
        (tmp_path / name).write_text(name)
    monkeypatch.chdir(tmp_path)
    return str(tmp_path)


def test_read_and_write(tf, folder):
    assert tf.io.read_file(folder + "/a.txt").numpy() == b"a.txt"
    assert tf.io.read_file("file://" + folder + "/a.txt").numpy() == b"a.txt"
    assert tf.io.write_file(folder + "/new/below/q", b"\xff\0x") is None
    assert tf.io.read_file(folder + "/new/below/q").numpy() == b"\xff\0x"
    tf.io.write_file(folder + "/a.txt", "")
    assert tf.io.read_file(folder + "/a.txt").numpy() == b""

    @tf.function
    def copied(source, target):
        tf.io.write_file(target, tf.strings.upper(tf.io.read_file(source)))

    copied(tf.constant(folder + "/b.txt"), tf.constant(folder + "/copy"))
    assert tf.io.read_file(folder + "/copy").numpy() == b"B.TXT"


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ("/none", "NotFoundError", "/none; No such file or directory"),
        ("/e", "FailedPreconditionError", "/e; Is a directory"),
        ("/a.txt/q", "FailedPreconditionError", "/a.txt/q; Not a directory"),
    ],
)
def test_reading_fails(tf, folder, path, error, words):
    with pytest.raises(getattr(tf.errors, error), match=words):
        tf.io.read_file(folder + path)


def test_files_refuse(tf, folder):
    errors = tf.errors
    with pytest.raises(errors.UnimplementedError, match="File system scheme 'foo' not implemented"):
        tf.io.read_file("foo://x/y")
    with pytest.raises(errors.InvalidArgumentError, match="filename tensor must be scalar"):
        tf.io.read_file([folder])
    with pytest.raises(errors.InvalidArgumentError, match="Contents tensor must be scalar"):
        tf.io.write_file(folder + "/x", ["a"])
    with pytest.raises(errors.FailedPreconditionError, match="Is a directory"):
        tf.io.write_file(folder + "/e", "a")
    with pytest.raises(errors.FailedPreconditionError):
        tf.io.write_file(folder + "/a.txt/q", "a")
    with pytest.raises(errors.InvalidArgumentError, match="must be scalar or vector"):
        tf.io.matching_files([["*"]])


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("/*.txt", ["/.h.txt", "/a.txt", "/b.txt"]),
        ("/[ab].txt", ["/a.txt", "/b.txt"]),
        ("/[^a].txt", ["/b.txt"]),
        ("/?.dat", ["/c.dat"]),
        ("/*/*.txt", ["/e/x.txt"]),
        ("/*/*/?.txt", ["/e/f/y.txt"]),
        ("/none", []),
        ("/none/*", []),
        ("/{a,b}.txt", []),
        ("/a.txt", ["/a.txt"]),
        ("/e", ["/e"]),
        ("/[a", []),
        ("/e/**", ["/e/f", "/e/x.txt"]),
    ],
)
def test_matching(tf, folder, pattern, found):
    expected = [folder + path for path in found]
    assert [p.decode() for p in tf.io.matching_files(folder + pattern).numpy()] == expected
    assert sorted(tf.io.gfile.glob(folder + pattern)) == expected
    traced = tf.function(tf.io.matching_files)
    assert traced(tf.constant(folder + pattern)).numpy().tolist() == [p.encode() for p in expected]
    assert traced.get_concrete_function(tf.TensorSpec(None, tf.string)).outputs[0].shape.as_list() == [None]


def test_matching_relative_and_many(tf, folder):
    assert sorted(tf.io.gfile.glob("*.dat")) == ["./c.dat"]
    assert tf.io.gfile.glob("e/*.txt") == ["e/x.txt"]
    assert tf.io.gfile.glob("a.txt") == ["a.txt"]
    assert sorted(tf.io.gfile.glob(["*.dat", "a.*"])) == ["./a.txt", "./c.dat"]
    assert tf.io.matching_files(["c*", "./?.txt", ""]).numpy().tolist() == [b"./a.txt", b"./b.txt", b"./c.dat"]
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 42"):
        tf.io.gfile.glob(b"*")


def test_directories(tf, folder):
    gfile, errors = tf.io.gfile, tf.errors
    assert gfile.exists(folder) and not gfile.exists("nowhere") and gfile.exists(b"a.txt")
    assert gfile.isdir("e") and not gfile.isdir("a.txt") and not gfile.isdir("foo://x")
    gfile.mkdir("e")
    gfile.mkdir("m")
    gfile.makedirs("n/o/p")
    assert gfile.isdir("m") and gfile.isdir("n/o/p")
    with pytest.raises(errors.NotFoundError, match="u/v; No such file or directory"):
        gfile.mkdir("u/v")
    for path in ("a.txt", "a.txt/k"):
        with pytest.raises(errors.FailedPreconditionError, match="a.txt is not a directory"):
            gfile.makedirs(path)
    assert sorted(gfile.listdir("e")) == ["f", "x.txt"]
    for path in ("nowhere", "a.txt"):
        with pytest.raises(errors.NotFoundError, match=f"Could not find directory {path}"):
            gfile.listdir(path)
    walked = [(top, sorted(folders), sorted(files)) for top, folders, files in gfile.walk("e")]
    assert walked == [("e", ["f"], ["x.txt"]), ("e/f", [], ["y.txt"])]
    assert [top for top, _, _ in gfile.walk("e", topdown=False)] == ["e/f", "e"]
    assert list(gfile.walk("nowhere")) == []
    gfile.rmtree("e")
    gfile.rmtree("c.dat")
    assert not gfile.exists("e") and not gfile.exists("c.dat")
    with pytest.raises(errors.NotFoundError, match="nowhere not found"):
        gfile.rmtree("nowhere")


def test_copies_and_names(tf, folder):
    gfile, errors = tf.io.gfile, tf.errors
    gfile.copy("a.txt", "copy")
    assert gfile.GFile("copy").read() == "a.txt"
    for change in (gfile.copy, gfile.rename):
        with pytest.raises(errors.AlreadyExistsError, match="file already exists"):
            change("a.txt", "b.txt")
        with pytest.raises(errors.NotFoundError, match="No such file or directory"):
            change("nowhere", "x")
    with pytest.raises(errors.FailedPreconditionError, match="Is a directory"):
        gfile.copy("a.txt", "e", overwrite=True)
    with pytest.raises(errors.InvalidArgumentError):
        gfile.copy("e", "e2")
    with pytest.raises(errors.NotFoundError, match="nowhere/x; No such file"):
        gfile.copy("a.txt", "nowhere/x")
    gfile.rename("a.txt", "b.txt", overwrite=True)
    assert gfile.GFile("b.txt").read() == "a.txt" and not gfile.exists("a.txt")
    gfile.remove("b.txt")
    with pytest.raises(errors.NotFoundError, match="b.txt; No such file"):
        gfile.remove("b.txt")
    with pytest.raises(errors.FailedPreconditionError, match="e; Is a directory"):
        gfile.remove("e")
    assert gfile.join("a", "b") == "a/b" and gfile.join("a", "/b") == "/b"
    assert gfile.join("gs://a", "b", "c") == "gs://a/b/c"
    assert {"", "file"} <= set(gfile.get_registered_schemes())


def test_stat(tf, folder):
    found = tf.io.gfile.stat("a.txt")
    assert (found.length, found.is_directory) == (5, False)
    assert found.mtime_nsec // 10**9 == int(os.stat("a.txt").st_mtime)
    assert tf.io.gfile.stat("e").is_directory
    with pytest.raises(tf.errors.NotFoundError, match="nowhere; No such file or directory"):
        tf.io.gfile.stat("nowhere")
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
        tf.io.gfile.exists(3)


def attempt(tf, function):
    """A result, or the class of the error."""
    try:
        return function()
    except tf.errors.OpError as error:
        return type(error).__name__


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("r", ["", 0, "PermissionDeniedError", 5, "12345", 5]),
        ("w", [0, None, 2, "PermissionDeniedError", 2]),
        ("a", [5, None, 7, "PermissionDeniedError", 7]),
        ("r+", [0, None, 2, "ab", 2]),
        ("w+", [0, None, 2, "ab", 2]),
        ("a+", [0, None, 7, "12345ab", 7]),
    ],
)
def test_modes(tf, tmp_path, mode, expected):
    path = str(tmp_path / "m")
    with open(path, "w") as f:
        f.write("12345")
    with tf.io.gfile.GFile(path, mode) as f:
        assert (f.name, f.mode, f.seekable()) == (path, mode, True)
        if mode == "r":
            found = [f.read(0), f.tell(), attempt(tf, lambda: f.write("ab")), f.size(), f.read(), f.tell()]
        else:
            found = [f.tell(), f.write("ab"), f.flush(), f.size(), attempt(tf, f.read), f.tell()]
            del found[2]
    assert found == expected


def test_lines_have_no_carriage_returns(tf, tmp_path):
    path = str(tmp_path / "l")
    with open(path, "wb") as f:
        f.write(b"a\r\nb\rc\n\r\n\r\rd\re\r")
    GFile = tf.io.gfile.GFile
    assert GFile(path).readlines() == list(GFile(path)) == ["a\n", "bc\n", "\n", "de"]
    with GFile(path, "rb") as f:
        assert (f.readline(), f.tell(), f.readline(), f.tell()) == (b"a\n", 3, b"bc\n", 7)
        assert f.read() == b"\r\n\r\rd\re\r"


def test_reading(tf, tmp_path):
    path = str(tmp_path / "l")
    with open(path, "wb") as f:
        f.write("äb\ncd\n\nef".encode())
    GFile, errors = tf.io.gfile.GFile, tf.errors
    assert GFile(path).read() == "äb\ncd\n\nef"
    assert GFile(path, "rb").readlines() == ["äb\n".encode(), b"cd\n", b"\n", b"ef"]
    assert list(GFile(path)) == ["äb\n", "cd\n", "\n", "ef"]
    assert GFile(path).read(1000) == "äb\ncd\n\nef"
    with GFile(path, "rb") as f:
        f.seek(2)
        assert (f.readline(), f.tell()) == (b"b\n", 4)
        f.seek(1, 1)
        assert f.read(2) == b"d\n"
        f.seek(-2, 2)
        assert (f.read(), f.read(), f.tell(), f.readline()) == (b"ef", b"", 10, b"")
        f.close()
        assert f.tell() == 0
        with pytest.raises(TypeError, match="offset argument required"):
            f.seek()
        with pytest.raises(errors.InvalidArgumentError, match="Invalid whence argument: 5. Valid values are 0, 1, or 2"):
            f.seek(1, whence=5)
        with pytest.raises(errors.InvalidArgumentError, match="Seeking to a negative position: -1"):
            f.seek(-1)
        with pytest.raises(errors.OutOfRangeError):
            f.seek(1000)
        with pytest.raises(errors.InvalidArgumentError, match="negative number of bytes: -2"):
            f.read(-2)
    with pytest.raises(UnicodeDecodeError):
        GFile(path).read(1)
    with pytest.raises(errors.InvalidArgumentError, match="mode is not 'r' or 'w' or 'a'"):
        GFile(path, "x")
    with pytest.raises(errors.NotFoundError, match="none; No such file or directory"):
        GFile(str(tmp_path / "none")).read()
    with pytest.raises(errors.FailedPreconditionError, match="Is a directory"):
        GFile(str(tmp_path), "w").write("q")
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
        GFile(path, "w").write(3)


def test_old_names(tf, folder):
    old = tf.compat.v1.gfile
    assert old.Exists("a.txt") and old.IsDirectory("e") and old.Glob("e/*.txt") == ["e/x.txt"]
    old.MakeDirs("o/p")
    old.MkDir("q")
    old.Copy("a.txt", "o/a")
    old.Rename("o/a", "o/b", overwrite=True)
    assert old.ListDirectory("o/p") == [] and old.Stat("o/b").length == 5
    assert [top for top, _, _ in old.Walk("o")] == ["o", "o/p"]
    old.Remove("o/b")
    old.DeleteRecursively("o")
    with old.Open("w", "w") as f:
        f.write("x")
    assert old.FastGFile("w", "rb").read() == b"x" and old.GFile("w").read() == "x"
    assert tf.compat.v1.read_file("w").numpy() == b"x"
    assert tf.compat.v1.io.gfile.exists("w")


def test_write_graph(tf, tmp_path):
    @tf.function
    def add(x):
        return x + 1

    graph = add.get_concrete_function(tf.TensorSpec([], tf.float32)).graph
    folder = str(tmp_path / "g")
    path = tf.io.write_graph(graph, folder, "g.pbtxt")
    assert path == folder + "/g.pbtxt"
    with open(path) as f:
        assert '  op: "AddV2"\n' in f.read()
    path = tf.io.write_graph(graph.as_graph_def(), folder, "g.pb", as_text=False)
    with open(path, "rb") as f:
        assert len(f.read()) == len(graph.as_graph_def().SerializeToString())


def test_match_filenames_once(tf, folder):
    found = tf.io.match_filenames_once("./?.txt")
    np.testing.assert_array_equal(found.numpy(), [b"./a.txt", b"./b.txt"])
