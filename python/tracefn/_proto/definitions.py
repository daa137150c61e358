"""The messages that the classes in `messages` have: those in TensorFlow's files of graphs.

Below the name of a file stand its messages. A field has a name, a number and a kind: a number, text or bytes, an enum, or another
message; "*" marks repeated fields, "map" maps, and "in" the group of which one field is set at most. A message without fields
keeps its bytes as they are.
"""

from __future__ import annotations

from typing import NamedTuple

_DEFINITIONS = """
file types
message SerializedDType
  datatype 1 DataType
file tensor_shape
message TensorShapeProto
  dim 2 TensorShapeProto.Dim*
  unknown_rank 3 bool
message TensorShapeProto.Dim
  size 1 int64
  name 2 string
file resource_handle
message ResourceHandleProto
  device 1 string
  container 2 string
  name 3 string
  hash_code 4 uint64
  maybe_type_name 5 string
  dtypes_and_shapes 6 ResourceHandleProto.DtypeAndShape*
message ResourceHandleProto.DtypeAndShape
  dtype 1 DataType
  shape 2 TensorShapeProto
file tensor
message TensorProto
  dtype 1 DataType
  tensor_shape 2 TensorShapeProto
  version_number 3 int32
  tensor_content 4 bytes
  float_val 5 float*
  double_val 6 double*
  int_val 7 int32*
  string_val 8 bytes*
  scomplex_val 9 float*
  int64_val 10 int64*
  bool_val 11 bool*
  dcomplex_val 12 double*
  half_val 13 int32*
  resource_handle_val 14 ResourceHandleProto*
  variant_val 15 VariantTensorDataProto*
  uint32_val 16 uint32*
  uint64_val 17 uint64*
  float8_val 18 bytes
message VariantTensorDataProto
  type_name 1 string
  metadata 2 bytes
  tensors 3 TensorProto*
file full_type
message FullTypeDef
  type_id 1 FullTypeId
  args 2 FullTypeDef*
  s 3 string in attr
  i 4 int64 in attr
file attr_value
message AttrValue
  list 1 AttrValue.ListValue in value
  s 2 bytes in value
  i 3 int64 in value
  f 4 float in value
  b 5 bool in value
  type 6 DataType in value
  shape 7 TensorShapeProto in value
  tensor 8 TensorProto in value
  placeholder 9 string in value
  func 10 NameAttrList in value
message AttrValue.ListValue
  s 2 bytes*
  i 3 int64*
  f 4 float*
  b 5 bool*
  type 6 DataType*
  shape 7 TensorShapeProto*
  tensor 8 TensorProto*
  func 9 NameAttrList*
message NameAttrList
  name 1 string
  attr 2 map string AttrValue
file node_def
message NodeDef
  name 1 string
  op 2 string
  input 3 string*
  device 4 string
  attr 5 map string AttrValue
  experimental_debug_info 6 NodeDef.ExperimentalDebugInfo
  experimental_type 7 FullTypeDef
message NodeDef.ExperimentalDebugInfo
  original_node_names 1 string*
  original_func_names 2 string*
file op_def
message OpDef
  name 1 string
  input_arg 2 OpDef.ArgDef*
  output_arg 3 OpDef.ArgDef*
  attr 4 OpDef.AttrDef*
  summary 5 string
  description 6 string
  deprecation 8 OpDeprecation
  is_aggregate 16 bool
  is_stateful 17 bool
  is_commutative 18 bool
  allows_uninitialized_input 19 bool
  control_output 20 string*
  is_distributed_communication 21 bool
message OpDef.ArgDef
  name 1 string
  description 2 string
  type 3 DataType
  type_attr 4 string
  number_attr 5 string
  type_list_attr 6 string
  handle_data 7 ResourceHandleProto.DtypeAndShape*
  is_ref 16 bool
  experimental_full_type 17 FullTypeDef
message OpDef.AttrDef
  name 1 string
  type 2 string
  default_value 3 AttrValue
  description 4 string
  has_minimum 5 bool
  minimum 6 int64
  allowed_values 7 AttrValue
message OpDeprecation
  version 1 int32
  explanation 2 string
message OpList
  op 1 OpDef*
file versions
message VersionDef
  producer 1 int32
  min_consumer 2 int32
  bad_consumers 3 int32*
file function
message FunctionDef
  signature 1 OpDef
  node_def 3 NodeDef*
  ret 4 map string string
  attr 5 map string AttrValue
  control_ret 6 map string string
  arg_attr 7 map uint32 FunctionDef.ArgAttrs
  resource_arg_unique_id 8 map uint32 uint32
message FunctionDef.ArgAttrs
  attr 1 map string AttrValue
message FunctionDefLibrary
  function 1 FunctionDef*
  gradient 2 GradientDef*
  registered_gradients 3 RegisteredGradient*
message GradientDef
  function_name 1 string
  gradient_func 2 string
message RegisteredGradient
  gradient_func 1 string
  registered_op_type 2 string
file graph_debug_info
message GraphDebugInfo
file graph
message GraphDef
  node 1 NodeDef*
  library 2 FunctionDefLibrary
  version 3 int32
  versions 4 VersionDef
  debug_info 5 GraphDebugInfo
file saver
message SaverDef
  filename_tensor_name 1 string
  save_tensor_name 2 string
  restore_op_name 3 string
  max_to_keep 4 int32
  sharded 5 bool
  keep_checkpoint_every_n_hours 6 float
  version 7 SaverDef.CheckpointFormatVersion
file queue_runner
message QueueRunnerDef
  queue_name 1 string
  enqueue_op_name 2 string*
  close_op_name 3 string
  cancel_op_name 4 string
  queue_closed_exception_types 5 Code*
file struct
message TensorSpecProto
  name 1 string
  shape 2 TensorShapeProto
  dtype 3 DataType
message TypeSpecProto
file saved_object_graph
message SavedObjectGraph
file any
message Any
file meta_graph
message AssetFileDef
  tensor_info 1 TensorInfo
  filename 2 string
message CollectionDef
  node_list 1 CollectionDef.NodeList in kind
  bytes_list 2 CollectionDef.BytesList in kind
  int64_list 3 CollectionDef.Int64List in kind
  float_list 4 CollectionDef.FloatList in kind
  any_list 5 CollectionDef.AnyList in kind
message CollectionDef.AnyList
  value 1 Any*
message CollectionDef.BytesList
  value 1 bytes*
message CollectionDef.FloatList
  value 1 float*
message CollectionDef.Int64List
  value 1 int64*
message CollectionDef.NodeList
  value 1 string*
message MetaGraphDef
  meta_info_def 1 MetaGraphDef.MetaInfoDef
  graph_def 2 GraphDef
  saver_def 3 SaverDef
  collection_def 4 map string CollectionDef
  signature_def 5 map string SignatureDef
  asset_file_def 6 AssetFileDef*
  object_graph_def 7 SavedObjectGraph
message MetaGraphDef.MetaInfoDef
  meta_graph_version 1 string
  stripped_op_list 2 OpList
  any_info 3 Any
  tags 4 string*
  tensorflow_version 5 string
  tensorflow_git_version 6 string
  stripped_default_attrs 7 bool
  function_aliases 8 map string string
message SignatureDef
  inputs 1 map string TensorInfo
  outputs 2 map string TensorInfo
  method_name 3 string
  defaults 4 map string TensorProto
message TensorInfo
  name 1 string in encoding
  dtype 2 DataType
  tensor_shape 3 TensorShapeProto
  coo_sparse 4 TensorInfo.CooSparse in encoding
  composite_tensor 5 TensorInfo.CompositeTensor in encoding
message TensorInfo.CompositeTensor
  type_spec 1 TypeSpecProto
  components 2 TensorInfo*
message TensorInfo.CooSparse
  values_tensor_name 1 string
  indices_tensor_name 2 string
  dense_shape_tensor_name 3 string
file tfprof_log
message CodeDef
  traces 1 CodeDef.Trace*
message CodeDef.Trace
  lineno 2 int32
  func_start_line 5 int32
  file_id 6 int64
  function_id 7 int64
  line_id 8 int64
message OpLogEntry
  name 1 string
  float_ops 2 int64
  types 3 string*
  code_def 4 CodeDef
message OpLogProto
  log_entries 1 OpLogEntry*
  id_to_string 2 map int64 string
file tfprof_output
message TFProfTensorProto
  dtype 1 DataType
  value_double 2 double*
  value_int64 3 int64*
  value_str 4 string*
message GraphNodeProto
  name 1 string
  exec_micros 2 int64
  requested_bytes 3 int64
  parameters 4 int64
  total_exec_micros 6 int64
  total_requested_bytes 7 int64
  total_parameters 8 int64
  devices 10 string*
  shapes 11 TensorShapeProto*
  children 12 GraphNodeProto*
  float_ops 13 int64
  total_float_ops 14 int64
  tensor_value 15 TFProfTensorProto
  input_shapes 16 map int32 TensorShapeProto
  accelerator_exec_micros 17 int64
  cpu_exec_micros 18 int64
  total_accelerator_exec_micros 19 int64
  total_cpu_exec_micros 20 int64
  run_count 21 int64
  total_run_count 22 int64
  total_definition_count 23 int64
  peak_bytes 24 int64
  residual_bytes 25 int64
  output_bytes 26 int64
  total_peak_bytes 27 int64
  total_residual_bytes 28 int64
  total_output_bytes 29 int64
message MultiGraphNodeProto
  name 1 string
  exec_micros 2 int64
  requested_bytes 3 int64
  parameters 4 int64
  float_ops 5 int64
  total_exec_micros 6 int64
  total_requested_bytes 7 int64
  total_parameters 8 int64
  total_float_ops 9 int64
  graph_nodes 10 GraphNodeProto*
  children 11 MultiGraphNodeProto*
  accelerator_exec_micros 12 int64
  cpu_exec_micros 13 int64
  total_accelerator_exec_micros 14 int64
  total_cpu_exec_micros 15 int64
  peak_bytes 16 int64
  residual_bytes 17 int64
  output_bytes 18 int64
  total_peak_bytes 19 int64
  total_residual_bytes 20 int64
  total_output_bytes 21 int64
message AdviceProto
  checkers 1 map string AdviceProto.Checker
message AdviceProto.Checker
  reports 2 string*
"""

