"""Random calls of public functions, as expressions: drawn from a short description of each parameter name.

`calls(function, signature, count)` gives the same expressions for equal arguments. About half of them are wrong in some way:
a rank or dtype that does not fit, a negative size, an axis out of range, None.
"""

from __future__ import annotations

import random
import re

from expressions import FLOATS, INTEGERS, axes, shape_of, value

COMPLEX = ["complex64", "complex128"]
EVERY = [*FLOATS, "bfloat16", *INTEGERS, "bool", *COMPLEX]
# What most functions are called with: (weight, dtype).
USUAL = {"float32": 10, "float64": 3, "int32": 4, "float16": 1, "bfloat16": 1, "int64": 1, "bool": 1, "complex64": 1}
RARE = ["int8", "int16", "uint8", "uint16", "uint32", "uint64", "complex128", "string"]

# Functions that take functions, control the program, or whose results are no values.
NO_CALLS = {
    "control of the program": "Assert assert_* control_dependencies device function init_scope name_scope no_gradient_for "
    "executing_eagerly print timestamp no_op grad_pass_through custom_gradient recompute_grad stop_gradient_for gradients "
    "hessians inside_function group is_symbolic_tensor load_library load_op_library register_tensor_conversion_function "
    "py_function numpy_function get_logger get_static_value type_spec_from_value variable_creator_scope while_loop cond "
    "case switch_case map_fn scan foldl foldr vectorized_map get_current_name_scope ensure_shape_for tuple "
    "init_scope is_tensor nondifferentiable dynamic_* import_graph_def",
    "state of generators": "random.get_global_generator random.set_global_generator random.create_rng_state "
    "random.experimental.* random.set_seed random.fold_in random.split random.get_global_generator",
    "functions that take functions": "experimental.numpy.vectorize nn.experimental.* experimental.numpy.experimental_enable_numpy_behavior",
    "their numbers come from the environment": "nn.fractional_avg_pool nn.fractional_max_pool",
    "files": "image.decode_* image.extract_jpeg_shape image.is_jpeg image.encode_* read_file write_file",
}


WITHOUT_EFFECT = ("layout", "swap_memory", "parallel_iterations", "back_prop", "validate_indices", "order")


class Call:
    """What the arguments of one call have in common."""

    def __init__(self, rng: random.Random, function: str) -> None:
        self.rng = rng
        self.function = function
        self.space = function.rpartition(".")[0]
        self.shape = shape_of(rng)
        self.dtype = self._dtype()
        self.used_axis: str | None = None

    def _dtype(self) -> str:
        if self.space == "strings":
            return "string"
        if self.space == "bitwise":
            return self.rng.choice(INTEGERS)
        if self.rng.random() < 0.15:
            return self.rng.choice(RARE)
        return self.rng.choices(list(USUAL), list(USUAL.values()))[0]

    def tensor(self, shape=None, dtype: str | None = None) -> str:
        """A value with the shape and dtype of the call, mostly."""
        rng = self.rng
        shape = list(self.shape if shape is None else shape)
        dtype = dtype or self.dtype
        kind = rng.random()
        if kind < 0.04:
            dtype = rng.choice(EVERY)
        elif kind < 0.08:
            shape = shape_of(rng)
        elif kind < 0.1:
            return rng.choice(
                ["None", "[]", "'a'", "0", "1.5", "-1", "[1, 2.5]", "[[1], [2, 3]]", "tf.Variable(1.0)", "object()"]
            )
        elif kind < 0.16 and shape:
            shape = [rng.choice([d, 1]) for d in shape][rng.randint(0, len(shape)) :]
        if dtype == "string":
            return f"words({', '.join(map(str, shape))})"
        if kind > 0.85 and dtype in (*FLOATS, "bfloat16"):
            return f"odd({dtype!r}{''.join(f', {d}' for d in shape)})"
        return f"tf.constant({value(dtype, shape)})" if kind > 0.3 else value(dtype, shape)

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def sizes(self, low: int = -1) -> str:
        rng = self.rng
        numbers = [rng.choice([0, 1, 2, 3, 4] if rng.random() < 0.9 else [low, 2]) for _ in range(rng.randint(0, 3))]
        return rng.choice(
            [str(numbers), str(numbers), f"tf.constant({numbers}, tf.int32)", f"tf.constant({numbers}, tf.int64)", "2"]
        )

    def some_axis(self, lists: bool) -> str:
        text = axes(self.rng, len(self.shape))
        return text if lists or "[" not in text else "0"


