"""Options of sessions where tensorboard is not installed."""

import pytest
from tracefn.compat.v1.session_options import ConfigProto, GPUOptions, OptimizerOptions, RunMetadata, RunOptions


def test_options_in_options():
    config = ConfigProto(allow_soft_placement=True, gpu_options=GPUOptions(allow_growth=True))
    config.graph_options.optimizer_options.global_jit_level = OptimizerOptions.ON_1
    config.experimental.collective_group_leader = "worker"
    assert isinstance(config.graph_options.optimizer_options, OptimizerOptions)
    assert config.gpu_options.allow_growth and config.graph_options.optimizer_options.global_jit_level == 1


@pytest.mark.parametrize("kind", [ConfigProto, GPUOptions, OptimizerOptions, RunOptions, RunMetadata])
def test_fields_that_there_are_not(kind):
    words = f'Protocol message {kind.__name__} has no "allow_grow" field.'
    with pytest.raises(ValueError, match=words):
        kind(allow_grow=True)
    with pytest.raises(AttributeError, match=words):
        kind().allow_grow = True
    with pytest.raises(AttributeError, match="allow_grow"):
        _ = kind().allow_grow
