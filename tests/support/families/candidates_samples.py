"""Candidate samplers, connectionist temporal classification, isotonic regression, and flat indices."""

import numpy as np

from support.sample_values import f32, i32, i64

_CLASSES = {"true_classes": i64([1, 2], [0, 6]), "num_true": 2, "num_sampled": 4, "unique": True, "seed": 3, "seed2": 4}
_SAMPLER = [{**_CLASSES, "range_max": 7}, {**_CLASSES, "range_max": 7, "unique": False}]
_LOGITS = np.random.default_rng(5).normal(size=(5, 2, 4)).astype(np.float32)
_LENGTHS = i32(5, 4)

CALLS: dict[str, list[dict]] = {
    "UniformCandidateSampler": _SAMPLER,
    "LogUniformCandidateSampler": _SAMPLER,
    "LearnedUnigramCandidateSampler": _SAMPLER,
    "ThreadUnsafeUnigramCandidateSampler": _SAMPLER,
    "FixedUnigramCandidateSampler": [{**_CLASSES, "range_max": 7, "unigrams": [1.0, 2.0, 3.0, 4.0, 5.0, 1.0, 7.0]}],
    "AllCandidateSampler": [{**_CLASSES, "num_sampled": 7}],
    "ComputeAccidentalHits": [
        {"true_classes": i64([1, 2], [3, 4]), "sampled_candidates": i64(1, 3, 9), "num_true": 2},
    ],
    "CTCLoss": [
        {
            "inputs": _LOGITS,
            "labels_indices": i64([0, 0], [0, 1], [1, 0]),
            "labels_values": i32(0, 0, 2),
            "sequence_length": _LENGTHS,
        },
    ],
    "CTCGreedyDecoder": [{"inputs": _LOGITS, "sequence_length": _LENGTHS, "merge_repeated": True}],
    "CTCBeamSearchDecoder": [
        {"inputs": _LOGITS, "sequence_length": _LENGTHS, "beam_width": 6, "top_paths": 2, "merge_repeated": False},
    ],
    "IsotonicRegression": [{"input": f32([3, 1, 2, 5], [1, 3, 4, -1])}],
    "UnravelIndex": [{"indices": i32(5, 7), "dims": i32(3, 4)}, {"indices": np.int32(5), "dims": i32(2, 2, 2)}],
    "ParallelConcat": [{"values": [f32([1, 2]), f32([3, 4])], "shape": [2, 2]}],
    "GuaranteeConst": [{"input": f32(1, 2)}],
}