def _square(call: Call) -> str:
    if not hasattr(call, "square"):
        size = call.rng.choice([0, 1, 2, 3])
        call.square = [*call.shape[:1], size, size] if call.rng.random() < 0.4 else [size, size]
        call.dtype = call.rng.choice(["float32", "float32", "float64", "complex64", call.dtype])
    if call.rng.random() < 0.15:
        return call.tensor(call.square[:-1] + [call.rng.choice([1, 2, 4])])
    return f"matrix({call.dtype!r}{''.join(f', {d}' for d in call.square)})"


def _right_side(call: Call) -> str:
    _square(call)
    return call.tensor([*call.square[:-1], call.rng.choice([1, 2])])


def _image(call: Call) -> str:
    if not hasattr(call, "image"):
        rng = call.rng
        batch = [rng.choice([1, 2])] if rng.random() < 0.5 else []
        call.image = [*batch, rng.choice([1, 3, 4]), rng.choice([2, 3, 5]), rng.choice([1, 3, 3, 3, 2])]
        call.dtype = rng.choice(["float32", "float32", "uint8", "float16", "int32", "float64", call.dtype])
    text = call.tensor(call.image)
    return text


def _numbers(*choices: str):
    return lambda call: call.pick(*choices)


def _integers(low: int, high: int):
    def make(call: Call) -> str:
        rng = call.rng
        shape = call.shape if rng.random() < 0.8 else shape_of(rng)
        return f"integers({rng.choice(['int32', 'int32', 'int64'])!r}, {low}, {high}{''.join(f', {d}' for d in shape)})"

    return make


def _seed(call: Call) -> str:
    return call.pick("[1, 2]", "[1, 2]", "[1, 2]", "tf.constant([3, -4], tf.int64)", "[1]", "[1.5, 2]", "1")


def _number_seed(call: Call) -> str:
    return call.pick("1", "2", "None", "2.5", "-3")


def _axis(call: Call) -> str:
    return call.some_axis(True)


def _one_axis(call: Call) -> str:
    return call.some_axis(False)


def _segments(call: Call) -> str:
    rng = call.rng
    size = call.shape[0] if call.shape else 1
    ids = [rng.randint(0, 2) for _ in range(size)]
    if rng.random() < 0.7:
        ids.sort()
    return f"tf.constant({ids}, tf.{rng.choice(['int32', 'int64'])})"


def _dtype_name(call: Call) -> str:
    return f"tf.{call.rng.choice(['float32', 'float64', 'int32', 'int64', 'float16', 'bool', 'uint8', 'complex64'])}"


def _list(call: Call) -> str:
    return f"[{', '.join(call.tensor() for _ in range(call.rng.choice([0, 1, 2, 2, 3])))}]"


