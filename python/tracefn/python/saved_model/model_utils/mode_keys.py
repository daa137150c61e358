"""`tensorflow.python.saved_model.model_utils.mode_keys`: names of training, evaluation and prediction."""

__all__ = ["EstimatorModeKeys", "KerasModeKeys", "is_eval", "is_predict", "is_train"]


class KerasModeKeys:
    """Keras's names."""

    TRAIN = "train"
    TEST = "test"
    PREDICT = "predict"


class EstimatorModeKeys:
    """The names of estimators."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


def is_train(mode) -> bool:
    """Whether a name means training."""
    return mode in (KerasModeKeys.TRAIN, EstimatorModeKeys.TRAIN)


def is_eval(mode) -> bool:
    """Whether a name means evaluation."""
    return mode in (KerasModeKeys.TEST, EstimatorModeKeys.EVAL)


def is_predict(mode) -> bool:
    """Whether a name means prediction."""
    return mode in (KerasModeKeys.PREDICT, EstimatorModeKeys.PREDICT)
