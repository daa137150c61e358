"""The files that belong to a saved model: their names in it, and their copies."""

from __future__ import annotations

import filecmp
import os
import shutil

from tracefn._logging import get_logger
from tracefn.ops.gfile import makedirs

DIRECTORY = "assets"


def asset_name(path: str, taken: dict[str, str]) -> str:
    """The name of a file among a model's assets: that of the file, with a number if a file with other contents has it.

    Args:
      path: str, where the file is.
      taken: the paths of the files that have names already, by these; the file is added.
    """
    base = os.path.basename(path)
    name, i = base, 0
    if base in taken and not _are_the_same(path, taken[base]):
        while name in taken:
            i += 1
            name = f"{base}_{i}"
    taken[name] = path
    return name


def _are_the_same(one: str, other: str) -> bool:
    if one == other:
        return True
    return os.path.exists(one) and os.path.exists(other) and filecmp.cmp(one, other, shallow=False)


def copy_assets(paths: dict[str, str], directory: str) -> None:
    """Copies files into the directory of a model.

    Args:
      paths: where they are, by their names in the model.
      directory: str, the model's.
    """
    folder = os.path.join(directory, DIRECTORY)
    makedirs(folder)
    for name, path in paths.items():
        if os.path.exists(path):  # TensorFlow saves the name of a missing file as well
            shutil.copyfile(path, os.path.join(folder, name))
    get_logger().info("Assets written to: %s", folder)