# Parameter name (a pattern, with the function's name in front where it matters) -> how its values are drawn. First match wins.
PARAMETERS: list[tuple[str, object]] = [
    (r"random\.stateless.*:seed|image\.stateless.*:seed", _seed),
    (r".*:seed", _number_seed),
    (r"random.*:shape", lambda c: c.sizes()),
    (
        r"random.*:(minval|maxval|mean|stddev|lam|alpha|beta|rate|counts)",
        _numbers("1.0", "0.5", "2.0", "-1.0", "3", "None", "[1.0, 2.0]", "float('nan')"),
    ),
    (r"random.*:probs", _numbers("0.5", "[0.1, 0.9]", "2.0", "float('nan')")),
    (
        r"linalg\.(inv|det|logdet|slogdet|cholesky|eigh|eigvalsh|eig|eigvals|expm|logm|sqrtm|trace|lu|qr|svd|pinv|matrix_rank|matrix_inverse|band_part|diag_part|adjoint|matrix_transpose|cond).*:(input|tensor|matrix|a|x)",
        _square,
    ),
    (
        r"(.*\.)?(cholesky_solve|solve|triangular_solve|lstsq|matrix_solve|matrix_triangular_solve|matrix_solve_ls|lu_solve|lu_reconstruct):(matrix|chol|lower_upper)",
        _square,
    ),
    (
        r"(.*\.)?(cholesky_solve|solve|triangular_solve|lstsq|matrix_solve|matrix_triangular_solve|matrix_solve_ls|lu_solve):rhs",
        _right_side,
    ),
    (
        r"(.*\.)?(matmul|sparse\.sparse_dense_matmul|einsum|tensordot|matvec):.*[ab]$",
        lambda c: _square(c) if c.rng.random() < 0.6 else c.tensor(),
    ),
    (
        r"image\.(resize|crop_to|pad_to|central|random|stateless|adjust|flip|rot|transpose|per_image|grayscale|rgb|hsv|yiq|yuv|sobel|image_grad|total|psnr|ssim|convert|extract|sample|crop_and|draw).*:(image|images|img1|img2|rgb|img)",
        _image,
    ),
    (r"image\..*:value", _image),
    (
        r"image\..*:size",
        _numbers("[2, 3]", "[4, 4]", "[1, 0]", "[-1, 2]", "tf.constant([3, 2])", "[2.5, 2]", "3", "[2, 3, 1]"),
    ),
    (
        r".*:(offset_height|offset_width|target_height|target_width|crop_height|crop_width)",
        _numbers("0", "1", "2", "3", "-1", "tf.constant(1)"),
    ),
    (r".*:central_fraction", _numbers("0.5", "1.0", "0.0", "1.5", "tf.constant(0.3)")),
    (
        r".*:(delta|lower|upper|max_delta|saturation_factor|contrast_factor|gamma|gain)",
        _numbers("0.3", "0.1", "1.5", "-0.5", "2", "0"),
    ),
    (r"image\..*:max_val", _numbers("1.0", "255", "0", "-1.0")),
    (
        r".*:method",
        _numbers("'bilinear'", "'nearest'", "'bicubic'", "'area'", "'lanczos3'", "'gaussian'", "'nonsense'"),
    ),
    (r".*:(boxes|box)", lambda c: c.tensor([c.rng.choice([1, 2, 3]), 4], "float32")),
    (r".*:(scores)", lambda c: c.tensor([c.rng.choice([1, 2, 3])], "float32")),
    (r".*:box_indices", _numbers("[0]", "[0, 0]", "[0, 1]")),
    (r".*:crop_size", _numbers("[2, 2]", "[1, 3]", "[0, 1]")),
    (
        r"image\.extract_patches:(sizes|strides|rates)|.*:(ksizes)",
        _numbers("[1, 2, 2, 1]", "[1, 1, 1, 1]", "[1, 0, 1, 1]", "[2, 2]"),
    ),
    (r"nn\..*conv2d.*:filters?|nn\..*conv2d.*:.*filter", lambda c: c.tensor([2, 2, 2, 3], "float32")),
    (r"nn\..*conv1d.*:filters", lambda c: c.tensor([2, 2, 3], "float32")),
    (r"nn\..*conv3d.*:filters?", lambda c: c.tensor([1, 2, 2, 2, 3], "float32")),
    (
        r"nn\.(conv|convolution|depthwise|separable|atrous|erosion|dilation|max_pool|avg_pool|pool).*:(input|value)",
        lambda c: c.tensor(c.rng.choice(([2, 4, 5, 2], [2, 4, 2], [1, 3, 4, 2, 2])), "float32"),
    ),
    (
        r"nn\..*:(strides|ksize|dilations|window_shape)",
        _numbers("1", "2", "[1, 2, 2, 1]", "[1, 1]", "[1, 1, 1, 1, 1]", "0"),
    ),
    (r".*:padding", _numbers("'SAME'", "'VALID'", "'SAME'", "'VALID'", "'same'", "'NONSENSE'")),
    (r".*:data_format", _numbers("None", "'NHWC'", "'NWC'", "'NCHW'", "'N'")),
    (
        r"nn\.(sparse_softmax.*|in_top_k):(labels|targets)",
        lambda c: f"integers('int32', 0, 3{''.join(f', {d}' for d in c.shape[:-1])})",
    ),
    (r"nn\..*:(mean|variance|offset|scale|bias)", lambda c: c.tensor(c.shape[-1:])),
    (r".*:(variance_epsilon|epsilon|alpha|beta)", _numbers("0.001", "0.0", "0.5", "-1.0")),
    (r"nn\..*:(rate|keep_prob)", _numbers("0.5", "0.0", "0.9", "1.0", "-0.1", "tf.constant(0.5)")),
    (r".*:(k)", _numbers("1", "2", "0", "-1", "3")),
    (r"nn\.embedding_lookup.*:ids|.*:(indices)", _integers(-1, 3)),
    (r".*:(condition|mask|pred)", lambda c: c.tensor(dtype="bool")),
    (r".*:(segment_ids)", _segments),
    (
        r".*:(num_segments|depth|num_rows|num_columns|num_or_size_splits|num|maxlen|num_classes|num_lower|num_upper|diagonals_num|N|M|n|bins|nbins|length|width)",
        _numbers("1", "2", "3", "0", "-1", "4"),
    ),
    (
        r".*\.(sum|prod|reduce_.*|any|all|amax|amin|mean|std|var|average|count_nonzero|median|flip|squeeze|roll|expand_dims|logsumexp|norm|moments|reverse|l2_normalize|normalize|ptp|nan.*|transpose):(axis|axes)|(reduce_.*|reverse|roll|norm|squeeze):axis",
        _axis,
    ),
    (
        r".*:(axis|dim|batch_dims|split_dim|class_dim|axis1|axis2|batch_dim|seq_dim|seq_axis|batch_axis|source|destination)",
        _one_axis,
    ),
    (r".*:(axes)", _numbers("1", "0", "[[1], [0]]", "[1, 0]", "2")),
    (r".*:(perm)", _numbers("None", "[0]", "[1, 0]", "[0, 1]", "[2, 0, 1]", "[0, 0]")),
    (r".*:(out_type|output_type|Tout|dtype|index_dtype|output_dtype|cast_dtype)", _dtype_name),
    (
        r".*:(shape|sizes|newshape|output_shape|dense_shape|batch_shape|multiples|reps|new_shape|block_shape|block_size|shape_[xy]|dims|dimensions)",
        lambda c: c.sizes(),
    ),
    (
        r".*:(paddings|pad_width|crops)",
        lambda c: str([[c.rng.choice([0, 1, 2, -1][: 3 + (c.rng.random() < 0.2)]), 1] for _ in c.shape]),
    ),
    (
        r".*:(begin|start|stop|limit|delta|step|shift)",
        _numbers("0", "1", "3", "-2", "2.5", "[1]", "[0, 1]", "tf.constant(4)"),
    ),
    (r".*:(size)", lambda c: str([c.rng.choice([-1, 0, 1, 2]) for _ in c.shape])),
    (r".*:(values|inputs|tensors|arrays|tup|args)", lambda c: _list(c) if c.rng.random() < 0.85 else c.tensor()),
    (
        r".*:(equation|subscripts)",
        _numbers("'ij,jk->ik'", "'ij,jk'", "'ii->i'", "'ij->ji'", "'...i,...j->...'", "'ij,k'", "'i->'", "'bad->z'"),
    ),
    (r".*:(ord)", _numbers("1", "2", "'euclidean'", "np.inf", "'fro'", "3.5", "-1", "'x'")),
    (r".*:(pattern)", _numbers("'a+'", "'[a-c]'", "'('", "'.*b.*'", "''")),
    (r".*:(rewrite|separator|delimiter|fill|substr)", _numbers("'-'", "''", r"'\\0x'", "','")),
    (r".*:(pos|len)", _numbers("0", "1", "-2", "5", "[1]", "tf.constant(2)")),
    (r".*:(unit)", _numbers("'BYTE'", "'UTF8_CHAR'", "'x'")),
    (r".*:(encoding|input_encoding|output_encoding)", _numbers("''", "'utf-8'", "'UTF-16-BE'", "'x'")),
    (r".*:(errors)", _numbers("'replace'", "'strict'", "'ignore'", "'x'")),
    (r".*:(num_buckets)", _numbers("1", "10", "0", "-3")),
    (r".*:(key)", _numbers("[1, 2]", "[3]", "[1.5, 2]")),
    (r".*:(side)", _numbers("'left'", "'right'", "'x'")),
    (r".*:(direction)", _numbers("'ASCENDING'", "'DESCENDING'", "'x'")),
    (r".*:(mode)", _numbers("'CONSTANT'", "'REFLECT'", "'SYMMETRIC'", "'constant'", "'reflect'", "'eager'", "'x'")),
    (r".*:(align)", _numbers("'LEFT_RIGHT'", "'RIGHT_LEFT'", "'x'")),
    (
        r".*:(clip_norm|clip_value_min|clip_value_max|a_min|a_max|min|max)",
        _numbers("1.0", "-1.0", "0.0", "2", "float('nan')", "[1.0]"),
    ),
    (r".*:(t_list)", _list),
    (r".*:(name)", _numbers("'given'", "None")),
]
_COMPILED = [(re.compile(pattern + r"\Z"), draw) for pattern, draw in PARAMETERS]


