"""`tf.saved_model`: models in files, in TensorFlow's format."""

import sys as _sys
import types as _types

from tracefn._missing.refused import fill as _fill
from tracefn._saved_model.fingerprints import Fingerprint as _Fingerprint
from tracefn._saved_model.fingerprints import read_fingerprint as _read_fingerprint
from tracefn._saved_model.load import contains_saved_model as contains_saved_model
from tracefn._saved_model.load import load as load
from tracefn._saved_model.load import set_loader_of_graphs as _set_loader_of_graphs
from tracefn._saved_model.options import LoadOptions as LoadOptions
from tracefn._saved_model.options import SaveOptions as SaveOptions
from tracefn._saved_model.options import VariablePolicy as _VariablePolicy
from tracefn._saved_model.save import save as save
from tracefn._tracking.asset import Asset as Asset
from tracefn._tracking.resource import TrackableResource as _TrackableResource

ASSETS_DIRECTORY = "assets"
ASSETS_KEY = "saved_model_assets"
CLASSIFY_INPUTS = "inputs"
CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES = "classes"
CLASSIFY_OUTPUT_SCORES = "scores"
DEBUG_DIRECTORY = "debug"
DEBUG_INFO_FILENAME_PB = "saved_model_debug_info.pb"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
GPU = "gpu"
PREDICT_INPUTS = "inputs"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
PREDICT_OUTPUTS = "outputs"
REGRESS_INPUTS = "inputs"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"
REGRESS_OUTPUTS = "outputs"
SAVED_MODEL_FILENAME_PB = "saved_model.pb"
SAVED_MODEL_FILENAME_PBTXT = "saved_model.pbtxt"
SAVED_MODEL_SCHEMA_VERSION = 1
SERVING = "serve"
TPU = "tpu"
TRAINING = "train"
VARIABLES_DIRECTORY = "variables"
VARIABLES_FILENAME = "variables"

experimental = _types.ModuleType(
    "tracefn.saved_model.experimental", "`tf.saved_model.experimental`: fingerprints, resources, and policies of options."
)
experimental.__dict__.update(
    Fingerprint=_Fingerprint,
    TrackableResource=_TrackableResource,
    VariablePolicy=_VariablePolicy,
    read_fingerprint=_read_fingerprint,
)


def _load_graph():
    from tracefn.compat.v1.meta_graphs.models_without_objects import load_graph  # start-up time: few models need it

    return load_graph


_set_loader_of_graphs(_load_graph)
_sys.modules[experimental.__name__] = experimental
_fill(experimental, "only fingerprints, resources and policies of options are there.")
_fill(_sys.modules[__name__], "only what `tf.saved_model.save` and `load` need is there.")
