"""Variables that are cut into pieces along one axis."""

from __future__ import annotations

from collections.abc import Sequence

from tracefn import _core
from tracefn._variable.slices import SaveSliceInfo
from tracefn.compat.v1.variable_scopes import Store
from tracefn.dtypes import as_dtype
from tracefn.framework import control_dependencies, is_tensor
from tracefn.framework import name_scope as _name_scope
from tracefn.tensor_conversion import register_tensor_conversion_function
from tracefn.tensor_shape import TensorShape


class PartitionInfo:
    """Which part of a Variable that is cut into pieces an initializer makes.

    Attributes:
      full_shape: list of ints, the shape of the whole.
      var_offset: list of ints, where the part begins.
    """

    def __init__(self, full_shape, var_offset) -> None:
        self.full_shape, self.var_offset = full_shape, var_offset

    def single_offset(self, shape) -> int:
        """Where a part of that shape begins on the one axis that is cut."""
        return self.var_offset[self.single_slice_dim(shape)]

    def single_slice_dim(self, shape) -> int:
        """The one axis on which a part of that shape is smaller than the whole; 0 if there is none.

        Raises:
          ValueError: there is more than one, or a part of that shape is not in the whole.
        """
        whole = self.full_shape
        if len(shape) != len(whole):
            raise ValueError(
                f"Expected equal length, but received shape={shape} of length {len(shape)} while self.full_shape={whole} is of "
                f"length {len(whole)}."
            )
        for axis, (start, size) in enumerate(zip(self.var_offset, shape, strict=True)):
            if start + size > whole[axis]:
                raise ValueError(
                    f"With self.var_offset={self.var_offset}, a partition of shape={shape} would exceed self.full_shape={whole} "
                    f"in dimension {axis}."
                )
        cut = [axis for axis, size in enumerate(shape) if size != whole[axis]]
        if len(cut) > 1:
            raise ValueError(
                f"Cannot use single_slice_dim() with shape={shape} and self.full_shape={whole} since slice dim could be either "
                f"dimension {cut[1]} or {cut[0]}."
            )
        return cut[0] if cut else 0


class PartitionedVariable:
    """Variables that are the pieces of one, along at most one axis. As a tensor it is their concatenation.

    Attributes:
      name, shape, dtype: those of the whole.
    """

    def __init__(self, name, shape, dtype, variable_list, partitions) -> None:
        self._name = name
        self._shape = shape
        self._dtype = dtype
        self._variables = list(variable_list)
        self._partitions = list(partitions)
        self._say_slices()

    def _say_slices(self) -> None:
        """Tells each piece which part of the whole it is, for checkpoints."""
        whole = TensorShape(self._shape).as_list()
        offset = [0] * len(whole)
        for piece in self._variables:
            size = piece.shape.as_list()
            if piece._save_slice_info is None:
                piece._set_save_slice_info(SaveSliceInfo(self._name, whole, list(offset), size))
            for axis, partition in enumerate(self._partitions):
                if partition > 1:
                    offset[axis] += size[axis]

    def __iter__(self):
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    @property
    def name(self) -> str:
        """The name of the whole; the pieces are name/part_0 and so on."""
        return self._name

    @property
    def dtype(self):
        """The dtype of all pieces."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def _get_variable_list(self) -> list:
        return self._variables

    def _get_partitions(self) -> list[int]:
        return self._partitions

    @property
    def _axis(self) -> int:
        return _cut(self._partitions)[0]

    def as_tensor(self):
        """The concatenation of the pieces."""
        with control_dependencies(None):
            if len(self._variables) > 1:
                with _name_scope(self._name + "/ConcatPartitions/"):
                    whole = _core.raw_op("ConcatV2")(values=[v.value() for v in self._variables], axis=self._axis, name="concat")
            else:
                whole = self._variables[0].value()
            with _name_scope(""):
                return _core.raw_op("Identity")(input=whole, name=self._name)

    def _assign(self, method: str, value, use_locking, name, read_value) -> list:
        if isinstance(value, list):
            if len(value) != len(self._variables):
                raise ValueError(f"{len(value)} values for the {len(self._variables)} pieces of {self._name}")
            values = value
        elif isinstance(value, PartitionedVariable):
            values = list(value)
        else:
            sizes = [v.shape[self._axis] for v in self._variables]
            split = _core.raw_op("SplitV")
            values = split(value=_core.convert_to_tensor(value, dtype=self._dtype), size_splits=sizes, axis=self._axis, num_split=len(sizes))
        made = [
            getattr(variable, method)(piece, use_locking=use_locking, name=name, read_value=read_value)
            for variable, piece in zip(self._variables, values, strict=True)
        ]
        return made if read_value else [getattr(one, "op", one) for one in made]

    def assign(self, value, use_locking=False, name=None, read_value=True) -> list:
        """Sets the pieces to those of a tensor, of a list or of another such Variable; returns what each piece's does."""
        return self._assign("assign", value, use_locking, name, read_value)

    def assign_add(self, value, use_locking=False, name=None, read_value=True) -> list:
        """Adds to the pieces; see `assign`."""
        return self._assign("assign_add", value, use_locking, name, read_value)

    def assign_sub(self, value, use_locking=False, name=None, read_value=True) -> list:
        """Subtracts from the pieces; see `assign`."""
        return self._assign("assign_sub", value, use_locking, name, read_value)