def _value(call: Call, parameter: str, default) -> str:
    if default in ("True", "False") and call.rng.random() < 0.95:
        return call.pick("True", "False")
    for pattern, draw in _COMPILED:
        if pattern.match(f"{call.function}:{parameter}"):
            return draw(call)
    if default not in (None, "None") and re.fullmatch(r"-?[0-9.e-]+", default):
        return call.pick(default, default, "0", "1", "-1", "2", "0.5")
    if default is not None and default[0] == "'":
        return call.pick(default, default, "'x'")
    return call.tensor()


def left_out(function: str) -> str | None:
    """Why a function is not called, or None."""
    for why, patterns in NO_CALLS.items():
        if any(re.fullmatch(p.replace(".", r"\.").replace("*", ".*"), function) for p in patterns.split()):
            return why
    return None


def calls(function: str, signature: list, count: int, seed: str = "") -> list[str]:
    """Different calls of the function.

    Args:
      function: its name below `tf`.
      signature: (name, kind, text of the default or None) of each parameter, as in TensorFlow.
      count: how many; fewer if the function does not have so many.
      seed: other calls for another seed.
    """
    rng = random.Random(f"{function} {seed}")
    found: dict[str, None] = {}
    for _ in range(3 * count):
        call = Call(rng, function)
        arguments = []
        for name, kind, default in signature:
            if kind == "VAR_POSITIONAL":
                arguments += [call.tensor() for _ in range(rng.choice([1, 2, 2, 3]))]
            elif kind == "VAR_KEYWORD" or name in WITHOUT_EFFECT:
                continue
            elif default is None:
                if rng.random() < 0.99:
                    prefix = f"{name}=" if kind == "KEYWORD_ONLY" else ""
                    arguments.append(prefix + _value(call, name, default))
            elif rng.random() < (0.05 if name == "name" else 0.3):
                arguments.append(f"{name}={_value(call, name, default)}")
        found[f"tf.{function}({', '.join(arguments)})"] = None
        if len(found) == count:
            break
    return list(found)
