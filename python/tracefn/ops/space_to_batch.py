"""The public names of functions that move blocks to the batch."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops.gaps import required_space_to_batch_paddings, with_space_to_batch

export("required_space_to_batch_paddings")(required_space_to_batch_paddings)
export("nn.with_space_to_batch")(with_space_to_batch)