_ELEMENTS = """
FLOAT DOUBLE INT32 UINT8 INT16 INT8 STRING COMPLEX64 INT64 BOOL QINT8 QUINT8 QINT32 BFLOAT16 QINT16 QUINT16 UINT16 COMPLEX128 HALF
RESOURCE VARIANT UINT32 UINT64 FLOAT8_E5M2 FLOAT8_E4M3FN FLOAT8_E4M3FNUZ FLOAT8_E4M3B11FNUZ FLOAT8_E5M2FNUZ INT4 UINT4 INT2 UINT2
FLOAT4_E2M1FN
""".split()
_CODES = """
OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED
FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED
""".split()
_REFERENCES = 100  # is added to the number of a dtype

# The names of numbers; of the numbers of full types, which TensorFlow infers, only what says that there is none.
ENUMS: dict[str, dict[int, str]] = {
    "DataType": {
        0: "DT_INVALID",
        **{i: f"DT_{name}" for i, name in enumerate(_ELEMENTS, 1)},
        **{i: f"DT_{name}_REF" for i, name in enumerate(_ELEMENTS, 1 + _REFERENCES)},
    },
    "Code": dict(enumerate(_CODES)),
    "FullTypeId": {0: "TFT_UNSET"},
    "SaverDef.CheckpointFormatVersion": {0: "LEGACY", 1: "V1", 2: "V2"},
}

