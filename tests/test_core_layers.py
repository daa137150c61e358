"""The layers of the C++ core, as docs/layout.md has them: what each folder includes."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parents[1]
CORE = ROOT / "cpp"
INCLUDE = re.compile(r'^#include "([\w.]+)/', re.MULTILINE)


def folder_ranks() -> dict[str, int]:
    """By folder, its place in the order; folders in braces have the same one."""
    text = (ROOT / "docs" / "layout.md").read_text(encoding="utf-8")
    (order,) = re.findall(r"`(base ← .*?)`", text, re.DOTALL)
    return {name: rank for rank, group in enumerate(order.split("←")) for name in re.findall(r"\w+", group)}


def test_the_order_names_every_folder():
    assert set(folder_ranks()) == {path.name for path in CORE.iterdir() if any(path.rglob("*.h"))}


def test_folders_include_only_folders_to_their_left():
    ranks = folder_ranks()
    found, checked = [], 0
    for path in sorted(CORE.glob("*/**/*.[ch]*")):
        folder = path.relative_to(CORE).parts[0]
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if included in (folder, ".."):
                continue
            checked += 1
            if ranks[included] >= ranks[folder]:
                found.append(f"{path.relative_to(ROOT)} includes {included}/")
    assert not found, "\n".join(found)
    assert checked > 500


def test_no_include_is_ambiguous():
    """A quoted include is looked up beside the file first: "tape/x.h" in cpp/bind would find cpp/bind/tape/x.h."""
    headers = {path.relative_to(CORE).as_posix() for path in CORE.rglob("*.h")}
    assert not [h for h in headers for i in range(1, h.count("/")) if "/".join(h.split("/")[i:]) in headers]