def _as_tensor(value, dtype=None, name=None, as_ref=False):
    del name
    if as_ref:
        raise NotImplementedError("PartitionedVariable doesn't support being used as a reference.")
    if dtype is not None and not as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{as_dtype(dtype).name}' for variable of type '{value.dtype.name}'"
        )
    return value.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _as_tensor)


def _cut(partitions) -> tuple[int, int]:
    """(axis, pieces) of the one axis that is cut."""
    return next(((axis, pieces) for axis, pieces in enumerate(partitions) if pieces > 1), (0, 1))


def _partitions(partitioner, shape: TensorShape, dtype):
    """What the partitioner says, checked."""
    if shape.rank is None or not shape.is_fully_defined():
        raise ValueError(f"Shape of a new partitioned variable must be fully defined, but instead was {shape}.")
    if shape.rank < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
    found = partitioner(shape=shape, dtype=dtype)
    if not isinstance(found, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {found}")
    if len(found) != shape.rank:
        raise ValueError(
            f"Partitioner returned a partition list that does not match the Variable's rank: {found} vs. {shape}"
        )
    if any(pieces < 1 for pieces in found):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {found}")
    if sum(pieces > 1 for pieces in found) > 1:
        raise ValueError(f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {found}")
    return list(found)


def _pieces(shape: list[int], partitions):
    """(offset, shape) of each piece: the first ones are larger by one if the size is no multiple."""
    axis, count = _cut(partitions)
    size, more = divmod(shape[axis], count)
    start = 0
    for i in range(count):
        offset, piece = [0] * len(shape), list(shape)
        offset[axis], piece[axis] = start, size + (i < more)
        yield offset, piece
        start += piece[axis]


def _existing(found: PartitionedVariable, name: str, shape: TensorShape, dtype, partitions, reuse) -> PartitionedVariable:
    if reuse is False:
        raise ValueError(
            f"Partitioned variable with name {name} already exists. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
            "VarScope?"
        )
    given = f"Trying to reuse partitioned variable {name}, but specified"
    if not shape.is_compatible_with(found.shape):
        raise ValueError(f"{given} shape {shape} and found shape {found.shape}.")
    if not dtype.is_compatible_with(found.dtype):
        raise ValueError(f"{given} dtype {dtype.name} and found dtype {found.dtype.name}.")
    if partitions is not None and found._get_partitions() != partitions:
        raise ValueError(f"{given} partitions {partitions} and found partitions {found._get_partitions()}.")
    return found


def partitioned_variable(
    store: Store, make, name: str, partitioner, shape, dtype, initializer, reuse, keep=True, **rest
) -> PartitionedVariable:
    """The Variable of that name that is cut into pieces; it is made if it must.

    Args:
      store: where it belongs.
      make: function that makes one Variable, with the arguments of `get_variable`.
      partitioner: function from a shape and dtype to the numbers of pieces along each axis; None for an existing one.
      keep: whether the store remembers it.

    Raises:
      ValueError: there is another Variable of the name, or `reuse` does not allow what is there, or the partitioner's
        answer does not fit the shape.
    """
    if name in store.made:
        raise ValueError(
            f"A partitioner was provided, but an unpartitioned version of the variable was found: {name}.  Perhaps a variable "
            "of the same name was already created without partitioning?"
        )
    shape = TensorShape(shape)
    if is_tensor(initializer):
        shape = shape.merge_with(initializer.shape)
    partitions = _partitions(partitioner, shape, dtype) if partitioner is not None else None
    if name in store.partitioned:
        return _existing(store.partitioned[name], name, shape, dtype, partitions, reuse)
    if reuse is True or partitions is None:
        raise ValueError(
            f"PartitionedVariable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
            "reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
        )
    made = []
    for i, (offset, piece) in enumerate(_pieces(shape.as_list(), partitions)):
        value, sizes = initializer, piece
        if initializer is not None and not callable(initializer):
            sizes = None
            with _name_scope(f"{name}/part_{i}/PartitionedInitializer"):
                whole = initializer if is_tensor(initializer) else _core.convert_to_tensor(initializer, dtype=dtype)
                value = _core.raw_op("Slice")(input=whole, begin=offset, size=piece)
                dtype = value.dtype
        info = PartitionInfo(shape.as_list(), offset)
        part = f"{name}/part_{i}"
        made.append(make(name=part, shape=sizes, dtype=dtype, initializer=value, reuse=reuse, partition_info=info, **rest))
    whole = PartitionedVariable(name, shape, dtype, made, partitions)
    if keep and store.finds():
        store.partitioned[name] = whole
    return whole