# The files of enums that stand outside of messages.
FILE_OF_ENUM = {"Code": "error_codes", "DataType": "types", "FullTypeId": "full_type"}
# The files that the package tensorboard lacks.
DESCRIBED = frozenset({"error_codes", "queue_runner", "tfprof_output"})


class Field(NamedTuple):
    """One field: `kind` is what it holds, `key` the kind of a map's keys, `group` the name of its group."""

    name: str
    number: int
    kind: str
    is_repeated: bool = False
    key: str | None = None
    group: str | None = None


class Definition(NamedTuple):
    """A message: the file that it stands in, and its fields by name."""

    file: str
    fields: dict[str, Field]


def _field(words: list[str]) -> Field:
    name, number, kind, *rest = words
    if kind == "map":
        return Field(name, int(number), rest[1], key=rest[0])
    return Field(name, int(number), kind.removesuffix("*"), kind.endswith("*"), group=rest[1] if rest else None)


def _definitions() -> dict[str, Definition]:
    found: dict[str, Definition] = {}
    file = ""
    fields: dict[str, Field] = {}
    for words in map(str.split, _DEFINITIONS.strip().splitlines()):
        if words[0] == "file":
            file = words[1]
        elif words[0] == "message" and len(words) == 2:
            fields = {}
            found[words[1]] = Definition(file, fields)
        else:
            field = _field(words)
            fields[field.name] = field
    return found


DEFINITIONS = _definitions()
