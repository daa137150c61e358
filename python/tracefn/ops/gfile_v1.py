"""`tf.compat.v1.gfile`: the functions of `tf.io.gfile` under their names of TensorFlow 1."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops.gfile import copy, exists, glob, isdir, listdir, makedirs, mkdir, remove, rename, rmtree, stat, walk


@export("compat.v1.gfile.Copy")
def _copy(oldpath, newpath, overwrite=False):
    """`tf.io.gfile.copy`."""
    copy(oldpath, newpath, overwrite)


@export("compat.v1.gfile.Rename")
def _rename(oldname, newname, overwrite=False):
    """`tf.io.gfile.rename`."""
    rename(oldname, newname, overwrite)


@export("compat.v1.gfile.Walk")
def _walk(top, in_order=True):
    """`tf.io.gfile.walk`."""
    return walk(top, in_order)


@export("compat.v1.gfile.DeleteRecursively")
def _rmtree(dirname):
    """`tf.io.gfile.rmtree`."""
    rmtree(dirname)


@export("compat.v1.gfile.Exists")
def _exists(filename):
    """`tf.io.gfile.exists`."""
    return exists(filename)


@export("compat.v1.gfile.Glob")
def _glob(filename):
    """`tf.io.gfile.glob`."""
    return glob(filename)


@export("compat.v1.gfile.IsDirectory")
def _isdir(dirname):
    """`tf.io.gfile.isdir`."""
    return isdir(dirname)


@export("compat.v1.gfile.ListDirectory")
def _listdir(dirname):
    """`tf.io.gfile.listdir`."""
    return listdir(dirname)


@export("compat.v1.gfile.MakeDirs")
def _makedirs(dirname):
    """`tf.io.gfile.makedirs`."""
    makedirs(dirname)


@export("compat.v1.gfile.MkDir")
def _mkdir(dirname):
    """`tf.io.gfile.mkdir`."""
    mkdir(dirname)


@export("compat.v1.gfile.Remove")
def _remove(filename):
    """`tf.io.gfile.remove`."""
    remove(filename)


@export("compat.v1.gfile.Stat")
def _stat(filename):
    """`tf.io.gfile.stat`."""
    return stat(filename)
